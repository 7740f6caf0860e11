/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a host: NICs with their queue pairs and queued ACKs, timers, flow slots. The layout
 * groups fields that are touched together. The fabric owns hosts; only the host's own functions
 * change its state, except for the parts of a flow that other nodes write (flow.h).
 */
#ifndef ASIM_FABRIC_HOST_HOST_H
#define ASIM_FABRIC_HOST_HOST_H

#include "base/mem.h"
#include "fabric/ground/ground.h"
#include "fabric/ground/worker.h"
#include "fabric/host/flow.h"
#include "fabric/host/qplist.h"
#include "fabric/link/event_heap.h"
#include "fabric/link/insertion.h"
#include "fabric/link/link.h"

struct asim_map;
struct asim_pair;

/* Counters of a host, in frames unless stated otherwise. The first cache line holds the counters of
 * every frame: data sent; ACKs and NACKs sent and generated; data and ACKs received; bytes received
 * in order; bytes of messages acknowledged as a whole. */
struct asim_host_counts {
    _Alignas(64) uint64_t data;
    uint64_t acks, acks_generated, data_received, acks_received, in_order, completed;
    uint64_t retransmits;                 /* among the data sent */
    uint64_t nacks;                       /* among the ACKs and NACKs generated */
    uint64_t acks_dropped;                /* queued at a NIC whose link went down */
    uint64_t duplicates, discarded;       /* data received before; data beyond a gap, not kept */
    uint64_t pfc_generated, pfc_received; /* pause and resume frames */
    uint64_t pfc_sent, pfc_dropped;
    uint64_t timeouts, aborted; /* aborted: messages */
    uint64_t rates_reported;    /* to the observer */
};
/* A part counts its COUNTERs by its log, since they mix with those of the host's other NICs
 * (memo/state/part_state.c). */
#define ASIM_HOST_COUNTS_STATE(X)                                                                  \
    X(COUNTER, data), X(COUNTER, acks), X(COUNTER, acks_generated), X(COUNTER, data_received),     \
        X(COUNTER, acks_received), X(COUNTER, in_order), X(COUNTER, completed),                    \
        X(RARE, retransmits), X(RARE, nacks), X(RARE, acks_dropped), X(RARE, duplicates),          \
        X(RARE, discarded), X(RARE, pfc_generated), X(RARE, pfc_received), X(RARE, pfc_sent),      \
        X(RARE, pfc_dropped), X(RARE, timeouts), X(RARE, aborted), X(RARE, rates_reported)

/* `busy` of a NIC's port. LEAVING: a frame is being sent, but its end is no event, because nothing
 * waits for it (asim_nic_is_busy). */
enum { ASIM_NIC_IDLE, ASIM_NIC_BUSY, ASIM_NIC_LEAVING };

struct asim_nic {
    _Alignas(ASIM_LINE_BYTES) struct asim_port port;
    uint64_t arrival_at; /* of the first frame in the receive ring; ASIM_NEVER = none */
    uint64_t wake_at;    /* pending "next send"; ASIM_NEVER = none */
    uint64_t rate_bps;   /* the link's, copied because every packet needs it */
    /* ACKs and NACKs go strictly before data (rdma-network.md#host-transmit-order); the FIFO is
     * unbounded as in ASTRA-sim.
     */
    struct asim_ring acks;
    struct asim_qplist qps; /* a finished queue pair stays until a scan meets it */
    uint64_t wake_tie, wake_seq;
    uint64_t crowded; /* messages: asim_connection_is_crowded */
};
#define ASIM_NIC_STATE(X)                                                                          \
    X(OWN, port), X(DERIVED, arrival_at), X(OWN, wake_at), X(CONSTANT, rate_bps), X(OWN, acks),    \
        X(OWN, qps), X(OWN, wake_tie), X(ORDER, wake_seq), X(COUNTER, crowded)

