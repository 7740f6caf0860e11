/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Racks whose GPUs share one NVLink domain (NVL36, NVL72). SimAI's generator has no such template:
 * it takes `-topo NVL` for an unknown word and makes eight-GPU servers without rails. Here:
 * gps GPUs (72, or 36) under the rack's NVSwitches, 900 GB/s per GPU and direction, in compute
 * trays of four GPUs; the scale-out fabric has one rail per place in a tray, so a leaf serves GPU r
 * of every tray. nsps=1 is the one fat NVSwitch SimAI's runtime insists on; nsps=18 nvbw=400Gbps
 * (nsps=9 nvbw=800Gbps) is the same bandwidth spread over the chips. Not to be confused with the
 * reference's `-gps 72`, whose segments have 72 leaves (make that with rail or Spectrum-X).
 */
#include "topo/pod.h"

static const struct asim_option options[] = {
    ASIM_POD_OPTIONS("72", "7200Gbps", "400Gbps", "64", "16", "1600Gbps", "GB200"),
    ASIM_POD_ROW("tray", NULL, "GPUs of one compute tray = rails", "4", ASIM_T_U32, tray, 1, 1024,
                 0),
    {0}};

/* For nvl36, too, whose rack is the same with half the trays. */
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
