/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "hosts": hosts of the topology that run several ranks. In memory such a host becomes a node for
 * each rank and a PCIe switch between them (topo/servers.c).
 */
#include "scenario/scenario.h"

#define AT(field) offsetof(struct asim_scenario_hosts, field)
static const struct asim_option options[] = {
    {.key = "ranks",
     .type = ASIM_T_U32,
     .offset = AT(ranks),
     .def = "1",
     .min = 1,
     .max = 256,
     .help = "ranks that each host can run"},
    {.key = "nic",
     .type = ASIM_T_CHOICE,
     .offset = AT(nic),
     .def = "shared",
     .choices = "shared|own",
     .help = "shared: all ranks of a host send over all its links; own: rank i of a host over link "
             "i, i + ranks, …"},
    {.key = "pcie",
     .type = ASIM_T_RATE,
     .offset = AT(pcie_bps),
     .def = "512Gbps",
     .min = 1e6,
     .max = 1e15,
     .help = "rate between a rank and the PCIe switch of its host, each way (512Gbps: PCIe 5.0 x16 "
             "before encoding)"},
    {.key = "pcie-latency",
     .type = ASIM_T_TIME,
     .offset = AT(pcie_fs),
     .def = "250ns",
     .min = 1,
     .max = 1e9,
     .help = "delay between a rank and the PCIe switch (250ns is an assumption)"},
    {0}};

const struct asim_scenario_section asim_scenario_section_hosts = {
    .member = {"hosts", "hosts that run several ranks, with their NICs and PCIe", options,
               sizeof(struct asim_scenario_hosts)},
    .offset = offsetof(struct asim_scenario, hosts),
};
