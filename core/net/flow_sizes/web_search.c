/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flows of a cluster that answers web searches: M. Alizadeh et al., Data Center TCP (DCTCP),
 * SIGCOMM 2010, figure 4. The points are those that Y. Li et al. (HPCC, SIGCOMM 2019) publish with
 * their simulator.
 */
#include "net/net_traffic.h"

static const struct asim_size_share points[] = {
    {0, 0},      {1e4, 0.15}, {2e4, 0.20}, {3e4, 0.30}, {5e4, 0.40}, {8e4, 0.53},
    {2e5, 0.60}, {1e6, 0.70}, {2e6, 0.80}, {5e6, 0.90}, {1e7, 0.97}, {3e7, 1},
};

const struct asim_flow_sizes asim_flow_sizes_web_search = {
    .member = {.name = "web-search",
               .about = "web search (DCTCP, SIGCOMM 2010): 1.7 MB in the mean"},
    .at = points,
    .n = sizeof points / sizeof *points,
};
