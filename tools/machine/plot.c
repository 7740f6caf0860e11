/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bus bandwidth against size as a picture (SVG), a line for each table and a ring for each time
 * that was measured. Sizes are logarithmic, bandwidths linear from 0. The names of the lines stand
 * below.
 */
#include "tools/machine/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "base/io/out.h"

enum { LEFT = 62, TOP = 30, WIDTH = 560, HEIGHT = 300, LINE = 18, COLOURS = 6 };

static const char *const colours[COLOURS] = {"#06c", "#c30", "#283", "#85a", "#a70", "#555"};

struct axes {
    double low, high, most; /* log2 of bytes; GB/s */
};

static double bus_of(const struct asim_size_table *table, uint64_t bytes, double us)
{
    return asim_size_table_bandwidth(table, bytes, us).bus;
}

static struct axes find_axes(const struct asim_size_table *tables, size_t n)
{
    struct axes axes = {INFINITY, -INFINITY, 0};
    double step;

    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < tables[t].row.n; i++) {
            const struct asim_size_row *row = &tables[t].row.at[i];
            const struct asim_measured_row *other =
                tables[t].measured
                    ? asim_measured_find(tables[t].measured, tables[t].job.op, row->bytes)
                    : NULL;

            if (!row->bytes)
                continue;
            if (other)
                axes.most = fmax(axes.most, bus_of(&tables[t], row->bytes, other->us));
            axes.low = fmin(axes.low, log2((double)row->bytes));
            axes.high = fmax(axes.high, log2((double)row->bytes));
            axes.most = fmax(axes.most, bus_of(&tables[t], row->bytes, row->time.us));
        }
    if (!(axes.low < axes.high))
        axes.high = axes.low + 1;
    step = pow(10, floor(log10(fmax(axes.most, 1e-6))));
    axes.most = ceil(axes.most / step) * step;
    return axes;
}

static double across(const struct axes *axes, uint64_t bytes)
{
    return LEFT + (log2((double)bytes) - axes->low) / (axes->high - axes->low) * WIDTH;
}

static double up(const struct axes *axes, double gbytes)
{
    return TOP + HEIGHT - gbytes / axes->most * HEIGHT;
}

static void draw_axes(struct asim_out *out, const struct axes *axes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};

    for (int k = 0; k <= 5; k++) {
        double y = TOP + HEIGHT - HEIGHT * k / 5.;

        asim_out_printf(out,
                        "<path stroke=\"#ddd\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
                        "text-anchor=\"end\">%g</text>\n",
                        LEFT, y, WIDTH, LEFT - 6, y + 4, axes->most * k / 5);
    }
    for (int power = (int)ceil(axes->low); power <= axes->high; power++)
        if (power % 5 == 0)
            asim_out_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d %s</text>\n",
                            across(axes, 1ull << power), TOP + HEIGHT + 18, 1 << power % 10,
                            units[power / 10]);
    asim_out_printf(out, "<text x=\"%d\" y=\"%d\">bus bandwidth, GB/s, against size</text>\n", LEFT,
                    TOP - 12);
}

static void draw_line(struct asim_out *out, const struct axes *axes,
                      const struct asim_size_table *table, size_t number)
{
    const char *colour = colours[number % COLOURS];
    char letter = 'M';
    int y = TOP + HEIGHT + 44 + LINE * (int)number;

    asim_out_printf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
    for (size_t i = 0; i < table->row.n; i++) {
        const struct asim_size_row *row = &table->row.at[i];

        if (!row->bytes)
            continue;
        asim_out_printf(out, "%c%.1f %.1f", letter, across(axes, row->bytes),
                        up(axes, bus_of(table, row->bytes, row->time.us)));
        letter = 'L';
    }
    asim_out_printf(out, "\"/>\n");
    for (size_t i = 0; table->measured && i < table->row.n; i++) {
        uint64_t bytes = table->row.at[i].bytes;
        const struct asim_measured_row *other =
            asim_measured_find(table->measured, table->job.op, bytes);

        if (other)
            asim_out_printf(
                out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"none\" stroke=\"%s\"/>\n",
                across(axes, bytes), up(axes, bus_of(table, bytes, other->us)), colour);
    }
    asim_out_printf(out,
                    "<path stroke=\"%s\" stroke-width=\"2\" d=\"M%d %dh24\"/><text x=\"%d\" "
                    "y=\"%d\">%s, %s, %u x %u GPUs</text>\n",
                    colour, LEFT, y - 4, LEFT + 32, y, asim_nccl_op_names[table->job.op],
                    table->machine->name, table->job.nodes, table->job.gpus);
}

int asim_size_tables_plot(const struct asim_size_table *tables, size_t n, const char *path,
                          struct asim_err *err)
{
    struct axes axes = find_axes(tables, n);
    struct asim_out out;
    int rc = isfinite(axes.low)
                 ? asim_out_open(&out, path, err)
                 : asim_err_set(err, ASIM_EINVAL, "--plot: there is no size above 0 to draw.");

    if (rc)
        return rc;
    asim_out_printf(&out,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %zu\" "
                    "font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                    LEFT + WIDTH + 30, TOP + HEIGHT + 50 + LINE * n);
    draw_axes(&out, &axes);
    for (size_t t = 0; t < n; t++)
        draw_line(&out, &axes, &tables[t], t);
    asim_out_printf(&out, "</svg>\n");
    return asim_out_commit(&out, err);
}
