/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A set of bytes of one message as sorted, disjoint ranges: what has arrived ahead of a gap, what
 * has been acknowledged there, what is to be sent again. Ranges are few (one per gap in flight),
 * so every operation is a walk; memory follows the gaps, not the size of the message.
 *
 * Empty is all zero; memory is kept when a set empties, and freed by _fini.
 */
#ifndef ASIM_FABRIC_LINK_RANGES_H
#define ASIM_FABRIC_LINK_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct asim_range {
    uint64_t from, to; /* bytes from … to - 1 */
};

struct asim_ranges {
    struct asim_range *at; /* ascending; free with asim_ranges_fini */
    size_t n, cap;
};

/* 0 or ASIM_ENOMEM. Joins what touches. */
int asim_ranges_add(struct asim_ranges *ranges, struct asim_range range);
/* Takes the bytes of range out, wherever they were in. 0 or ASIM_ENOMEM. */
int asim_ranges_cut(struct asim_ranges *ranges, struct asim_range range);
int asim_ranges_has(const struct asim_ranges *ranges, uint64_t byte);
void asim_ranges_fini(struct asim_ranges *ranges);

#endif
