/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Dealing the arrivals of a calm window by way out: see egress_batch.h.
 */
#include "fabric/switch/bulk/egress_batch.h"
#include "fabric/switch/queue.h"

int asim_batch_grow(struct asim_batch *batch, uint32_t n)
{
    size_t cap = batch->cap;
    int failed = asim_grow(&batch->at, &cap, n, sizeof *batch->at);

    batch->cap = (uint32_t)cap;
    return failed;
}

int asim_batch_list(const struct asim_switch *sw, struct asim_batch *batch, uint64_t begin)
{
    const struct asim_link_ring_view mail = asim_link_ring_view_of(sw->in[batch->in]);
    uint32_t n = batch->burst;

    if (batch->cap < n && asim_batch_grow(batch, n))
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        batch->at[i] = asim_batch_entry(batch->in, i, asim_link_ring_view_nth(&mail, i)->t - begin);
    batch->n += n;
    batch->burst = 0;
    return 0;
}

/* Something leaves through `out`. */
static inline void begin_batch(struct asim_desk *desk, uint32_t out)
{
    desk->ways_out[desk->n_ways_out++] = out;
    if (desk->sw->n_desks > 1 && desk->sw->desk_of[out] != desk->i)
        desk->foreign[desk->n_foreign++] = out;
    desk->batch[out].rows = 1;
    desk->batch[out].second = 0;
}

/* Puts an entry at the end of those that leave through `out`. Ports are dealt one after the other,
 * each in order of time: an entry of another port begins another row. 0 or ASIM_ENOMEM. */
static inline int deal(struct asim_desk *desk, uint32_t out, uint64_t entry, uint64_t begin)
{
    struct asim_batch *batch = &desk->batch[out];
    uint32_t in = asim_batch_in(entry);

    if (batch->burst && asim_batch_list(desk->sw, batch, begin))
        return ASIM_ENOMEM;
    if (batch->n == batch->cap && asim_batch_grow(batch, batch->n + 1))
        return ASIM_ENOMEM;
    if (!batch->n) {
        begin_batch(desk, out);
    } else if (batch->in != in) {
        batch->rows++;
        batch->second = batch->rows == 2 ? batch->n : batch->second;
    }
    batch->in = in;
    batch->at[batch->n++] = entry;
    return 0;
}

/* The first n frames of a port leave through `out`, which others do already. */
static int deal_behind(struct asim_desk *desk, uint32_t out, uint32_t in, uint32_t n,
                       uint64_t begin)
{
    const struct asim_link_ring_view mail = asim_link_ring_view_of(desk->sw->in[in]);
    int failed = 0;

    for (uint32_t i = 0; i < n && !failed; i++)
        failed = deal(desk, out,
                      asim_batch_entry(in, i, asim_link_ring_view_nth(&mail, i)->t - begin), begin);
    return failed;
}

/* The first n frames of a port leave through `out`. */
static inline int deal_burst(struct asim_desk *desk, uint32_t out, uint32_t in, uint32_t n,
                             uint64_t begin)
{
    struct asim_batch *batch = &desk->batch[out];

    if (batch->n | batch->burst)
        return deal_behind(desk, out, in, n, begin);
    begin_batch(desk, out);
    batch->burst = n;
    batch->in = in;
    return 0;
}

/* Ports in lockstep are kin, and are often neighbours: a port whose n frames are those of the port
 * dealt before it in time and cause is of its kin, else its own. */
static inline uint32_t kin_of(const struct asim_desk *desk, uint32_t p, uint32_t n)
{
    const struct asim_switch *sw = desk->sw;
    const struct asim_came *last = desk->n_came ? &desk->came[desk->n_came - 1] : NULL;

    if (!last || asim_batch_place(last->entry) + 1 != n ||
        !asim_batch_is_alike(sw->in[p], sw->in[last->port], n))
        return p;
    return sw->kin[last->port];
}

static uint64_t fail(struct asim_desk *desk)
{
    desk->lane->failed = ASIM_ENOMEM;
    return UINT64_MAX;
}

/* The way out of a frame, UINT32_MAX where there is none or it is no frame to be sent on. */
static inline uint32_t way_of(struct asim_fabric *fabric, struct asim_desk *desk,
                              const struct asim_frame *frame)
{
    uint32_t goal = asim_frame_goal(frame);
    const struct asim_hop *hop = &desk->hops[goal % ASIM_HOPS];

    if (frame->type >= ASIM_PAUSE)
        return UINT32_MAX;
    return hop->port && hop->dst == goal ? hop->port - 1 : asim_switch_route(fabric, desk, frame);
}

/* Of the frames of an active port those before `until` that are of the first one's flow and go its
 * way, and their bytes: at least one. */
static inline uint32_t first_burst(const struct asim_link_ring_view *mail, uint32_t there,
                                   uint64_t until, uint64_t *bytes)
{
    const struct asim_frame *first = asim_link_ring_view_nth(mail, 0), *frame = first;
    uint32_t n = 0;

    do {
        *bytes += frame->wire;
        frame = asim_link_ring_view_nth(mail, ++n);
    } while (n != there && frame->t < until && frame->flow == first->flow &&
             frame->type == first->type);
    return n;
}

/* Deals what comes in at port p, all of which lies in the mailbox since the switch's turn began;
 * routes are asked here, once a frame, and remembered by the batch the frame is put in. Its bytes,
 * or UINT64_MAX where the window is no calm one. */
