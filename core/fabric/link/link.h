/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Wires and ports. A wire is one direction of a link: its timing, and the ring of frames on their
 * way. A port is the sending end of one wire and the receiving end of another. A node acts on
 * another node only by appending frames to the receive ring of an outgoing wire (link.c).
 *
 * The fabric owns wires and rate tables, nodes own their ports; all live as long as the network.
 */
#ifndef ASIM_FABRIC_LINK_LINK_H
#define ASIM_FABRIC_LINK_LINK_H

#include <stdatomic.h>
#include <stdint.h>
#include "base/mem.h"
#include "fabric/link/frame.h"
#include "fabric/link/tie_key.h"

struct asim_fabric;
struct asim_port_id;
struct asim_worker;

/* Serialization time of every frame size at one rate. */
struct asim_rate_table {
    uint64_t bps;
    uint32_t *tx; /* [wire bytes], ticks */
};

/* The receive ring has one writer, the sending node, and one reader, the receiving node; the two
 * may run on different threads. A frame put in during a window is never due in that window, so the
 * reader uses only the frames that were there when its turn began. A full ring may not move while
 * other threads run; then frames go to `overflow` until the window ends. */
struct asim_wire {
    /* The sending node's cache line. The receiving node must not read anything here per frame, or
     * the line would travel between the two threads. */
    _Alignas(ASIM_LINE_BYTES) struct asim_frame *at; /* ring of mask + 1 frames */
    uint32_t mask, limit; /* limit: how far `tail` may go without a look at `head` */
    atomic_uint tail;     /* frames put in since the last reset, modulo 2^32 */
    uint32_t id;          /* 2 x link + direction */
    const uint32_t *tx;   /* [wire bytes], ticks */
    uint64_t delay;       /* ticks */
    /* Put on this wire since the start; the sum over wires is the number of packet-hops. */
    uint64_t frames, bytes;
    uint32_t to, to_slot; /* the receiving node, and its index in worker->min_arrival */
    /* Seldom change. */
    _Alignas(ASIM_LINE_BYTES) struct asim_wire_loss *loss; /* NULL: every frame arrives (loss.h) */
    uint32_t from, to_port;                                /* a node; 0-based at `to` */
    uint64_t rate_bps;
    uint32_t fetched; /* `tail` of a window ago (workers.c) */
    ASIM_VEC(struct asim_frame) overflow;
    /* The receiving node's cache line, with its own copies of the fields above. */
    _Alignas(ASIM_LINE_BYTES) atomic_uint head; /* frames taken out since the last reset */
    uint32_t avail;                             /* `tail` when the reader's turn began */
    struct asim_frame *in_at;
    const uint32_t *in_tx;
    uint64_t age_left;                 /* largest age of tie_key.h minus delay, not below 0 */
    uint64_t received, received_bytes; /* taken out since the start */
    uint64_t in_seq;                   /* the receiver's event count at the last of them */
    uint32_t in_mask;
    uint32_t cross_thread; /* frames come in while others are taken out */
};
#define ASIM_WIRE_STATE(X)                                                                         \
    X(OWN, at), X(DERIVED, mask), X(DERIVED, limit), X(OWN, tail), X(CONSTANT, id),                \
        X(CONSTANT, tx), X(CONSTANT, delay), X(COUNTER, frames), X(COUNTER, bytes),                \
        X(CONSTANT, to), X(CONSTANT, to_slot), X(CONSTANT, loss), X(CONSTANT, from),               \
        X(CONSTANT, to_port), X(CONSTANT, rate_bps), X(DERIVED, fetched), X(OWN, overflow),        \
        X(OWN, head), X(DERIVED, avail), X(DERIVED, in_at), X(CONSTANT, in_tx),                    \
        X(CONSTANT, age_left), X(COUNTER, received), X(COUNTER, received_bytes), X(ORDER, in_seq), \
        X(DERIVED, in_mask), X(CONSTANT, cross_thread)

/* The reader's turn begins. */
static inline void asim_link_ring_open(struct asim_wire *wire)
{
    wire->avail = atomic_load_explicit(&wire->tail, memory_order_acquire);
    wire->in_at = wire->at;
    wire->in_mask = wire->mask;
}

