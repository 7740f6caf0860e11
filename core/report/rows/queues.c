/* SPDX-License-Identifier: GPL-2.0-only
 *
 * queues.csv: bytes queued at each switch port over time, in bins of --report-interval: least, mean
 * and largest length of the samples in the bin, one sample every 100 ns. A bin without a queue has
 * no row, and a queue below 1000 bytes counts as empty. Queue 0 (ACKs with priority, PFC frames)
 * and the frame being sent do not count, as in qlen.txt; links.csv has the exact peak. Written with
 * --out and --reports=queues.
 *
 * Samples keep the fast paths of the switch; queues_raw.c has every change.
 */
#include "report/bins.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>

struct queues {
    struct asim_out *file;
    const struct asim_topo *topo;
    struct asim_bins bins;
    struct asim_bin_cursor *ports; /* [port of the topology] */
};

/* A length that a later one replaces before the sample holds for 0 ns there. */
static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct queues *queues = self;
    uint32_t port = queues->topo->first_port[event->rank] + event->of.queue.port - 1;
    uint64_t length = event->of.queue.bytes - event->of.queue.control;

    asim_bins_step(&queues->bins, &queues->ports[port], port,
                   asim_report_sample_after(world, event->t),
                   length < ASIM_QLEN_BYTES ? 0 : length);
}

static void write_rows(const struct queues *queues)
{
    const struct asim_topo *topo = queues->topo;

    for (size_t i = 0; i < queues->bins.rows.n; i++) {
        const struct asim_bin *row = &queues->bins.rows.at[i];
        uint32_t low = topo->hosts, high = topo->nodes;

        while (high - low > 1) { /* the switch whose port it is */
            uint32_t middle = low + (high - low) / 2;

            if (topo->first_port[middle] <= row->key)
                low = middle;
            else
                high = middle;
        }
        asim_out_printf(queues->file,
                        "%" PRIu64 ",%" PRIu64 ",%u,%u,%" PRIu64 ",%.0f,%" PRIu64 "\n", row->start,
                        queues->bins.width_ns, asim_topo_external_id(topo, low),
                        (uint32_t)row->key - topo->first_port[low] + 1, row->low,
                        asim_bin_mean(row), row->high);
    }
}

static void drop(struct queues *queues)
{
    asim_bins_fini(&queues->bins);
    free(queues->ports);
    free(queues);
}

/* Queues that are not empty at the end hold until the last event of the network. */
static int close_queues(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct queues *queues = self;
    int code = 0, closed;

    if (!world->run.failed) {
        struct asim_totals all;
        uint64_t end = 0;

        asim_totals_all(world, &all);
        end = all.last_ns > all.net.last_ns ? all.last_ns : all.net.last_ns;
        for (uint32_t p = 0; p < queues->topo->first_port[queues->topo->nodes]; p++)
            asim_bins_end(&queues->bins, &queues->ports[p], p, end);
        code = asim_bins_finish(&queues->bins, err);
        if (!code)
            write_rows(queues);
    }
    if (code) {
        asim_out_discard(queues->file);
        free(queues->file);
        drop(queues);
        return code;
    }
    closed = asim_report_file_close(queues->file, world, err);
    drop(queues);
    return closed;
}

static int open_queues(struct asim_event_observer *observer, struct asim_world *world,
                       const char *out, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    struct queues *queues;

    if (!asim_world_has(world, ASIM_NET_QUEUES) || !asim_report_wanted(world, out, "queues"))
        return 0;
    queues = calloc(1, sizeof *queues);
    if (!queues)
        return asim_err_nomem(err, "sampling queues");
    queues->topo = topo;
    queues->ports = calloc((size_t)topo->first_port[topo->nodes] + 1, sizeof *queues->ports);
    asim_bins_init(&queues->bins, world->set.settings.report_interval_fs);
    if (!queues->ports) {
        drop(queues);
        return asim_err_nomem(err, "sampling queues");
    }
    if (asim_report_file(&queues->file, world, out, "queues.csv", err)) {
        drop(queues);
        return ASIM_EIO;
    }
    asim_out_printf(queues->file, "time_ns,interval_ns,node,port,min_bytes,mean_bytes,max_bytes\n");
    *observer = (struct asim_event_observer){.wants = 1u << ASIM_EV_QUEUE_SAMPLE,
                                             .async = 1,
                                             .self = queues,
                                             .on_event = see,
                                             .close = close_queues};
    return 0;
}

const struct asim_report asim_report_queues = {
    .member = {.name = "queues", .about = "queues.csv: bytes queued at switch ports over time"},
    .in_out = ASIM_OUT_NAMED,
    .open = open_queues,
};
