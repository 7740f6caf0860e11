/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a switch: ports with their queues, the counters of the shared buffer (mmu.c), and
 * the agenda of the window being advanced (switch.c). Owned by the fabric; only the switch's own
 * functions change it.
 */
#ifndef ASIM_FABRIC_SWITCH_SWITCH_H
#define ASIM_FABRIC_SWITCH_SWITCH_H

#include <stdint.h>
#include "fabric/link/frame.h"
#include "fabric/link/link.h"
#include "fabric/link/calendar_queue.h"

/* Counters of one (port, queue) as ingress and egress, in bytes. */
struct asim_queue_occupancy {
    uint64_t ingress, headroom, egress;
};

/* What a burst touches that finds its way free comes first: a cache line. */
struct asim_switch_port {
    _Alignas(ASIM_LINE_BYTES) struct asim_port port;
    uint32_t frames;          /* queued, all queues */
    uint16_t ecn_free_frames; /* so many frames in a queue cannot bring a mark */
    uint8_t rr;               /* last served queue of 1..7 */
    uint8_t same_tick;        /* what comes next may come at same_tick_at */
    uint64_t peak_bytes;      /* queued, all queues, at most so far */
    uint64_t bytes;           /* now */
    uint8_t waiting;          /* bit per queue: it holds something */
    uint8_t pausing;          /* bit per queue: this ingress has sent PAUSE */
    uint8_t same_tick_ok;     /* 1: who comes as the last frame ends may start early (bulk.c) */
    uint8_t shift;            /* threshold = free shared buffer >> shift */
    /* Frames of same_tick_bytes together that went on as they came, at same_tick_at, the time at
     * which the one before was through: by the order of that instant they have lain in the queue,
     * and the peak of what came at the same time counts them. */
    uint32_t same_tick_bytes;
    uint64_t same_tick_at;
    /* from here on: only where frames wait, or now and then */
    uint64_t kmin; /* ECN, bytes of egress; with kmax 0 where the maps lack the rate, never: ~0 */
    struct asim_queue_occupancy occupancy[ASIM_QUEUES];
    struct asim_ring queue[ASIM_QUEUES];
    uint32_t headroom_limit, sent_bytes; /* sent_: size and start of the last frame, and */
    uint64_t sent_t;                     /* PINT's estimate (telemetry.c) */
    double pint_u, pmax;
    uint64_t kmax;
    uint64_t marks, pauses, drops; /* for links.csv: ECN, PAUSE sent, lost */
    /* ECN draws made here, the counter of asim_draw. */
    uint64_t draws;
};

/* What the watcher of queues was told last, where only samples are wanted (queue_watch.c): since
 * when the port has held how many bytes, of these in queue 0, and the bytes he knows of. */
struct asim_queue_sample {
    uint64_t since, bytes, control, reported;
    uint64_t due; /* the next sample after `since`, ticks */
};

/* Which of several equal-cost ports a flow takes in one direction, found by hash and remembered for
 * a while (ecmp.c). */
struct asim_ecmp_choice {
    uint64_t fresh_until; /* ticks; 0 in an empty entry */
    uint32_t src, slot;   /* as in its frames, the slot with its generation */
    uint32_t back, port;  /* 1 for what goes to src; 1-based */
};

/* The one way to a host where there is no choice, remembered by the low bits of its number. */
struct asim_cached_route {
    uint32_t dst, port; /* port: 1-based, as the topology's; 0 in an empty entry */
};
enum { ASIM_CACHED_ROUTES = 256 };

/* What comes in during a bulk window and leaves through one port: entries of egress_batch.h. */
struct asim_egress_batch {
    uint64_t *at;
    uint32_t n, cap;
    uint32_t ingress_runs, second_run; /* ports they came in by; where the second's begin */
    /* burst not 0: all that comes are the first so many frames in the mailbox of port `in`. This is
     * most of what there is, and no entries are written for it. Else `in` is the last entry's. */
    uint32_t burst, in;
};

/* Of a port in a bulk window: the last arrival, and all bytes of them; or the arrival that started
 * its last row of transmissions. */
struct asim_port_event {
    uint64_t entry;
    uint32_t port, bytes; /* below 4 GiB: places and sizes of frames have 16 bits each */
};

/* Bytes that came in at a port of another shard and were queued here (or left: two's complement).
 */
struct asim_buffer_update {
    uint32_t in, q;
    uint64_t bytes;
};

