/* SPDX-License-Identifier: GPL-2.0-only
 *
 * rates.csv: the sending rate that congestion control gives each flow, in bins of
 * --report-interval: least, mean and largest rate. A flow's rows begin with the first change of its
 * rate, before which it has the line rate, and end with its last ACK. Written with --out and
 * --reports=rates; rates_raw.c has every change.
 */
#include "report/bins.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>

struct flow {
    uint64_t start;
    uint32_t src, dst; /* nodes */
    uint16_t sport;
};

struct rates {
    struct asim_report_file own;
    struct asim_bins bins;
    ASIM_VEC(struct flow) flows;              /* whose rate has changed: the key of a bin */
    ASIM_VEC(struct asim_bin_cursor) cursors; /* of each */
    struct asim_map running; /* (src << 32 | dst, start << 16 | sport) -> 1 + key */
    uint64_t last;           /* time of the last event, ns */
};

/* 1 + its key; 0 where memory is short. A start of 2^48 ns (78 hours) would meet one of 0. */
static uint64_t key_of(struct rates *rates, const struct flow *flow)
{
    uint64_t *value = asim_map_put(&rates->running, (uint64_t)flow->src << 32 | flow->dst,
                                   flow->start << 16 | flow->sport);
    struct asim_bin_cursor none = {0};

    if (value && !*value && !ASIM_VEC_PUSH(rates->flows, *flow)) {
        if (ASIM_VEC_PUSH(rates->cursors, none))
            rates->flows.n--;
        else
            *value = rates->flows.n;
    }
    if (!value || !*value) {
        rates->bins.failed = 1;
        return 0;
    }
    return *value;
}

static void end_flow(struct rates *rates, const struct asim_event *event)
{
    uint64_t hi = (uint64_t)event->rank << 32 | event->of.fct.dst;
    uint64_t lo = event->of.fct.start << 16 | event->of.fct.sport;
    const uint64_t *value = asim_map_get(&rates->running, hi, lo);

    if (!value || !*value)
        return;
    asim_bins_end(&rates->bins, &rates->cursors.at[*value - 1], *value - 1, event->t);
    asim_map_delete(&rates->running, hi, lo);
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct rates *rates = self;
    uint64_t key;

    (void)world;
    rates->last = event->t;
    if (event->kind == ASIM_EV_FCT) {
        end_flow(rates, event);
        return;
    }
    key = key_of(rates, &(struct flow){event->of.rate.start, event->rank, event->of.rate.dst,
                                       event->of.rate.sport});
    if (!key--)
        return;
    if (!rates->cursors.at[key].value)
        rates->cursors.at[key].since = event->t; /* the rate before is not known here */
    asim_bins_step(&rates->bins, &rates->cursors.at[key], key, event->t, event->of.rate.bps);
}

static void write_rows(const struct rates *rates, const struct asim_topo *topo)
{
    for (size_t i = 0; i < rates->bins.rows.n; i++) {
        const struct asim_bin *row = &rates->bins.rows.at[i];
        const struct flow *flow = &rates->flows.at[row->key];

        asim_out_printf(rates->own.out,
                        "%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%.0f,%" PRIu64
                        "\n",
                        row->start, rates->bins.width_ns, asim_topo_external_id(topo, flow->src),
                        asim_topo_external_id(topo, flow->dst), flow->sport, flow->start, row->low,
                        asim_bin_mean(row), row->high);
    }
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    struct rates *rates = self;

    (void)err;
    asim_map_init(&rates->running);
    asim_bins_init(&rates->bins, world->set.settings.report_interval_fs);
    return 0;
}

/* Flows under way hold their rate until the last event. */
static int end(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct rates *rates = self;

    for (size_t key = 0; key < rates->flows.n; key++)
        if (rates->cursors.at[key].value)
            asim_bins_end(&rates->bins, &rates->cursors.at[key], key, rates->last);
    if (asim_bins_finish(&rates->bins, err))
        return ASIM_ENOMEM;
    write_rows(rates, &world->set.topo);
    return 0;
}

static void drop(void *self)
{
    struct rates *rates = self;

    asim_bins_fini(&rates->bins);
    asim_map_fini(&rates->running);
    ASIM_FREE(rates->flows.at, rates->cursors.at);
}

const struct asim_report asim_report_rates = {
    .member = {.name = "rates", .about = "rates.csv: rates of flows over time"},
    .in_out = ASIM_OUT_NAMED,
    .needs = ASIM_NET_FLOWS | ASIM_NET_FRAMES,
    .file = "rates.csv",
    .head = "time_ns,interval_ns,src,dst,sport,flow_start_ns,min_bps,mean_bps,max_bps",
    .wants = 1u << ASIM_EV_RATE | 1u << ASIM_EV_FCT,
    .see = see,
    .size = sizeof(struct rates),
    .begin = begin,
    .end = end,
    .drop = drop,
};
