/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Text files that cmake/embed.cmake compiles into the program.
 */
#ifndef ASIM_BASE_EMBEDDED_H
#define ASIM_BASE_EMBEDDED_H

struct asim_embedded {
    const char *name, *text; /* the name has no folder; NULL ends a table */
};
/* The machines of configs/machines. */
extern const struct asim_embedded machines_files[];

#endif
