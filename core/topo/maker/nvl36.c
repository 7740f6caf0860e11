/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVL36: nvl (nvl.c) with 36 GPUs in a rack, nine trays of four. The scale-out fabric is the same.
 */
#include "topo/pod.h"

static const struct asim_option options[] = {
    ASIM_POD_OPTIONS("36", "7200Gbps", "400Gbps", "64", "16", "1600Gbps", "GB200"),
    ASIM_POD_ROW("tray", NULL, "GPUs of one compute tray = rails", "4", ASIM_T_U32, tray, 1, 1024,
                 0),
    {0}};

const struct asim_topo_maker asim_topo_maker_nvl36 = {
    .member = {"nvl36", "NVL36 racks, rails of one GPU per tray.", options,
               sizeof(struct asim_pod_options)},
    .make = asim_pod_make_rack,
};
