/* SPDX-License-Identifier: GPL-2.0-only
 *
 * queues_raw.csv: bytes queued at a switch port after every change, all priorities together,
 * without the frame being sent. Written with --out and --reports=queues_raw.
 */
#include "report/report.h"

#include <inttypes.h>

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_out_printf(asim_report_out(self), "%" PRIu64 ",%u,%u,%" PRIu64 "\n", event->t,
                    asim_topo_external_id(&world->set.topo, event->rank), event->of.queue.port,
                    event->of.queue.bytes);
}

const struct asim_report asim_report_queues_raw = {
    .member =
        {.name = "queues_raw",
         .about =
             "queues_raw.csv: bytes queued at switch ports, at every change: large; not among all"},
    .in_out = ASIM_OUT_BY_NAME,
    .needs = ASIM_NET_QUEUES,
    .file = "queues_raw.csv",
    .head = "time_ns,node,port,queued_bytes",
    .wants = 1u << ASIM_EV_QUEUE,
    .see = see,
};
