/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The tables of SimAI-Analytical: measured efficiencies by message size and number of servers
 * (CSV, one header line), and the file of bus bandwidths its README shows but no released version
 * reads ("TP:" lines, below each "allreduce,: 300" or null). A ratio is divided by the table's last
 * row, so that it tends to 1; an empty cell is 1; below the first size the first row holds.
 *
 * Tables are of fixed size and live in the caller's struct: nothing to free. A file that is not as
 * expected is an error with its line, since a shifted column would give plausible wrong
 * efficiencies.
 */
#include "tools/simai.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/csv.h"
#include "base/io/src.h"
#include "base/text.h"
#include "base/io/foreign.h"

/* Only an empty cell may become the 0 that means "no loss": a 0 that somebody wrote, or less, is no
 * efficiency. */
static int read_cells(struct asim_sa_table *table, const struct asim_csv *csv, struct asim_err *err)
{
    double *row = table->cell[table->rows], value;
    char safe[64];
    for (size_t column = 0; column < ASIM_SA_COLUMNS && column < csv->columns; column++) {
        const char *cell = asim_csv_cell(csv, column);
        value = 0;
        if (*cell && (asim_text_double(cell, &value) || value <= 0))
            return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, column),
                               "found '%s' where %s above 0 is expected; an empty cell reads as 1.",
                               asim_text_safe(safe, sizeof safe, cell),
                               column ? "an efficiency" : "a size in bytes");
        row[column] = value;
    }
    table->bytes[table->rows] = row[0];
    if (table->rows && table->bytes[table->rows] <= table->bytes[table->rows - 1])
        return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, 0),
                           "sizes must ascend from line to line.");
    table->rows++;
    return 0;
}

static int read_rows(struct asim_sa_table *table, struct asim_csv *csv, struct asim_err *err)
{
    int more = 1, rc = asim_csv_header(csv, err);
    while (!rc && (more = asim_csv_row(csv, err)) > 0) {
        if (table->rows == ASIM_SA_ROWS)
            rc = asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, 0),
                             "the table has more than %d sizes.", ASIM_SA_ROWS);
        else
            rc = read_cells(table, csv, err);
    }
    if (!rc && !more && !table->rows)
        rc = asim_err_at(err, ASIM_EINVAL, (struct asim_where){table->source, 0, 0},
                         "the table has no line of numbers below its header.");
    return more < 0 ? more : rc;
}

/* Sizes of table and path are fixed; more is an error, not a cut. */
static int read_table(struct asim_sa_table *table, const char *folder, const char *name,
                      struct asim_err *err)
{
    struct asim_src src;
    struct asim_csv csv;
    if (snprintf(table->source, sizeof table->source, "%s/%s", folder, name) >=
        (int)sizeof table->source)
        return asim_err_set(err, ASIM_EINVAL, "the path of the efficiency tables is too long.");
    int rc = asim_src_open(&src, table->source, err);
    if (rc)
        return rc;
    struct asim_csv_text text = {src.data, src.size};
    asim_csv_init(&csv, table->source, (struct asim_csv_source){&text, asim_csv_read_text});
    rc = read_rows(table, &csv, err);
    asim_csv_close(&csv);
    asim_src_close(&src);
    return asim_foreign_instead(rc, table->source, NULL, err);
}

/* The tables are SimAI's files and stay with SimAI: nothing of them is built in, so without them
 * the efficiency is 1 and the command says so. */
int asim_sa_tables_read(struct asim_sa_tables *tables, const char *folder, struct asim_err *err)
{
    static const char usual[] = "astra-sim-alibabacloud/inputs/ratio";
    memset(tables, 0, sizeof *tables);
    if (!folder && access(usual, F_OK))
        return 0;
    const char *from = folder ? folder : usual;
    int rc = read_table(&tables->nvlink, from, "nvlink_ratio.csv", err);
    if (!rc)
        rc = read_table(&tables->nic, from, "nic_ratio.csv", err);
    if (!rc)
        rc = read_table(&tables->all_to_all, from, "ata_ratio.csv", err);
    tables->known = !rc;
    return rc;
}

