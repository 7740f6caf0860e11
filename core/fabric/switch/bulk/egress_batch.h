/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The arrivals of a bulk window (bulk.c), dealt by the port they leave through and there in the
 * order of tie_key.h. Ports of a bulk window have nothing to do with each other, so a port is
 * worked through from one end of the window to the other while its state is at hand, and only what
 * goes the same way is compared: no calendar, no event.
 *
 * An entry is one word: ticks since the window began, ingress port, and the how-manieth frame of
 * that port's mailbox it is. Frames stay in their mailboxes until the window is through, so that
 * what came before an arrival on its link can be looked up when two are of one time and one cause.
 */
#ifndef ASIM_FABRIC_SWITCH_BULK_EGRESS_BATCH_H
#define ASIM_FABRIC_SWITCH_BULK_EGRESS_BATCH_H

#include "fabric/node.h"

/* Ticks have the rest, 32 bits. What does not fit is worked through the long way: a window of more
 * ticks, more ports, or a mailbox with more frames. */
enum {
    ASIM_INDEX_BITS = 16,
    ASIM_PORT_BITS = 16,
    ASIM_TICK_SHIFT = ASIM_INDEX_BITS + ASIM_PORT_BITS
};

static inline uint32_t asim_arrival_port(uint64_t entry)
{
    return (uint32_t)(entry >> ASIM_INDEX_BITS) & ((1u << ASIM_PORT_BITS) - 1);
}

static inline uint32_t asim_arrival_index(uint64_t entry)
{
    return (uint32_t)entry & ((1u << ASIM_INDEX_BITS) - 1);
}

/* Where the frame lies, of the wire it came in by. */
static inline const struct asim_frame *asim_arrival_frame(const struct asim_wire *wire,
                                                          uint64_t entry)
{
    const struct asim_link_ring_view mail = asim_link_ring_view_of(wire);

    return asim_link_ring_view_nth(&mail, asim_arrival_index(entry));
}

/* Whether what has the same size and cause has the same age on both. */
static inline int asim_wires_time_alike(const struct asim_wire *a, const struct asim_wire *b)
{
    return a->in_tx == b->in_tx && a->age_left == b->age_left;
}

/* Whether the first n frames of two mailboxes have come at the same times for the same causes. */
static inline int asim_arrivals_are_identical(const struct asim_wire *a, const struct asim_wire *b,
                                              uint32_t n)
{
    const struct asim_link_ring_view x = asim_link_ring_view_of(a), y = asim_link_ring_view_of(b);

    if (!asim_wires_time_alike(a, b))
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct asim_frame *f = asim_link_ring_view_nth(&x, i),
                                *g = asim_link_ring_view_nth(&y, i);

        if (f->t != g->t || f->wire != g->wire || f->cause_recency != g->cause_recency)
            return 0;
    }
    return 1;
}

/* Makes room for so many entries. 0 or ASIM_ENOMEM. */
int asim_egress_batch_grow(struct asim_egress_batch *batch, uint32_t n);
/* The entry of the place-th frame of port `in`, which comes so many ticks after the window began.
 */
static inline uint64_t asim_arrival_entry(uint32_t in, uint32_t place, uint64_t ticks)
{
    return ticks << ASIM_TICK_SHIFT | (uint64_t)in << ASIM_INDEX_BITS | place;
}
/* Writes entries in place of a burst, if the batch is one; the window began at `begin`. 0 or
 * ASIM_ENOMEM. */
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
/* Deals what comes in at the active ports of a shard from `begin` to before `until`. Where it says
 * 0 nothing is dealt: a pause or resume is among the frames, one has no way, or there is too much
 * of something. Without memory the worker fails. Costs some 40 instructions a frame. */
int asim_arrivals_bucket(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                         uint64_t begin, uint64_t until);
/* Whether no threshold of the shared buffer is reached by what all shards have dealt, of that
 * priority group, even if nothing left. */
int asim_arrivals_fit_buffer(const struct asim_switch *sw, uint32_t group);
/* Nothing has been dealt: the long way will count the same frames once more. */
void asim_arrivals_unbucket(struct asim_switch_shard *shard);
/* What another shard has dealt to the ports of this one. Its entries are there until it has
 * settled.
 */
void asim_arrivals_collect(struct asim_switch_shard *shard, const struct asim_switch_shard *other,
                           uint64_t begin);
/* --- tie_order.c: the order of tie_key.h
 * ------------------------------------------------------------ */
/* The entries of a batch in order: at its own place, or where they lie until the next such call. */
uint64_t *asim_arrivals_order(struct asim_switch_shard *shard, struct asim_egress_batch *batch);

/* Ports that are sorted by insertion, where they stand. */
enum { ASIM_FEW_PORTS = 32 };
/* All has been sent or queued: links and transmissions are put into the order in which their last
 * events have come. Not where it is what it was (sw->in_lockstep). */
void asim_order_ties(struct asim_switch *sw);

/* --- tie_sequence.c: what an order leaves behind
 * ---------------------------------------------------- */
/* A shard has dealt: whether what came by its ports is in step (switch.h). Not worth asking for few
 * ports of a switch with one shard. */
void asim_lockstep_detect(struct asim_switch_shard *shard);
/* All have. Where everything that came is in lockstep, with an order among all ports from before,
 * it keeps that order (sw->in_lockstep), and none need be found. Else ports of several shards in
 * lockstep are made kin, for asim_order_ties compares kin quickly: as it would by itself within a
 * shard. Costs a comparison of two mailboxes a shard. */
void asim_lockstep_join(struct asim_switch *sw);
/* All are ranked. Desk by shard, possibly side by side: what came and what was started get the
 * counts that tie_key.h compares, and mailboxes are emptied. Then the shards' sums are added up,
 * the window having had so many ticks. */
void asim_tie_sequence_assign(struct asim_switch_shard *shard);
void asim_bulk_window_end(struct asim_switch *sw, uint64_t ticks);

#endif
