/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Spectrum-X as SimAI's generator makes it: rail-optimised, one ToR per GPU, one plane. The flags
 * ro, dt and dp have no effect, as in the generator. Every leaf is joined to all psn spines (64)
 * for any number of GPUs: 8 GPUs make 81 nodes and 528 links unless psn is given.
 */
#include "topo/pod.h"

static const struct asim_option options[] = {
    ASIM_POD_OPTIONS("8", "2880Gbps", "400Gbps", "64", "64", "400Gbps", "H100"),
    ASIM_POD_ROW("ro", NULL, "no effect: always rail-optimised", "0", ASIM_T_BOOL, rail, 0, 0,
                 ASIM_F_NOOP),
    ASIM_POD_ROW("dt", NULL, "no effect: always one ToR", "0", ASIM_T_BOOL, dual_tor, 0, 0,
                 ASIM_F_NOOP),
    ASIM_POD_ROW("dp", NULL, "no effect: always one plane", "0", ASIM_T_BOOL, dual_plane, 0, 0,
                 ASIM_F_NOOP),
    {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    const struct asim_pod_options *pod = opt;
    struct asim_pod_shape shape = {"Spectrum-X", 1, 0, 0, pod->server, 4096, 64};
    return asim_pod_make(topo, &shape, hosts, pod, err);
}

const struct asim_topo_maker asim_topo_maker_spectrum_x = {
    .member = {"Spectrum-X", "SimAI template: rails, one ToR, every leaf to every spine.", options,
               sizeof(struct asim_pod_options)},
    .make = make,
};
