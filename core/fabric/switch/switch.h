/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a switch: ports with their queues, the counters of the shared buffer (mmu.h), the
 * calendar queue of the present window (switch/advance.c), and the shards of bulk windows (bulk/).
 * The fabric owns it; only the switch's own functions change it.
 */
#ifndef ASIM_FABRIC_SWITCH_SWITCH_H
#define ASIM_FABRIC_SWITCH_SWITCH_H

#include <stdint.h>
#include "fabric/link/calendar_queue.h"
#include "fabric/link/frame.h"
#include "fabric/link/link.h"

/* The ports and the queue of a frame in the switch. */
struct asim_transit {
    uint32_t in, out, q;
};

/* Bytes of one (port, queue): as ingress in reserve and shared buffer, and in headroom; as egress.
 */
struct asim_queue_occupancy {
    uint64_t ingress, headroom, egress;
};
#define ASIM_QUEUE_OCCUPANCY_STATE(X) X(SAME, ingress), X(SAME, headroom), X(SAME, egress)

/* The first cache line holds all that a frame touches at a free port. */
struct asim_switch_port {
    _Alignas(ASIM_LINE_BYTES) struct asim_port port;
    uint32_t frames;          /* queued, all queues */
    uint16_t ecn_free_frames; /* so many frames in a queue stay below the ECN threshold */
    uint8_t rr;               /* last served queue of 1..7 (egress/egress.h) */
    uint8_t same_tick;        /* another frame may come at same_tick_at */
    uint64_t peak_bytes;      /* the most bytes ever queued, all queues */
    uint64_t bytes;           /* queued now */
    uint8_t waiting;          /* bit per queue: it holds frames */
    uint8_t pausing;          /* bit per queue: this ingress has sent PAUSE */
    uint8_t same_tick_ok;     /* bulk window: same-tick departures are possible (below) */
    uint8_t not_rr;           /* bit per queue: not served by round robin; always queue 0 */
    /* Same-tick departures. A frame arrives in the tick in which a transmission ends, and starts at
     * once. Arrivals come before departures, so in that tick it lay in the queue: the peak counts
     * it for frames that arrive with it. Bytes of such frames at same_tick_at. */
    uint32_t same_tick_bytes;
    uint64_t same_tick_at;
    /* From here on: for ports with queued frames, or rarely. */
    uint64_t kmin; /* ECN, egress bytes; ~0: no marks; kmax 0: the maps lack the rate */
    struct asim_queue_occupancy occupancy[ASIM_QUEUES];
    struct asim_ring queue[ASIM_QUEUES];
    uint8_t shift;   /* threshold = free shared buffer >> shift */
    void *scheduler; /* the scheduler's state; NULL: `rr` is all (egress/egress.h) */
    uint32_t headroom_limit, sent_bytes; /* sent_*: size and start of the last frame, and PINT's */
    uint64_t sent_t;                     /* estimate (telemetry.c) */
    double pint_u, pmax;
    uint64_t kmax;
    uint64_t marks, pauses, drops; /* for links.csv: ECN marks, PAUSE frames sent, frames lost */
    uint64_t earlier_peak;         /* peak_bytes before the present episode (memo/region/part.h) */
    uint64_t draws;                /* ECN draws so far, the counter of asim_draw */
    uint64_t last_t, last_tie;     /* of the last frame that came in to leave here, */
    uint32_t last_in;              /* and the port it came by */
};
/* draws: random marks exclude a period. scheduler: a row with a state excludes the memo. */
#define ASIM_SWITCH_PORT_STATE(X)                                                                  \
    X(OWN, port), X(SAME, frames), X(CONSTANT, ecn_free_frames), X(KEPT, rr),                      \
        X(DERIVED, same_tick), X(PEAK, peak_bytes), X(DERIVED, bytes), X(DERIVED, waiting),        \
        X(SAME, pausing), X(SAME, same_tick_ok), X(CONSTANT, not_rr), X(DERIVED, same_tick_bytes), \
        X(TIME, same_tick_at), X(CONSTANT, kmin), X(OWN, occupancy), X(OWN, queue),                \
        X(CONSTANT, shift), X(CONSTANT, scheduler), X(CONSTANT, headroom_limit),                   \
        X(CONSTANT, sent_bytes), X(CONSTANT, sent_t), X(CONSTANT, pint_u), X(CONSTANT, pmax),      \
        X(CONSTANT, kmax), X(COUNTER, marks), X(RARE, pauses), X(RARE, drops),                     \
        X(PEAK, earlier_peak), X(SAME, draws), X(DERIVED, last_t), X(DERIVED, last_tie),           \
        X(DERIVED, last_in)

