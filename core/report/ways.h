/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How ECMP spread the flows of a run over equal ways: at each place with a choice (a switch or a
 * host with several NICs, and one set of ports), how many flows were on one port at the same time.
 * A flow is a message, which has a UDP source port of its own; it counts from its start to its last
 * ACK.
 */
#ifndef ASIM_REPORT_WAYS_H
#define ASIM_REPORT_WAYS_H

#include "base/mem.h"
#include "net/packets.h"
#include "sim/rank/event_bus.h"

struct asim_world;

/* The stay of one flow on one port. */
struct asim_way_stay {
    uint64_t place; /* node << 32 | first port of the set << 16 | ports in the set */
    uint64_t start, end;
    uint32_t port;
};

struct asim_ways {
    ASIM_VEC(struct asim_way_stay) stays;
    uint64_t flows, left_out; /* flows with a choice; of these not counted, for lack of room */
    int failed;               /* out of memory */
};

struct asim_ways_use {
    /* Flows at once on a port: mean over time and the ports of each place that carried a flow;
     * the most on one port, there and then. */
    double mean;
    double even; /* all flows at the place of the worst, over its ports, at that time */
    uint32_t worst, node, port; /* port from 1 */
};

/* The hops of the message of an event ASIM_EV_FCT: writes at most `room` and returns how many there
 * are, 0 where it has no one path. */
uint32_t asim_ways_path(const struct asim_world *world, const struct asim_event *event,
                        struct asim_hop *hops, uint32_t room);
/* Whether some flow of the network may have a choice; else nothing need be observed. */
int asim_ways_exist(const struct asim_world *world);
/* An event ASIM_EV_FCT. */
void asim_ways_see(struct asim_ways *ways, const struct asim_world *world,
                   const struct asim_event *event);
/* Sorts the stays. 0 or ASIM_ENOMEM. */
int asim_ways_measure(struct asim_ways *ways, struct asim_ways_use *use, struct asim_err *err);
void asim_ways_fini(struct asim_ways *ways);

#endif