/* The frames of a ring from the oldest on; a reader of several frames loads the fields once. */
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
asim_link_ring_view_nth(const struct asim_link_ring_view *ring, uint32_t place)
{
    return &ring->at[(ring->head + place) & ring->mask];
}

/* The place behind `frame`. */
static inline const struct asim_frame *
asim_link_ring_view_next(const struct asim_link_ring_view *ring, const struct asim_frame *frame)
{
    return frame == &ring->at[ring->mask] ? ring->at : frame + 1;
}

/* The oldest frame; the ring must not be empty. It stays until asim_link_ring_drop. */
static inline const struct asim_frame *asim_link_ring_oldest(const struct asim_wire *wire)
{
    const struct asim_link_ring_view ring = asim_link_ring_view_of(wire);

    return asim_link_ring_view_nth(&ring, 0);
}

/* The same, or NULL where there is none. */
static inline const struct asim_frame *asim_link_ring_head(const struct asim_wire *wire)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);

    return head == wire->avail ? NULL : &wire->in_at[head & wire->in_mask];
}

/* Whether a was used last before b was; both lead into one node. */
static inline int asim_wire_used_before(const struct asim_wire *a, const struct asim_wire *b)
{
    return a->in_seq != b->in_seq ? a->in_seq < b->in_seq : a->to_port < b->to_port;
}

/* Counts the oldest frame as received, by the receiver's seq-th event. */
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

/* Empties a ring that has memory. */
static inline void asim_link_ring_restart(struct asim_wire *wire)
{
    wire->avail = 0;
    wire->limit = wire->mask + 1;
    atomic_store_explicit(&wire->head, 0, memory_order_relaxed);
    atomic_store_explicit(&wire->tail, 0, memory_order_relaxed);
}

/* The reader's turn ends: an empty ring starts again at its first place, so that the few frames of
 * a window use the same few cache lines as in the last window. A full ring and a ring with overflow
 * stay as they are, because `limit` equals `tail` there. So does a ring into which the hosts of a
 * sharded switch have put frames since the turn began. */
static inline void asim_link_ring_reset(struct asim_wire *wire)
{
    uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);

    if (!head || wire->cross_thread || head == wire->limit ||
        head != atomic_load_explicit(&wire->tail, memory_order_relaxed))
        return;
    asim_link_ring_restart(wire);
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

/* Whether the ring has room for n more frames. */
static inline int asim_link_ring_has_room(struct asim_wire *wire, uint32_t n)
{
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);

    if (wire->limit - tail >= n)
        return 1;
    if (!wire->overflow.n && wire->at)
        wire->limit = atomic_load_explicit(&wire->head, memory_order_acquire) + wire->mask + 1;
    return wire->limit - tail >= n;
}

/* A frame in `overflow` has no place in the ring; then `limit` equals `tail` (link.c). */
static inline void asim_link_ring_commit(struct asim_wire *wire)
{
    uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);

    if (tail != wire->limit)
        atomic_store_explicit(&wire->tail, tail + 1, memory_order_release);
}

/* Between windows: moves the overflow into the ring. 0 or ASIM_ENOMEM. */
int asim_link_ring_merge_overflow(struct asim_wire *wire);
/* Frames on the wire, and the i-th of them; between windows. */
uint32_t asim_link_ring_count(const struct asim_wire *wire);
const struct asim_frame *asim_link_ring_peek(const struct asim_wire *wire, uint32_t i);

/* Takes three quarters of a cache line; the node keeps its other per-frame fields in the rest. */
struct asim_port {
    uint64_t busy_until, tx_start; /* of the frame being serialized, if busy */
    struct asim_wire *out, *in;    /* one link, two directions; in->from == out->to */
    uint64_t start_seq;            /* the node's event count when the last frame started */
    uint32_t start_recency;        /* cause recency of that event (tie_key.h) */
    uint8_t paused;                /* bit per queue: set by PFC frames received here */
    uint8_t down;                  /* its link is down: no frame starts */
    uint8_t busy;
};
/* busy: a transmission that has ended counts as none, even if the port is still marked busy. */
#define ASIM_PORT_STATE(X)                                                                         \
    X(SENT_AT, busy_until), X(SENT_AT, tx_start), X(CONSTANT, out), X(CONSTANT, in),               \
        X(ORDER, start_seq), X(SENT, start_recency), X(SAME, paused), X(SAME, down), X(OWN, busy)

