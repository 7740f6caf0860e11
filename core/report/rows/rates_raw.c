/* SPDX-License-Identifier: GPL-2.0-only
 *
 * rates_raw.csv: every change of a flow's sending rate, for looking at congestion control over
 * time. Written with --out and --reports=rates_raw.
 */
#include "report/report.h"

#include <inttypes.h>

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_out_printf(self, "%" PRIu64 ",%u,%u,%u,%" PRIu64 ",%" PRIu64 "\n", event->t,
                    asim_topo_external_id(&world->set.topo, event->rank),
                    asim_topo_external_id(&world->set.topo, event->of.rate.dst),
                    event->of.rate.sport, event->of.rate.start, event->of.rate.bps);
}

static int open_rates_raw(struct asim_event_observer *observer, struct asim_world *world,
                          const char *out, struct asim_err *err)
{
    struct asim_out *file;

    if (!asim_world_has(world, ASIM_NET_FLOWS) || !asim_report_wanted(world, out, "rates_raw"))
        return 0;
    if (asim_report_file(&file, world, out, "rates_raw.csv", err))
        return ASIM_EIO;
    asim_out_printf(file, "time_ns,src,dst,sport,flow_start_ns,rate_bps\n");
    *observer = (struct asim_event_observer){.wants = 1u << ASIM_EV_RATE,
                                             .async = 1,
                                             .self = file,
                                             .on_event = see,
                                             .close = asim_report_file_close};
    return 0;
}

const struct asim_report asim_report_rates_raw = {
    .member = {.name = "rates_raw",
               .about =
                   "rates_raw.csv: every change of a flow's rate: may be large; not among all"},
    .in_out = ASIM_OUT_BY_NAME,
    .open = open_rates_raw,
};
