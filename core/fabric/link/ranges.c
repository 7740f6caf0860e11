/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sorted byte ranges. Both operations rewrite the list in place from the first range they touch.
 * One spare element at the end is enough room, because adding makes at most one more range, and so
 * does a cut that splits a range.
 */
#include "fabric/link/ranges.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The first range that ends at or after byte. */
static size_t first_at(const struct asim_ranges *ranges, uint64_t byte)
{
    size_t lo = 0, hi = ranges->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (ranges->at[mid].to < byte)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Indices of ranges, from first to last - 1. */
struct span {
    size_t first, last;
};

/* Replaces the ranges of `old` by `count` (0 … 2) ranges. */
static void replace(struct asim_ranges *ranges, struct span old, const struct asim_range *with,
                    size_t count)
{
    size_t tail = ranges->n - old.last;

    memmove(ranges->at + old.first + count, ranges->at + old.last, tail * sizeof *ranges->at);
    for (size_t i = 0; i < count; i++)
        ranges->at[old.first + i] = with[i];
    ranges->n = old.first + count + tail;
}

/* Joins touching ranges: the list is then as long as there are gaps, and its head tells which bytes
 * are contiguous. */
int asim_ranges_add(struct asim_ranges *ranges, struct asim_range range)
{
    size_t first, last;

    if (range.from >= range.to)
        return 0;
    if (asim_grow(&ranges->at, &ranges->cap, ranges->n + 1, sizeof *ranges->at))
        return ASIM_ENOMEM;
    first = last = first_at(ranges, range.from);
    while (last < ranges->n && ranges->at[last].from <= range.to) {
        if (ranges->at[last].from < range.from)
            range.from = ranges->at[last].from;
        if (ranges->at[last].to > range.to)
            range.to = ranges->at[last].to;
        last++;
    }
    replace(ranges, (struct span){first, last}, &range, 1);
    return 0;
}

/* Of all ranges that the cut meets, only the first can extend beyond it to the left and only the
 * last to the right: at most two pieces remain. */
int asim_ranges_cut(struct asim_ranges *ranges, struct asim_range range)
{
    struct asim_range left[2];
    size_t first, last, n = 0;

    if (!ranges->n || range.from >= range.to)
        return 0;
    if (asim_grow(&ranges->at, &ranges->cap, ranges->n + 1, sizeof *ranges->at))
        return ASIM_ENOMEM;
    first = last = first_at(ranges, range.from);
    while (last < ranges->n && ranges->at[last].from < range.to) {
        if (ranges->at[last].from < range.from)
            left[n++] = (struct asim_range){ranges->at[last].from, range.from};
        if (ranges->at[last].to > range.to)
            left[n++] = (struct asim_range){range.to, ranges->at[last].to};
        last++;
    }
    replace(ranges, (struct span){first, last}, left, n);
    return 0;
}

/* The first range that ends behind the byte is the only one that can contain it. */
int asim_ranges_has(const struct asim_ranges *ranges, uint64_t byte)
{
    size_t i = first_at(ranges, byte + 1);

    return i < ranges->n && ranges->at[i].from <= byte;
}

void asim_ranges_fini(struct asim_ranges *ranges)
{
    free(ranges->at);
    *ranges = (struct asim_ranges){0};
}
