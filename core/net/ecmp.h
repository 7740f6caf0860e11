/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The path that the hashes of NICs and switches choose for a flow (rdma-network.md#nic-choice,
 * rdma-network.md#routing-and-ecmp).
 */
#ifndef ASIM_NET_ECMP_H
#define ASIM_NET_ECMP_H

#include <stdint.h>

struct asim_hop;
struct asim_route;

/* Hosts and UDP ports; of ACKs the two ends are exchanged. */
struct asim_ecmp_tuple {
    uint32_t src, dst;
    uint16_t sport, dport;
};
/* Fills at most `room` hops. Returns the links of the path; 0: there is none. */
uint32_t asim_ecmp_path(struct asim_route *route, const struct asim_ecmp_tuple *tuple,
                        struct asim_hop *hops, uint32_t room);

#endif
