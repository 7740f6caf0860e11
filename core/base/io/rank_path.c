/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes and finds the names of files that have a rank in them. Only asim_rank_path_each touches the
 * file system: it reads the folder once.
 */
#include "base/io/rank_path.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

#define RANK_DIGITS 10

int asim_rank_path_make(const char *prefix, uint32_t rank, const char *suffix, char **path,
                        struct asim_err *err)
{
    size_t size = strlen(prefix) + RANK_DIGITS + strlen(suffix) + sizeof "..";
    *path = malloc(size);
    if (!*path)
        return asim_err_nomem(err, "looking for traces");
    snprintf(*path, size, "%s.%lu.%s", prefix, (unsigned long)rank, suffix);
    return 0;
}

/* Names such as job.1.et.bak or job.01.et belong to no rank. */
int64_t asim_rank_path_parse(const char *name, const char *stem)
{
    size_t n = strlen(stem);
    if (strncmp(name, stem, n) || name[n] != '.' || name[n + 1] < '0' || name[n + 1] > '9')
        return -1;
    char *end;
    errno = 0;
    unsigned long rank = strtoul(name + n + 1, &end, 10);
    if (errno || rank > UINT32_MAX - 1 || (strcmp(end, ".et") && strcmp(end, ".et.gz")))
        return -1;
    if (name[n + 1] == '0' && end != name + n + 2)
        return -1; /* padded: the simulator would never look for it */
    return (int64_t)rank;
}

int asim_rank_path_each(const char *prefix,
                        int (*see)(void *self, const char *path, uint32_t rank,
                                   struct asim_err *err),
                        void *self, struct asim_err *err)
{
    size_t n = asim_text_dirlen(prefix), size = strlen(prefix) + 300;
    char *path = malloc(size);
    int code = 0;

    if (!path)
        return asim_err_nomem(err, "looking for traces");
    snprintf(path, size, "%.*s", n ? (int)n : 1, n ? prefix : ".");
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && !code && (entry = readdir(dir));) {
        int64_t rank = asim_rank_path_parse(entry->d_name, prefix + n);
        if (rank < 0)
            continue;
        snprintf(path, size, "%.*s%s", (int)n, prefix, entry->d_name);
        code = see(self, path, (uint32_t)rank, err);
    }
    if (dir)
        closedir(dir);
    free(path);
    return code;
}
