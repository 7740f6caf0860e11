/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flows of a distributed storage system over RDMA: Alibaba, 2019, as Y. Li et al. (HPCC, SIGCOMM
 * 2019) publish them with their simulator.
 */
#include "net/net_traffic.h"

static const struct asim_size_share points[] = {
    {0, 0},          {4e3, 0.2293},    {8e3, 0.6921},    {1.6e4, 0.8061}, {3.2e4, 0.9047},
    {6.4e4, 0.9353}, {1.28e5, 0.9677}, {2.56e5, 0.9753}, {2e6, 1},
};

const struct asim_flow_sizes asim_flow_sizes_storage = {
    .member = {.name = "storage",
               .about = "distributed storage (Alibaba 2019, with HPCC): 41 kB in the mean"},
    .at = points,
    .n = sizeof points / sizeof *points,
};
