/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Dealing the arrivals of a calm window by way out, and the counts they leave behind: see batch.h.
 */
#include "fabric/batch.h"
#include "fabric/queue.h"

#include <string.h>

/* Whether what has the same size and cause has the same age on both. */
static inline int is_paced_like(const struct asim_wire *a, const struct asim_wire *b)
{
    return a->in_tx == b->in_tx && a->age_left == b->age_left;
}

/* The order of order.h among arrivals of one time: by the ages of their causes, then by which of
 * the links was served first the last time, which is asked of the frames before these on their
 * links, and of the counts of earlier windows where there are none. Out of line: nearly all
 * entries differ in time. It goes back to the beginning of the window where ports are in lockstep
 * without being kin. */
static int is_first(const struct asim_switch *sw, uint64_t a, uint64_t b)
{
    const struct asim_port *x = &sw->ports[asim_batch_in(a)].port;
    const struct asim_port *y = &sw->ports[asim_batch_in(b)].port;
    const uint64_t places = (1ull << ASIM_PLACE_BITS) - 1;
    uint64_t left = (a & places) < (b & places) ? a & places : b & places;
    int alike = is_paced_like(x->in, y->in);

    if (x == y)
        return a < b;
    for (;; left--, a--, b--) {
        const struct asim_frame *f = asim_batch_frame(x->in, a), *g = asim_batch_frame(y->in, b);
        uint64_t f_tie, g_tie;

        if (f->t != g->t)
            return f->t < g->t;
        if (!alike || f->wire != g->wire || f->side != g->side) {
            f_tie = asim_wire_tie(x->in, f);
            g_tie = asim_wire_tie(y->in, g);
            if (f_tie != g_tie)
                return f_tie < g_tie;
        }
        if (!left)
            break;
    }
    if ((a & places) || (b & places))
        return !(a & places); /* the one before it is of an earlier window */
    return x->in_seq != y->in_seq ? x->in_seq < y->in_seq : a < b;
}

/* Kin of one place are told apart by their counts, without a look at any frame. */
static inline int is_before(const struct asim_switch *sw, uint64_t a, uint64_t b)
{
    const uint64_t places = (1ull << ASIM_PLACE_BITS) - 1;
    uint64_t x = a >> ASIM_TICK_SHIFT, y = b >> ASIM_TICK_SHIFT;
    uint32_t p = asim_batch_in(a), q = asim_batch_in(b);

    if (x != y)
        return x < y;
    if (p == q || (a & places) != (b & places) || sw->kin[p] != sw->kin[q])
        return is_first(sw, a, b);
    x = sw->ports[p].port.in_seq;
    y = sw->ports[q].port.in_seq;
    return x != y ? x < y : a < b;
}

/* 0 or ASIM_ENOMEM. Kept out of line: it is not the steady state. */
static int grow(struct asim_batch *batch)
{
    size_t cap = batch->cap;
    int failed = asim_grow(&batch->at, &cap, cap + 1, sizeof *batch->at);

    batch->cap = (uint32_t)cap;
    return failed;
}

/* Puts an entry at the end of those that leave through `out`. Ports are dealt one after the other,
 * each in order of time: an entry of another port begins another row. 0 or ASIM_ENOMEM. */
static inline int deal(struct asim_switch *sw, uint32_t out, uint64_t entry)
{
    struct asim_batch *batch = &sw->batch[out];

    if (batch->n == batch->cap && grow(batch))
        return ASIM_ENOMEM;
    if (!batch->n) {
        sw->ways_out[sw->n_ways_out++] = out;
        batch->rows = 1;
        batch->second = 0;
    } else if (asim_batch_in(batch->at[batch->n - 1]) != asim_batch_in(entry)) {
        batch->rows++;
        batch->second = batch->rows == 2 ? batch->n : batch->second;
    }
    batch->at[batch->n++] = entry;
    return 0;
}

/* Two rows, each in order, into one: data that goes one way and the answers of what comes back make
 * up most of the traffic of collectives, and meet here. Of equal ones the first row's goes first,
 * but there are none: no two frames have the same place. */
static void merge(const struct asim_switch *sw, const uint64_t *from, const uint32_t mid_end[2],
                  uint64_t *to)
{
    uint32_t i = 0, j = mid_end[0];

    while (i < mid_end[0] && j < mid_end[1])
        *to++ = is_before(sw, from[j], from[i]) ? from[j++] : from[i++];
    memcpy(to, from + (i < mid_end[0] ? i : j), (mid_end[0] - i + mid_end[1] - j) * sizeof *to);
}

