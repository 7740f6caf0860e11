/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Device and inode tell files apart, as names cannot. Where not even the folder is there, the whole
 * name has to do.
 */
#define _XOPEN_SOURCE 700
#include "base/io/file_id.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/text.h"

/* 0, or -1 where the folder is not there; long names are not followed. */
static int folder(const char *path, size_t n, struct stat *st)
{
    char name[4096];

    if (n >= sizeof name)
        return -1;
    memcpy(name, path, n);
    name[n] = 0;
    return stat(n ? name : ".", st);
}

struct asim_place asim_place_of(const char *path)
{
    struct asim_place place = {.name = path, .is_regular = 1};
    size_t n = asim_text_dirlen(path);
    struct stat st;

    if (!stat(path, &st)) {
        place.name = "";
        place.is_regular = S_ISREG(st.st_mode);
    } else if (!folder(path, n, &st)) {
        place.name = path + n;
    } else {
        return place;
    }
    place.dev = st.st_dev;
    place.ino = st.st_ino;
    return place;
}

int asim_place_order(const struct asim_place *a, const struct asim_place *b)
{
    if (a->dev != b->dev)
        return a->dev < b->dev ? -1 : 1;
    if (a->ino != b->ino)
        return a->ino < b->ino ? -1 : 1;
    return strcmp(a->name, b->name);
}

int asim_place_same(const char *a, const char *b)
{
    struct asim_place x, y;

    if (!a || !b)
        return 0;
    x = asim_place_of(a);
    y = asim_place_of(b);
    return x.is_regular && y.is_regular && !asim_place_order(&x, &y);
}
