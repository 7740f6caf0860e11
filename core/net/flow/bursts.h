/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages that fit into their windows, beside background traffic (flow.md#bursts).
 */
#ifndef ASIM_NET_FLOW_BURSTS_H
#define ASIM_NET_FLOW_BURSTS_H

#include "net/flow/rings.h"

/* What a burst brings to a link, evenly. */
struct asim_fluid_pulse {
    double rate, left; /* packets a ns; packets to come, at at_ns */
    uint64_t at_ns;
};

/* A burst that its NIC sends or has sent. Its pulses are on the links from `end` to `front`. */
struct asim_fluid_burst {
    struct asim_due front_due, end_due;
    uint8_t is_front_due, is_end_due;
    uint8_t front, end; /* links of its path that its first packet, and its end, come to next */
    double front_rate;  /* at which it will come there */
    double front_ns;    /* when; */
    double passed_ns;   /* latencies of the links before its end */
    struct asim_fluid_pulse pulse[ASIM_FLUID_HOPS];
};

/* Whether it fits into its window, so that no queue slows its sender. */
static inline int asim_fluid_is_burst(const struct asim_fluid *fluid,
                                      const struct asim_fluid_flow *flow)
{
    return fluid->has_bursts && flow->shape.window >= ASIM_FLUID_NONE;
}

/* The links of its path that share it out by rates. */
static inline uint32_t asim_fluid_reach(const struct asim_fluid *fluid,
                                        const struct asim_fluid_flow *flow)
{
    return asim_fluid_is_burst(fluid, flow) ? 1 : flow->path->n;
}

/* A message joins its NIC, beside others of this ns. */
void asim_fluid_take_round(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* A burst is sent from now on; not 0 when out of memory. */
int asim_fluid_begin_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Its NIC sends it at another rate; has sent it. */
void asim_fluid_pace_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
void asim_fluid_end_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
/* Its first packet, its end comes to a link. Its end, 1: has left the last one. */
void asim_fluid_burst_front(struct asim_fluid *fluid, struct asim_fluid_flow *flow);
int asim_fluid_burst_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow);

#endif
