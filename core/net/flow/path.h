/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Connections and their paths.
 */
#ifndef ASIM_NET_FLOW_PATH_H
#define ASIM_NET_FLOW_PATH_H

#include "net/flow/flow.h"

/* Whether a link of the path is down. */
int asim_fluid_is_cut(const struct asim_fluid *fluid, const struct asim_fluid_path *path);
/* Sets the rate of a link and the times of its frames. */
void asim_fluid_set_rate(const struct asim_fluid *fluid, uint32_t l, uint64_t rate_bps);
/* A connection's queue pair; number 0 … qps - 1, or ASIM_FLUID_TRAFFIC_QP: those of its background
 * flows. NULL when out of memory. */
struct asim_fluid_conn *asim_fluid_conn(struct asim_fluid *fluid, uint32_t src, uint32_t dst,
                                        uint32_t number);
/* The path of a message; NULL after a failure, which fluid.err tells. */
struct asim_fluid_path *asim_fluid_path(struct asim_fluid *fluid, struct asim_fluid_conn *conn,
                                        const struct asim_msg *msg, uint16_t sport);
/* spread.c: behind link[0], the links of the emptiest of the shortest ways in place of those of
 * another; where there is none now, that one stays. */
void asim_fluid_spread(struct asim_fluid *fluid, uint32_t src, uint32_t dst,
                       uint32_t link[ASIM_FLUID_HOPS]);
/* spray.c: the links that stand for those of sprayed packets; returns how many, 0: none do. */
uint32_t asim_fluid_spray(struct asim_fluid *fluid, uint32_t dst, uint32_t link[ASIM_FLUID_HOPS]);
/* Fills *shape unless it is of this size already. */
void asim_fluid_shape(const struct asim_fluid *fluid, const struct asim_fluid_conn *conn,
                      const struct asim_fluid_path *path, uint64_t bytes,
                      struct asim_fluid_shape *shape);

/* Until a full packet that is next has passed a link; to link `hop` of a path. */
static inline double asim_fluid_pass_ns(const struct asim_fluid_link *link)
{
    return link->packet_ns + link->delay_ns;
}
static inline double asim_fluid_to_ns(const struct asim_fluid *fluid,
                                      const struct asim_fluid_path *path, uint32_t hop)
{
    double ns = 0;

    for (uint32_t i = 0; i < hop; i++)
        ns += asim_fluid_pass_ns(&fluid->link[path->link[i]]);
    return ns;
}
/* Links of its path to which so many messages more come as bursts. */
void asim_fluid_expect(struct asim_fluid *fluid, const struct asim_fluid_flow *flow, int by);
/* Of a burst: no window holds it. */
static inline void asim_fluid_unbind(struct asim_fluid_flow *flow)
{
    flow->shape.most = flow->shape.window = ASIM_FLUID_NONE;
    flow->shape.is_windowed = 0;
}
/* A message under way takes another path, after links have changed. */
void asim_fluid_take_path(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                          struct asim_fluid_path *path);

#endif
