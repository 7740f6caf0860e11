/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a host: NICs with their queue pairs and answers, timers, slots of flows; and of the
 * worker its thread writes into. Laid out by what is touched together. Owned by the fabric; only
 * the host's own functions change it, but for the other nodes' part of flows (flow.h).
 */
#ifndef ASIM_FABRIC_HOST_HOST_H
#define ASIM_FABRIC_HOST_HOST_H

#include "base/map.h"
#include "base/mem.h"
#include "fabric/link/event_heap.h"
#include "fabric/host/flow.h"
#include "fabric/host/loss.h"
#include "fabric/link/port.h"
#include "fabric/host/qplist.h"
#include "topo/pair.h"

/* `busy` of a NIC's port. The end of a transmission is an event only where something waits for it
 * (asim_nic_is_busy). */
enum { ASIM_NIC_IDLE, ASIM_NIC_BUSY, ASIM_NIC_LEAVING };

struct asim_nic {
    _Alignas(ASIM_LINE_BYTES) struct asim_port port;
    uint64_t
        arrival_at;    /* arrival of the first frame in the mailbox, as of this turn; ASIM_NEVER */
    uint64_t wake_at;  /* pending "next send"; ASIM_NEVER = none */
    uint64_t rate_bps; /* the link's, at hand for each packet */
    /* Strictly before data (spec 2.3), unbounded as in the reference. */
    struct asim_ring acks;
    struct asim_qplist qps; /* finished ones until a scan meets them */
    uint64_t wake_tie, wake_seq;
};

/* The NICs that lead to `peer`, as a list of the routes' own: what a host with several was asked
 * for last. n 0: nothing yet. */
struct asim_nic_choice {
    const uint32_t *nics;
    uint32_t n, peer;
    uint32_t hash; /* of the pair, begun */
};

/* What one host will hear at time t of something that happened elsewhere: that msg is complete
 * (the destination), or that a frame of it was lost at `since` (the source, RTO later). */
struct asim_notification {
    uint64_t t, tie, seq;
    struct asim_msg msg;
    uint64_t since, at, rto; /* lost: when; its sequence number; the timeout */
    uint32_t slot;
    uint8_t lost, type, flags; /* type, flags: of the lost frame */
};

/* A flow whose source, in another process, is to hear what has become of its frames. */
struct asim_pending_release {
    uint32_t src, slot;
};

/* What one thread writes while nodes advance side by side inside a window; merged when the window
 * is over. Every node belongs to one worker. */
struct asim_worker {
    _Alignas(ASIM_LINE_BYTES) uint32_t *node, n_nodes; /* its nodes of this process */
    uint32_t n_hosts;    /* the first of them; both parts ascend, but for workers.c, turn_ends */
    uint64_t *next;      /* [n_nodes] of these, a piece of the fabric's, as is */
    uint64_t *block_min; /* for its hosts, by blocks */
    uint32_t first_slot; /* of both: the place of node[0] */
    uint32_t *active;    /* [n_nodes] places in `node`: who has something to do */
    /* Wires between this worker and others: those it hears, then those it sends on. */
    struct asim_wire **cross;
    uint32_t n_inbound, n_cross;
    uint32_t *neighbour, n_neighbours; /* nodes it may send to that are not among its own */
    /* What turns touch. min_arrival: earliest arrival put into a mailbox of each node, by place. */
    _Alignas(ASIM_LINE_BYTES) struct asim_fabric *fabric;
    uint64_t *min_arrival;
    /* Completions its hosts know of that are not yet due; messages of its hosts begun and not yet
     * through; calls of its ranks, and messages begun: no period has those (steady_state.c). */
    uint64_t waiting, open, calls;
    int failed;             /* latched enum asim_code; the worker's nodes stop */
    int fast_ok;            /* hosts may take their short way in this window (quick.h) */
    uint64_t last_notified; /* latest time of all notices it has delivered itself */
    /* What the caller looks at after each window. */
    _Alignas(ASIM_LINE_BYTES) uint64_t half_next[2]; /* earliest event of its own nodes, by side */
    ASIM_VEC(struct asim_notification) outbox;       /* notices made */
    ASIM_VEC(struct asim_wire *) overflowed; /* wires with frames waiting outside their rings */
    ASIM_VEC(void *)
    deferred_frees; /* replaced in this window, when others may have looked at it */
    ASIM_VEC(struct asim_pending_release) pending_releases;
    ASIM_VEC(uint32_t) deferring; /* its hosts whose sends are held back (memo.h) */
    struct asim_err failure;      /* its sentence, where it is another than "out of memory" */
};

