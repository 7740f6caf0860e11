/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads time series in ASIM_RUN_POINTS bins: the longest queue of a switch (queues.csv), what
 * messages bring over the busiest link where it leads from or to a host (flows.csv), and the PAUSE
 * frames of the whole network (pfc.txt).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/report/run.h"
#include "tools/report/table.h"

static uint64_t width_of(const struct asim_run *run)
{
    return run->finish / ASIM_RUN_POINTS + 1;
}

struct queue_columns {
    int time, interval, node, port, min, mean, max;
};

static int find_columns(struct queue_columns *at, const struct asim_table *table,
                        struct asim_err *err)
{
    at->time = asim_table_need(table, "time_ns", err);
    at->interval = asim_table_need(table, "interval_ns", err);
    at->node = asim_table_need(table, "node", err);
    at->port = asim_table_need(table, "port", err);
    at->min = asim_table_need(table, "min_bytes", err);
    at->mean = asim_table_need(table, "mean_bytes", err);
    at->max = asim_table_need(table, "max_bytes", err);
    return err->code;
}

/* Bins of the report, whose interval differs from the interval of the points. */
struct queue_points {
    struct asim_run_point at[ASIM_RUN_POINTS + 2];
    uint64_t covered[ASIM_RUN_POINTS + 2]; /* ns in which queues.csv has a row */
};

static void add_bin(struct queue_points *points, uint64_t width, uint64_t from, uint64_t until,
                    const struct asim_run_point *bin)
{
    for (uint64_t p = from / width; p <= ASIM_RUN_POINTS && p * width < until; p++) {
        struct asim_run_point *point = &points->at[p];
        uint64_t begin = p * width > from ? p * width : from;
        uint64_t end = (p + 1) * width < until ? (p + 1) * width : until;

        point->min = points->covered[p] && point->min < bin->min ? point->min : bin->min;
        point->max = point->max > bin->max ? point->max : bin->max;
        point->mean += bin->mean * (double)(end - begin) / (double)width;
        points->covered[p] += end - begin;
    }
}

/* An empty queue has no row. */
static int take_queue(struct asim_run *run, struct queue_points *points)
{
    uint64_t width = width_of(run);
    int code = 0;

    for (uint64_t p = 0; !code && p * width <= run->finish; p++) {
        points->at[p].t = p * width;
        if (points->covered[p] < width)
            points->at[p].min = 0;
        code = ASIM_VEC_PUSH(run->series[ASIM_SERIES_QUEUE].points, points->at[p]);
    }
    return code;
}

/* The queue at the port of the link. */
static int load_queue(struct asim_run *run, const struct asim_run_link *link, struct asim_err *err)
{
    struct queue_points points = {0};
    struct queue_columns at = {0};
    struct asim_table table;
    int code = asim_run_open(run, &table, "queues.csv", err);

    if (!code && table.file)
        code = find_columns(&at, &table, err);
    run->series[ASIM_SERIES_QUEUE].is_recorded = table.file != NULL;
    while (!code && (code = asim_table_row(&table, err)) > 0) {
        uint64_t from = asim_table_u64(&table, at.time, err);
        uint64_t until = from + asim_table_u64(&table, at.interval, err);
        struct asim_run_point bin = {.min = asim_table_real(&table, at.min, err),
                                     .mean = asim_table_real(&table, at.mean, err),
                                     .max = asim_table_real(&table, at.max, err)};

        code = err->code;
        if (!code && asim_table_u64(&table, at.node, err) == link->from &&
            asim_table_u64(&table, at.port, err) == link->port)
            add_bin(&points, width_of(run), from, until, &bin);
    }
    if (!code && table.file && take_queue(run, &points))
        code = asim_err_nomem(err, "reading queues.csv");
    asim_table_close(&table);
    return code;
}

/* The host at one end of the link, from which or to which all messages of its kind cross it:
 * no other link of the host has its class. Else ASIM_RUN_NONE. */
static uint32_t lone_host(const struct asim_run *run, const struct asim_run_link *link)
{
    uint32_t host = asim_run_is_host(run, link->from) ? link->from : link->to, ways = 0;

    for (size_t l = 0; l < run->links.n; l++)
        ways += run->links.at[l].from == host && !strcmp(run->links.at[l].class, link->class);
    return ways == 1 && asim_run_is_host(run, host) ? host : ASIM_RUN_NONE;
}

static int is_nvlink(const struct asim_run_link *link)
{
    return !strcmp(link->class, "nvlink");
}

/* Which hosts share an NVSwitch with that one. Messages between them take NVLink, others the
 * network. */
static int find_neighbours(struct asim_run *run, uint32_t host)
{
    uint32_t nvswitch = ASIM_RUN_NONE;

    run->goodput_near = calloc(run->nodes.n + 1, 1);
    for (size_t l = 0; l < run->links.n; l++)
        if (run->links.at[l].from == host && is_nvlink(&run->links.at[l]))
            nvswitch = run->links.at[l].to;
    for (size_t l = 0; run->goodput_near && nvswitch != ASIM_RUN_NONE && l < run->links.n; l++) {
        const struct asim_run_link *link = &run->links.at[l];
        const struct asim_run_node *node = asim_run_node_of(run, link->from);

        if (node && is_nvlink(link) && link->to == nvswitch)
            run->goodput_near[node - run->nodes.at] = 1;
    }
    return !run->goodput_near;
}