/* The last queue length the observer of samples knows, and the one since (queue_watch.c). */
struct asim_queue_sample {
    uint64_t since;          /* the port has held `bytes` since then, ticks */
    uint64_t bytes, control; /* control: of these in queue 0 */
    uint64_t reported;       /* bytes that the observer knows */
    uint64_t due;            /* first sample after `since`, ticks */
};

/* A route without a choice, in a cache by the low bits of the destination. */
struct asim_cached_route {
    uint32_t dst, port; /* port: 1-based; 0: an empty entry */
};
enum { ASIM_CACHED_ROUTES = 256 };

/* Bulk window: the arrivals that leave through one port, as entries of egress_batch.h. */
struct asim_egress_batch {
    uint64_t *at;
    uint32_t n, cap;
    uint32_t ingress_runs, second_run; /* ingress ports; the entry with which the second begins */
    /* burst > 0: a single-source burst, the first `burst` frames of the receive ring of port `in`.
     * Most batches are bursts, and get no entries. burst = 0: `in` is the port of the last entry.
     */
    uint32_t burst, in;
};

/* Bulk window: the last arrival at a port, with the bytes of all its arrivals; or the arrival that
 * started the last back-to-back sequence of transmissions at a port. */
struct asim_port_event {
    uint64_t entry;
    uint32_t port, bytes; /* indices and sizes of frames have 16 bits each */
};

/* Bulk window: bytes from a port of another shard that were queued here, or left (negative in two's
 * complement). The other shard updates its counters later. */
struct asim_buffer_update {
    uint32_t in, q;
    uint64_t bytes;
};

/* An episode counts its own peak from now on. */
static inline void asim_switch_port_restart_peak(struct asim_switch_port *port)
{
    port->earlier_peak = port->peak_bytes;
    port->peak_bytes = 0;
}

/* It is over: the peak is that of both times. */
static inline void asim_switch_port_join_peaks(struct asim_switch_port *port)
{
    if (port->earlier_peak > port->peak_bytes)
        port->peak_bytes = port->earlier_peak;
    port->earlier_peak = 0;
}

/* The part of a switch that one worker simulates in bulk windows: all ports, or, if several workers
 * have the hosts of a switch, the ports to one worker's hosts (switch_shard.h). The shard of the
 * ingress port buckets a frame by egress port; the shard of the egress port sends it. */
struct asim_switch_shard {
    struct asim_worker *worker;
    struct asim_switch *sw;
    uint32_t i, n_ports; /* this is sw->shard[i]; its ports */
    uint32_t *active;    /* [n_ports], n_active used: ports with arrivals in this window */
    uint32_t n_active;
    struct asim_egress_batch *batch;  /* [sw->n_ports], empty outside bulk windows */
    struct asim_egress_batch ordered; /* memory for sorting */
    uint32_t *egress_ports;           /* [sw->n_ports], n_egress_ports used: ports with a batch */
    uint32_t *port;                   /* [n_ports] of the switch */
    struct asim_port_event *last_arrival, *last_tx_start; /* [n_ports], n_* used */
    uint32_t n_egress_ports, n_last_arrivals, n_last_tx_starts;
    uint64_t *pending; /* bit per port of the switch: it holds frames, or did when last asked */
    uint64_t later;    /* first arrival at the ports that are not active */
    uint64_t bytes_in, most_in; /* arrived in this window: all ports, the busiest port */
    uint64_t shared;     /* change of the switch's shared_used in this window, two's complement */
    int bucketed;        /* 0 excludes a bulk window */
    uint64_t next_event; /* of a sharded switch: after this window */
    uint32_t *remote_egress; /* [sw->n_ports], the egress_ports of other shards */
    uint32_t n_remote_egress;
    ASIM_VEC(struct asim_buffer_update) deferred_updates;
    struct asim_cached_route route_cache[ASIM_CACHED_ROUTES]; /* emptied if routes change */
    char cache_line_pad[ASIM_LINE_BYTES]; /* two workers never write to one cache line */
};

