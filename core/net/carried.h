/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What fast-forward has saved, and why not more.
 */
#ifndef ASIM_NET_CARRIED_H
#define ASIM_NET_CARRIED_H

#include <stdint.h>

/* Why frames were carried one by one although fast-forward is on (fabric/memo/region/use.h). */
enum asim_carried_reason {
    ASIM_CARRIED_FIRST,    /* such traffic had not occurred before, or the search was too dear */
    ASIM_CARRIED_RECORDED, /* kept for replays */
    ASIM_CARRIED_DEVIATED, /* ranks deviated from a replay */
    ASIM_CARRIED_PAUSES,   /* recorded without use: pauses, drops or random marks */
    ASIM_CARRIED_ORDER,    /* recorded without use: queue pairs ended in another order */
    ASIM_CARRIED_LONG,     /* recorded without use: too many messages without an idle network */
    ASIM_CARRIED_OUTSIDE,  /* several processes: not inside a server of its own switch */
    ASIM_CARRIED_OFF,      /* fast-forward is off */
    ASIM_CARRIED_REASONS
};
/* What fast-forward has saved: packet-hops of this process. The sum of carried, replayed and
 * skipped is struct asim_fabric_stats.hops. */
struct asim_memo_use {
    uint64_t carried;  /* frame by frame, the sum of the list below */
    uint64_t replayed; /* in replays of episodes */
    uint64_t skipped;  /* in skipped periods of a steady state */
    uint64_t wasted;   /* among `carried`: simulated from the start after ranks had deviated */
    uint64_t episodes, replays, deviations; /* kept; replayed; replays that ranks deviated from */
    uint64_t rotated;                       /* among `replays`: by hosts of other numbers */
    const char *off;                        /* why fast-forward is off: a phrase; NULL: it is on */
    struct {
        uint64_t hops;
        const char *why;             /* a phrase, constant */
    } reasons[ASIM_CARRIED_REASONS]; /* by enum asim_carried_reason */
};

#endif
