/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Racks whose GPUs share one NVLink domain (NVL36, NVL72). SimAI's generator has no such template:
 * it treats `-topo NVL` as an unknown name and makes eight-GPU servers without rails.
 *
 * Here: gps GPUs (72 or 36) under the rack's NVSwitches, 900 GB/s per GPU and direction, in compute
 * trays of four GPUs. The scale-out fabric has one rail per position in a tray, so a leaf serves
 * GPU r of every tray. nsps=1 is the single NVSwitch that SimAI's runtime requires; nsps=18
 * nvbw=400Gbps (nsps=9 nvbw=800Gbps) spreads the same bandwidth over the chips. The generator's
 * `-gps 72` is a different layout, whose segments have 72 leaves (rail or Spectrum-X make it).
 */
#include "topo/pod.h"

static const struct asim_option options[] = {
    ASIM_POD_OPTIONS("72", "7200Gbps", "400Gbps", "64", "16", "1600Gbps", "GB200"),
    ASIM_POD_ROW("tray", NULL, "GPUs of one compute tray = rails", "4", ASIM_T_U32, tray, 1, 1024,
                 0),
    {0}};

/* nvl36 uses this, too: the same rack with half the trays. */
int asim_pod_make_rack(struct asim_topo *topo, uint32_t hosts, const void *opt,
                       struct asim_err *err)
{
    const struct asim_pod_options *pod = opt;
    struct asim_pod_shape shape = {"nvl", 1, 0, 0, pod->tray, pod->server, 1 << 16};
    if (pod->server % pod->tray)
        return asim_err_set(err, ASIM_EINVAL,
                            "gps=%u GPUs of a rack are no whole number of trays of %u.",
                            pod->server, pod->tray);
    return asim_pod_make(topo, &shape, hosts, pod, err);
}

const struct asim_topo_maker asim_topo_maker_nvl = {
    .member = {"nvl", "NVL72 racks, rails of one GPU per tray.", options,
               sizeof(struct asim_pod_options)},
    .make = asim_pod_make_rack,
};
