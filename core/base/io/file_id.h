/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The identity of a file: "w.0.et", "./w.0.et" and a link to that file have the same identity. A
 * file that does not exist yet is identified by its folder and its name in the folder.
 */
#ifndef ASIM_BASE_IO_FILE_ID_H
#define ASIM_BASE_IO_FILE_ID_H

#include <sys/types.h>

struct asim_file_id {
    dev_t dev;
    ino_t ino;
    const char *name; /* in the folder; "" for the file itself. Points into the path given */
    int is_regular;   /* or does not exist yet. Two names of /dev/null may both be written */
};

struct asim_file_id asim_file_id_of(const char *path);
/* Orders identities as strcmp orders texts; 0 = the same file. */
int asim_file_id_compare(const struct asim_file_id *a, const struct asim_file_id *b);
/* 1 if both names stand for one regular file, which only one of them may write; a or b may be
 * NULL. */
int asim_file_same(const char *a, const char *b);

#endif
