/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Device and inode identify a file. If the folder does not exist either, the path as given is the
 * identity.
 */
#define _XOPEN_SOURCE 700
#include "base/io/file_id.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/text.h"

/* Stats the folder, the first n bytes of path. Returns -1 if the folder does not exist or its name
 * is longer than PATH_MAX. */
static int folder(const char *path, size_t n, struct stat *st)
{
    char name[4096];

    if (n >= sizeof name)
        return -1;
    memcpy(name, path, n);
    name[n] = 0;
    return stat(n ? name : ".", st);
}

struct asim_file_id asim_file_id_of(const char *path)
{
    struct asim_file_id id = {.name = path, .is_regular = 1};
    size_t n = asim_text_dirlen(path);
    struct stat st;

    if (!stat(path, &st)) {
        id.name = "";
        id.is_regular = S_ISREG(st.st_mode);
    } else if (!folder(path, n, &st)) {
        id.name = path + n;
    } else {
        return id;
    }
    id.dev = st.st_dev;
    id.ino = st.st_ino;
    return id;
}

int asim_file_id_compare(const struct asim_file_id *a, const struct asim_file_id *b)
{
    if (a->dev != b->dev)
        return a->dev < b->dev ? -1 : 1;
    if (a->ino != b->ino)
        return a->ino < b->ino ? -1 : 1;
    return strcmp(a->name, b->name);
}

int asim_file_same(const char *a, const char *b)
{
    struct asim_file_id x, y;

    if (!a || !b)
        return 0;
    x = asim_file_id_of(a);
    y = asim_file_id_of(b);
    return x.is_regular && y.is_regular && !asim_file_id_compare(&x, &y);
}
