/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bytes that one process of a run has for another. Structs lie in them as in memory: all processes
 * are one program on machines of one kind.
 */
#ifndef ASIM_BLOCK_H
#define ASIM_BLOCK_H

#include <stddef.h>
#include <stdint.h>

struct asim_block {
    const uint8_t *at; /* borrowed from whoever filled it in */
    size_t n;
};

#endif
