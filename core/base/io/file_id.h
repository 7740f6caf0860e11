/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which file a name stands for: "w.0.et", "./w.0.et" and a link to it are one. A file that is not
 * there yet is known by its folder and its name in it.
 */
#ifndef ASIM_BASE_IO_FILE_ID_H
#define ASIM_BASE_IO_FILE_ID_H

#include <sys/types.h>

struct asim_place {
    dev_t dev;
    ino_t ino;
    const char *name; /* in the folder; "" for the file itself. Points into the path given */
    int is_regular;   /* or not there: writing to two names of /dev/null loses nothing */
};

struct asim_place asim_place_of(const char *path);
/* As strcmp; 0 = one file. */
int asim_place_order(const struct asim_place *a, const struct asim_place *b);
/* 1 where two names stand for one file that only one of them may write; NULLs are fine. */
int asim_place_same(const char *a, const char *b);

#endif
