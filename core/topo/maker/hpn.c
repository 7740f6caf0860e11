/* SPDX-License-Identifier: GPL-2.0-only
 *
 * AlibabaHPN as SimAI's generator makes it: rail-optimised, two ToRs per GPU; dp=1 gives each ToR
 * plane its own half of the spines. Defaults: 15,360 GPUs, 128 NICs a leaf, 120 spines; a spine
 * has ports for 240 leaves, 120 with two planes.
 */
#include "topo/pod.h"

static const struct asim_option options[] = {
    ASIM_POD_OPTIONS("8", "2880Gbps", "200Gbps", "128", "120", "400Gbps", "H100"),
    ASIM_POD_ROW("ro", NULL, "no effect: always rail-optimised", "0", ASIM_T_BOOL, rail, 0, 0,
                 ASIM_F_NOOP),
    ASIM_POD_ROW("dt", NULL, "no effect: always two ToRs", "0", ASIM_T_BOOL, dual_tor, 0, 0,
                 ASIM_F_NOOP),
    ASIM_POD_ROW("dp", NULL, "two planes: each ToR has its own spines", "0", ASIM_T_BOOL,
                 dual_plane, 0, 0, 0),
    {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    const struct asim_pod_options *pod = opt;
    int dp = pod->dual_plane;
    struct asim_pod_shape shape = {"AlibabaHPN", 1, 1, dp, pod->server, 15360, dp ? 120 : 240};
    return asim_pod_make(topo, &shape, hosts, pod, err);
}

const struct asim_topo_maker asim_topo_maker_hpn = {
    .member = {"AlibabaHPN", "SimAI template: rails, two ToRs, one or two (dp) planes.", options,
               sizeof(struct asim_pod_options)},
    .make = make,
};
