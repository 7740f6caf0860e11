/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Insertion numbers (rdma-network.md#order-of-simultaneous-events). While they are kept, the
 * network runs event by event (insertion_order.c), and every pending event has the number that it
 * got when it was scheduled: ends of transmissions, frames on wires, timers. Of simultaneous events
 * the lower number goes first, which is the order of ns-3's one event list.
 *
 * Numbers of frames and ends lie beside the wires, and numbers of timers in their entries, so that
 * no struct grows. A network without insertion numbers pays one test a frame on its slow path.
 */
#ifndef ASIM_FABRIC_LINK_INSERTION_H
#define ASIM_FABRIC_LINK_INSERTION_H

#include <stdint.h>
#include "base/heap.h"
#include "base/mem.h"

struct asim_wire;

/* The numbers of the frames on a wire, the oldest first; cap is 0 or a power of two. */
struct asim_insertion_ring {
    uint64_t *at;
    uint32_t head, n, cap;
};

struct asim_insertion {
    uint64_t next;   /* the next number; numbers are even, and a notification is 1 behind its ACK */
    uint64_t last;   /* numbers are kept up to the tick in which this one is given out, */
    uint64_t end_at; /* which ends before this time; ASIM_NEVER: it has not come */
    int is_open;     /* `due` holds the first event of every node */
    uint64_t *end;   /* [2 x links] of the end of the transmission on that wire */
    struct asim_insertion_ring *wire; /* [2 x links] */
    size_t wires;
    /* Nodes whose first event may have changed; is_touched says which are in the list. */
    uint32_t *touched, n_touched;
    uint8_t *is_touched;
    /* [nodes] The first event of each node, and a heap of all of them with stale entries. */
    struct asim_numbered_event {
        uint64_t t, number;
        uint32_t value; /* of a switch: which event it is (switch/advance.c) */
    } * first;
    struct asim_heap due;
};

/* The number of an event scheduled now. */
static inline uint64_t asim_insertion_take(struct asim_insertion *insertion)
{
    return insertion->next += 2;
}

/* The first event of this node may have changed. */
static inline void asim_insertion_touch(struct asim_insertion *insertion, uint32_t node)
{
    if (insertion->is_touched[node])
        return;
    insertion->is_touched[node] = 1;
    insertion->touched[insertion->n_touched++] = node;
}

/* The number of the oldest frame on a wire, which must not be empty. */
static inline uint64_t asim_insertion_of_frame(const struct asim_insertion *insertion,
                                               uint32_t wire)
{
    const struct asim_insertion_ring *ring = &insertion->wire[wire];

    return ring->at[ring->head & (ring->cap - 1)];
}

/* The oldest frame has left the wire. */
static inline void asim_insertion_drop(struct asim_insertion *insertion, uint32_t wire)
{
    insertion->wire[wire].head++;
    insertion->wire[wire].n--;
}

/* Appends the number of a frame. 0 or ASIM_ENOMEM. */
int asim_insertion_push(struct asim_insertion *insertion, uint32_t wire, uint64_t number);
/* A transmission starts: numbers its end, then the arrival of its frame. 0 or ASIM_ENOMEM. */
int asim_insertion_start(struct asim_insertion *insertion, const struct asim_wire *wire);
/* The number of the completion notification of the frame put on the wire last. */
uint64_t asim_insertion_of_notification(const struct asim_insertion *insertion, uint32_t wire);

#endif