/* Columns are powers of two of servers, 1 to 128, and one for "scale-up domain as large as the
 * group". */
static size_t column_of(uint32_t nodes)
{
    if (nodes == 9)
        return 9;
    for (size_t column = 1; column <= 8; column++)
        if (nodes == 1u << (column - 1))
            return column;
    return 5; /* parity: any other number of servers reads as 16 */
}

/* An empty cell reads as 0, which means "no loss". */
static double cell_of(const struct asim_sa_table *table, size_t row, size_t column)
{
    double cell = table->cell[row][column];
    return cell > 0 ? cell : 1;
}

/* Between the two lines the size falls; it is inside the table and above its first size. */
static double interpolate(const struct asim_sa_table *table, double size, size_t column)
{
    size_t row = 0;
    while (row + 2 < table->rows && size > table->bytes[row + 1])
        row++;
    double low = cell_of(table, row, column), high = cell_of(table, row + 1, column);
    double x = (size - table->bytes[row]) / (table->bytes[row + 1] - table->bytes[row]);
    return low + x * (high - low);
}

/* *ratio in 0 … 1 or so: the table's value over that of its last row. */
int asim_sa_ratio(const struct asim_sa_table *table, const struct asim_sa_point *at, double *ratio,
                  struct asim_err *err)
{
    size_t column = column_of(at->nodes), last = table->rows - 1;
    double size = (double)at->bytes, value;
    if (size > table->bytes[last] && !at->clamp)
        return asim_err_at(
            err, ASIM_EINVAL, (struct asim_where){table->source, 0, 0},
            "a collective of %" PRIu64
            " bytes is above the table's last size of %.0f; --right takes the last line for it.",
            at->bytes, table->bytes[last]);
    if (size <= table->bytes[0])
        value = cell_of(table, 0, column);
    else if (size >= table->bytes[last])
        value = cell_of(table, last, column);
    else
        value = interpolate(table, size, column);
    *ratio = value / cell_of(table, last, column);
    return 0;
}

/* "allreduce,:" or "allreduce:" as an enum asim_simai_op, 0 if none. */
static int op_of(char *word)
{
    static const char *const ops[] = {"", "allreduce", "allgather", "reducescatter", "alltoall"};
    word[strcspn(word, ",:")] = '\0';
    for (int op = 1; op < 5; op++)
        if (!strcmp(word, ops[op]))
            return op;
    return 0;
}

/* -1: no group's line. */
static int group_of(const char *word)
{
    static const char *const groups[] = {"TP:", "DP:", "EP:", "DP_EP:", "PP:"};
    for (int group = 0; group < 5; group++)
        if (!strcmp(word, groups[group]))
            return group;
    return -1;
}

/* 0 in the struct = not given, use the formulas. */
int asim_sa_busbw_read(struct asim_sa_busbw *busbw, const char *path, struct asim_err *err)
{
    struct asim_src src;
    char *word, safe[64];
    int group = -1, rc = asim_src_open(&src, path, err);
    memset(busbw, 0, sizeof *busbw);
    if (rc)
        return rc;
    while (!rc && asim_src_next_line(&src) && (word = asim_src_word_in_line(&src))) {
        const char *value = asim_src_word_in_line(&src);
        double gib = 0;
        if (!value) { /* a group, or the file's title */
            group = group_of(word);
            continue;
        }
        int op = op_of(word), is_pp = group == 4 && !strcmp(word, "busbw");
        if ((!op && !is_pp) || group < 0 ||
            (strcmp(value, "null") && (asim_text_double(value, &gib) || gib <= 0)))
            rc = asim_err_at(err, ASIM_EINVAL, asim_src_where(&src),
                             "found '%s' where 'allreduce: 300' (or null) below TP:, DP:, EP:, "
                             "DP_EP: or 'busbw: 24' below PP: is expected.",
                             asim_text_safe(safe, sizeof safe, word));
        else if (is_pp)
            busbw->pp_gib = gib;
        else if (group < 4)
            busbw->gib[group][op] = gib;
    }
    asim_src_close(&src);
    return rc;
}