struct asim_switch {
    _Alignas(ASIM_LINE_BYTES) struct asim_worker *worker;
    uint32_t node, n_ports;
    struct asim_switch_port *ports;
    uint64_t drops, pauses;
    uint64_t drop_bytes; /* also of the queues of a link that went down */
    uint64_t pfc_generated, pfc_received;
    uint32_t sprayed;               /* packets sprayed so far */
    int arrivals_before_departures; /* in every tick (mmu.c) */
    uint64_t shared_used;           /* bytes of the shared buffer in use, all ports */
    uint32_t most_shift;            /* the largest shift of all ports */
    uint64_t shareable;             /* buffer - headroom - reserve; UINT64_MAX: see mmu.c */
    uint64_t seq;                   /* event count, at least that of all events so far */
    struct asim_calendar_queue calendar;
    struct asim_wire **in; /* [n_ports], for a look at all receive rings without the ports */
    int maybe_paused;      /* 0: no pause holds here, and no port is down */
    int without_pfc;       /* it sends no PAUSE (events/switch_events.c) */
    struct asim_switch_shard *shard; /* [n_shards]; the first belongs to the switch's worker */
    uint32_t n_shards;
    int bulk;                 /* the present window is a bulk window */
    int due;                  /* several shards: the window has events */
    uint8_t *shard_of;        /* [n_ports] */
    uint32_t *lockstep_group; /* [n_ports] equal for ports with identical arrivals */
    /* [n_ports] each. The lists of the shards are parts of the first of each pair; the ordered list
     * is the first or the second (tie_order.c). */
    struct asim_port_event *last_arrival[2], *last_tx_start[2];
    const struct asim_port_event *arrival_order, *tx_start_order;
    uint32_t n_last_arrivals, n_last_tx_starts;
    struct asim_ecmp_choice *ecmp_cache; /* ecmp.c; NULL until a route has a choice */
    /* Flows that the cache did not have, less those that it had, not below 0; frames that will not
     * ask it, because it had too few. */
    uint32_t ecmp_misses, ecmp_bypassed;
    uint64_t reported;                 /* queue lengths that a sample could have shown */
    struct asim_queue_sample *samples; /* [n_ports]; NULL: the observer hears every change */
    struct asim_first_arrivals *first; /* NULL: nobody wants them */
    uint64_t seed, draw_key;           /* of ECN draws: the run's seed; the node's id << 32 */
};
/* reported: a sample may show changes inside a period (queue_watch.c). */
#define ASIM_SWITCH_STATE(X)                                                                       \
    X(CONSTANT, worker), X(CONSTANT, node), X(CONSTANT, n_ports), X(OWN, ports), X(RARE, drops),   \
        X(RARE, pauses), X(RARE, drop_bytes), X(RARE, pfc_generated), X(RARE, pfc_received),       \
        X(CONSTANT, sprayed), X(CONSTANT, arrivals_before_departures), X(SAME, shared_used),       \
        X(CONSTANT, most_shift), X(CONSTANT, shareable), X(ORDER, seq), X(DERIVED, calendar),      \
        X(CONSTANT, in), X(DERIVED, maybe_paused), X(CONSTANT, without_pfc), X(OWN, shard),        \
        X(CONSTANT, n_shards), X(DERIVED, bulk), X(DERIVED, due), X(CONSTANT, shard_of),           \
        X(DERIVED, lockstep_group), X(DERIVED, last_arrival), X(DERIVED, last_tx_start),           \
        X(DERIVED, arrival_order), X(DERIVED, tx_start_order), X(DERIVED, n_last_arrivals),        \
        X(DERIVED, n_last_tx_starts), X(DERIVED, ecmp_cache), X(DERIVED, ecmp_misses),             \
        X(DERIVED, ecmp_bypassed), X(SAME, reported), X(OWN, samples), X(DERIVED, first),          \
        X(CONSTANT, seed), X(CONSTANT, draw_key)

#endif
