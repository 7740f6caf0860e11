/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a switch: ports with their queues, the counters of the shared buffer (mmu.c), and
 * the agenda of the window being advanced (switch.c). Owned by the fabric; only the switch's own
 * functions change it.
 */
#ifndef ASIM_FABRIC_SWITCH_H
#define ASIM_FABRIC_SWITCH_H

#include <stdint.h>
#include "fabric/agenda.h"
#include "fabric/frame.h"
#include "fabric/port.h"

/* Counters of one (port, queue) as ingress and egress, in bytes. */
struct asim_queue_use {
    uint64_t ingress, headroom, egress;
};

struct asim_switch_port {
    struct asim_port port;
    uint64_t bytes; /* queued, all queues */
    uint64_t peak_bytes, marks, pauses,
        drops;       /* for links.csv: queued at most; ECN, PAUSE sent, lost */
    uint64_t sent_t; /* start and size of the last frame, and PINT's estimate (telemetry.c) */
    uint32_t sent_bytes;
    double pint_u;
    uint32_t frames; /* queued, all queues */
    uint8_t rr;      /* last served queue of 1..7 */
    uint8_t pausing; /* bit per queue: this ingress has sent PAUSE */
    uint8_t shift;   /* threshold = free shared buffer >> shift */
    uint32_t headroom_limit;
    uint64_t kmin, kmax; /* ECN, bytes of egress; both 0 where the maps lack the rate */
    double pmax;
    /* ECN draws made here, the counter of asim_draw. */
    uint64_t draws;
    struct asim_ring queue[ASIM_QUEUES];
    struct asim_queue_use use[ASIM_QUEUES];
};

struct asim_switch {
    uint32_t node, n_ports;
    struct asim_switch_port *ports;
    uint64_t drops, marks, pauses;
    uint64_t drop_bytes, pfc_made, pfc_got; /* drops include what a link that went down emptied */
    uint32_t sprayed;
    /* Bytes of the shared buffer in use, all ports. */
    uint64_t shared_used;
    uint64_t shareable; /* buffer less headroom and reserve; UINT64_MAX: see mmu.c */
    uint64_t seq;       /* events so far */
    struct asim_agenda agenda;
};

#endif
