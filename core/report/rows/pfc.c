/* SPDX-License-Identifier: GPL-2.0-only
 *
 * pfc.txt: one line per PFC frame that took effect, at the device that received it
 * (rdma-network.md#output-files): time, node, node kind, interface, 1 = pause or 0 = resume.
 * Written where the network configuration names it (PFC_OUTPUT_FILE).
 *
 * Node kinds are ASTRA-sim's: 0 host, 1 switch (2 NVSwitch, from SimAI's files). Rows come in
 * order of time; the file is made even if no pause ever happens, as there.
 */
#include "report/report.h"

#include <inttypes.h>

/* At the receiver of the frame, as in ASTRA-sim. */
static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_out_printf(asim_report_out(self), "%" PRIu64 " %u %u %u %d\n", event->t,
                    asim_topo_external_id(&world->set.topo, event->rank), event->of.pfc.node_kind,
                    event->of.pfc.port, event->of.pfc.pause);
}

static const char *path(const struct asim_world *world)
{
    return world->set.net.pfc_output;
}

const struct asim_report asim_report_pfc = {
    .member = {.name = "pfc", .about = "pfc.txt: a line a pause or resume"},
    .needs = ASIM_NET_PAUSES,
    .path = path,
    .wants = 1u << ASIM_EV_PFC,
    .see = see,
};