static uint64_t deal_port(struct asim_fabric *fabric, struct asim_desk *desk, uint32_t p,
                          const uint64_t begin_until[2])
{
    struct asim_switch *sw = desk->sw;
    struct asim_wire *wire = sw->in[p];
    const struct asim_link_ring_view mail = asim_link_ring_view_of(wire);
    uint64_t bytes = 0, begin = begin_until[0], until = begin_until[1];
    uint32_t there = wire->avail - mail.head, n = first_burst(&mail, there, until, &bytes), out;

    if (there >= 1u << ASIM_PLACE_BITS)
        return UINT64_MAX;
    out = way_of(fabric, desk, asim_link_ring_view_nth(&mail, 0));
    if (out == UINT32_MAX)
        return UINT64_MAX;
    if (deal_burst(desk, out, p, n, begin))
        return fail(desk);
    for (; n != there; n++) {
        const struct asim_frame *frame = asim_link_ring_view_nth(&mail, n);

        if (frame->t >= until)
            break;
        out = way_of(fabric, desk, frame);
        if (out == UINT32_MAX)
            return UINT64_MAX;
        if (deal(desk, out, asim_batch_entry(p, n, frame->t - begin), begin))
            return fail(desk);
        bytes += frame->wire;
    }
    sw->kin[p] = kin_of(desk, p, n);
    if (sw->in_seq)
        sw->in_seq[p] = wire->in_seq;
    desk->came[desk->n_came++] = (struct asim_came){
        asim_batch_entry(p, n - 1, asim_link_ring_view_nth(&mail, n - 1)->t - begin), p,
        (uint32_t)bytes};
    wire->got += n;
    wire->got_bytes += bytes;
    return bytes;
}

void asim_batch_take_back(struct asim_desk *desk)
{
    struct asim_switch *sw = desk->sw;

    asim_batch_empty(desk);
    for (uint32_t i = 0; i < desk->n_came; i++) {
        struct asim_wire *wire = sw->in[desk->came[i].port];

        wire->got -= asim_batch_place(desk->came[i].entry) + 1;
        wire->got_bytes -= desk->came[i].bytes;
        sw->kin[desk->came[i].port] = UINT32_MAX;
    }
    desk->n_came = 0;
}

int asim_batch_deal(struct asim_fabric *fabric, struct asim_desk *desk, uint64_t begin,
                    uint64_t until)
{
    desk->bytes_in = desk->most_in = 0;
    if ((until - begin) >> (64 - ASIM_TICK_SHIFT) || desk->sw->n_ports >= 1u << ASIM_IN_BITS)
        return 0;
    for (uint32_t i = 0; i < desk->n_active; i++) {
        uint64_t bytes =
            deal_port(fabric, desk, desk->active[i], (const uint64_t[2]){begin, until});

        if (bytes == UINT64_MAX) {
            asim_batch_take_back(desk);
            return 0;
        }
        desk->most_in = bytes > desk->most_in ? bytes : desk->most_in;
        desk->bytes_in += bytes;
    }
    desk->in_step = desk->sw->n_desks > 1 || desk->n_came > ASIM_FEW_PORTS;
    if (desk->in_step)
        asim_batch_see_step(desk);
    return 1;
}

/* What the shared buffer must have free for the fullest ingress queue not to pass its threshold: it
 * would hold all that it holds now and all that comes in. PFC frames that wait here are of queue 0,
 * which is none of the buffer's. */
static uint64_t most_level(const struct asim_desk *desk, uint32_t group)
{
    const struct asim_switch *sw = desk->sw;
    uint64_t most = 0;

    for (uint32_t i = 0; i < desk->n_came; i++) {
        const struct asim_switch_port *port = &sw->ports[desk->came[i].port];
        uint64_t level = (port->use[group].ingress + desk->came[i].bytes + 1) << port->shift;

        most = level > most ? level : most;
    }
    return most;
}

/* Also the shared buffer would hold everything. No port is looked at where it is so empty that none
 * can be near its threshold: what is in no queue's reserve is in use. */
int asim_batch_fits(const struct asim_switch *sw, uint32_t group)
{
    uint64_t used = sw->shared_used, most_in = 0, most = 0;

    for (uint32_t d = 0; d < sw->n_desks; d++) {
        used += sw->desk[d].bytes_in;
        most_in = sw->desk[d].most_in > most_in ? sw->desk[d].most_in : most_in;
    }
    most = (ASIM_RESERVE_BYTES + sw->shared_used + most_in + 1) << sw->most_shift;
    if (used + most <= sw->shareable)
        return 1;
    most = 0;
    for (uint32_t d = 0; d < sw->n_desks; d++) {
        uint64_t level = most_level(&sw->desk[d], group);

        most = level > most ? level : most;
    }
    return used + most <= sw->shareable;
}

void asim_batch_collect(struct asim_desk *desk, const struct asim_desk *other, uint64_t begin)
{
    for (uint32_t i = 0; i < other->n_foreign; i++) {
        uint32_t out = other->foreign[i];
        const struct asim_batch *batch = &other->batch[out];
        int failed = 0;

        if (desk->sw->desk_of[out] != desk->i)
            continue;
        if (batch->burst)
            failed = deal_burst(desk, out, batch->in, batch->burst, begin);
        for (uint32_t k = 0; k < batch->n && !failed; k++)
            failed = deal(desk, out, batch->at[k], begin);
        if (failed)
            desk->lane->failed = ASIM_ENOMEM;
    }
}