/* Serialization time of `bytes` at bps: nearest ns, exact halves down (rdma-network.md#rounding).
 */
uint64_t asim_tx_ns(uint64_t bytes, uint64_t bps);
/* The same to the nearest tick of the fabric. */
uint64_t asim_tx_ticks(const struct asim_fabric *fabric, uint64_t bytes, uint64_t bps);
/* The longest window, up to `most` ticks, in which a port in full use repeats: a multiple of the
 * time of a packet and an ACK, best of the time in which as many of them pass as an ACK is shorter.
 * For the links of hosts whose delay is `most` or longer. 0: there is none. */
uint64_t asim_repeating_window(const struct asim_fabric *fabric, uint64_t most);
/* Table for a rate, made on first use; NULL when out of memory. */
const uint32_t *asim_rate_table_get(struct asim_fabric *fabric, uint64_t bps);
/* Largest frame of this configuration. */
uint32_t asim_fabric_max_wire(const struct asim_fabric *fabric);
/* Tells the frame watcher, which works in per-event mode only, that a frame starts. */
void asim_port_report(struct asim_fabric *fabric, const struct asim_port *port,
                      const struct asim_frame *frame);
/* Per-event mode: the far node of the wire has an event at t. */
void asim_port_schedule(struct asim_fabric *fabric, const struct asim_wire *wire, uint64_t t);
/* Whether a PFC frame stops its queue. parity: a PAUSE of less than 1 us is a resume, because
 * ASTRA-sim cuts the time to whole us; a longer pause holds until a resume, whatever its time. */
int asim_pause_holds(const struct asim_fabric *fabric, const struct asim_frame *frame);
/* What hosts (host/completion.c) want to hear of frames on links. */
struct asim_frame_hooks {
    /* The final ACK of a message starts on its last link. */
    void (*final)(struct asim_worker *worker, const struct asim_wire *wire,
                  const struct asim_frame *frame);
    /* A frame ended at `t`, ticks, in the node of `at`. */
    void (*lost)(struct asim_worker *worker, const struct asim_frame *frame, uint64_t t,
                 struct asim_port_id at);
};

/* The event in which a node acts: its time, its tie key, and the node's count of events. */
struct asim_event_key {
    uint64_t t, tie, seq;
};

/* Arrival at the far end of the frame whose serialization ends at `busy_until`. */
static inline uint64_t asim_link_arrival(const struct asim_wire *wire, uint64_t busy_until)
{
    return busy_until + wire->delay;
}

/* Largest age minus the age of an arrival of that many bytes, as asim_tie_key_of wants it. */
static inline uint64_t asim_wire_top(const struct asim_wire *wire, uint32_t bytes)
{
    uint64_t tx = wire->in_tx[bytes];

    return wire->age_left > tx ? wire->age_left - tx : 0;
}

/* parity: an arrival is scheduled when the frame starts: age = tx + delay. */
static inline uint64_t asim_wire_tie_key(const struct asim_wire *wire,
                                         const struct asim_frame *frame)
{
    return asim_tie_key_of(asim_wire_top(wire, frame->wire), frame->cause_recency,
                           ASIM_CLASS_ARRIVAL);
}
/* asim_cause_recency of that key. */
static inline uint32_t asim_wire_recency(const struct asim_wire *wire, uint32_t bytes)
{
    return asim_cause_recency(asim_tie_key_of(asim_wire_top(wire, bytes), 0, ASIM_CLASS_ARRIVAL));
}

/* Tie key of the end of a port's present transmission. */
static inline uint64_t asim_port_tie_key(const struct asim_port *port)
{
    const uint64_t most = (1ull << ASIM_AGE_BITS) - 1;
    uint64_t tx = port->busy_until - port->tx_start;

    return asim_tie_key_of(most > tx ? most - tx : 0, port->start_recency, ASIM_CLASS_FREE);
}

#endif
