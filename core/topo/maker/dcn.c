/* SPDX-License-Identifier: GPL-2.0-only
 *
 * DCN+ as SimAI's generator makes it: no rails, GPU i at leaf i / npa; dt=1 gives every GPU two
 * ToRs at 200 Gbit/s and twice the GPUs per leaf. The defaults of bw and npa depend on dt: their
 * rows have no default, and this file replaces 0.
 */
#include "topo/pod.h"

static const struct asim_option options[] = {
    ASIM_POD_OPTIONS("8", "2880Gbps", NULL, NULL, "8", "400Gbps", "H100"),
    ASIM_POD_ROW("ro", NULL, "no effect: never rail-optimised", "0", ASIM_T_BOOL, rail, 0, 0,
                 ASIM_F_NOOP),
    ASIM_POD_ROW("dt", NULL, "two ToRs (bw 200Gbps, npa 128 unless given)", "0", ASIM_T_BOOL,
                 dual_tor, 0, 0, 0),
    ASIM_POD_ROW("dp", NULL, "two planes: refused, they need rails", "0", ASIM_T_BOOL, dual_plane,
                 0, 0, 0),
    {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    struct asim_pod_options pod = *(const struct asim_pod_options *)opt;
    struct asim_pod_shape shape = {"DCN+", 0, pod.dual_tor, pod.dual_plane, 1, 512, 8};
    if (!pod.nic_rate_bps)
        pod.nic_rate_bps = pod.dual_tor ? 200000000000u : 400000000000u;
    if (!pod.leaf_ports)
        pod.leaf_ports = pod.dual_tor ? 128 : 64;
    return asim_pod_make(topo, &shape, hosts, &pod, err);
}

const struct asim_topo_maker asim_topo_maker_dcn = {
    .member = {"DCN+", "SimAI template: no rails, one or two (dt) ToRs.", options,
               sizeof(struct asim_pod_options)},
    .make = make,
};
