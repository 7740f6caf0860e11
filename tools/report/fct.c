/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Shows the slowdown of messages and background flows by size, as HPCC's fct_analysis.py does:
 * flows are sorted by size, each row is 5 % of them, a percentile is the value at that share of the
 * sorted slowdowns.
 */
#include "tools/report/fct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "tools/chart.h"
#include "tools/report/html.h"

enum { ROWS = 20, MOST_CLASSES = ASIM_FCT_ROWS - 1 };

ASIM_ORDER(by_value, double, [0])

/* Flows `from` to `to`; scratch: [to - from]. */
static struct asim_fct_row make_row(const struct asim_run_slowdown *flows, size_t from, size_t to,
                                    double *scratch)
{
    size_t n = to - from;

    for (size_t i = 0; i < n; i++)
        scratch[i] = flows[from + i].slowdown;
    qsort(scratch, n, sizeof *scratch, by_value);
    return (struct asim_fct_row){.to_bytes = flows[to - 1].bytes,
                                 .n = n,
                                 .p50 = scratch[n / 2],
                                 .p95 = scratch[(size_t)((double)n * 0.95)],
                                 .p99 = scratch[(size_t)((double)n * 0.99)],
                                 .worst = scratch[n - 1]};
}

/* Where the row that begins at `from` ends: at the largest size of the next class, or at the next
 * 5 %, but no size is in two rows. */
static size_t end_of(const struct asim_run_slowdown *flows, size_t n, size_t from, size_t row,
                     const struct asim_fct_sizes *sizes)
{
    size_t to = from;

    if (sizes && sizes->n) {
        while (to < n && (row >= sizes->n || flows[to].bytes <= sizes->at[row]))
            to++;
        return to;
    }
    to = n * (row + 1) / ROWS;
    while (to > from && to < n && flows[to].bytes == flows[to - 1].bytes)
        to++;
    return to;
}

size_t asim_fct_rows(struct asim_fct_row rows[ASIM_FCT_ROWS], const struct asim_run *run, int which,
                     const struct asim_fct_sizes *sizes, double *scratch)
{
    const struct asim_run_slowdown *flows = run->slowdowns[which].at;
    size_t n = run->slowdowns[which].n, made = 0, from = 0;

    for (size_t row = 0; row <= MOST_CLASSES && from < n; row++) {
        size_t to = end_of(flows, n, from, row, sizes);

        if (to <= from)
            continue;
        rows[made] = make_row(flows, from, to, scratch);
        rows[made++].share = (double)to / (double)n;
        from = to;
    }
    return made;
}

int asim_fct_sizes_parse(struct asim_fct_sizes *sizes, const char *list, struct asim_err *err)
{
    char word[40];

    sizes->n = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        uint64_t bytes = 0;

        snprintf(word, sizeof word, "%.*s", (int)length, list);
        if (length >= sizeof word || sizes->n == MOST_CLASSES ||
            (asim_text_u64(word, &bytes) && asim_text_size(word, &bytes)) || !bytes ||
            (sizes->n && bytes <= sizes->at[sizes->n - 1]))
            return asim_err_set(err, ASIM_EUSAGE,
                                "--sizes: '%s' is no size above the one before; give up to %d "
                                "rising ones, as 10kB,100kB,1MB.",
                                word, MOST_CLASSES);
        sizes->at[sizes->n++] = bytes;
        list += length + (list[length] == ',');
    }
    return 0;
}

double *asim_fct_scratch(const struct asim_run *run, struct asim_err *err)
{
    size_t n =
        run->slowdowns[0].n > run->slowdowns[1].n ? run->slowdowns[0].n : run->slowdowns[1].n;
    double *scratch = malloc((n + 1) * sizeof *scratch);

    if (!scratch)
        asim_err_nomem(err, "sorting flows by size");
    return scratch;
}

double asim_fct_slowdown(const struct asim_run *run, uint64_t above, uint64_t most)
{
    const struct asim_run_slowdown *flows = run->slowdowns[1].at;
    size_t n = run->slowdowns[1].n, from = 0, to;
    double *scratch = asim_fct_scratch(run, &(struct asim_err){0}), slowdown = 0;

    while (from < n && flows[from].bytes <= above)
        from++;
    for (to = from; to < n && flows[to].bytes <= most;)
        to++;
    if (scratch && to > from)
        slowdown = make_row(flows, from, to, scratch).p99;
    free(scratch);
    return slowdown;
}

/* --- on the page --- */

static int add_lines(struct asim_chart *chart, const struct asim_fct_row *rows, size_t n,
                     const char *name)
{
    static const char *const percentiles[] = {"half", "95 %", "99 %"};

    for (int p = 0; p < 3; p++) {
        struct asim_chart_series *series = asim_chart_add(chart);

        if (!series)
            return 1;
        snprintf(series->name, sizeof series->name, "%s, %s below", name, percentiles[p]);
        for (size_t i = 0; i < n; i++) {
            struct asim_chart_point point = {(double)rows[i].to_bytes, p == 0   ? rows[i].p50
                                                                       : p == 1 ? rows[i].p95
                                                                                : rows[i].p99};

            if (ASIM_VEC_PUSH(series->points, point))
                return 1;
        }
    }
    return 0;
}

static void real(struct asim_out *out, double value)
{
    char shown[ASIM_SHOW_BYTES];

    snprintf(shown, sizeof shown, "%.2f", value);
    asim_html_number(out, shown, value);
}

static void table(struct asim_out *out, const struct asim_fct_row *rows, size_t n)
{
    char shown[ASIM_SHOW_BYTES];

    asim_html_table(out,
                    "#up to|#flows|#share so far|#half below|#95 % below|#99 % below|#slowest");
    for (size_t i = 0; i < n; i++) {
        asim_out_printf(out, "<tr>");
        asim_html_number(out, asim_show_bytes(shown, (double)rows[i].to_bytes),
                         (double)rows[i].to_bytes);
        asim_html_count(out, rows[i].n);
        snprintf(shown, sizeof shown, "%.1f %%", 100 * rows[i].share);
        asim_html_number(out, shown, rows[i].share);
        real(out, rows[i].p50);
        real(out, rows[i].p95);
        real(out, rows[i].p99);
        real(out, rows[i].worst);
        asim_out_printf(out, "</tr>\n");
    }
    asim_out_printf(out, "</tbody></table></div>\n");
}

int asim_html_fct(struct asim_out *out, const struct asim_run *run, struct asim_err *err)
{
    static const char *const names[] = {"messages of jobs", "background flows"};
    struct asim_chart chart = {.across = "size", .up = "slowdown", .is_log = 1, .is_bytes = 1};
    struct asim_fct_row rows[ASIM_FCT_ROWS];
    double *scratch = asim_fct_scratch(run, err);
    int code = scratch ? 0 : err->code;
    size_t sizes = 0;

    for (int which = 0; which < 2 && !code; which++) {
        size_t n = asim_fct_rows(rows, run, which, NULL, scratch);

        sizes = n > sizes ? n : sizes;
        if (n > 1 && add_lines(&chart, rows, n, names[which]))
            code = asim_err_nomem(err, "drawing slowdowns");
    }
    if (!code && sizes > 1)
        asim_chart_put(&chart, out);
    for (int which = 0; which < 2 && !code; which++) {
        size_t n = asim_fct_rows(rows, run, which, NULL, scratch);

        if (n && run->slowdowns[1].n)
            asim_out_printf(out, "<h4>Slowdown of %s</h4>\n", names[which]);
        if (n)
            table(out, rows, n);
    }
    asim_chart_close(&chart);
    free(scratch);
    return code;
}