/* The first send of a wake: a timer of this same time that mostly is the next event, so that it
 * need not go through the agenda (host.c). */
struct asim_inline_start {
    uint64_t tie, seq;
    uint32_t slot;
    uint8_t is_open, is_filled; /* a wake is running; there is one */
};

/* Laid out by cache lines: between two turns of a host all others have theirs, so each line a turn
 * touches is fetched anew. */
struct asim_host {
    /* Every event: local time (ticks) of the one being processed, its tie, and how many so far
     * (tie_key.h). timers: value = kind << 56 | payload. */
    _Alignas(ASIM_LINE_BYTES) struct asim_worker *worker;
    uint64_t now, seq, tie, timer_seq;
    struct asim_event_heap timers;
    /* What seldom changes, and others look at: where slots lie. flow of slot s: chunks[s / 16][s %
     * 16]; the first chunk, mostly all there is, stands here. */
    _Alignas(ASIM_LINE_BYTES) struct asim_nic *nics;
    uint32_t n_nics, node;
    struct asim_flow *first_flow;
    struct asim_rx *first_rx;
    struct asim_flow **chunks;
    /* The same slots, as others know them: they look here while it grows. Of a host of another
     * process the chunks of which something is known. */
    _Atomic(struct asim_rx **) rx;
    uint32_t peer;        /* see below */
    uint32_t pcie_pauses; /* made, and whether one is running (pcie.c) */
    uint8_t pcie_busy;
    /* The NIC of a host with one, where `nics` is this: found without a look at the pointer, which
     * begins every turn. */
    struct asim_nic single_nic;
    /* Every message, begun or completed here as its source. */
    _Alignas(ASIM_LINE_BYTES) ASIM_VEC(uint32_t) draining; /* finished, frames under way */
    struct asim_inline_start start;
    uint64_t messages;
    /* Destination -> messages sent so far; those to sport_dst, the last one, count in sport_n and
     * are put back when another is sent to. */
    _Alignas(ASIM_LINE_BYTES) uint64_t sport_n;
    uint32_t sport_dst; /* UINT32_MAX: none yet */
    /* What was worked out last: the ideal time of a message of ideal_bytes (0: none) over a path
     * with the figures of the pair with `peer`; and these, none if it is UINT32_MAX. */
    uint64_t ideal_bytes, ideal_ns;
    struct asim_pair pair;
    struct asim_host_counts counts;
    struct asim_nic_choice to[2]; /* of messages, of answers; not where links go down */
    /* Now and then. */
    size_t n_chunks, cap_chunks, cap_rx;
    ASIM_VEC(uint32_t) free_slots;
    struct asim_map sports;
    struct asim_notification
        *notices; /* waiting in timers, by index: those too long for an entry */
    size_t n_notices, cap_notices;
    ASIM_VEC(uint32_t) free_notices;
};

enum asim_timer {
    ASIM_TIMER_WAKE = 1,
    ASIM_TIMER_START,
    ASIM_TIMER_NOTIFICATION,
    ASIM_TIMER_CC,
    ASIM_TIMER_PCIE,
    ASIM_TIMER_REPLAY,
    ASIM_TIMER_ARRIVED /* the notice is in the entry: source << 32 | slot with generation */
};
/* Sources that fit in an entry of the agenda; of others the notice stands in `notices`. */
enum { ASIM_ARRIVED_SOURCES = 1 << 24 };

/* The flow of a slot, at its source; a generation above it does no harm. */
static inline struct asim_flow *asim_own_flow(const struct asim_host *host, uint32_t slot)
{
    slot &= 0xffffff;
    if (slot < ASIM_FLOW_CHUNK)
        return &host->first_flow[slot];
    return &host->chunks[slot / ASIM_FLOW_CHUNK][slot % ASIM_FLOW_CHUNK];
}

/* What the frames that leave in this event carry of it. */
static inline struct asim_event_key asim_host_event_key(const struct asim_host *host)
{
    return (struct asim_event_key){host->now, host->tie, host->seq};
}

#endif
