/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a host sends as background traffic (net_traffic.h), at the packet and at the flow level:
 * when its flows begin, and to where. A host draws from what it knows itself, so the flows are the
 * same in any window, thread or process, and on both levels.
 */
#ifndef ASIM_NET_TRAFFIC_SOURCE_H
#define ASIM_NET_TRAFFIC_SOURCE_H

#include "net/net_traffic.h"
#include "net/traffic_id.h"

/* The number of its generator. */
static inline uint32_t asim_msg_generator(const struct asim_msg *msg)
{
    return msg->id >> ASIM_TRAFFIC_SHIFT & (ASIM_TRAFFIC_MOST - 1);
}

/* A generator at a host. */
struct asim_traffic_source {
    uint32_t place;  /* of the host in traffic->hosts, UINT32_MAX: it takes no part */
    uint32_t number; /* flows begun */
    uint64_t draws;
    double next_ns,
        on_left_ns;    /* the flow or incast to come; on/off: what is left of the time on */
    uint32_t receiver; /* of the incast to come: a place */
};

/* At the start of the run, with `place` set. An on/off source begins in a time that is on; the mean
 * over hosts is the stationary one soon. */
void asim_traffic_source_begin(const struct asim_net_traffic *what,
                               struct asim_traffic_source *source);
/* Finds source->next_ns of the next flow; 0: there is none before the end. */
int asim_traffic_source_advance(const struct asim_net_traffic *what,
                                struct asim_traffic_source *source);
/* The flow that is due now, of generator `index`. Returns its source port, from a range that the
 * messages of ranks do not use, so that these keep their ports and with them their ECMP paths. */
uint16_t asim_traffic_source_flow(const struct asim_net_traffic *what,
                                  struct asim_traffic_source *source, uint32_t index,
                                  struct asim_msg *msg);
/* A flow has begun; one of so many bytes has finished. ideal_ns: on idle links, 0 where unknown. */
void asim_traffic_use_begin(struct asim_traffic_use *use, uint64_t bytes);
void asim_traffic_use_finish(struct asim_traffic_use *use, uint64_t bytes, uint64_t ns,
                             uint64_t ideal_ns);

#endif