/* Ports of a switch that one worker works through in bulk windows: all there are, or, where the
 * hosts of a switch are dealt to several workers, those that lead to this worker's hosts
 * (switch_shard.c). A shard takes in what comes by its ports and sends what leaves by them; what
 * comes here and leaves there is dealt here and sent there. */
struct asim_switch_shard {
    struct asim_worker *worker;
    struct asim_switch *sw;
    uint32_t i, n_ports; /* sw->shard[i]; its ports */
    uint32_t *active; /* [n_ports], of them so many: ports where something comes in this window */
    uint32_t n_active;
    struct asim_egress_batch *batch; /* [sw->n_ports], empty but in bulk windows (egress_batch.c) */
    struct asim_egress_batch ordered; /* for sorting */
    uint32_t *egress_ports;           /* [sw->n_ports], of them so many: ports with a batch */
    uint32_t *lru; /* [n_ports] who was served last is last, as of the last bulk window */
    struct asim_port_event *last_arrival, *last_tx_start; /* [n_ports] each, of them so many */
    uint32_t n_egress_ports, n_last_arrivals, n_last_tx_starts;
    /* Whether all that came are kin, and were in the order in which they are listed the last time,
     * when they got counts from the one to the other (asim_lockstep_join). */
    int in_lockstep;
    uint64_t *pending; /* bit per port of the switch: it holds frames, or did when last asked */
    uint64_t later;    /* what comes in first at the ports that are not active */
    uint64_t bytes_in, most_in; /* dealt in this window, all ports and the busiest of them */
    uint64_t shared;     /* change of the switch's shared_used in this window, two's complement */
    int bucketed;        /* it has been; else the window is no bulk one */
    uint64_t next_event; /* of a shared switch: its next event after this window */
    uint64_t seq_low, seq_high; /* where it is in step, those counts */
    int identical;              /* what came first came as the first shard's did */
    uint32_t *remote_egress,
        n_remote_egress; /* [sw->n_ports] those of egress_ports that are other shards' */
    ASIM_VEC(struct asim_buffer_update) deferred_updates;
    struct asim_cached_route route_cache[ASIM_CACHED_ROUTES]; /* emptied when routes change */
    char cache_line_pad[ASIM_LINE_BYTES]; /* no cache line is written by two workers */
};

struct asim_switch {
    _Alignas(ASIM_LINE_BYTES) struct asim_worker *worker;
    uint32_t node, n_ports;
    struct asim_switch_port *ports;
    uint64_t drops, pauses;
    uint64_t drop_bytes, pfc_generated,
        pfc_received; /* drops include what a link that went down emptied */
    uint32_t sprayed;
    int arrivals_before_departures; /* all that comes in at some time comes before all that leaves
                                       then (mmu.c) */
    /* Bytes of the shared buffer in use, all ports. */
    uint64_t shared_used;
    uint32_t most_shift; /* of all ports */
    uint64_t shareable;  /* buffer less headroom and reserve; UINT64_MAX: see mmu.c */
    uint64_t seq;        /* events so far; of bulk windows, what is more than all of their counts */
    struct asim_calendar_queue calendar;
    struct asim_wire **in; /* [n_ports], so that a look at all mailboxes touches no port */
    int maybe_paused;      /* a pause may hold here, or a port be down; else certainly not */
    struct asim_switch_shard
        *shard; /* [n_shards]; the first is of the worker that has the switch */
    uint32_t n_shards;
    int bulk;          /* this window is */
    int due;           /* of several shards: something comes or leaves in this window */
    uint8_t *shard_of; /* [n_ports] */
    /* [n_ports], of several shards: in_seq of the wires, as of this window's beginning, for who has
     * not got the wires near. */
    uint64_t *in_seq;
    uint32_t *lockstep_group; /* [n_ports] equal where all that came in came alike */
    /* What the shards have in their came and started, which are pieces of the first of each pair;
     * in order it is in the one or the other (tie_order.c). */
    struct asim_port_event *last_arrival[2], *last_tx_start[2]; /* [n_ports] each */
    const struct asim_port_event *arrival_order, *tx_start_order;
    uint32_t n_last_arrivals, n_last_tx_starts;
    int in_lockstep;       /* of this window: order of all is what it was, */
    uint64_t lockstep_seq; /* by counts that begin here */
    uint32_t ties; /* so many of what came, which stand first, may share their time with another */
    struct asim_ecmp_choice *ecmp_cache; /* NULL until there is a choice */
    uint64_t reported;                   /* lengths a sample could have shown */
    struct asim_queue_sample *samples;   /* [n_ports], NULL where every change is told */
};

#endif
