/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes sweep.csv and the table on the terminal. A row of sweep.csv belongs to the point with the
 * same values of all keys.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
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

const char *asim_sweep_word(const struct asim_sweep *sweep, size_t point)
{
    const struct asim_sweep_point *of = &sweep->points[point];

    if (!has_result(of) || !sweep->of)
        return states[of->state];
    return *of->cause ? of->cause : "not known";
}

/* A row that this sweep has not compared yet stays for the sweep that goes on, without numbers. */
static int is_unchecked(const struct asim_sweep_point *point)
{
    return *point->identity && point->earlier == ASIM_POINT_FINISHED &&
           point->state != ASIM_POINT_FINISHED;
}

double asim_sweep_change(const struct asim_sweep *sweep, double finish_ns)
{
    return (finish_ns / (double)sweep->of_ns - 1) * 100;
}

/* Whole ns, or a number with its digits. */
static void write_figures(const struct asim_sweep *sweep, const struct asim_sweep_point *point,
                          struct asim_out *out)
{
    int is_there = has_result(point);

    if (asim_sweep_runs_jobs(sweep) && is_there)
        asim_out_printf(out, ",%" PRIu64, point->ranks);
    else if (asim_sweep_runs_jobs(sweep))
        asim_out_printf(out, ",");
    for (size_t f = 0; sweep->target->figures[f].column; f++)
        asim_out_printf(out, is_there ? ",%.15g" : ",", point->figure[f]);
}

static void write_spread(const struct asim_sweep *sweep, size_t i, struct asim_out *out)
{
    struct asim_sweep_spread spread = asim_sweep_spread(sweep, i, 0);

    if (asim_sweep_has_seeds(sweep) && spread.known)
        asim_out_printf(out, ",%.15g,%.15g,%.15g", spread.median, spread.least, spread.most);
    else if (asim_sweep_has_seeds(sweep))
        asim_out_printf(out, ",,,");
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
    asim_out_printf(&out, ",state%s", asim_sweep_runs_jobs(sweep) ? ",run_ranks" : "");
    for (size_t f = 0; sweep->target->figures[f].column; f++)
        asim_out_printf(&out, ",%s", sweep->target->figures[f].column);
    asim_out_printf(&out, ",identity%s", sweep->of ? ",change_percent,cause" : "");
    if (asim_sweep_has_seeds(sweep))
        asim_out_printf(&out, ",median_%s,least_%s,most_%s", sweep->target->figures[0].column,
                        sweep->target->figures[0].column, sweep->target->figures[0].column);
    asim_out_printf(&out, "\n");
    for (size_t i = 0; i < sweep->n; i++) {
        const struct asim_sweep_point *point = &sweep->points[i];

        asim_out_printf(&out, "%zu", i + 1);
        for (size_t k = 0; k < sweep->keys.n; k++) {
            asim_out_printf(&out, ",");
            asim_quote_csv_if_needed(&out, asim_sweep_at(sweep, i, k));
        }
        asim_out_printf(&out, ",%s", is_unchecked(point) ? unchecked : states[point->state]);
        write_figures(sweep, point, &out);
        asim_out_printf(&out, ",%s", point->identity);
        if (sweep->of && has_result(point))
            asim_out_printf(&out, ",%.3f,", asim_sweep_change(sweep, point->figure[0]));
        else if (sweep->of)
            asim_out_printf(&out, ",,");
        if (sweep->of)
            asim_quote_csv_if_needed(&out, point->cause);
        write_spread(sweep, i, &out);
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

/* The identity of a row, for when its run turns out to be the same. Its numbers are read from the
 * files of the point. Points that failed have no identity and run again. */
static void take(const struct asim_sweep *sweep, struct asim_sweep_point *point,
                 const struct asim_table *table)
{
    const char *state = asim_table_text(table, asim_table_find(table, "state")),
               *identity = asim_table_text(table, asim_table_find(table, "identity"));

    for (int s = ASIM_POINT_FINISHED; s <= ASIM_POINT_TIMED_OUT; s++)
        if (!strcmp(state, states[s]) && (s == ASIM_POINT_FINISHED || !sweep->again))
            point->earlier = (enum asim_sweep_state)s;
    if (!strcmp(state, unchecked))
        point->earlier = ASIM_POINT_FINISHED;
    if (point->earlier != ASIM_POINT_WAITING)
        snprintf(point->identity, sizeof point->identity, "%s", identity);
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
            take(sweep, &sweep->points[number - 1], &table);
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

void asim_sweep_reason(const struct asim_sweep *sweep, size_t point, char *reason, size_t size)
{
    char path[ASIM_SWEEP_PATH], line[400];
    FILE *file;

    *reason = '\0';
    snprintf(path, sizeof path, "%.1000s/runs/%zu.log", sweep->folder, point + 1);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "asim ", 5) && strstr(line, ": ") && !strstr(line, ": note: "))
            snprintf(reason, size, "%s", strstr(line, ": ") + 2);
    }
    if (file)
        fclose(file);
}

int asim_sweep_shows(const struct asim_sweep *sweep, size_t key)
{
    return asim_sweep_varies(&sweep->keys.at[key]) && key != asim_sweep_seed(sweep);
}

static void print_head(const struct asim_sweep *sweep)
{
    char seeds[40];

    for (size_t k = 0; k < sweep->keys.n; k++)
        if (asim_sweep_shows(sweep, k))
            printf("%-*s  ", width_of(sweep, k), sweep->keys.at[k].name);
    for (size_t f = 0; sweep->target->figures[f].column; f++) {
        printf("%12s  ", sweep->target->figures[f].heading);
        if (!f && asim_sweep_has_seeds(sweep)) {
            snprintf(seeds, sizeof seeds, "(median), of %zu seeds",
                     sweep->keys.at[asim_sweep_seed(sweep)].values.n);
            printf("%-27s  ", seeds);
        }
        if (!f && sweep->of)
            printf("  change  ");
    }
    printf("%s\n", sweep->of ? "limited by" : "state");
}

