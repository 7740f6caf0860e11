/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The egress port of a frame: the route, the ECMP hash, packet spraying, and two caches.
 */
#ifndef ASIM_FABRIC_SWITCH_ECMP_H
#define ASIM_FABRIC_SWITCH_ECMP_H

#include "fabric/link/frame.h"
#include "fabric/switch/switch.h"

/* Egress port of the frame, 0-based; UINT32_MAX: no route. */
uint32_t asim_ecmp_route(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                         const struct asim_frame *frame);
/* Empties the caches, because routes have changed. */
void asim_ecmp_forget(struct asim_switch *sw);

/* 1 + the egress port, where the route cache has it: a route without a choice. Else 0. */
static inline uint32_t asim_ecmp_cached(const struct asim_switch_shard *shard,
                                        const struct asim_frame *frame)
{
    uint32_t dst = asim_frame_goal(frame);
    const struct asim_cached_route *cached = &shard->route_cache[dst % ASIM_CACHED_ROUTES];

    return cached->dst == dst ? cached->port : 0;
}

/* The same egress port; looks into the route cache inline. */
static inline uint32_t asim_ecmp_egress(struct asim_fabric *fabric, struct asim_switch_shard *shard,
                                        const struct asim_frame *frame)
{
    uint32_t port = asim_ecmp_cached(shard, frame);

    return port ? port - 1 : asim_ecmp_route(fabric, shard, frame);
}

#endif
