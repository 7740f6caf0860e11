/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Measured tables as CSV: asim's, rccl-tests' and those that people write. Names of columns are
 * compared without case, spaces, underscores and brackets.
 */
#include <stdio.h>
#include <string.h>
#include "cli/csv.h"
#include "base/text.h"
#include "tools/machine/measured.h"
#include "tools/machine/sweep.h"

struct columns {
    int bytes, us, in_place_us, in_place, alg, bus, wrong, op;
    struct {
        int column;
        char cell[64]; /* of the first row */
    } one[3];          /* the same in all rows: nodes first */
};

enum { NAME_BYTES = 48 };

static int find(const struct asim_csv *csv, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < csv->columns; i++) {
            char name[NAME_BYTES];

            if (!strcmp(asim_text_plain(name, sizeof name, csv->header[i]), *names))
                return (int)i;
        }
    return -1;
}

static int find_columns(const struct asim_csv *csv, struct columns *of, unsigned line,
                        struct asim_err *err)
{
    static const char *const sizes[] = {"sizebytes",    "size",        "sizeb",
                                        "bytes",        "messagesize", "messagesizebytes",
                                        "messagebytes", "msgsize",     NULL};
    static const char *const times[] = {"timeus",         "ooptimeus", "time",
                                        "ooptime",        "timeusec",  "outofplacetimeus",
                                        "outofplacetime", "latencyus", NULL};
    static const char *const in_times[] = {"iptimeus", "iptime", "inplacetimeus", "inplacetime",
                                           NULL};
    static const char *const places[] = {"inplace", NULL};
    static const char *const buses[] = {"busbwgbps", "oopbusbwgbps",    "busbw", "oopbusbw",
                                        "busbwgbs",  "outofplacebusbw", NULL};
    static const char *const algs[] = {"algbwgbps", "oopalgbwgbps",    "algbw", "oopalgbw",
                                       "algbwgbs",  "outofplacealgbw", NULL};
    static const char *const wrongs[] = {"wrong", "#wrong", "nwrong", "oopwrong", NULL};
    static const char *const ops[] = {"op", "collective", "name", "operation", NULL};
    static const char *const other[] = {"timems", "times",   "timens", "ooptimems",
                                        "sizekb", "sizekib", "sizemb", "sizemib",
                                        "sizegb", "sizegib", NULL};
    static const char *const nodes[] = {"nodes", "nnodes", "numnodes", NULL};
    static const char *const gpus[] = {"gpus",   "ngpus",   "gpuspernode", "ranks",
                                       "nranks", "numgpus", "worldsize",   NULL};
    static const char *const machines[] = {"machine", "system", "cluster", "host", NULL};
    struct asim_where at = {csv->name, line, 0};
    int odd = find(csv, other);

    *of =
        (struct columns){find(csv, sizes), find(csv, times), find(csv, in_times), find(csv, places),
                         find(csv, algs),  find(csv, buses), find(csv, wrongs),   find(csv, ops)};
    of->one[0].column = find(csv, nodes);
    of->one[1].column = find(csv, gpus);
    of->one[2].column = find(csv, machines);
    if (of->us < 0)
        of->us = of->in_place_us;
    if ((of->bytes < 0 || of->us < 0) && odd >= 0)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "column \"%s\" is in another unit; expected size_bytes in bytes and "
                           "time_us in microseconds.",
                           csv->header[odd]);
    if (of->bytes < 0 || of->us < 0)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "no column \"%s\"; expected size_bytes, and time_us or oop_time_us.",
                           of->bytes < 0 ? "size_bytes" : "time_us");
    return 0;
}

static int number_at(const struct asim_csv *csv, int column, double *out, unsigned skipped,
                     struct asim_err *err)
{
    struct asim_where at = asim_csv_where(csv, (size_t)column);
    char copy[64], safe[64];
    const char *text = asim_csv_cell(csv, (size_t)column);
    size_t n;

    text += strspn(text, " \t");
    n = strlen(text);
    while (n && strchr(" \t", text[n - 1]))
        n--;
    *out = 0;
    at.line += skipped;
    if (!n || (n == 3 && !strncmp(text, "N/A", 3)))
        return 0;
    if (n < sizeof copy) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    if (n >= sizeof copy || asim_text_double(copy, out))
        return asim_err_at(err, ASIM_EINVAL, at, "'%s' is no number.",
                           asim_text_safe(safe, sizeof safe, text));
    return 0;
}

