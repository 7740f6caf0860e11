/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Wires and ports, the joints between nodes: a wire (one direction of a link) holds its mailbox and
 * its timing; a port is the sending end of one wire and the receiving end of another. What a node
 * does at another is nothing but appending to the mailbox of an outgoing wire (link.c).
 *
 * Wires and tables are owned by the fabric, ports by their nodes; all of them live as long as the
 * network.
 */
#ifndef ASIM_FABRIC_LINK_PORT_H
#define ASIM_FABRIC_LINK_PORT_H

#include <stdatomic.h>
#include <stdint.h>
#include "base/mem.h"
#include "fabric/link/frame.h"
#include "fabric/link/tie_key.h"

struct asim_fabric;
struct asim_worker;

enum { ASIM_LINE_BYTES = 64 }; /* of the caches of today's processors */

/* Serialization time of every frame size at one rate. */
struct asim_rate_table {
    uint64_t bps;
    uint32_t *tx; /* [wire bytes], ticks */
};

/* The mailbox is a ring with one writer, the sending node, and one reader, the receiving node,
 * which may run on different threads: what is put in during a window is never due in it, so the
 * reader looks at what was there when its turn began. Where the ring is full and may not be moved
 * because others run, frames go to `spill` until the window's end. */
struct asim_wire {
    /* The sending node's: a cache line. Nothing the receiving node looks at per frame may be here,
     * or the line would go to and fro between their threads. */
    _Alignas(ASIM_LINE_BYTES) struct asim_frame *at; /* ring of mask + 1 frames (link.c, grow) */
    uint32_t mask, limit; /* limit: `tail` may go so far without looking at `head` */
    atomic_uint tail;     /* frames put in since the ring was rewound, modulo 2^32 */
    uint32_t id;          /* 2 x link + direction */
    const uint32_t *tx;   /* [wire bytes], ticks */
    uint64_t delay;       /* ticks */
    /* Put on this wire since the start; the sum over wires is the count of packet-hops. */
    uint64_t frames, bytes;
    /* The node it leads to, and where that stands in worker->min_arrival: whoever sends lowers its
     * time.
     */
    uint32_t to, to_slot;
    /* what seldom changes */
    _Alignas(ASIM_LINE_BYTES) struct asim_wire_loss *loss; /* NULL: every frame arrives (loss.h) */
    uint32_t from, to_port;                                /* a node; 0-based at `to` */
    uint64_t rate_bps;
    uint32_t fetched; /* `tail` of a window ago (workers.c) */
    ASIM_VEC(struct asim_frame) overflow;
    /* the receiving node's, with its own copy of what it reads of the above */
    _Alignas(ASIM_LINE_BYTES) atomic_uint head; /* frames taken out since */
    uint32_t avail;                             /* `tail` when the reader's turn began */
    struct asim_frame *in_at;
    const uint32_t *in_tx;
    uint64_t age_left;                 /* largest age of tie_key.h less the delay, not below 0 */
    uint64_t received, received_bytes; /* taken in at the far end */
    uint64_t in_seq;                   /* the receiver's count when the last of them was */
    uint32_t in_mask;
    uint32_t
        cross_thread; /* its ends are two threads': frames come in while others are taken out */
};

/* The reader's turn begins. */
static inline void asim_link_ring_open(struct asim_wire *wire)
{
    wire->avail = atomic_load_explicit(&wire->tail, memory_order_acquire);
    wire->in_at = wire->at;
    wire->in_mask = wire->mask;
}

/* The frames of a mailbox, from the oldest on, for who goes through several of them: what the wire
 * says of them is asked once. */
struct asim_link_ring_view {
    const struct asim_frame *at;
    uint32_t head, mask;
};

static inline struct asim_link_ring_view asim_link_ring_view_of(const struct asim_wire *wire)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);

    return (struct asim_link_ring_view){wire->in_at, head, wire->in_mask};
}

static inline const struct asim_frame *
asim_link_ring_view_nth(const struct asim_link_ring_view *mail, uint32_t place)
{
    return &mail->at[(mail->head + place) & mail->mask];
}

/* The oldest of the frames that are there; it stays where it is until asim_link_ring_drop. */
static inline const struct asim_frame *asim_link_ring_oldest(const struct asim_wire *wire)
{
    const struct asim_link_ring_view mail = asim_link_ring_view_of(wire);

    return asim_link_ring_view_nth(&mail, 0);
}

/* The same, or NULL where there is none. */
static inline const struct asim_frame *asim_link_ring_head(const struct asim_wire *wire)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);

    return head == wire->avail ? NULL : &wire->in_at[head & wire->in_mask];
}

/* The oldest frame is taken in: the event of its receiver has this count. */
static inline void asim_link_ring_count_in(struct asim_wire *wire, const struct asim_frame *frame,
                                           uint64_t seq)
{
    wire->in_seq = seq;
    wire->received++;
    wire->received_bytes += frame->wire;
}

static inline void asim_link_ring_drop_many(struct asim_wire *wire, uint32_t n)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);

    atomic_store_explicit(&wire->head, head + n, memory_order_release);
}

static inline void asim_link_ring_drop(struct asim_wire *wire)
{
    asim_link_ring_drop_many(wire, 1);
}

