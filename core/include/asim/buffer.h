/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bytes that one process of a run sends to another. They contain structs as they lie in memory: all
 * processes run the same program on machines of one kind.
 */
#ifndef ASIM_BUFFER_H
#define ASIM_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct asim_buffer {
    const uint8_t *at; /* borrowed; each function that fills a buffer says how long it is valid */
    size_t n;
};

#endif
