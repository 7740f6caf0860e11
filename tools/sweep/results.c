/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes sweep.csv and the table on the terminal. A row of sweep.csv belongs to the point with the
 * same values of all keys.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/io/quote.h"
#include "base/text.h"
#include "tools/report/table.h"
#include "tools/sweep/sweep.h"

static const char *const states[] = {"waiting", "running",   "finished",   "stalled",
                                     "failed",  "timed out", "interrupted"};
static const char unchecked[] = "unchecked";

static int has_result(const struct asim_sweep_point *point)
{
    return point->state == ASIM_POINT_FINISHED;
}

/* A row that this sweep has not compared yet stays, for the sweep that goes on. */
static int is_unchecked(const struct asim_sweep_point *point)
{
    return *point->identity && point->earlier == ASIM_POINT_FINISHED &&
           point->state != ASIM_POINT_FINISHED;
}

int asim_sweep_write_csv(const struct asim_sweep *sweep, struct asim_err *err)
{
    char path[ASIM_SWEEP_PATH];
    struct asim_out out;

    snprintf(path, sizeof path, "%.1000s/sweep.csv", sweep->folder);
    if (asim_out_open(&out, path, err))
        return ASIM_EIO;
    asim_out_printf(&out, "point");
    for (size_t k = 0; k < sweep->keys.n; k++) {
        asim_out_printf(&out, ",");
        asim_quote_csv_if_needed(&out, sweep->keys.at[k].name);
    }
    asim_out_printf(&out, ",state,run_ranks,finish_ns,comm_ns,identity%s\n",
                    sweep->of ? ",change_percent,cause" : "");
    for (size_t i = 0; i < sweep->n; i++) {
        const struct asim_sweep_point *point = &sweep->points[i];

        asim_out_printf(&out, "%zu", i + 1);
        for (size_t k = 0; k < sweep->keys.n; k++) {
            asim_out_printf(&out, ",");
            asim_quote_csv_if_needed(&out, asim_sweep_at(sweep, i, k));
        }
        asim_out_printf(&out, ",%s", is_unchecked(point) ? unchecked : states[point->state]);
        if (has_result(point) || is_unchecked(point))
            asim_out_printf(&out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, point->ranks,
                            point->finish_ns, point->comm_ns);
        else
            asim_out_printf(&out, ",,,");
        asim_out_printf(&out, ",%s", point->identity);
        if (sweep->of && has_result(point))
            asim_out_printf(&out, ",%.3f,",
                            ((double)point->finish_ns / (double)sweep->of_ns - 1) * 100);
        else if (sweep->of)
            asim_out_printf(&out, ",,");
        if (sweep->of)
            asim_quote_csv_if_needed(&out, point->cause);
        asim_out_printf(&out, "\n");
    }
    return asim_out_commit(&out, err);
}

/* Whether the row has the point's values of the keys that both sweeps have; the identity tells
 * whether the others matter. */
static int is_point(const struct asim_sweep *sweep, const struct asim_table *table, size_t point)
{
    for (size_t k = 0; k < sweep->keys.n; k++) {
        int column = asim_table_find(table, sweep->keys.at[k].name);

        const char *text = asim_table_text(table, column), *value = asim_sweep_at(sweep, point, k);

        /* base/io/quote.h puts ' before what a spreadsheet would run */
        if (column >= 0 && strcmp(text, value) && (*text != '\'' || strcmp(text + 1, value)))
            return 0;
    }
    return 1;
}

/* The results of a row, for when its run turns out to be the same. Points that failed have no
 * identity and run again. */
static void take(const struct asim_sweep *sweep, struct asim_sweep_point *point,
                 const struct asim_table *table, struct asim_err *err)
{
    const char *state = asim_table_text(table, asim_table_find(table, "state")),
               *identity = asim_table_text(table, asim_table_find(table, "identity"));

    for (int s = ASIM_POINT_FINISHED; s <= ASIM_POINT_TIMED_OUT; s++)
        if (!strcmp(state, states[s]) && (s == ASIM_POINT_FINISHED || !sweep->again))
            point->earlier = (enum asim_sweep_state)s;
    if (!strcmp(state, unchecked))
        point->earlier = ASIM_POINT_FINISHED;
    if (point->earlier == ASIM_POINT_WAITING)
        return;
    snprintf(point->identity, sizeof point->identity, "%s", identity);
    point->ranks = asim_table_u64(table, asim_table_find(table, "run_ranks"), err);
    point->finish_ns = asim_table_u64(table, asim_table_find(table, "finish_ns"), err);
    point->comm_ns = asim_table_u64(table, asim_table_find(table, "comm_ns"), err);
}

