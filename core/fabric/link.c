/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Wires and their timing. Serialization is rounded to the nearest ns per frame and link, exact
 * halves down, as ns-3's DataRate does (spec rdma-network.md section 6.1); the values are tabled
 * per (rate, size) because they are asked for on every hop.
 *
 * A table holds one number per frame size (4 kB at the usual payload) and is shared by all links of
 * a rate. Tables and wires are freed with the fabric.
 */
#include "fabric/node.h"

#include <string.h>

int asim_ring_grow(struct asim_ring *ring)
{
    uint32_t cap = ring->cap ? ring->cap * 2 : 16;
    struct asim_frame *at;

    if (!cap || !(at = malloc((size_t)cap * sizeof *at)))
        return 0;
    for (uint32_t i = 0; i < ring->n; i++)
        at[i] = ring->at[(ring->head + i) & (ring->cap - 1)];
    free(ring->at);
    *ring = (struct asim_ring){.at = at, .n = ring->n, .cap = cap};
    return 1;
}

/* ceil(8e9 x ticks x bytes / bps - 1/2) in integers: (16e9 x … - bps) / (2 x bps) rounded up. bytes
 * below 2^30 (2^20 with 1000 ticks) keep the product inside 64 bits. */
static uint64_t tx_time(uint64_t bytes, uint64_t bps, uint64_t ticks)
{
    uint64_t bits16 = bytes * 16000000000ull * ticks; /* 2 x 8e9 x bytes */

    return bits16 <= bps ? 0 : (bits16 - bps + 2 * bps - 1) / (2 * bps);
}

uint64_t asim_tx_ns(uint64_t bytes, uint64_t bps)
{
    return tx_time(bytes, bps, 1);
}

uint64_t asim_tx_ticks(const struct asim_fabric *fabric, uint64_t bytes, uint64_t bps)
{
    return tx_time(bytes, bps, fabric->tick);
}

/* Headers and the largest telemetry block, with room to spare; control frames are far below 128. */
uint32_t asim_fabric_max_wire(const struct asim_fabric *fabric)
{
    uint32_t data = fabric->net->payload_bytes + 64 + 42;

    return data > 128 ? data : 128;
}

/* A network has a handful of rates, so a linear search at set-up is fine. Tables live as long as
 * the fabric; wires keep pointers to them. */
const uint32_t *asim_rate_table_get(struct asim_fabric *fabric, uint64_t bps)
{
    uint32_t sizes = asim_fabric_max_wire(fabric) + 1;
    struct asim_rate_table *table;

    for (size_t i = 0; i < fabric->n_rates; i++)
        if (fabric->rates[i].bps == bps)
            return fabric->rates[i].tx;
    if (asim_grow(&fabric->rates, &fabric->cap_rates, fabric->n_rates + 1, sizeof *fabric->rates))
        return NULL;
    table = &fabric->rates[fabric->n_rates];
    table->bps = bps;
    table->tx = malloc(sizes * sizeof *table->tx);
    if (!table->tx)
        return NULL;
    for (uint32_t b = 0; b < sizes; b++)
        table->tx[b] = (uint32_t)asim_tx_ticks(fabric, b, bps);
    fabric->n_rates++;
    return table->tx;
}

/* The reference scheduled this arrival when the frame's transmission began: age = tx + delay. */
uint64_t asim_wire_tie(const struct asim_wire *wire, const struct asim_frame *frame)
{
    return asim_tie(wire->tx[frame->wire] + wire->delay, frame->side, ASIM_CLASS_ARRIVAL);
}

uint64_t asim_port_tie(const struct asim_port *port)
{
    return asim_tie(port->busy_until - port->tx_start, port->start_age, ASIM_CLASS_FREE);
}

/* The node that starts the last link of a message's final ACK knows when the sender will have it,
 * one link delay ahead: that is when the destination is told, too (spec 2.10, design 5). */
static void notice(struct asim_fabric *fabric, const struct asim_wire *wire,
                   const struct asim_frame *frame)
{
    const struct asim_flow *flow = asim_flow_of(fabric, frame->src, frame->slot);
    struct asim_notice note = {
        .t = frame->t, .tie = asim_wire_tie(wire, frame), .seq = wire->id, .slot = frame->slot};

    note.msg = flow->msg;

    if (ASIM_VEC_PUSH(fabric->outbox, note))
        fabric->failed = ASIM_ENOMEM;
}

/* The one place where a node touches another: it appends to the far end's mailbox, which stays
 * sorted because a wire is FIFO with constant delay, and lowers the far end's next time. */
int asim_port_start(struct asim_fabric *fabric, struct asim_port *port, struct asim_frame *frame,
                    struct asim_moment now)
{
    const uint32_t oldest = (1u << ASIM_CAUSE_BITS) - 1;
    struct asim_wire *wire = port->out;

    port->busy = 1;
    port->tx_start = now.t;
    port->start_seq = now.seq;
    port->start_age = now.age < oldest ? (uint32_t)now.age : oldest;
    port->busy_until = now.t + wire->tx[frame->wire];
    frame->side = port->start_age;
    frame->t = port->busy_until + wire->delay;
    wire->frames++;
    wire->bytes += frame->wire;
    if (fabric->watch.frame)
        fabric->watch.frame(fabric->watch.frame_self, ASIM_FRAME_TX,
                            (const uint32_t[2]){wire->from, port->in->to_port + 1}, frame,
                            asim_to_ns(fabric, now.t));
    if (wire->loss && asim_loss_takes(fabric, wire, frame, now.t))
        return 1;
    if (frame->flags & ASIM_FINAL && wire->to == frame->src && frame->type == ASIM_ACK)
        notice(fabric, wire, frame);
    if (!asim_ring_push(&wire->mail, frame))
        fabric->failed = ASIM_ENOMEM;
    asim_fabric_at(fabric, wire->to, frame->t);
    return 0;
}
