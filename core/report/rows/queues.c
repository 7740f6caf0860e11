/* SPDX-License-Identifier: GPL-2.0-only
 *
 * queues.csv: bytes queued at a switch port after every change, all priorities together, without
 * the frame being sent. Written with --out and --reports=queues.
 */
#include "report/report.h"

#include <inttypes.h>

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_out_printf(self, "%" PRIu64 ",%u,%u,%" PRIu64 "\n", event->t,
                    asim_topo_external_id(&world->set.topo, event->rank), event->of.queue.port,
                    event->of.queue.bytes);
}

static int open_queues(struct asim_event_observer *observer, struct asim_world *world,
                       const char *out, struct asim_err *err)
{
    struct asim_out *file;

    if (!world->via.fabric || !asim_report_wanted(world, out, "queues"))
        return 0;
    if (asim_report_file(&file, world, out, "queues.csv", err))
        return ASIM_EIO;
    asim_out_printf(file, "time_ns,node,port,queued_bytes\n");
    *observer = (struct asim_event_observer){.wants = 1u << ASIM_EV_QUEUE,
                                             .async = 1,
                                             .self = file,
                                             .on_event = see,
                                             .close = asim_report_file_close};
    return 0;
}

const struct asim_report asim_report_queues = {
    .member = {.name = "queues", .about = "queues.csv: bytes queued at switch ports"},
    .in_out = ASIM_OUT_NAMED,
    .open = open_queues,
};
