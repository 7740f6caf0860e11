/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flows of a cluster that runs data mining jobs: A. Greenberg et al., VL2, SIGCOMM 2009, figure 2.
 * The points are those of W. Bai et al. (PIAS, NSDI 2015) with their traffic generator. Most flows
 * are small, and few of up to 1 GB carry nearly all bytes.
 */
#include "net/net_traffic.h"

static const struct asim_size_share points[] = {
    {0, 0},      {180, 0.1},   {216, 0.2}, {560, 0.3},     {900, 0.4},  {1100, 0.5}, {1870, 0.6},
    {3160, 0.7}, {10000, 0.8}, {4e5, 0.9}, {3.16e6, 0.95}, {1e8, 0.98}, {1e9, 1},
};

const struct asim_flow_sizes asim_flow_sizes_data_mining = {
    .member = {.name = "data-mining",
               .about = "data mining (VL2, SIGCOMM 2009): 12.7 MB in the mean"},
    .at = points,
    .n = sizeof points / sizeof *points,
};