/* Of the seeds of a point: medians, and the spread of the first figure. */
static void print_figures(const struct asim_sweep *sweep, size_t i)
{
    for (size_t f = 0; sweep->target->figures[f].column; f++) {
        double unit = sweep->target->figures[f].unit;
        struct asim_sweep_spread spread = asim_sweep_spread(sweep, i, f);

        printf("%12.6f  ", spread.median / unit);
        if (!f && asim_sweep_has_seeds(sweep))
            printf("%12.6f – %12.6f  ", spread.least / unit, spread.most / unit);
        if (!f && sweep->of)
            printf("%+6.1f %%  ", asim_sweep_change(sweep, spread.median));
    }
}

static void print_blanks(const struct asim_sweep *sweep)
{
    for (size_t f = 0; sweep->target->figures[f].column; f++)
        printf("%12s  %s%s", "",
               !f && asim_sweep_has_seeds(sweep) ? "                             " : "",
               !f && sweep->of ? "          " : "");
}

static void print_state(const struct asim_sweep *sweep, size_t i)
{
    size_t worst = asim_sweep_worst(sweep, i);
    const struct asim_sweep_point *point = &sweep->points[worst];
    char reason[400], safe[500];

    printf("%s", asim_sweep_word(sweep, worst));
    if (point->state != ASIM_POINT_FAILED && point->state != ASIM_POINT_STALLED)
        return;
    asim_sweep_reason(sweep, worst, reason, sizeof reason);
    if (*reason)
        printf(": %s", asim_text_safe(safe, sizeof safe, reason));
    printf(" (%.1000s/runs/%zu.log)", sweep->folder, worst + 1);
}

void asim_sweep_print(const struct asim_sweep *sweep)
{
    enum { MOST_ROWS = 200 };
    size_t rows = 0;

    print_head(sweep);
    if (sweep->of_was_ns)
        printf("%.60s takes %.6f ms now; it took %.6f ms with other inputs or another asim\n",
               sweep->of, (double)sweep->of_ns / 1e6, (double)sweep->of_was_ns / 1e6);
    else if (sweep->of)
        printf("%.60s took %.6f ms\n", sweep->of, (double)sweep->of_ns / 1e6);
    for (size_t i = 0; i < sweep->n; i++) {
        if (!asim_sweep_is_first_seed(sweep, i) || rows++ >= MOST_ROWS)
            continue;
        for (size_t k = 0; k < sweep->keys.n; k++)
            if (asim_sweep_shows(sweep, k))
                printf("%-*s  ", width_of(sweep, k), asim_sweep_at(sweep, i, k));
        if (asim_sweep_spread(sweep, i, 0).known)
            print_figures(sweep, i);
        else
            print_blanks(sweep);
        print_state(sweep, i);
        printf("\n");
    }
    if (rows > MOST_ROWS)
        printf("and %zu more rows in %s/sweep.csv\n", rows - MOST_ROWS, sweep->folder);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *describe(const struct asim_sweep *sweep, size_t i)
{
    const struct asim_sweep_point *point = &sweep->points[i];
    struct asim_sweep_spread spread = asim_sweep_spread(sweep, i, 0);
    json_t *object = json_object(), *values = json_object(), *figures = json_object();
    char reason[400];

    for (size_t k = 0; k < sweep->keys.n; k++)
        if (asim_sweep_varies(&sweep->keys.at[k]))
            json_object_set_new(values, sweep->keys.at[k].name,
                                json_string(asim_sweep_at(sweep, i, k)));
    for (size_t f = 0; sweep->target->figures[f].column && has_result(point); f++)
        json_object_set_new(figures, sweep->target->figures[f].column, json_real(point->figure[f]));
    json_object_set_new(object, "point", json_integer((json_int_t)i + 1));
    json_object_set_new(object, "values", values);
    json_object_set_new(object, "state", json_string(states[point->state]));
    json_object_set_new(object, "figures", figures);
    json_object_set_new(object, "identity", json_string(point->identity));
    if (sweep->of && has_result(point)) {
        json_object_set_new(object, "change_percent",
                            json_real(asim_sweep_change(sweep, point->figure[0])));
        json_object_set_new(object, "limited_by", json_string(point->cause));
    }
    if (asim_sweep_has_seeds(sweep) && spread.known)
        json_object_set_new(object, "seeds",
                            json_pack("{s:f, s:f, s:f, s:I}", "median", spread.median, "least",
                                      spread.least, "most", spread.most, "finished",
                                      (json_int_t)spread.known));
    asim_sweep_reason(sweep, i, reason, sizeof reason);
    if (!has_result(point) && *reason)
        json_object_set_new(object, "reason", json_string(reason));
    return object;
}

int asim_sweep_print_json(const struct asim_sweep *sweep, struct asim_err *err)
{
    json_t *root = json_object(), *points = json_array();
    int code;

    json_object_set_new(root, "command", json_string(sweep->target->command));
    json_object_set_new(root, "folder", json_string(sweep->folder));
    if (sweep->of)
        json_object_set_new(
            root, "of",
            json_pack("{s:s, s:I}", "folder", sweep->of, "finish_ns", (json_int_t)sweep->of_ns));
    for (size_t i = 0; i < sweep->n; i++)
        json_array_append_new(points, describe(sweep, i));
    json_object_set_new(root, "points", points);
    code = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(root);
    if (code && !ferror(stdout)) /* what stdout does not take is told at the end */
        return asim_err_nomem(err, "writing JSON");
    putchar('\n');
    return 0;
}