/* The number of a point names its folder, so a row counts for the point of its own number only. */
int asim_sweep_read_csv(struct asim_sweep *sweep, struct asim_err *err)
{
    struct asim_table table;
    int code = asim_table_open(&table, sweep->folder, "sweep.csv", err), column = -1;

    if (!code && table.file)
        column = asim_table_need(&table, "point", err);
    while (!code && table.file && column >= 0 && (code = asim_table_row(&table, err)) > 0) {
        uint64_t number = asim_table_u64(&table, column, err);

        code = err->code;
        if (code || !number || number > sweep->n)
            continue;
        if (!is_point(sweep, &table, number - 1))
            code = asim_err_set(err, ASIM_EINVAL,
                                "%s is of another sweep: its point %" PRIu64
                                " has other values. Give another --output-dir.",
                                table.path, number);
        else
            take(sweep, &sweep->points[number - 1], &table, err);
    }
    asim_table_close(&table);
    return err->code;
}

/* The width of a column of the table. */
static int width_of(const struct asim_sweep *sweep, size_t key)
{
    size_t width = strlen(sweep->keys.at[key].name);

    for (size_t i = 0; i < sweep->keys.at[key].values.n; i++) {
        size_t n = strlen(sweep->keys.at[key].values.at[i]);

        width = n > width ? n : width;
    }
    return (int)width;
}

static void print_time(const struct asim_sweep *sweep, const struct asim_sweep_point *point)
{
    printf("%12.6f  ", (double)point->finish_ns / 1e6);
    if (sweep->of)
        printf("%+6.1f %%  ", ((double)point->finish_ns / (double)sweep->of_ns - 1) * 100);
    printf("%12.6f  ", (double)point->comm_ns / 1e6);
}

/* The sentence of the run: the last line of its log that names a command. */
static void print_reason(const struct asim_sweep *sweep, size_t point)
{
    char path[ASIM_SWEEP_PATH], line[400], reason[400] = "", safe[500];
    FILE *file;

    snprintf(path, sizeof path, "%.1000s/runs/%zu.log", sweep->folder, point + 1);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "asim ", 5) && strstr(line, ": ") && !strstr(line, ": note: "))
            snprintf(reason, sizeof reason, "%s", strstr(line, ": ") + 2);
    }
    if (file)
        fclose(file);
    if (*reason)
        printf(": %s", asim_text_safe(safe, sizeof safe, reason));
    printf(" (%s)", path);
}

/* Points that differ in the seed only: their mean and extremes. */
static void print_seeds(const struct asim_sweep *sweep, size_t seed)
{
    size_t n = sweep->keys.at[seed].values.n, stride = 1;

    for (size_t k = seed + 1; k < sweep->keys.n; k++)
        stride *= sweep->keys.at[k].values.n;
    for (size_t i = 0; i < sweep->n; i++) {
        double sum = 0, least = 0, most = 0;
        size_t known = 0;

        for (size_t s = 0; i / stride % n == 0 && s < n; s++) {
            const struct asim_sweep_point *point = &sweep->points[i + s * stride];
            double ms = (double)point->finish_ns / 1e6;

            if (!has_result(point))
                continue;
            least = known && least < ms ? least : ms;
            most = most > ms ? most : ms;
            sum += ms;
            known++;
        }
        if (known < 2)
            continue;
        printf("over %zu seeds:", known);
        for (size_t k = 0; k < sweep->keys.n; k++)
            if (k != seed && sweep->keys.at[k].values.n > 1)
                printf(" %s=%s", sweep->keys.at[k].name, asim_sweep_at(sweep, i, k));
        printf(" mean %.6f ms, %.6f to %.6f (%.2f %% of it)\n", sum / (double)known, least, most,
               100 * (most - least) * (double)known / sum);
    }
}

void asim_sweep_print(const struct asim_sweep *sweep)
{
    enum { MOST_ROWS = 200 };

    for (size_t k = 0; k < sweep->keys.n; k++)
        if (sweep->keys.at[k].values.n > 1)
            printf("%-*s  ", width_of(sweep, k), sweep->keys.at[k].name);
    printf("%12s  %s%12s  %s\n", "time_ms", sweep->of ? "  change  " : "", "comm_ms",
           sweep->of ? "limited by" : "state");
    if (sweep->of)
        printf("%.60s took %.6f ms\n", sweep->of, (double)sweep->of_ns / 1e6);
    for (size_t i = 0; i < sweep->n && i < MOST_ROWS; i++) {
        const struct asim_sweep_point *point = &sweep->points[i];

        for (size_t k = 0; k < sweep->keys.n; k++)
            if (sweep->keys.at[k].values.n > 1)
                printf("%-*s  ", width_of(sweep, k), asim_sweep_at(sweep, i, k));
        if (has_result(point))
            print_time(sweep, point);
        else
            printf("%12s  %s%12s  ", "", sweep->of ? "          " : "", "");
        printf("%s", *point->cause && has_result(point) ? point->cause : states[point->state]);
        if (point->state == ASIM_POINT_FAILED || point->state == ASIM_POINT_STALLED)
            print_reason(sweep, i);
        printf("\n");
    }
    if (sweep->n > MOST_ROWS)
        printf("and %zu more rows in %s/sweep.csv\n", sweep->n - MOST_ROWS, sweep->folder);
    for (size_t k = 0; k < sweep->keys.n; k++)
        if (!strcmp(sweep->keys.at[k].name, "seed") && sweep->keys.at[k].values.n > 1)
            print_seeds(sweep, k);
}
