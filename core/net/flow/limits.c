/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What bounds a flow: levels of its links, and the round trip of its window (flow.md#rates).
 */
#include "net/flow/flow.h"

#include <math.h>

static const double least_share = 0.05; /* of a link, whatever ACKs take */

double asim_fluid_capacity(const struct asim_fluid_link *link)
{
    return fmax(1 - link->ack, least_share) / link->packet_ns;
}

struct asim_fluid_limit asim_fluid_limit(const struct asim_fluid *fluid,
                                         const struct asim_fluid_flow *flow, uint32_t without)
{
    const struct asim_fluid_path *path = flow->path;
    struct asim_fluid_limit limit = {ASIM_FLUID_NONE, flow->window, path->rtt_ns};

    for (uint32_t i = 0; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (path->link[i] == without)
            continue;
        limit.round_ns += link->wait_ns;
        if (link->level < limit.level)
            limit.level = link->level;
    }
    for (uint32_t i = path->n; flow->waits_for_acks && i < path->n + path->n_acks; i++)
        if (path->link[i] != without)
            limit.round_ns += fluid->link[path->link[i]].wait_ns;
    return limit;
}

struct asim_fluid_flow *asim_fluid_flow_at(const struct asim_fluid *fluid, asim_fluid_place place)
{
    return fluid->flow.at[place >> ASIM_FLUID_HOP_BITS];
}
