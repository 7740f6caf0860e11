/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI's generator without a template: the flags ro, dt and dp choose rails, ToRs and planes, with
 * the base defaults. Rails are on unless ro=0; `asim topo make` without a name starts with ro=0, as
 * the generator does.
 */
#include "topo/pod.h"

static const struct asim_option options[] = {
    ASIM_POD_OPTIONS("8", "2880Gbps", "400Gbps", "64", "64", "400Gbps", "H100"),
    ASIM_POD_ROW("ro", NULL, "rail-optimised: GPU r of every server at leaf r", "1", ASIM_T_BOOL,
                 rail, 0, 0, 0),
    ASIM_POD_ROW("dt", NULL, "two ToRs per GPU", "0", ASIM_T_BOOL, dual_tor, 0, 0, 0),
    ASIM_POD_ROW("dp", NULL, "two planes (needs ro and dt)", "0", ASIM_T_BOOL, dual_plane, 0, 0, 0),
    {0}};

static int make(struct asim_topo *topo, uint32_t hosts, const void *opt, struct asim_err *err)
{
    const struct asim_pod_options *pod = opt;
    struct asim_pod_shape shape = {
        "rail", pod->rail, pod->dual_tor, pod->dual_plane, pod->rail ? pod->server : 1, 32, 64};
    return asim_pod_make(topo, &shape, hosts, pod, err);
}

const struct asim_topo_maker asim_topo_maker_rail = {
    .member = {"rail", "Servers under leaves and spines; ro dt dp choose rails, ToRs, planes.",
               options, sizeof(struct asim_pod_options)},
    .make = make,
};