/* The reader's turn ends: an empty ring begins again with its first place, so that what few frames
 * there are in a window lie in the same few cache lines in the next. Not where it is full, or
 * frames are spilled: `limit` then is at `tail`; nor, though all that was there has been taken,
 * where the hosts of a shared switch have put in more since. */
static inline void asim_link_ring_reset(struct asim_wire *wire)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);

    if (!head || wire->cross_thread || head == wire->limit ||
        head != atomic_load_explicit(&wire->tail, memory_order_relaxed))
        return;
    wire->avail = 0;
    wire->limit = wire->mask + 1;
    atomic_store_explicit(&wire->head, 0, memory_order_relaxed);
    atomic_store_explicit(&wire->tail, 0, memory_order_relaxed);
}

/* The writer's next place; NULL when out of memory. asim_link_ring_commit makes it a frame. */
struct asim_frame *asim_link_ring_slot_slow(struct asim_worker *worker, struct asim_wire *wire);
static inline struct asim_frame *asim_link_ring_slot(struct asim_worker *worker,
                                                     struct asim_wire *wire)
{
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);

    return tail != wire->limit ? &wire->at[tail & wire->mask]
                               : asim_link_ring_slot_slow(worker, wire);
}

/* Whether the ring has room for n frames more. */
static inline int asim_link_ring_has_room(struct asim_wire *wire, uint32_t n)
{
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);

    if (wire->limit - tail >= n)
        return 1;
    if (!wire->overflow.n && wire->at)
        wire->limit = atomic_load_explicit(&wire->head, memory_order_acquire) + wire->mask + 1;
    return wire->limit - tail >= n;
}

/* A frame that was spilled has no place in the ring, and then `limit` is at `tail` (link.c): asked
 * so, it is a question to the line that is written anyway. */
static inline void asim_link_ring_commit(struct asim_wire *wire)
{
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);

    if (tail != wire->limit)
        atomic_store_explicit(&wire->tail, tail + 1, memory_order_release);
}

/* Between windows: what was spilled goes into the ring. 0 or ASIM_ENOMEM. */
int asim_link_ring_merge_overflow(struct asim_wire *wire);
/* Frames in the mailbox, and the i-th of them; between windows. */
uint32_t asim_link_ring_count(const struct asim_wire *wire);
const struct asim_frame *asim_link_ring_peek(const struct asim_wire *wire, uint32_t i);

/* Leaves a quarter of its cache line to what else the node asks of it for each frame. */
struct asim_port {
    uint64_t busy_until, tx_start; /* of the frame being serialized, if busy */
    /* One link, two directions; in->from == out->to. */
    struct asim_wire *out, *in;
    uint64_t start_seq;     /* node's count when the last frame was started */
    uint32_t start_recency; /* of the event that started the frame (tie_key.h) */
    uint8_t paused;         /* bit per queue: set by PFC frames received here */
    uint8_t down;           /* its link is down: nothing starts */
    uint8_t busy;
};

/* Serialization time of `bytes` at bps: nearest ns, exact halves down (spec 6.1). */
uint64_t asim_tx_ns(uint64_t bytes, uint64_t bps);
/* The same to the nearest tick of the fabric. */
uint64_t asim_tx_ticks(const struct asim_fabric *fabric, uint64_t bytes, uint64_t bps);
/* Table for a rate, made on first use; NULL when out of memory. */
const uint32_t *asim_rate_table_get(struct asim_fabric *fabric, uint64_t bps);
/* Largest frame of this configuration. */
uint32_t asim_fabric_max_wire(const struct asim_fabric *fabric);
/* Shows a frame that starts to those who watch frames, which they do at W = 0 only. */
void asim_port_report(struct asim_fabric *fabric, const struct asim_port *port,
                      const struct asim_frame *frame);
/* The node that starts the last link of a message's final ACK: the destination will be told. */
void asim_port_notify_final(struct asim_worker *worker, const struct asim_wire *wire,
                            const struct asim_frame *frame);
/* The event in which a node acts: its time, its tie, and the node's count of events. */
struct asim_event_key {
    uint64_t t, tie, seq;
};
/* What asim_tie_key_of asks of an arrival of so many bytes. */
static inline uint64_t asim_wire_top(const struct asim_wire *wire, uint32_t bytes)
{
    uint64_t tx = wire->in_tx[bytes];

    return wire->age_left > tx ? wire->age_left - tx : 0;
}

/* The reference scheduled this arrival when the frame's transmission began: age = tx + delay. */
static inline uint64_t asim_wire_tie_key(const struct asim_wire *wire,
                                         const struct asim_frame *frame)
{
    return asim_tie_key_of(asim_wire_top(wire, frame->wire), frame->cause_recency,
                           ASIM_CLASS_ARRIVAL);
}

/* asim_cause_recency of that. */
static inline uint32_t asim_wire_recency(const struct asim_wire *wire, uint32_t bytes)
{
    return asim_cause_recency(asim_tie_key_of(asim_wire_top(wire, bytes), 0, ASIM_CLASS_ARRIVAL));
}

/* Order key of the end of a port's present transmission. */
static inline uint64_t asim_port_tie_key(const struct asim_port *port)
{
    const uint64_t most = (1ull << ASIM_AGE_BITS) - 1;
    uint64_t tx = port->busy_until - port->tx_start;

    return asim_tie_key_of(most > tx ? most - tx : 0, port->start_recency, ASIM_CLASS_FREE);
}

#endif
