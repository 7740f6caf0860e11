/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Independent pieces of work on several threads, such as worlds, which do not disturb each other.
 */
#ifndef ASIM_CLI_SIDE_BY_SIDE_H
#define ASIM_CLI_SIDE_BY_SIDE_H

#include <stdint.h>

/* Calls work(self, i) once for each i below n, on so many threads at most, this one among them;
 * returns when all have ended. Where a thread cannot be made, fewer do the work. */
void asim_side_by_side(uint32_t n, uint32_t threads, void (*work)(void *self, uint32_t i),
                       void *self);

#endif
