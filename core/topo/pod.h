/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The pod: the one layout behind all templates of SimAI's generator, and behind nvl. Servers with
 * NVSwitches, leaf switches (ASW) in segments, every leaf joined to every spine (PSW). The
 * generator's five builders differ in three numbers only: the rails of a segment (one leaf per
 * rail), one or two leaves per GPU, and whether the two leaves share their spines.
 *
 * Option keys are the generator's short flags, aliases its long flags
 * (simai.md#topology-generator).
 */
#ifndef ASIM_TOPO_POD_H
#define ASIM_TOPO_POD_H

#include "topo/build.h"

struct asim_pod_options {
    /* Counts; 0 in gpus, leaves and pod_leaves means "not given". server = GPUs of an NVLink
     * domain, nvsw = NVSwitches of a domain, leaf_ports = NICs at a leaf. */
    uint32_t gpus, server, nvsw, leaves, leaf_ports, spines, pod_leaves, tray;
    int rail, dual_tor, dual_plane;
    double error_rate;
    uint64_t nv_rate_bps, nv_delay_fs, delay_fs, nic_rate_bps, spine_rate_bps;
    char *gpu_type;
};

/* The values a template fixes, and its defaults for GPUs and leaves per pod. */
struct asim_pod_shape {
    const char *name; /* value of the generator's -topo */
    int rail, dual_tor, dual_plane;
    uint32_t rails; /* leaves of one plane in a segment */
    uint32_t usual_gpus, pod_leaves;
};

#define ASIM_POD_ROW(key, alias, help, def, type, field, min, max, flags)                          \
    {                                                                                              \
        key, alias, help, def, type, offsetof(struct asim_pod_options, field), min, max, NULL,     \
            flags                                                                                  \
    }
/* The option rows that all pods share; the arguments are defaults, as strings. */
#define ASIM_POD_OPTIONS(GPS, NVBW, BW, NPA, PSN, APBW, GT)                                        \
    ASIM_POD_ROW("g", "gpu", "GPUs (default: the ranks asked for, else the template's number)",    \
                 NULL, ASIM_T_U32, gpus, 0, 1 << 24, 0),                                           \
        ASIM_POD_ROW("er", "error_rate", "packets lost on a link, 0..1", "0", ASIM_T_DOUBLE,       \
                     error_rate, 0, 1, 0),                                                         \
        ASIM_POD_ROW("gps", "gpu_per_server", "GPUs of one NVLink domain", GPS, ASIM_T_U32,        \
                     server, 1, 1 << 20, 0),                                                       \
        ASIM_POD_ROW("gt", "gpu_type", "GPU type: A100 A800 H100 H800 …", GT, ASIM_T_STRING,       \
                     gpu_type, 0, 0, 0),                                                           \
        ASIM_POD_ROW("nsps", "nv_switch_per_server", "NVSwitches of one NVLink domain", "1",       \
                     ASIM_T_U32, nvsw, 0, 1 << 10, 0),                                             \
        ASIM_POD_ROW("nvbw", "nvlink_bw", "rate of a GPU's link to one NVSwitch", NVBW,            \
                     ASIM_T_RATE, nv_rate_bps, 1, 1e15, 0),                                        \
        ASIM_POD_ROW("nl", "nv_latency", "delay of that link", "0.000025ms", ASIM_T_TIME,          \
                     nv_delay_fs, 0, 0, 0),                                                        \
        ASIM_POD_ROW("l", "latency", "delay of every other link", "0.0005ms", ASIM_T_TIME,         \
                     delay_fs, 0, 0, 0),                                                           \
        ASIM_POD_ROW("bw", "bandwidth", "rate from a GPU's NIC to a leaf", BW, ASIM_T_RATE,        \
                     nic_rate_bps, 1, 1e15, 0),                                                    \
        ASIM_POD_ROW("asn", "asw_switch_num",                                                      \
                     "no effect: the layout decides the number of leaf "                           \
                     "switches",                                                                   \
                     NULL, ASIM_T_U32, leaves, 0, 1 << 24, ASIM_F_NOOP),                           \
        ASIM_POD_ROW("npa", "nics_per_aswitch", "NICs at one leaf", NPA, ASIM_T_U32, leaf_ports,   \
                     1, 1 << 20, 0),                                                               \
        ASIM_POD_ROW("psn", "psw_switch_num", "spine switches", PSN, ASIM_T_U32, spines, 1,        \
                     1 << 20, 0),                                                                  \
        ASIM_POD_ROW("apbw", "ap_bandwidth", "rate from a leaf to a spine", APBW, ASIM_T_RATE,     \
                     spine_rate_bps, 1, 1e15, 0),                                                  \
        ASIM_POD_ROW("app", "asw_per_psw",                                                         \
                     "leaves a spine of the pod has ports for (default: the "                      \
                     "template's)",                                                                \
                     NULL, ASIM_T_U32, pod_leaves, 0, 1 << 24, 0)

int asim_pod_make(struct asim_topo *topo, const struct asim_pod_shape *shape, uint32_t hosts,
                  const struct asim_pod_options *opt, struct asim_err *err);

/* Makes racks with NVLink throughout (maker/nvl.c); opt is a struct asim_pod_options. */
int asim_pod_make_rack(struct asim_topo *topo, uint32_t hosts, const void *opt,
                       struct asim_err *err);

#endif
