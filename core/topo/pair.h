/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What congestion control and the logs want to know of a pair of hosts: delays, round trip and
 * bandwidth-delay product along the first member of each next-hop set, which is the path the
 * reference records when it first discovers the source (spec rdma-network 6.2). Computed on
 * demand; the reference keeps three maps of hosts x hosts. The product rtt x bandwidth is taken
 * without the 64-bit overflow the reference has above 7.6 ms at 2.4 Tb/s.
 */
#ifndef ASIM_TOPO_PAIR_H
#define ASIM_TOPO_PAIR_H

#include <stdint.h>
#include "asim/err.h"
#include "topo/route.h"

struct asim_pair {
    /* What every message asks stands first (fabric/host/host.h). */
    uint64_t rate_bps;    /* least rate of the links; 0 where src is dst or unreachable */
    uint64_t rtt_ns;      /* 2 x delay + tx_delay */
    uint64_t bdp_bytes;   /* floor(floor(rtt x rate / 1e9) / 8) */
    uint64_t delay_ns;    /* sum of the link delays, one way, each floored to ns */
    uint64_t tx_delay_ns; /* sum of floor(payload x 8e9 / rate) over the links */
    uint32_t hops;        /* links; 0 = src is dst, or dst cannot be reached */
};

/* An unreachable pair is all zero, as in the reference (whose window is then unlimited). */
int asim_pair_get(struct asim_pair *pair, struct asim_route *route, const uint32_t hosts[2],
                  uint32_t payload_bytes, struct asim_err *err);
/* The greatest rtt_ns and the greatest bdp_bytes over all ordered pairs of hosts (GLOBAL_T = 1);
 * the other fields are those of the pair with the greatest rtt. One walk per pair of kinds. */
int asim_pair_max(struct asim_pair *pair, struct asim_route *route, uint32_t payload_bytes,
                  struct asim_err *err);

#endif
