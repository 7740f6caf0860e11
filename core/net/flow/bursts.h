/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages that fit into their windows, beside background traffic (flow.md#bursts).
 */
#ifndef ASIM_NET_FLOW_BURSTS_H
#define ASIM_NET_FLOW_BURSTS_H

#include "net/flow/rings.h"

/* A message that fits into its window, while it is under way. */
struct asim_fluid_burst {
    struct asim_due due; /* its first packet leaves the queue that it waits in */
    uint8_t is_due;
    uint32_t front;              /* the link that its first packet has come to */
    double out[ASIM_FLUID_HOPS]; /* when that left each link, ns */
};

/* Whether it fits into its window, so that no queue slows its sender. */
static inline int asim_fluid_is_burst(const struct asim_fluid *fluid,
                                      const struct asim_fluid_flow *flow)
{
    return fluid->has_bursts && flow->shape.window >= ASIM_FLUID_NONE;
}

/* A burst has been sent, or has passed a queue: it waits in the next one; 0: there is none. */
int asim_fluid_queue_up(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* A burst is sent from now on; not 0 when out of memory. */
int asim_fluid_begin_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Its first packet has left a queue. */
void asim_fluid_front(struct asim_fluid *fluid, struct asim_fluid_flow *flow);

#endif
