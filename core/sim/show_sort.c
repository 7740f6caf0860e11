/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Puts events in their order: (time, turn, rank), and those of one node as it recorded them; where
 * all ranks share one clock (time, insertion). A natural merge sort of small keys, because what
 * comes in is a row of runs already in order: each node's events of a window follow each other by
 * time. Stable, so that insertion decides the rest. n log(runs).
 */
#include "sim/show.h"

/* Turn above rank: one comparison for both. */
static uint64_t place_of(const struct asim_show *show, const struct asim_event *event)
{
    return show->in_order ? 0 : (uint64_t)event->turn << 32 | event->rank;
}

static inline int is_before(const struct asim_show_key *x, const struct asim_show_key *y)
{
    return x->t < y->t || (x->t == y->t && x->place < y->place);
}

/* The end of the run that begins at `from`. */
static size_t run_end(const struct asim_show_key *keys, size_t from, size_t n)
{
    while (++from < n && !is_before(&keys[from], &keys[from - 1]))
        ;
    return from;
}

/* Merges each two runs that follow each other; returns how many there were before. */
static size_t merge(const struct asim_show_key *from, struct asim_show_key *to, size_t n)
{
    size_t runs = 0;

    for (size_t i = 0; i < n;) {
        size_t middle = run_end(from, i, n), end = middle, j = middle;

        runs++;
        if (middle < n) {
            end = run_end(from, middle, n);
            runs++;
        }
        while (i < middle && j < end)
            *to++ = is_before(&from[j], &from[i]) ? from[j++] : from[i++];
        while (i < middle)
            *to++ = from[i++];
        while (j < end)
            *to++ = from[j++];
        i = end;
    }
    return runs;
}

/* Keys of 24 bytes are moved instead of events of 64; two rows of them, kept for the next time. A
 * window whose events came in order, as most do with few ranks, costs one pass. */
const struct asim_show_key *asim_show_sort(struct asim_show *show)
{
    size_t n = show->pending.n;
    struct asim_show_key *from, *to, *swap;

    if (ASIM_VEC_RESERVE(show->keys, 2 * n))
        return NULL;
    from = show->keys.at;
    to = from + n;
    for (size_t i = 0; i < n; i++) {
        const struct asim_event *event = &show->pending.at[i];

        from[i] = (struct asim_show_key){event->t, place_of(show, event), i};
    }
    if (run_end(from, 0, n) >= n)
        return from;
    while (merge(from, to, n) > 1) {
        swap = from;
        from = to;
        to = swap;
    }
    return to;
}