/* The NICs that lead to `peer`, a list that the routes own: the last answer for a host with several
 * NICs. n 0: no answer yet. */
struct asim_nic_choice {
    const uint32_t *nics;
    uint32_t n, peer;
    uint32_t hash; /* of the two addresses; the ports are still to be hashed */
};

/* The first send of a wake: a timer for the present time. Mostly it is the next event, so it waits
 * here and not in the event heap (host/advance.c). is_open: a wake is running. */
struct asim_inline_start {
    uint64_t tie, seq;
    uint32_t slot;
    uint8_t is_open, is_filled;
};

/* Laid out by cache lines: between two advances of a host all other hosts advance, so each advance
 * fetches its lines anew. */
struct asim_host {
    /* Every event touches these. now: time of the event being processed (ticks); tie: its tie key
     * (tie_key.h); seq: number of events so far. Timer values: kind << 56 | payload. */
    _Alignas(ASIM_LINE_BYTES) struct asim_worker *worker;
    uint64_t now, seq, tie, timer_seq;
    struct asim_event_heap timers;
    /* Seldom change; other nodes read them. The flow of slot s is chunks[s / 16][s % 16];
     * first_flow is the first chunk, mostly the only one. */
    _Alignas(ASIM_LINE_BYTES) struct asim_nic *nics;
    uint32_t n_nics, node;
    struct asim_flow *first_flow;
    struct asim_rx *first_rx;
    struct asim_flow **chunks;
    /* The receivers' side of the same slots. Other nodes read the list while it grows. For a host
     * of another process the list has only the chunks this process has heard of. */
    _Atomic(struct asim_rx **) rx;
    uint32_t peer;        /* of `pair`; UINT32_MAX: none */
    uint32_t pcie_pauses; /* made so far (pcie.c) */
    uint32_t mixed_turns; /* turns in which all NICs count as busy (frame_loop.c) */
    uint8_t pcie_busy;
    uint8_t is_held;        /* its ranks stand still (hold.c) */
    uint8_t has_fixed_nics; /* its queue pairs keep the NICs of the network at the start */
    /* The NIC of a host with one NIC; `nics` then points here. Every turn begins with it, and this
     * saves a load of the pointer. */
    struct asim_nic single_nic;
    /* Every message touches these at its start or its end. draining: slots of finished messages
     * that still have frames under way. */
    _Alignas(ASIM_LINE_BYTES) ASIM_VEC(uint32_t) draining;
    struct asim_inline_start start;
    uint64_t messages;
    struct asim_insertion *const *insertion; /* the fabric's member */
    /* Number of messages sent to sport_dst, the last destination (UINT32_MAX: none yet); `sports`
     * holds the numbers of all others. */
    _Alignas(ASIM_LINE_BYTES) uint64_t sport_n;
    uint32_t sport_dst;
    /* Last results: RTT and rate of the path to `peer`, and the ideal time of a message of
     * ideal_bytes over it (0: none). */
    uint64_t ideal_bytes, ideal_ns;
    struct asim_pair *pair;
    struct asim_host_counts counts;
    struct asim_nic_choice data_nics, reply_nics; /* unused where links go down */
    /* Seldom touched. */
    size_t n_chunks, cap_chunks, cap_rx;
    ASIM_VEC(uint32_t) free_slots;
    uint64_t held_since;                     /* ticks */
    ASIM_VEC(struct asim_event_entry) held;  /* timers that wait for the end of the hold */
    struct asim_map *sports;                 /* destination -> messages sent so far */
    struct asim_notification *notifications; /* those too long for a timer's value, by index */
    size_t n_notifications, cap_notifications;
    ASIM_VEC(uint32_t) free_notifications;
};
/* sports and sport_n: a send changes them, also one that is replayed. */
#define ASIM_HOST_STATE(X)                                                                         \
    X(CONSTANT, worker), X(CLOCK, now), X(ORDER, seq), X(DERIVED, tie), X(ORDER, timer_seq),       \
        X(OWN, timers), X(OWN, nics), X(CONSTANT, n_nics), X(CONSTANT, node), X(OWN, first_flow),  \
        X(OWN, first_rx), X(OWN, chunks), X(OWN, rx), X(DERIVED, peer), X(CONSTANT, pcie_pauses),  \
        X(DERIVED, mixed_turns), X(CONSTANT, pcie_busy), X(CONSTANT, is_held),                     \
        X(CONSTANT, has_fixed_nics), X(OWN, single_nic), X(OWN, draining), X(DERIVED, start),      \
        X(COUNTER, messages), X(CONSTANT, insertion), X(OWN, sport_n), X(OWN, sport_dst),          \
        X(DERIVED, ideal_bytes), X(DERIVED, ideal_ns), X(DERIVED, pair), X(OWN, counts),           \
        X(DERIVED, data_nics), X(DERIVED, reply_nics), X(CONSTANT, n_chunks),                      \
        X(CONSTANT, cap_chunks), X(CONSTANT, cap_rx), X(OWN, free_slots), X(CONSTANT, held_since), \
        X(CONSTANT, held), X(OWN, sports), X(OWN, notifications), X(OWN, n_notifications),         \
        X(DERIVED, cap_notifications), X(OWN, free_notifications)

