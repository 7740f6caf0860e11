/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Path figures of a pair of hosts for congestion control and logs: delays, round trip and
 * bandwidth-delay product along the first member of each next-hop set. This is the path that
 * ASTRA-sim's ns-3 backend records when it first discovers the source
 * (rdma-network.md#base-rtt-and-bdp). Figures are computed on demand; ASTRA-sim stores three maps
 * of hosts x hosts. The product rtt x bandwidth has no overflow here; in ASTRA-sim it overflows 64
 * bits above 7.6 ms at 2.4 Tb/s.
 */
#ifndef ASIM_TOPO_PAIR_H
#define ASIM_TOPO_PAIR_H

#include <stdint.h>
#include "asim/err.h"

struct asim_route;

struct asim_pair {
    /* Each message reads the first fields (fabric/host/host.h). */
    uint64_t rate_bps;    /* lowest rate on the path; 0 if src is dst or dst is unreachable */
    uint64_t rtt_ns;      /* 2 x delay_ns + tx_delay_ns */
    uint64_t bdp_bytes;   /* floor(floor(rtt x rate / 1e9) / 8) */
    uint64_t delay_ns;    /* sum of the link delays one way, each rounded down to ns */
    uint64_t tx_delay_ns; /* sum of floor(payload x 8e9 / rate) over the links */
    uint32_t hops;        /* links; 0 = src is dst or dst is unreachable */
};

struct asim_host_pair {
    uint32_t src, dst;
};

/* An unreachable pair is all zero, as in ASTRA-sim, where the send window is then unlimited. */
int asim_pair_get(struct asim_pair *pair, struct asim_route *route, struct asim_host_pair hosts,
                  uint32_t payload_bytes, struct asim_err *err);
/* The greatest rtt_ns and the greatest bdp_bytes over all ordered pairs of hosts (GLOBAL_T = 1).
 * The other fields belong to the pair with the greatest RTT. Walks one path for each
 * visit of asim_route_each_pair. */
int asim_pair_max(struct asim_pair *pair, struct asim_route *route, uint32_t payload_bytes,
                  struct asim_err *err);

#endif
