/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sorting of arrivals, and of ports.
 */
#include "fabric/switch/bulk/bulk.h"

#include <string.h>

#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/ground/worker.h"

/* The order of two arrivals in one tick: first the ages of their causes, then the order in which
 * their links were served last. The frames before them on their links show that order, or the event
 * counts of earlier windows if no such frame exists. Out of line, since most entries differ in
 * time. It goes back to the start of the window if ports are in lockstep without being in one
 * group. */
static int is_first(const struct asim_switch *sw, uint64_t a, uint64_t b)
{
    const struct asim_port *x = &sw->ports[asim_arrival_port(a)].port;
    const struct asim_port *y = &sw->ports[asim_arrival_port(b)].port;
    const uint64_t places = (1ull << ASIM_INDEX_BITS) - 1;
    uint64_t left = (a & places) < (b & places) ? a & places : b & places;
    int alike = asim_wires_time_alike(x->in, y->in);

    if (x == y)
        return a < b;
    for (;; left--, a--, b--) {
        const struct asim_frame *f = asim_arrival_frame(x->in, a),
                                *g = asim_arrival_frame(y->in, b);
        uint64_t f_tie, g_tie;

        if (f->t != g->t)
            return f->t < g->t;
        if (!alike || f->wire != g->wire || f->cause_recency != g->cause_recency) {
            f_tie = asim_wire_tie_key(x->in, f);
            g_tie = asim_wire_tie_key(y->in, g);
            if (f_tie != g_tie)
                return f_tie < g_tie;
        }
        if (!left)
            break;
    }
    if ((a & places) || (b & places))
        return !(a & places); /* its predecessor belongs to an earlier window */
    return x->in->in_seq != y->in->in_seq ? x->in->in_seq < y->in->in_seq : a < b;
}

/* Whether the event counts alone order two entries: one group, and one index. */
static inline int same_lockstep_group(const struct asim_switch *sw, uint64_t a, uint64_t b)
{
    const uint64_t places = (1ull << ASIM_INDEX_BITS) - 1;
    uint32_t p = asim_arrival_port(a), q = asim_arrival_port(b);

    return p != q && (a & places) == (b & places) && sw->lockstep_group[p] == sw->lockstep_group[q];
}

/* Two arrivals of one tick that leave by one port. */
static void note_contest(struct asim_switch_shard *shard, uint64_t a, uint64_t b)
{
    const struct asim_wire *x = shard->sw->in[asim_arrival_port(a)];
    const struct asim_wire *y = shard->sw->in[asim_arrival_port(b)];

    if (x != y && asim_tie_is_contested(asim_wire_tie_key(x, asim_arrival_frame(x, a)),
                                        asim_wire_tie_key(y, asim_arrival_frame(y, b))))
        shard->worker->contested = 1;
}

static inline int is_before(const struct asim_switch *sw, uint64_t a, uint64_t b)
{
    uint64_t x = a >> ASIM_TICK_SHIFT, y = b >> ASIM_TICK_SHIFT;

    if (x != y)
        return x < y;
    if (!same_lockstep_group(sw, a, b))
        return is_first(sw, a, b);
    x = sw->in[asim_arrival_port(a)]->in_seq;
    y = sw->in[asim_arrival_port(b)]->in_seq;
    return x != y ? x < y : a < b;
}

/* The same for arrivals that leave by one port. */
static inline int leaves_before(struct asim_switch_shard *shard, uint64_t a, uint64_t b)
{
    uint64_t x = a >> ASIM_TICK_SHIFT, y = b >> ASIM_TICK_SHIFT;

    if (x != y)
        return x < y;
    if (!shard->worker->contested)
        note_contest(shard, a, b);
    return is_before(shard->sw, a, b);
}

/* Two adjacent sorted runs: the second begins at mid. */
struct runs {
    uint32_t mid, end;
};

/* Merges two sorted runs. Data in one direction and ACKs of the other meet here: most of the
 * traffic of collectives. No two entries are equal. */
static void merge(struct asim_switch_shard *shard, const uint64_t *from, struct runs runs,
                  uint64_t *to)
{
    const uint64_t *a = from,
                   *b = from + runs.mid, *const a_end = b, *const b_end = from + runs.end;

    while (a != a_end && b != b_end) {
        uint64_t x = *a, y = *b;
        int is_second = leaves_before(shard, y, x);

        *to++ = is_second ? y : x;
        a += !is_second;
        b += is_second;
    }
    memcpy(to, a != a_end ? a : b, (size_t)(a_end - a + (b_end - b)) * sizeof *to);
}

/* Insertion sort, for short batches of many runs. An all-to-all brings one or two frames of each of
 * many ports to an egress port, in random order. Below some forty entries the moves cost less than
 * the mispredicted branches of a merge. */
static void insert_all(struct asim_switch_shard *shard, uint64_t *at, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint64_t entry = at[i];
        uint32_t k = i;

        for (; k && leaves_before(shard, entry, at[k - 1]); k--)
            at[k] = at[k - 1];
        at[k] = entry;
    }
}

/* Merge sort, bottom up from pieces of PIECE entries. Returns `at` or `spare`, whichever holds the
 * result. */