enum asim_timer {
    ASIM_TIMER_WAKE = 1,
    ASIM_TIMER_START,
    ASIM_TIMER_NOTIFICATION, /* payload: index of host->notifications */
    ASIM_TIMER_CC,
    ASIM_TIMER_PCIE,
    ASIM_TIMER_REPLAY,
    ASIM_TIMER_ARRIVED, /* a completion: source << 32 | slot with generation */
    ASIM_TIMER_TRAFFIC, /* payload: the generator (traffic.h) */
    ASIM_TIMER_DATAGRAM /* payload: the NIC where a datagram waits, from 0 */
};
/* Sources that fit into the value of ASIM_TIMER_ARRIVED; larger ones need `notifications`. */
enum { ASIM_ARRIVED_SOURCES = 1 << 24 };

/* The flow of a slot, at its source; a generation in the upper bits is ignored. */
static inline struct asim_flow *asim_own_flow(const struct asim_host *host, uint32_t slot)
{
    slot &= 0xffffff;
    if (slot < ASIM_FLOW_CHUNK)
        return &host->first_flow[slot];
    return &host->chunks[slot / ASIM_FLOW_CHUNK][slot % ASIM_FLOW_CHUNK];
}

/* The receiver's side of a slot, without generation. */
static inline struct asim_rx *asim_rx_at(const struct asim_host *host, uint32_t slot)
{
    struct asim_rx **list;

    if (slot < ASIM_FLOW_CHUNK) /* exists before any frame of it, and never moves */
        return &host->first_rx[slot];
    list = atomic_load_explicit(&host->rx, memory_order_acquire);
    return &list[slot / ASIM_FLOW_CHUNK][slot % ASIM_FLOW_CHUNK];
}

/* The key of the present event, which the frames it sends carry on. */
static inline struct asim_event_key asim_host_event_key(const struct asim_host *host)
{
    return (struct asim_event_key){host->now, host->tie, host->seq};
}

/* An event begins. */
static inline void asim_host_begin(struct asim_host *host, uint64_t t, uint64_t tie)
{
    host->now = t;
    host->tie = tie;
    host->seq++;
}

/* The entry of a timer armed now. With insertion numbers an entry has its number in place of the
 * tie key, and the tie key behind it. */
static inline struct asim_event_entry asim_host_entry(struct asim_host *host, uint64_t t,
                                                      uint64_t tie, uint64_t value)
{
    struct asim_insertion *insertion = *host->insertion;

    if (insertion)
        return (struct asim_event_entry){
            t, asim_insertion_add(insertion, t, ASIM_INSERTED_TIMER, host->node), tie, value};
    return (struct asim_event_entry){t, tie, host->timer_seq++, value};
}

