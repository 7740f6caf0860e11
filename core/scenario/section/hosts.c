/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "hosts": hosts of the topology that run several ranks. In memory such a host becomes a node for
 * each rank and a PCIe switch between them (topo/servers.c).
 */
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_hosts, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("ranks", U32, ranks, "ranks that each host can run", .def = "1", .min = 1, .max = 256),
    ROW("nic", CHOICE, nic,
        "shared: all ranks of a host send over all its links; own: rank i of a host over link i, i "
        "+ ranks, …",
        .def = "shared", .choices = "shared|own"),
    ROW("pcie", RATE, pcie_bps,
        "rate between a rank and the PCIe switch of its host, each way (512Gbps: PCIe 5.0 x16 "
        "before encoding)",
        .def = "512Gbps", .min = 1e6, .max = 1e15),
    ROW("pcie-latency", TIME, pcie_fs,
        "delay between a rank and the PCIe switch (250ns is an assumption)", .def = "250ns",
        .min = 1, .max = 1e9),
    {0}};

const struct asim_scenario_section asim_scenario_section_hosts = {
    .member = {"hosts", "hosts that run several ranks, with their NICs and PCIe", options,
               sizeof(struct asim_scenario_hosts)},
    .offset = offsetof(struct asim_scenario, hosts),
};