static uint64_t *sort_long(struct asim_switch_shard *shard, uint64_t *at, uint32_t n,
                           uint64_t *spare)
{
    enum { PIECE = 16 };
    uint64_t *swap;

    for (uint32_t low = 0; low < n; low += PIECE)
        insert_all(shard, at + low, n - low < PIECE ? n - low : PIECE);
    for (uint32_t width = PIECE; width < n; width *= 2) {
        for (uint32_t low = 0; low < n; low += 2 * width) {
            uint32_t left = n - low, mid = width < left ? width : left;

            merge(shard, at + low, (struct runs){mid, 2 * width < left ? 2 * width : left},
                  spare + low);
        }
        swap = at;
        at = spare;
        spare = swap;
    }
    return at;
}

uint64_t *asim_arrivals_order(struct asim_switch_shard *shard, struct asim_egress_batch *batch)
{
    enum { SHORT = 40 };
    uint64_t *spare;

    if (batch->ingress_runs == 1)
        return batch->at;
    if (batch->ingress_runs > 2 && batch->n <= SHORT) {
        insert_all(shard, batch->at, batch->n);
        return batch->at;
    }
    if (shard->ordered.cap < batch->n && asim_egress_batch_grow(&shard->ordered, batch->n)) {
        shard->worker->failed = ASIM_ENOMEM;
        return batch->at;
    }
    spare = shard->ordered.at;
    if (batch->ingress_runs > 2)
        return sort_long(shard, batch->at, batch->n, spare);
    merge(shard, batch->at, (struct runs){batch->second_run, batch->n}, spare);
    return spare;
}

/* Insertion sort in pieces, and merges. Sorted input costs one comparison an entry. */
static const struct asim_port_event *
sort_ports(const struct asim_switch *sw, struct asim_port_event *const at_spare[2], uint32_t n)
{
    struct asim_port_event *at = at_spare[0], *from = at, *to = at_spare[1], *swap;
    int whole = 1;

    for (uint32_t i = 1; i < n; i++) {
        struct asim_port_event one = at[i];
        uint32_t k = i;

        if (!is_before(sw, one.entry, at[i - 1].entry))
            continue;
        whole = 0;
        for (; k % ASIM_FEW_PORTS && is_before(sw, one.entry, at[k - 1].entry); k--)
            at[k] = at[k - 1];
        at[k] = one;
    }
    if (whole)
        return at;
    for (uint32_t width = ASIM_FEW_PORTS; width < n; width *= 2) {
        for (uint32_t low = 0; low < n; low += 2 * width) {
            uint32_t mid = low + width < n ? low + width : n;
            uint32_t end = mid + width < n ? mid + width : n, i = low, j = mid;

            for (uint32_t k = low; k < end; k++)
                to[k] = i < mid && (j == end || !is_before(sw, from[j].entry, from[i].entry))
                            ? from[i++]
                            : from[j++];
        }
        swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Appends the lists of the other shards to those of the first one, which are in place. */
static void gather(struct asim_switch *sw)
{
    for (uint32_t d = 1; d < sw->n_shards; d++) {
        const struct asim_switch_shard *shard = &sw->shard[d];

        memmove(sw->last_arrival[0] + sw->n_last_arrivals, shard->last_arrival,
                shard->n_last_arrivals * sizeof *shard->last_arrival);
        memmove(sw->last_tx_start[0] + sw->n_last_tx_starts, shard->last_tx_start,
                shard->n_last_tx_starts * sizeof *shard->last_tx_start);
        sw->n_last_arrivals += shard->n_last_arrivals;
        sw->n_last_tx_starts += shard->n_last_tx_starts;
    }
}

/* Ticks modulo TIMES. */
enum { TIMES = 256 };

/* Moves events that may share their tick with another one to the front, and returns their number.
 * Only they need an order: event counts begin with the tick. Above ASIM_FEW_PORTS events all go to
 * the sort, because most of them share their tick. No branch depends on a single event. */
static uint32_t put_ties_first(struct asim_port_event *at, uint32_t n)
{
    uint8_t first[TIMES] = {0};  /* 1 + the first event at a tick */
    uint32_t tied = 0, ties = 0; /* tied: a bit for each event */

    if (n < 2 || n > ASIM_FEW_PORTS)
        return n < 2 ? 0 : n;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *slot = &first[at[i].entry >> ASIM_TICK_SHIFT & (TIMES - 1)];
        uint32_t before = *slot ? *slot : i + 1;

        tied |= (1u << i | 1u << (before - 1)) & (0 - (uint32_t)(before <= i));
        *slot = (uint8_t)before;
    }
    for (; tied; tied &= tied - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(tied);
        struct asim_port_event event = at[i];

        at[i] = at[ties];
        at[ties++] = event;
    }
    return ties;
}

void asim_order_ties(struct asim_switch *sw)
{
    sw->n_last_arrivals = sw->shard->n_last_arrivals;
    sw->n_last_tx_starts = sw->shard->n_last_tx_starts;
    gather(sw);
    sw->tx_start_order = sort_ports(sw, sw->last_tx_start,
                                    put_ties_first(sw->last_tx_start[0], sw->n_last_tx_starts));
    sw->arrival_order =
        sort_ports(sw, sw->last_arrival, put_ties_first(sw->last_arrival[0], sw->n_last_arrivals));
}
