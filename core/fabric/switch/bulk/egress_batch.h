/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The arrivals of a bulk window (bulk.h), bucketed by egress port. Egress ports of a bulk window do
 * not influence each other. So the switch simulates one port from the start of the window to its
 * end, while the state of the port is in cache, and orders only the arrivals of one port.
 *
 * An entry is one word: ticks since the start of the window, ingress port, index of the frame in
 * that port's receive ring. Frames stay in the rings to the end of the window, because ties between
 * arrivals are broken by the earlier frames of their links.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_EGRESS_BATCH_H
#define ASIM_FABRIC_SWITCH_BULK_EGRESS_BATCH_H

#include "fabric/link/link.h"
#include "fabric/switch/switch.h"

/* The ticks have the other 32 bits. Longer windows, more ports and longer receive rings exclude a
 * bulk window. */
enum {
    ASIM_INDEX_BITS = 16,
    ASIM_PORT_BITS = 16,
    ASIM_TICK_SHIFT = ASIM_INDEX_BITS + ASIM_PORT_BITS
};

static inline uint64_t asim_arrival_entry(uint32_t in, uint32_t index, uint64_t ticks)
{
    return ticks << ASIM_TICK_SHIFT | (uint64_t)in << ASIM_INDEX_BITS | index;
}

static inline uint32_t asim_arrival_port(uint64_t entry)
{
    return (uint32_t)(entry >> ASIM_INDEX_BITS) & ((1u << ASIM_PORT_BITS) - 1);
}

static inline uint32_t asim_arrival_index(uint64_t entry)
{
    return (uint32_t)entry & ((1u << ASIM_INDEX_BITS) - 1);
}

/* The frame of an entry; wire: the link of its ingress port. */
static inline const struct asim_frame *asim_arrival_frame(const struct asim_wire *wire,
                                                          uint64_t entry)
{
    const struct asim_link_ring_view ring = asim_link_ring_view_of(wire);

    return asim_link_ring_view_nth(&ring, asim_arrival_index(entry));
}

/* Whether frames of equal size and cause have equal ages on both links. */
static inline int asim_wires_time_alike(const struct asim_wire *a, const struct asim_wire *b)
{
    return a->in_tx == b->in_tx && a->age_left == b->age_left;
}

/* Whether the first n frames of two links have arrived at the same times from the same causes. */
static inline int asim_arrivals_are_identical(const struct asim_wire *a, const struct asim_wire *b,
                                              uint32_t n)
{
    const struct asim_link_ring_view x = asim_link_ring_view_of(a), y = asim_link_ring_view_of(b);
    const struct asim_frame *f = asim_link_ring_view_nth(&x, 0);
    const struct asim_frame *g = asim_link_ring_view_nth(&y, 0);

    if (!asim_wires_time_alike(a, b))
        return 0;
    for (; n; n--) {
        if (f->t != g->t || f->wire != g->wire || f->cause_recency != g->cause_recency)
            return 0;
        f = asim_link_ring_view_next(&x, f);
        g = asim_link_ring_view_next(&y, g);
    }
    return 1;
}

/* Makes room for n entries. 0 or ASIM_ENOMEM. */
int asim_egress_batch_grow(struct asim_egress_batch *batch, uint32_t n);
/* Replaces a burst by entries; the window began at `begin`. 0 or ASIM_ENOMEM. */
int asim_egress_batch_expand(const struct asim_switch *sw, struct asim_egress_batch *batch,
                             uint64_t begin);
/* Empties all batches. */
static inline void asim_egress_batches_clear(struct asim_switch_shard *shard)
{
    for (uint32_t i = 0; i < shard->n_egress_ports; i++) {
        struct asim_egress_batch *batch = &shard->batch[shard->egress_ports[i]];

        batch->n = batch->burst = 0;
    }
    shard->n_egress_ports = shard->n_remote_egress = 0;
}

/* Buckets the arrivals at the active ports of a shard from `begin` to before `until`. 0, with empty
 * batches, if they exclude a bulk window: a PFC frame, a frame without a route, a field of an entry
 * that is too small. The worker records a lack of memory. Takes 40 instructions a frame. */
int asim_arrivals_bucket(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                         uint64_t begin, uint64_t until);
/* Whether the arrivals of all shards in that priority group leave every threshold of the shared
 * buffer unreached, even if no frame leaves. */
int asim_arrivals_fit_buffer(const struct asim_switch *sw, uint32_t group);
/* Undoes asim_arrivals_bucket: switch/advance.c counts the same frames again. */
void asim_arrivals_unbucket(struct asim_switch_shard *shard);
/* Adds the arrivals that another shard has bucketed for ports of this one. The other shard keeps
 * them until it settles. */
void asim_arrivals_collect(struct asim_switch_shard *shard, const struct asim_switch_shard *other,
                           uint64_t begin);

#endif