/* By insertion: for short batches, where many rows of one or two meet. An all-to-all brings a frame
 * or two from each of many ports to a way out, in no order that anybody could foresee; below some
 * forty the moves are cheaper than the mispredicted turns of a merge. */
static void insert_all(const struct asim_switch *sw, uint64_t *at, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint64_t entry = at[i];
        uint32_t k = i;

        for (; k && is_before(sw, entry, at[k - 1]); k--)
            at[k] = at[k - 1];
        at[k] = entry;
    }
}

/* Merge sort, bottom up from pieces of PIECE; where it ends up: at or spare. */
static uint64_t *sort_long(const struct asim_switch *sw, uint64_t *at, uint32_t n, uint64_t *spare)
{
    enum { PIECE = 16 };
    uint64_t *swap;

    for (uint32_t low = 0; low < n; low += PIECE)
        insert_all(sw, at + low, n - low < PIECE ? n - low : PIECE);
    for (uint32_t width = PIECE; width < n; width *= 2) {
        for (uint32_t low = 0; low < n; low += 2 * width) {
            uint32_t left = n - low, mid = width < left ? width : left;

            merge(sw, at + low, (const uint32_t[2]){mid, 2 * width < left ? 2 * width : left},
                  spare + low);
        }
        swap = at;
        at = spare;
        spare = swap;
    }
    return at;
}

uint64_t *asim_batch_order(struct asim_switch *sw, struct asim_batch *batch)
{
    enum { SHORT = 40 };
    uint64_t *spare;

    if (batch->rows == 1)
        return batch->at;
    if (batch->rows > 2 && batch->n <= SHORT) {
        insert_all(sw, batch->at, batch->n);
        return batch->at;
    }
    while (sw->ordered.cap < batch->n)
        if (grow(&sw->ordered)) {
            sw->lane->failed = ASIM_ENOMEM;
            return batch->at;
        }
    spare = sw->ordered.at;
    if (batch->rows > 2)
        return sort_long(sw, batch->at, batch->n, spare);
    merge(sw, batch->at, (const uint32_t[2]){batch->second, batch->n}, spare);
    return spare;
}

/* A port whose frames are compared with those of the port dealt before it, until one differs in
 * time or cause: ports in lockstep are kin, and are often neighbours. */
struct twin {
    const struct asim_wire *wire;
    uint32_t head, n; /* n: of its frames not seen yet */
};

static inline struct twin twin_of(const struct asim_switch *sw, const struct asim_wire *wire)
{
    const struct asim_came *last = sw->n_came ? &sw->came[sw->n_came - 1] : NULL;
    struct twin twin = {.wire = NULL};

    if (last && is_paced_like(wire, sw->in[last->port]))
        twin = (struct twin){sw->in[last->port],
                             atomic_load_explicit(&sw->in[last->port]->head, memory_order_relaxed),
                             (uint32_t)last->entry % (1u << ASIM_PLACE_BITS) + 1};
    return twin;
}

static inline void compare(struct twin *twin, const struct asim_frame *frame)
{
    const struct asim_frame *its = &twin->wire->in_at[twin->head++ & twin->wire->in_mask];

    if (!twin->n-- || its->t != frame->t || its->wire != frame->wire || its->side != frame->side)
        twin->wire = NULL;
}

/* Deals what comes in at port p, all of which lies in the mailbox since the switch's turn began;
 * routes are asked here, once a frame, and remembered by the batch the frame is put in. Its bytes,
 * or UINT64_MAX where the window is no calm one. */
static uint64_t deal_port(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                          const uint64_t begin_until[2])
{
    struct asim_wire *wire = sw->in[p];
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed), n = 0;
    uint64_t bytes = 0, entry = (uint64_t)p << ASIM_PLACE_BITS, dt = 0;
    struct twin twin = twin_of(sw, wire);

    if (wire->avail - head >= 1u << ASIM_PLACE_BITS)
        return UINT64_MAX;
    for (; head + n != wire->avail; n++) {
        const struct asim_frame *frame = &wire->in_at[(head + n) & wire->in_mask];
        uint32_t goal = asim_frame_goal(frame), out;
        const struct asim_hop *hop = &sw->hops[goal % ASIM_HOPS];

        if (frame->t >= begin_until[1])
            break;
        if (frame->type >= ASIM_PAUSE)
            return UINT64_MAX;
        out = hop->port && hop->dst == goal ? hop->port - 1 : asim_switch_route(fabric, sw, frame);
        if (out == UINT32_MAX)
            return UINT64_MAX;
        dt = frame->t - begin_until[0];
        if (deal(sw, out, entry | dt << ASIM_TICK_SHIFT | n)) {
            sw->lane->failed = ASIM_ENOMEM;
            return UINT64_MAX;
        }
        bytes += frame->wire;
        if (twin.wire)
            compare(&twin, frame);
    }
    sw->kin[p] = twin.wire && !twin.n ? sw->kin[sw->came[sw->n_came - 1].port] : p;
    entry |= dt << ASIM_TICK_SHIFT | (n - 1);
    sw->came[sw->n_came++] = (struct asim_came){entry, p, (uint32_t)bytes};
    wire->got += n;
    wire->got_bytes += bytes;
    return bytes;
}