/* A column that is absent is 0. */
static int optional_at(const struct asim_csv *csv, int column, double *out, unsigned skipped,
                       struct asim_err *err)
{
    *out = 0;
    return column < 0 ? 0 : number_at(csv, column, out, skipped, err);
}

static int op_at(const struct asim_csv *csv, int column)
{
    const char *text = column < 0 ? "" : asim_csv_cell(csv, (size_t)column);

    return asim_nccl_op_find(text + strspn(text, " "));
}

/* Rows of several nodes, GPUs or machines are several tables. */
static int check_one(struct asim_measured *measured, const struct asim_csv *csv, struct columns *of,
                     unsigned line, struct asim_err *err)
{
    uint64_t nodes;

    for (size_t i = 0; i < sizeof of->one / sizeof *of->one; i++) {
        const char *text =
            of->one[i].column < 0 ? "" : asim_csv_cell(csv, (size_t)of->one[i].column);
        char a[40], b[40];

        if (!measured->row.n)
            snprintf(of->one[i].cell, sizeof of->one[i].cell, "%s", text);
        else if (strncmp(of->one[i].cell, text, sizeof of->one[i].cell - 1) != 0)
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, line, 0},
                               "%s is '%s' here and '%s' before; expected one table, of one "
                               "machine and one number of GPUs.",
                               csv->header[of->one[i].column], asim_text_safe(a, sizeof a, text),
                               asim_text_safe(b, sizeof b, of->one[i].cell));
    }
    if (!asim_text_u64(of->one[0].cell, &nodes) && nodes < UINT32_MAX)
        measured->nodes = (uint32_t)nodes;
    return 0;
}

static int read_row(struct asim_measured *measured, const struct asim_csv *csv, struct columns *of,
                    unsigned skipped, struct asim_err *err)
{
    struct asim_measured_row row = {.op = op_at(csv, of->op)};
    double bytes = 0, in_place = 0, alg = 0, bus = 0, wrong = 0;
    int rc = number_at(csv, of->bytes, &bytes, skipped, err);

    if (!rc)
        rc = number_at(csv, of->us, &row.us, skipped, err);
    if (!rc)
        rc = optional_at(csv, of->in_place_us, &row.in_place_us, skipped, err);
    if (!rc)
        rc = optional_at(csv, of->in_place, &in_place, skipped, err);
    if (!rc)
        rc = optional_at(csv, of->alg, &alg, skipped, err);
    if (!rc)
        rc = optional_at(csv, of->bus, &bus, skipped, err);
    if (!rc)
        rc = optional_at(csv, of->wrong, &wrong, skipped, err);
    if (rc)
        return rc;
    row.line = asim_csv_where(csv, (size_t)of->bytes).line + skipped;
    if (!(bytes >= 0 && bytes < 1e18))
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, row.line, 0},
                           "a size of %g bytes cannot be.", bytes);
    if (check_one(measured, csv, of, row.line, err))
        return err->code;
    row.bytes = (uint64_t)bytes;
    if (alg > 0 && !asim_measured_agrees(row.bytes, row.us, alg))
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, row.line, 0},
                           "%g bytes in %g us are not %g GB/s; are the columns in bytes, us and "
                           "GB/s?",
                           bytes, row.us, alg);
    measured->wrong += wrong > 0;
    row.bus_factor = asim_measured_factor(row.bytes, row.us, bus);
    if (in_place > 0) {
        row.in_place_us = row.us;
        row.us = 0;
    }
    return asim_measured_add(measured, row, csv->name, err);
}

int asim_measured_csv(struct asim_measured *measured, const struct asim_src *src, size_t from,
                      struct asim_err *err)
{
    struct asim_csv_text text = {src->data + from, src->size - from};
    struct asim_csv csv;
    struct columns of;
    unsigned skipped = 0;
    int rc, got = 1;

    for (size_t i = 0; i < from; i++)
        skipped += src->data[i] == '\n';
    asim_csv_init(&csv, src->name, (struct asim_csv_source){&text, asim_csv_read_text});
    rc = asim_csv_header(&csv, err);
    if (!rc)
        rc = find_columns(&csv, &of, skipped + 1, err);
    while (!rc && (got = asim_csv_row(&csv, err)) > 0)
        rc = read_row(measured, &csv, &of, skipped, err);
    rc = rc ? rc : got < 0 ? got : 0;
    asim_csv_close(&csv);
    return rc;
}
