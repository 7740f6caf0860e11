/* SPDX-License-Identifier: GPL-2.0-only
 *
 * rates_raw.csv: every change of a flow's sending rate, for looking at congestion control over
 * time. Written with --out and --reports=rates_raw.
 */
#include "report/report.h"

#include <inttypes.h>

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_out_printf(asim_report_out(self), "%" PRIu64 ",%u,%u,%u,%" PRIu64 ",%" PRIu64 "\n",
                    event->t, asim_topo_external_id(&world->set.topo, event->rank),
                    asim_topo_external_id(&world->set.topo, event->of.rate.dst),
                    event->of.rate.sport, event->of.rate.start, event->of.rate.bps);
}

const struct asim_report asim_report_rates_raw = {
    .member = {.name = "rates_raw",
               .about =
                   "rates_raw.csv: every change of a flow's rate: may be large; not among all"},
    .in_out = ASIM_OUT_BY_NAME,
    .needs = ASIM_NET_FLOWS | ASIM_NET_FRAMES,
    .file = "rates_raw.csv",
    .head = "time_ns,src,dst,sport,flow_start_ns,rate_bps",
    .wants = 1u << ASIM_EV_RATE,
    .see = see,
};
