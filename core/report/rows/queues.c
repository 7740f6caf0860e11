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
    struct asim_report_file own;
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
        asim_out_printf(queues->own.out,
                        "%" PRIu64 ",%" PRIu64 ",%u,%u,%" PRIu64 ",%.0f,%" PRIu64 "\n", row->start,
                        queues->bins.width_ns, asim_topo_external_id(topo, low),
                        (uint32_t)row->key - topo->first_port[low] + 1, row->low,
                        asim_bin_mean(row), row->high);
    }
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    struct queues *queues = self;

    queues->topo = topo;
    queues->ports = calloc((size_t)topo->first_port[topo->nodes] + 1, sizeof *queues->ports);
    asim_bins_init(&queues->bins, world->set.settings.report_interval_fs);
    return queues->ports ? 0 : asim_err_nomem(err, "sampling queues");
}

/* Queues that are not empty at the end hold until the last event of the network. */
static int end(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct queues *queues = self;
    uint64_t last = asim_report_end_ns(world);

    for (uint32_t p = 0; p < queues->topo->first_port[queues->topo->nodes]; p++)
        asim_bins_end(&queues->bins, &queues->ports[p], p, last);
    if (asim_bins_finish(&queues->bins, err))
        return ASIM_ENOMEM;
    write_rows(queues);
    return 0;
}

static void drop(void *self)
{
    struct queues *queues = self;

    asim_bins_fini(&queues->bins);
    free(queues->ports);
}

const struct asim_report asim_report_queues = {
    .member = {.name = "queues", .about = "queues.csv: bytes queued at switch ports over time"},
    .in_out = ASIM_OUT_NAMED,
    .needs = ASIM_NET_QUEUES,
    .file = "queues.csv",
    .head = "time_ns,interval_ns,node,port,min_bytes,mean_bytes,max_bytes",
    .wants = 1u << ASIM_EV_QUEUE_SAMPLE,
    .see = see,
    .size = sizeof(struct queues),
    .begin = begin,
    .end = end,
    .drop = drop,
};
