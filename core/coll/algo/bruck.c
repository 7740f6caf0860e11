/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bruck's algorithm (Bruck et al., "Efficient algorithms for all-to-all communications in
 * multiport message-passing systems", 1997) for any number of members: an all-gather in which step
 * k passes min(2^k, n - 2^k) blocks 2^k places back; a reduce-scatter is the same backwards in
 * time, with a reduction of every block that arrives; an all-reduce is the two in a row. ceil(log2
 * n) steps each and (n-1)/n of the data, which is what halving and doubling need where n is a
 * power of two; halvingDoubling uses it for every other n.
 */
#include "coll/bruck.h"

const struct asim_coll_algo asim_coll_algo_bruck = {
    .member = {.name = "bruck", .about = "log2 n steps for any number of members"},
    .coll_types = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .plan = asim_bruck_plan,
    .step = asim_bruck_step,
    .arrival = asim_bruck_arrival,
};
