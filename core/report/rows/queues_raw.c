/* SPDX-License-Identifier: GPL-2.0-only
 *
 * queues_raw.csv: bytes queued at a switch port after every change, all priorities together,
 * without the frame being sent. Written with --out and --reports=queues_raw.
 */
#include "report/report.h"

#include <inttypes.h>

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    asim_out_printf(self, "%" PRIu64 ",%u,%u,%" PRIu64 "\n", event->t,
                    asim_topo_external_id(&world->set.topo, event->rank), event->of.queue.port,
                    event->of.queue.bytes);
}

static int open_queues_raw(struct asim_event_observer *observer, struct asim_world *world,
                           const char *out, struct asim_err *err)
{
    struct asim_out *file;

    if (!asim_world_has(world, ASIM_NET_QUEUES) || !asim_report_wanted(world, out, "queues_raw"))
        return 0;
    if (asim_report_file(&file, world, out, "queues_raw.csv", err))
        return ASIM_EIO;
    asim_out_printf(file, "time_ns,node,port,queued_bytes\n");
    *observer = (struct asim_event_observer){.wants = 1u << ASIM_EV_QUEUE,
                                             .async = 1,
                                             .self = file,
                                             .on_event = see,
                                             .close = asim_report_file_close};
    return 0;
}

const struct asim_report asim_report_queues_raw = {
    .member =
        {.name = "queues_raw",
         .about =
             "queues_raw.csv: bytes queued at switch ports, at every change: large; not among all"},
    .in_out = ASIM_OUT_BY_NAME,
    .open = open_queues_raw,
};
