/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Puts events in their order: (time, turn, rank), and those of one node as it recorded them; where
 * all ranks share one clock (time, insertion). A natural merge sort of small keys, because what
 * comes in is a row of runs already in order: each node's events of a window follow each other by
 * time. Stable, so that insertion decides the rest. n log(runs).
 *
 * The events of a window lie close together in time, so time, place and insertion mostly fit in one
 * word (base/sort_u64.h). Keys of three words are for what is left.
 */
#include "base/sort_u64.h"
#include "sim/event_bus.h"

struct key {
    uint64_t t, place, at; /* at: in pending */
};

/* What is pending, from the least to the greatest of each. */
struct spread {
    uint64_t t, t_last, place, place_last;
};

/* Turn above rank: one comparison for both. */
static uint64_t place_of(const struct asim_event_bus *show, const struct asim_event *event)
{
    return show->in_order ? 0 : (uint64_t)event->turn << 32 | event->rank;
}

/* One pass over the events, which have just been written: a window's are in the nearest cache. */
static struct spread spread_of(const struct asim_event_bus *show)
{
    struct spread spread = {UINT64_MAX, 0, UINT64_MAX, 0};

    for (size_t i = 0; i < show->pending.n; i++) {
        uint64_t t = show->pending.at[i].t, place = place_of(show, &show->pending.at[i]);

        spread.t = t < spread.t ? t : spread.t;
        spread.t_last = t > spread.t_last ? t : spread.t_last;
        spread.place = place < spread.place ? place : spread.place;
        spread.place_last = place > spread.place_last ? place : spread.place_last;
    }
    return spread;
}

/* keys: room as asim_sort_u64 asks. A window whose events came in order, as most do with few
 * ranks, costs one pass over them. */
static const uint64_t *sort_words(const struct asim_event_bus *show, const struct spread *spread,
                                  uint64_t *keys, unsigned place_bits)
{
    size_t n = show->pending.n;
    unsigned at_bits = asim_bits_of(n);

    for (size_t i = 0; i < n; i++) {
        const struct asim_event *event = &show->pending.at[i];

        keys[i] = ((event->t - spread->t) << place_bits | (place_of(show, event) - spread->place))
                      << at_bits |
                  i;
    }
    keys = asim_sort_u64(keys, n);
    for (size_t i = 0; i < n; i++)
        keys[i] &= (1ull << at_bits) - 1;
    return keys;
}

static inline int is_before(const struct key *x, const struct key *y)
{
    return x->t < y->t || (x->t == y->t && x->place < y->place);
}

/* The end of the run that begins at `from`. */
static size_t run_end(const struct key *keys, size_t from, size_t n)
{
    while (++from < n && !is_before(&keys[from], &keys[from - 1]))
        ;
    return from;
}

/* Merges each two runs that follow each other; returns how many there were before. */
static size_t merge(const struct key *from, struct key *to, size_t n)
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

/* words: 7 n. Two rows of keys, and behind them what comes of it. */
static const uint64_t *sort_keys(const struct asim_event_bus *show, uint64_t *words)
{
    size_t n = show->pending.n, row = sizeof(struct key) / sizeof *words;
    struct key *from = (struct key *)(void *)words, *to = from + n, *swap;
    uint64_t *order = words + 2 * row * n;

    for (size_t i = 0; i < n; i++) {
        const struct asim_event *event = &show->pending.at[i];

        from[i] = (struct key){event->t, place_of(show, event), i};
    }
    do {
        size_t runs = merge(from, to, n);

        swap = from;
        from = to;
        to = swap;
        if (runs == 1)
            break;
    } while (1);
    for (size_t i = 0; i < n; i++)
        order[i] = from[i].at;
    return order;
}

/* The room is kept for the next time: 48 bytes an event, 56 where long keys were needed. Freed with
 * the show. */
const uint64_t *asim_event_bus_sort(struct asim_event_bus *show)
{
    const struct spread spread = spread_of(show);
    unsigned place_bits = asim_bits_of(spread.place_last - spread.place);
    unsigned bits =
        asim_bits_of(spread.t_last - spread.t) + place_bits + asim_bits_of(show->pending.n);

    if (ASIM_VEC_RESERVE(show->keys, (bits <= 64 ? ASIM_SORT_U64_ROOM : 7) * show->pending.n))
        return NULL;
    return bits <= 64 ? sort_words(show, &spread, show->keys.at, place_bits)
                      : sort_keys(show, show->keys.at);
}