int asim_run_open_goodput(struct asim_run *run, struct asim_err *err)
{
    const struct asim_run_link *link = run->n_worst ? &run->links.at[run->worst[0]] : NULL;
    uint32_t host = link ? lone_host(run, link) : ASIM_RUN_NONE;

    if (host == ASIM_RUN_NONE)
        return 0;
    run->goodput_sends = link->from == host;
    /* One bin more than the finish needs: a message may be acknowledged later. */
    run->goodput = calloc(ASIM_RUN_POINTS + 1, sizeof *run->goodput);
    return !run->goodput || find_neighbours(run, host) ? asim_err_nomem(err, "reading flows.csv")
                                                       : 0;
}

/* Whether the message crosses the busiest link, at whose end its source or destination is. */
static int crosses(const struct asim_run *run, const struct asim_run_link *link,
                   const struct asim_run_flow *flow)
{
    uint32_t here = run->goodput_sends ? flow->src : flow->dst;
    uint32_t there = run->goodput_sends ? flow->dst : flow->src;
    const struct asim_run_node *node;

    if (here != (run->goodput_sends ? link->from : link->to))
        return 0;
    node = asim_run_node_of(run, there);
    return node && run->goodput_near[node - run->nodes.at] == is_nvlink(link);
}

/* The message's bits, spread evenly over its time. */
void asim_run_add_goodput(struct asim_run *run, const struct asim_run_flow *flow)
{
    const struct asim_run_link *link = run->goodput ? &run->links.at[run->worst[0]] : NULL;
    uint64_t width = width_of(run), took = flow->end > flow->start ? flow->end - flow->start : 1;

    if (!link || !crosses(run, link, flow))
        return;
    for (uint64_t bin = flow->start / width; bin <= ASIM_RUN_POINTS; bin++) {
        uint64_t from = bin * width, to = from + width;

        if (from >= flow->start + took)
            return;
        from = from > flow->start ? from : flow->start;
        to = to < flow->start + took ? to : flow->start + took;
        run->goodput[bin] +=
            8.0 * (double)flow->bytes * (double)(to - from) / (double)took / (double)width;
    }
}

static int add_point(struct asim_run *run, int series, uint64_t t, double value)
{
    struct asim_run_point point = {t, value, value, value};

    return ASIM_VEC_PUSH(run->series[series].points, point);
}

static double carried(double asked, double most, double *over)
{
    double now = asked + *over;

    *over = now > most ? now - most : 0;
    return now - *over;
}

/* Bits per ns are Gb/s. A message waits in queues while others go, so what is more than the link
 * carries comes in later bins. */
static int take_goodput(struct asim_run *run)
{
    double most = run->n_worst ? (double)run->links.at[run->worst[0]].rate_bps / 1e9 : 0, over = 0;
    int code = 0;

    run->series[ASIM_SERIES_GOODPUT].is_recorded = run->goodput && run->flows;
    for (uint64_t bin = 0; run->goodput && !code && bin * width_of(run) <= run->finish; bin++)
        code = add_point(run, ASIM_SERIES_GOODPUT, bin * width_of(run),
                         carried(run->goodput[bin], most, &over));
    return code;
}

/* Lines of pfc.txt: time, node, kind, interface, 1 for a pause. Others are left out. */
static int load_pauses(struct asim_run *run)
{
    char path[ASIM_TABLE_PATH], line[256];
    uint32_t counts[ASIM_RUN_POINTS + 1] = {0};
    uint64_t width = width_of(run);
    FILE *file;
    int code = 0;

    snprintf(path, sizeof path, "%s/pfc.txt", run->folder);
    file = asim_run_owns(run, "pfc.txt") ? fopen(path, "r") : NULL;
    if (!file)
        return 0;
    run->series[ASIM_SERIES_PAUSES].is_recorded = 1;
    while (fgets(line, sizeof line, file)) {
        uint64_t time;
        int pause;

        if (sscanf(line, "%" SCNu64 " %*u %*u %*u %d", &time, &pause) == 2 && pause == 1 &&
            time / width <= ASIM_RUN_POINTS)
            counts[time / width]++;
    }
    fclose(file);
    for (uint64_t bin = 0; !code && bin * width <= run->finish; bin++)
        code = add_point(run, ASIM_SERIES_PAUSES, bin * width, counts[bin]);
    return code;
}

int asim_run_load_series(struct asim_run *run, struct asim_err *err)
{
    int code;

    if (!run->n_worst)
        return 0;
    code = run->longest == ASIM_RUN_NONE ? 0 : load_queue(run, &run->links.at[run->longest], err);
    if (!code && (take_goodput(run) || load_pauses(run)))
        code = asim_err_nomem(err, "reading time series");
    return code;
}
