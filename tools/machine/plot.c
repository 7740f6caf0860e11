/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bus bandwidth against size as a picture, a line for each table and a ring for each time that was
 * measured.
 */
#include "tools/machine/sweep.h"

#include <stdio.h>
#include "tools/chart.h"

static int add_point(struct asim_chart_series *series, const struct asim_size_table *table,
                     uint64_t bytes, double us)
{
    struct asim_chart_point point = {(double)bytes,
                                     asim_size_table_bandwidth(table, bytes, us).bus};

    return bytes ? ASIM_VEC_PUSH(series->points, point) : 0;
}

static int add_table(struct asim_chart *chart, const struct asim_size_table *table)
{
    struct asim_chart_series *series = asim_chart_add(chart);
    int code = !series;

    if (!code)
        snprintf(series->name, sizeof series->name, "%s, %.120s, %u x %u GPUs%s",
                 asim_nccl_op_names[table->job.op], table->machine->name, table->job.nodes,
                 table->job.gpus, table->measured ? "; rings: measured" : "");
    for (size_t i = 0; i < table->row.n && !code; i++)
        code = add_point(series, table, table->row.at[i].bytes, table->row.at[i].time.us);
    if (code || !table->measured)
        return code;
    series = asim_chart_add(chart);
    code = !series;
    if (!code)
        series->is_rings = 1;
    for (size_t i = 0; i < table->row.n && !code; i++) {
        uint64_t bytes = table->row.at[i].bytes;
        const struct asim_measured_row *other =
            asim_measured_find(table->measured, table->job.op, bytes);

        code = other ? add_point(series, table, bytes, other->us) : 0;
    }
    return code;
}

int asim_size_tables_plot(const struct asim_size_table *tables, size_t n, const char *path,
                          struct asim_err *err)
{
    struct asim_chart chart = {.across = "size",
                               .up = "bus bandwidth, GB/s",
                               .is_log = 1,
                               .is_bytes = 1,
                               .is_from_zero = 1};
    size_t points = 0;
    int code = 0;

    for (size_t t = 0; t < n && !code; t++)
        if (add_table(&chart, &tables[t]))
            code = asim_err_nomem(err, "drawing the table");
    for (size_t s = 0; s < chart.series.n; s++)
        points += chart.series.at[s].points.n;
    if (!code)
        code = points ? asim_chart_draw(&chart, "nccl-tests", path, err)
                      : asim_err_set(err, ASIM_EINVAL, "--plot: there is no size above 0 to draw.");
    asim_chart_close(&chart);
    return code;
}