/* A timer armed by the present event. value = kind << 56 | payload. 0 or ASIM_ENOMEM. */
static inline int asim_host_timer(struct asim_host *host, uint64_t t, uint64_t value)
{
    uint64_t tie = asim_timer_tie_key(host->tie, t - host->now);

    return asim_event_heap_push(&host->timers, asim_host_entry(host, t, tie, value));
}

/* The number of the wake-up of a NIC armed now, at nic->wake_at. */
static inline uint64_t asim_host_wake_seq(struct asim_host *host, const struct asim_nic *nic)
{
    struct asim_insertion *insertion = *host->insertion;

    return insertion
               ? asim_insertion_add(insertion, nic->wake_at, ASIM_INSERTED_WAKE, nic->port.out->id)
               : host->timer_seq++;
}

/* Copies the first frame's arrival time out of the ring: every event asks for it, and the frame's
 * own cache line is then touched once. Call after opening the ring and after taking a frame. */
static inline void asim_nic_update_arrival(struct asim_nic *nic)
{
    const struct asim_wire *in = nic->port.in;
    uint32_t head = atomic_load_explicit(&in->head, memory_order_relaxed);

    nic->arrival_at = head != in->avail ? in->in_at[head & in->in_mask].t : ASIM_NEVER;
}

/* The host's turn begins: it sees the frames that are in the ring now. */
static inline void asim_nic_open_ring(struct asim_nic *nic)
{
    asim_link_ring_open(nic->port.in);
    asim_nic_update_arrival(nic);
}

/* Whether nothing is under way over the NIC's link but frames that the host has sent, which are
 * events of the far end. */
static inline int asim_nic_is_still(const struct asim_nic *nic)
{
    return nic->qps.n == nic->qps.n_finished && !nic->acks.n && nic->port.busy != ASIM_NIC_BUSY &&
           nic->wake_at == ASIM_NEVER && !asim_link_ring_count(nic->port.in);
}

static inline uint64_t asim_nic_arrival_tie_key(const struct asim_nic *nic)
{
    return asim_wire_tie_key(nic->port.in, asim_link_ring_oldest(nic->port.in));
}

/* The sender's and the receiver's side of a flow (flow.h), by the frame's source and slot. */
static inline struct asim_flow *asim_flow_of(const struct asim_fabric *fabric, uint32_t src,
                                             uint32_t slot)
{
    return asim_own_flow(&fabric->host[src], slot);
}
static inline struct asim_rx *asim_rx_of(const struct asim_fabric *fabric, uint32_t src,
                                         uint32_t slot)
{
    return asim_rx_at(&fabric->host[src], slot & 0xffffff);
}
/* Whether the destination is in this process and has begun the message: only then `next` is the
 * message's. */
static inline int asim_rx_has_begun(const struct asim_fabric *fabric, const struct asim_rx *rx)
{
    return rx->begun_generation == rx->generation && asim_fabric_owns(fabric, rx->dst);
}
/* The source of a flow is in the low bits of its name. */
static inline uint32_t asim_flow_source(const struct asim_flow *flow)
{
    return (uint32_t)flow->frame_word & ((1u << ASIM_NODE_BITS) - 1);
}
/* The receiver's side of a flow. */
static inline struct asim_rx *asim_rx_of_flow(const struct asim_fabric *fabric,
                                              const struct asim_flow *flow)
{
    return asim_rx_of(fabric, asim_flow_source(flow), flow->slot);
}
/* The destination has counted frames of a flow (asim_rx_count), which the source's process must
 * learn. */
static inline void asim_flow_add_release(struct asim_worker *worker, uint32_t src, uint32_t slot)
{
    if (worker->fabric->process_hooks)
        asim_flow_add_release_slow(worker, src, slot);
}

#endif