/* Nothing has been dealt: the long way will count the same frames once more. */
static void take_back(struct asim_switch *sw)
{
    for (uint32_t i = 0; i < sw->n_ways_out; i++)
        sw->batch[sw->ways_out[i]].n = 0;
    for (uint32_t i = 0; i < sw->n_came; i++) {
        struct asim_wire *wire = sw->in[sw->came[i].port];

        wire->got -= (uint32_t)sw->came[i].entry % (1u << ASIM_PLACE_BITS) + 1;
        wire->got_bytes -= sw->came[i].bytes;
        sw->kin[sw->came[i].port] = UINT32_MAX;
    }
    sw->n_ways_out = sw->n_came = 0;
}

/* An ingress queue would hold all that it holds now and all that comes in, and the shared buffer,
 * too. PFC frames that wait here are of queue 0, which is none of the buffer's. */
int asim_batch_deal(struct asim_fabric *fabric, struct asim_switch *sw, uint64_t begin,
                    uint64_t until)
{
    uint32_t group = fabric->net->priority_group;
    uint64_t used = sw->shared_used, most = 0;

    sw->n_came = sw->n_ways_out = 0;
    if ((until - begin) >> (64 - ASIM_TICK_SHIFT) || sw->n_ports >= 1u << ASIM_IN_BITS)
        return 0;
    for (uint32_t i = 0; i < sw->n_active; i++) {
        const struct asim_switch_port *port = &sw->ports[sw->active[i]];
        uint64_t level,
            bytes = deal_port(fabric, sw, sw->active[i], (const uint64_t[2]){begin, until});

        if (bytes == UINT64_MAX) {
            take_back(sw);
            return 0;
        }
        level = (port->use[group].ingress + bytes + 1) << port->shift;
        most = level > most ? level : most;
        used += bytes;
    }
    if (used + most <= sw->shareable)
        return 1;
    take_back(sw);
    return 0;
}

/* By insertion, in pieces that are merged then. What is in order already, as in lockstep, costs one
 * comparison each. */
static struct asim_came *sort_ports(const struct asim_switch *sw, struct asim_came *at, uint32_t n)
{
    enum { PIECE = 32 };
    struct asim_came *from = at, *to = sw->spare, *swap;
    int whole = 1;

    for (uint32_t i = 1; i < n; i++) {
        struct asim_came one = at[i];
        uint32_t k = i;

        if (!is_before(sw, one.entry, at[i - 1].entry))
            continue;
        whole = 0;
        for (; k % PIECE && is_before(sw, one.entry, at[k - 1].entry); k--)
            at[k] = at[k - 1];
        at[k] = one;
    }
    if (whole)
        return at;
    for (uint32_t width = PIECE; width < n; width *= 2) {
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

/* Who was served in this window goes behind the others, in the order found. */
static void age(struct asim_switch *sw, const struct asim_came *order)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < sw->n_ports; i++)
        if (sw->kin[sw->by_age[i]] == UINT32_MAX)
            sw->by_age[kept++] = sw->by_age[i];
    for (uint32_t i = 0; i < sw->n_came; i++) {
        sw->by_age[kept++] = order[i].port;
        sw->kin[order[i].port] = UINT32_MAX;
    }
}

/* Mailboxes are emptied last: what is put in order is looked up there. */
void asim_batch_settle(struct asim_switch *sw)
{
    const struct asim_came *order = sort_ports(sw, sw->started, sw->n_started);

    for (uint32_t i = 0; i < sw->n_started; i++)
        sw->ports[order[i].port].port.start_seq = sw->seq + i + 1;
    order = sort_ports(sw, sw->came, sw->n_came);
    age(sw, order);
    for (uint32_t i = 0; i < sw->n_came; i++) {
        struct asim_port *port = &sw->ports[order[i].port].port;

        port->in_seq = sw->seq + i + 1;
        asim_mail_drop_many(port->in, (uint32_t)order[i].entry % (1u << ASIM_PLACE_BITS) + 1);
    }
    sw->seq += sw->n_came > sw->n_started ? sw->n_came : sw->n_started;
    sw->n_came = sw->n_started = sw->n_ways_out = 0;
}
