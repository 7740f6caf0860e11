/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See run.h: time series of the busiest link in ASIM_RUN_POINTS bins: its queue (queues.csv), what
 * messages bring over it where it leads from or to a host (flows.csv), and the PAUSE frames of the
 * whole network (pfc.txt).
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

/* The queue of one port: the extremes of its values in each bin, from changes or from the bins of
 * the run. */
static int load_queue(struct asim_run *run, const struct asim_run_link *link, struct asim_err *err)
{
    struct asim_table table;
    int code = asim_table_open(&table, run->folder, "queues.csv", err), time, node, port, low, mean,
        high;
    uint64_t width = width_of(run);

    if (code || !table.file) {
        asim_table_close(&table);
        return code;
    }
    run->series[ASIM_SERIES_QUEUE].is_recorded = 1;
    time = asim_table_need(&table, "time_ns|start_ns|bin_ns", err);
    node = asim_table_need(&table, "node", err);
    port = asim_table_need(&table, "port", err);
    mean =
        asim_table_need(&table, "mean_bytes|queued_bytes|mean_queued_bytes|queued_mean_bytes", err);
    low = asim_table_find(&table, "min_bytes|min_queued_bytes|queued_min_bytes");
    high = asim_table_find(&table, "max_bytes|max_queued_bytes|queued_max_bytes");
    code = err->code;
    while (!code && (code = asim_table_row(&table, err)) > 0) {
        struct asim_run_point point = {.t = asim_table_u64(&table, time, err) / width * width,
                                       .mean = asim_table_real(&table, mean, err)},
                              *last =
                                  run->series[ASIM_SERIES_QUEUE].points.n
                                      ? &run->series[ASIM_SERIES_QUEUE]
                                             .points.at[run->series[ASIM_SERIES_QUEUE].points.n - 1]
                                      : NULL;

        code = 0;
        if (asim_table_u64(&table, node, err) != link->from ||
            asim_table_u64(&table, port, err) != link->port)
            continue;
        point.min = low < 0 ? point.mean : asim_table_real(&table, low, err);
        point.max = high < 0 ? point.mean : asim_table_real(&table, high, err);
        if (last && last->t == point.t) {
            last->min = last->min < point.min ? last->min : point.min;
            last->max = last->max > point.max ? last->max : point.max;
            last->mean = last->mean > point.mean ? last->mean : point.mean;
        } else if (ASIM_VEC_PUSH(run->series[ASIM_SERIES_QUEUE].points, point)) {
            code = asim_err_nomem(err, "reading queues.csv");
        }
    }
    asim_table_close(&table);
    return code;
}

/* Whether all messages of the host cross the link: it has no other. */
static int is_only_link(const struct asim_run *run, const struct asim_run_link *link, uint32_t host)
{
    uint32_t ways = 0;

    for (size_t l = 0; l < run->links.n; l++)
        ways += run->links.at[l].from == host;
    return ways == 1 && (link->from == host || link->to == host);
}

/* One bin more than the finish needs: a message may be acknowledged later. */
static double *bins_of(struct asim_run *run, const struct asim_run_link *link, uint32_t host)
{
    if (!run->goodput && is_only_link(run, link, host))
        run->goodput = calloc(ASIM_RUN_POINTS + 1, sizeof *run->goodput);
    return run->goodput;
}

/* The message's bits, spread evenly over its time, where the busiest link carries them all. */
void asim_run_add_goodput(struct asim_run *run, const struct asim_run_flow *flow)
{
    const struct asim_run_link *link = run->n_worst ? &run->links.at[run->worst[0]] : NULL;
    uint64_t width = width_of(run), took = flow->end > flow->start ? flow->end - flow->start : 1;
    double *bins = NULL;

    if (link && link->from == flow->src)
        bins = bins_of(run, link, flow->src);
    else if (link && link->to == flow->dst)
        bins = bins_of(run, link, flow->dst);
    if (!bins)
        return;
    for (uint64_t bin = flow->start / width; bin <= ASIM_RUN_POINTS; bin++) {
        uint64_t from = bin * width, to = from + width;

        if (from >= flow->start + took)
            return;
        from = from > flow->start ? from : flow->start;
        to = to < flow->start + took ? to : flow->start + took;
        bins[bin] += 8.0 * (double)flow->bytes * (double)(to - from) / (double)took / (double)width;
    }
}

static int add_point(struct asim_run *run, int series, uint64_t t, double value)
{
    struct asim_run_point point = {t, value, value, value};

    return ASIM_VEC_PUSH(run->series[series].points, point);
}

/* Bits per ns are Gb/s. */
static int take_goodput(struct asim_run *run)
{
    int code = 0;

    run->series[ASIM_SERIES_GOODPUT].is_recorded = run->goodput != NULL;
    for (uint64_t bin = 0; run->goodput && !code && bin * width_of(run) <= run->finish; bin++)
        code = add_point(run, ASIM_SERIES_GOODPUT, bin * width_of(run), run->goodput[bin]);
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
    file = fopen(path, "r");
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
    code = load_queue(run, &run->links.at[run->worst[0]], err);
    if (!code && (take_goodput(run) || load_pauses(run)))
        code = asim_err_nomem(err, "reading time series");
    return code;
}
