/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The network of the analytical backends: one basic topology per dimension, as the YAML file of
 * ASTRA-sim's analytical programs states it (spec astra-system.md, section 2.2).
 */
#ifndef ASIM_CONF_NETSHAPE_H
#define ASIM_CONF_NETSHAPE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "conf/conf.h"

enum asim_net_topology { ASIM_NET_RING, ASIM_NET_FULLY_CONNECTED, ASIM_NET_SWITCH };
struct asim_netdim {
    int topology; /* enum asim_net_topology */
    uint32_t npus;
    double bandwidth_gbps; /* x 2^30 byte/s, per link and direction */
    double latency_ns;     /* per hop */
};
struct asim_netshape {
    struct asim_netdim at[ASIM_DIMS];
    size_t n;
};
/* "Ring", "FullyConnected", "Switch" */
const char *asim_net_topology_name(int topology);
int asim_netshape_read(struct asim_netshape *shape, const char *path, struct asim_err *err);

#endif
