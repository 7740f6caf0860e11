/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads measured tables. The first characters tell the formats apart: { and [ begin JSON; a first
 * line with commas that is no comment begins CSV; anything else is the text of nccl-tests.
 */
#include "tools/machine/measured.h"
#include "tools/machine/sweep.h"
#include "base/io/foreign.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one size and op that lie further apart were not measured alike. */
static const double most_apart = 3;

/* --- several rows of a size ------------------------------------------------------------------- */

ASIM_ORDER(by_op_and_bytes, struct asim_measured_row, ->op, ->bytes, ->line)

/* Files of rccl-tests have a row for out of place and one for in place. */
static int join_rows(struct asim_measured_row *row, const struct asim_measured_row *more,
                     const char *path, struct asim_err *err)
{
    double n = row->times;

    if (row->us > 0 && more->us > 0 &&
        (row->us > most_apart * more->us || more->us > most_apart * row->us))
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, more->line, 0},
                           "%llu bytes take %g us here and %g us in line %u; expected one table: "
                           "one op on one machine.",
                           (unsigned long long)row->bytes, more->us, row->us, row->line);
    if (row->bus_factor > 0 && more->bus_factor > 0 &&
        fabs(row->bus_factor / more->bus_factor - 1) > .05)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, more->line, 0},
                           "bus bandwidth x time / size of %llu bytes is %.3f here and %.3f in "
                           "line %u; expected one table: one op on one number of GPUs.",
                           (unsigned long long)row->bytes, more->bus_factor, row->bus_factor,
                           row->line);
    if (row->us > 0 && more->us > 0) {
        row->us = (row->us * n + more->us) / (n + 1);
        row->times++;
    } else if (more->us > 0) {
        row->us = more->us;
    }
    if (row->in_place_us <= 0)
        row->in_place_us = more->in_place_us;
    if (row->bus_factor <= 0)
        row->bus_factor = more->bus_factor;
    return 0;
}

static int settle(struct asim_measured *measured, const char *path, struct asim_err *err)
{
    struct asim_measured_row *row = measured->row.at;
    size_t n = 0;

    qsort(row, measured->row.n, sizeof *row, by_op_and_bytes);
    for (size_t i = 0; i < measured->row.n; i++) {
        if (n && row[n - 1].op == row[i].op && row[n - 1].bytes == row[i].bytes) {
            int rc = join_rows(&row[n - 1], &row[i], path, err);

            if (rc)
                return rc;
        } else {
            row[n++] = row[i];
        }
    }
    measured->row.n = n;
    for (size_t i = 0; i < n; i++)
        if (row[i].us <= 0)
            row[i].us = row[i].in_place_us;
    return 0;
}

/* --- all -------------------------------------------------------------------------------------- */

/* Offset of the first line that is no comment and not empty. */
static size_t first_line(const struct asim_src *src)
{
    size_t at = src->size >= 3 && !memcmp(src->data, "\xef\xbb\xbf", 3) ? 3 : 0;

    while (at < src->size && strchr("#\r\n", src->data[at])) {
        const char *end = memchr(src->data + at, '\n', src->size - at);

        at = end ? (size_t)(end - src->data) + 1 : src->size;
    }
    return at;
}

/* mpirun begins lines with "[1,0]<stdout>:". */
static int is_json(const struct asim_src *src, size_t from)
{
    const char *at = src->data + from;

    return *at == '{' || (*at == '[' && strchr("{[]", at[1 + strspn(at + 1, " \t\r\n")]));
}

static int read_format(struct asim_measured *measured, struct asim_src *src, struct asim_err *err)
{
    size_t from = first_line(src);
    const char *end = memchr(src->data + from, '\n', src->size - from);
    size_t n = (end ? (size_t)(end - src->data) : src->size) - from;

    if (is_json(src, from))
        return asim_measured_json(measured, src, err);
    if (src->data[from] != '[' && memchr(src->data + from, ',', n))
        return asim_measured_csv(measured, src, from, err);
    return asim_measured_text(measured, src, err);
}

int asim_measured_read(struct asim_measured *measured, const char *path, struct asim_err *err)
{
    struct asim_src src;
    int rc = asim_src_open(&src, path, err);

    memset(measured, 0, sizeof *measured);
    if (rc)
        return rc;
    rc = read_format(measured, &src, err);
    if (!rc && !measured->row.n)
        rc = asim_err_set(err, ASIM_EINVAL,
                          "%s: no row with a size and a time; expected the output of nccl-tests, "
                          "or CSV with size_bytes and time_us.",
                          path);
    if (!rc)
        rc = settle(measured, path, err);
    asim_src_close(&src);
    return asim_foreign_instead(rc, path, "a table of nccl-tests", err);
}

void asim_measured_fini(struct asim_measured *measured)
{
    free(measured->row.at);
    memset(measured, 0, sizeof *measured);
}

const struct asim_measured_row *asim_measured_find(const struct asim_measured *measured, int op,
                                                   uint64_t bytes)
{
    for (size_t i = 0; i < measured->row.n; i++)
        if (measured->row.at[i].bytes == bytes &&
            (measured->row.at[i].op < 0 || measured->row.at[i].op == op))
            return &measured->row.at[i];
    return NULL;
}

int asim_measured_op(const struct asim_measured *measured)
{
    int op = measured->row.n ? measured->row.at[0].op : -1;

    for (size_t i = 0; i < measured->row.n; i++)
        if (measured->row.at[i].op != op)
            return -1;
    return op;
}

const char *asim_measured_doubt(const struct asim_measured *measured, int op, uint32_t nodes,
                                uint32_t ranks, char text[256])
{
    double want = asim_nccl_alg_factor(op, ranks) * asim_nccl_bus_factor(op, ranks);
    const struct asim_measured_row *last = NULL;

    for (size_t i = 0; i < measured->row.n; i++)
        if (measured->row.at[i].bus_factor > 0 &&
            (measured->row.at[i].op < 0 || measured->row.at[i].op == op))
            last = &measured->row.at[i];
    *text = '\0';
    if (measured->nodes && measured->nodes != nodes)
        snprintf(text, 256, "the measured table is of %u node%s: is --nodes=%u meant?",
                 measured->nodes, asim_text_s(measured->nodes), nodes);
    else if (last && fabs(last->bus_factor / want - 1) > .03)
        snprintf(text, 256,
                 "in the measured table bus bandwidth x time / size is %.3f, for %s with %u GPUs "
                 "it is %.3f: are --op, --nodes and --gpus those of the table?",
                 last->bus_factor, asim_nccl_op_names[op], ranks, want);
    return text;
}

int asim_measured_keep(struct asim_measured *measured, int op, const char *path,
                       struct asim_err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < measured->row.n; i++)
        if (measured->row.at[i].op < 0 || measured->row.at[i].op == op)
            measured->row.at[n++] = measured->row.at[i];
    measured->row.n = n;
    return n ? 0
             : asim_err_set(
                   err, ASIM_EINVAL,
                   "%s: its rows are of another op than --op; leave --op out to take the table's.",
                   path);
}
