/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes folders for the time of a command; whoever asks removes them. A folder is locked as long as
 * its process lives, so that the next one finds those that a killed process has left, and removes
 * them.
 */
#define _XOPEN_SOURCE 700
#include "cli/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME ".asim-"

enum { MOST_DEPTH = 4 };

/* Of folders that asim makes, which are not deep. */
static void remove_in(int parent, const char *name, int depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (fd >= 0 && !dir)
        close(fd);
    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
            unlinkat(fd, entry->d_name, 0) && depth)
            remove_in(fd, entry->d_name, depth - 1);
    if (dir)
        closedir(dir);
    unlinkat(parent, name, AT_REMOVEDIR);
}

/* Removes the folder if nobody has its lock, and it is the user's. */
static void remove_left(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return;
    if (!fstat(fd, &st) && st.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB))
        remove_in(parent, name, MOST_DEPTH);
    close(fd);
}

static void remove_all_left(const char *parent)
{
    DIR *dir = opendir(parent);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (!strncmp(entry->d_name, NAME, strlen(NAME)) &&
            strlen(entry->d_name) == strlen(NAME) + 6)
            remove_left(dirfd(dir), entry->d_name);
    if (dir)
        closedir(dir);
}

int asim_temporary_in(const char *parent, char *path, size_t size)
{
    int fd = -1;

    remove_all_left(parent);
    for (struct stat st; fd < 0;) {
        if ((size_t)snprintf(path, size, "%s/" NAME "XXXXXX", parent) >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        if (!mkdtemp(path))
            return -1;
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        /* Another process may have taken it for one that was left, before the lock. */
        if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB), stat(path, &st))) {
            close(fd);
            fd = -1;
        } else if (fd < 0 && errno != ENOENT) {
            return -1;
        }
    }
    return fd;
}

int asim_temporary_folder(char path[ASIM_TEMPORARY_PATH], struct asim_err *err)
{
    const size_t most = ASIM_TEMPORARY_PATH - 256; /* leaves room for files in it */
    const char *root = getenv("TMPDIR");

    root = root && *root ? root : "/tmp";
    *path = '\0';
    if (strlen(root) > most)
        return asim_err_set(err, ASIM_EIO,
                            "TMPDIR has %zu bytes, and a folder for traces at most %zu; name a "
                            "shorter one.",
                            strlen(root), most);
    if (asim_temporary_in(root, path, ASIM_TEMPORARY_PATH) >= 0)
        return 0;
    *path = '\0';
    return asim_err_set(err, ASIM_EIO,
                        "cannot make a folder for traces in %s: %s. TMPDIR names another place.",
                        root, strerror(errno));
}
