/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Dealing the arrivals of a calm window by way out: see batch.h.
 */
#include "fabric/batch.h"
#include "fabric/queue.h"

int asim_batch_grow(struct asim_batch *batch)
{
    size_t cap = batch->cap;
    int failed = asim_grow(&batch->at, &cap, cap + 1, sizeof *batch->at);

    batch->cap = (uint32_t)cap;
    return failed;
}

/* Puts an entry at the end of those that leave through `out`. Ports are dealt one after the other,
 * each in order of time: an entry of another port begins another row. 0 or ASIM_ENOMEM. */
static inline int deal(struct asim_desk *desk, uint32_t out, uint64_t entry)
{
    struct asim_batch *batch = &desk->batch[out];

    if (batch->n == batch->cap && asim_batch_grow(batch))
        return ASIM_ENOMEM;
    if (!batch->n) {
        desk->ways_out[desk->n_ways_out++] = out;
        batch->rows = 1;
        batch->second = 0;
    } else if (asim_batch_in(batch->at[batch->n - 1]) != asim_batch_in(entry)) {
        batch->rows++;
        batch->second = batch->rows == 2 ? batch->n : batch->second;
    }
    batch->at[batch->n++] = entry;
    return 0;
}

/* A port whose frames are compared with those of the port dealt before it, until one differs in
 * time or cause: ports in lockstep are kin, and are often neighbours. */
struct twin {
    const struct asim_wire *wire;
    uint32_t head, n; /* n: of its frames not seen yet */
};

static inline struct twin twin_of(const struct asim_desk *desk, const struct asim_wire *wire)
{
    const struct asim_came *last = desk->n_came ? &desk->came[desk->n_came - 1] : NULL;
    const struct asim_switch *sw = desk->sw;
    struct twin twin = {.wire = NULL};

    if (last && asim_is_paced_like(wire, sw->in[last->port]))
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
static uint64_t deal_port(struct asim_fabric *fabric, struct asim_desk *desk, uint32_t p,
                          const uint64_t begin_until[2])
{
    struct asim_switch *sw = desk->sw;
    struct asim_wire *wire = sw->in[p];
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed), n = 0;
    uint64_t bytes = 0, entry = (uint64_t)p << ASIM_PLACE_BITS, dt = 0;
    struct twin twin = twin_of(desk, wire);

    if (wire->avail - head >= 1u << ASIM_PLACE_BITS)
        return UINT64_MAX;
    for (; head + n != wire->avail; n++) {
        const struct asim_frame *frame = &wire->in_at[(head + n) & wire->in_mask];
        uint32_t goal = asim_frame_goal(frame), out;
        const struct asim_hop *hop = &desk->hops[goal % ASIM_HOPS];

        if (frame->t >= begin_until[1])
            break;
        if (frame->type >= ASIM_PAUSE)
            return UINT64_MAX;
        out =
            hop->port && hop->dst == goal ? hop->port - 1 : asim_switch_route(fabric, desk, frame);
        if (out == UINT32_MAX)
            return UINT64_MAX;
        dt = frame->t - begin_until[0];
        if (deal(desk, out, entry | dt << ASIM_TICK_SHIFT | n)) {
            desk->lane->failed = ASIM_ENOMEM;
            return UINT64_MAX;
        }
        bytes += frame->wire;
        if (twin.wire)
            compare(&twin, frame);
    }
    sw->kin[p] = twin.wire && !twin.n ? sw->kin[desk->came[desk->n_came - 1].port] : p;
    entry |= dt << ASIM_TICK_SHIFT | (n - 1);
    desk->came[desk->n_came++] = (struct asim_came){entry, p, (uint32_t)bytes};
    wire->got += n;
    wire->got_bytes += bytes;
    return bytes;
}

void asim_batch_take_back(struct asim_desk *desk)
{
    struct asim_switch *sw = desk->sw;

    for (uint32_t i = 0; i < desk->n_ways_out; i++)
        desk->batch[desk->ways_out[i]].n = 0;
    for (uint32_t i = 0; i < desk->n_came; i++) {
        struct asim_wire *wire = sw->in[desk->came[i].port];

        wire->got -= (uint32_t)desk->came[i].entry % (1u << ASIM_PLACE_BITS) + 1;
        wire->got_bytes -= desk->came[i].bytes;
        sw->kin[desk->came[i].port] = UINT32_MAX;
    }
    desk->n_ways_out = desk->n_came = 0;
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
    desk->n_dealt = desk->n_ways_out;
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

void asim_batch_collect(struct asim_desk *desk, const struct asim_desk *other)
{
    for (uint32_t i = 0; i < other->n_dealt; i++) {
        uint32_t out = other->ways_out[i];
        const struct asim_batch *batch = &other->batch[out];

        if (desk->sw->desk_of[out] != desk->i)
            continue;
        for (uint32_t k = 0; k < batch->n; k++)
            if (deal(desk, out, batch->at[k]))
                desk->lane->failed = ASIM_ENOMEM;
    }
}
