/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A set of bytes of one message as sorted, disjoint ranges: bytes that arrived beyond a gap, bytes
 * acknowledged there, bytes to be sent again. Ranges are few (one for each gap in flight), so every
 * operation is a linear walk. Memory follows the number of gaps, not the size of the message.
 *
 * A zeroed struct is the empty set. A set that becomes empty keeps its memory until _fini.
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

/* Adds a range; joins it with ranges it touches. 0 or ASIM_ENOMEM. */
int asim_ranges_add(struct asim_ranges *ranges, struct asim_range range);
/* Removes the bytes of a range, wherever they are. 0 or ASIM_ENOMEM. */
int asim_ranges_cut(struct asim_ranges *ranges, struct asim_range range);
int asim_ranges_has(const struct asim_ranges *ranges, uint64_t byte);
void asim_ranges_fini(struct asim_ranges *ranges);

#endif
