/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See measured.h. The first characters tell the formats apart: { and [ begin JSON; a first line
 * with commas that is no comment begins CSV; anything else is the text of nccl-tests, in which rows
 * are the lines that begin with a number and all other lines are comments.
 */
#include "tools/machine/measured.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/csv.h"
#include "base/io/src.h"
#include "base/text.h"

static int add(struct asim_measured *measured, struct asim_measured_row row, const char *path,
               struct asim_err *err)
{
    struct asim_where at = {path, row.line, 0};

    if (row.us < 0 || row.us > 1e12)
        return asim_err_at(err, ASIM_EINVAL, at, "a time of %g us cannot be.", row.us);
    if (!row.bytes || row.us <= 0)
        return 0; /* nccl-tests prints rows of 0 bytes */
    return ASIM_VEC_PUSH(measured->row, row) ? asim_err_nomem(err, "reading a table") : 0;
}

/* --- JSON ---------------------------------------------------------------------------------------
 */

static double number_of(const json_t *object, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_t *value = json_object_get(object, *keys);
        double number;

        if (json_is_number(value))
            return json_number_value(value);
        if (json_is_string(value) && !asim_text_double(json_string_value(value), &number))
            return number;
    }
    return 0;
}

/* nccl-tests has both results in one row; rccl-tests has a row each, with "inPlace". */
static int add_json(struct asim_measured *measured, const json_t *value, const char *path,
                    struct asim_err *err)
{
    static const char *const sizes[] = {"size", "size_bytes", NULL};
    static const char *const times[] = {"time", "time_us", "oop_time_us", NULL};
    static const char *const places[] = {"inPlace", "inplace", "in_place", NULL};
    const json_t *out = json_object_get(value, "out_of_place");
    const json_t *in = json_object_get(value, "in_place");
    struct asim_measured_row row = {(uint64_t)number_of(value, sizes), 0, 0, 0};

    if (!json_is_object(value) || !number_of(value, sizes))
        return 0;
    row.us = number_of(json_is_object(out) ? out : value, times);
    row.in_place_us = json_is_object(in) ? number_of(in, times) : 0;
    if (number_of(value, places) > 0)
        return 0;
    if (row.us <= 0)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: the row of %llu bytes has no \"time\" (us) out of place.", path,
                            (unsigned long long)row.bytes);
    return add(measured, row, path, err);
}

static int read_json(struct asim_measured *measured, const struct asim_src *src,
                     struct asim_err *err)
{
    json_error_t why;
    json_t *root = json_loadb(src->data, src->size, 0, &why), *value;
    const json_t *rows = json_is_object(root) ? json_object_get(root, "results") : root;
    size_t i;
    int rc = 0;

    if (!root)
        return asim_err_at(err, ASIM_EINVAL,
                           (struct asim_where){src->name, why.line > 0 ? (unsigned)why.line : 0, 0},
                           "this is not valid JSON: %s.", why.text);
    if (!json_is_array(rows))
        rc = asim_err_set(err, ASIM_EINVAL,
                          "%s: no list \"results\" of rows as nccl-tests -J writes it.", src->name);
    json_array_foreach((json_t *)rows, i, value)
    {
        rc = rc ? rc : add_json(measured, value, src->name, err);
    }
    json_decref(root);
    return rc;
}

/* --- CSV ----------------------------------------------------------------------------------------
 */

struct columns {
    int bytes, us, in_place_us, in_place;
};

static int find_columns(const struct asim_csv *csv, struct columns *of, unsigned line,
                        struct asim_err *err)
{
    static const char *const sizes[] = {"size_bytes", "size", "size(B)", "bytes"};
    static const char *const times[] = {"time_us", "oop_time_us", "time", "time(us)"};
    static const char *const in_times[] = {"ip_time_us"};
    static const char *const places[] = {"inplace", "inPlace", "in_place"};
    static const char *const other[] = {"time_ms", "time_s", "time_ns", "size_mb", "size_MiB"};
    struct asim_where at = {csv->name, line, 0};
    int odd = asim_csv_find(csv, other, 5);

    of->bytes = asim_csv_find(csv, sizes, 4);
    of->us = asim_csv_find(csv, times, 4);
    of->in_place_us = asim_csv_find(csv, in_times, 1);
    of->in_place = asim_csv_find(csv, places, 3);
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
    const char *text = asim_csv_cell(csv, (size_t)column);
    char safe[64];

    while (*text == ' ')
        text++;
    *out = 0;
    at.line += skipped;
    if (*text && asim_text_double(text, out))
        return asim_err_at(err, ASIM_EINVAL, at, "'%s' is no number.",
                           asim_text_safe(safe, sizeof safe, text));
    return 0;
}

static int read_rows(struct asim_measured *measured, struct asim_csv *csv, unsigned skipped,
                     struct asim_err *err)
{
    struct columns of;
    int rc = asim_csv_header(csv, err), got;

    if (!rc)
        rc = find_columns(csv, &of, skipped + 1, err);
    while (!rc && (got = asim_csv_row(csv, err)) != 0) {
        struct asim_measured_row row = {0};
        double bytes = 0, in_place = 0;

        rc = got < 0 ? got : number_at(csv, of.bytes, &bytes, skipped, err);
        if (!rc)
            rc = number_at(csv, of.us, &row.us, skipped, err);
        if (!rc && of.in_place_us >= 0)
            rc = number_at(csv, of.in_place_us, &row.in_place_us, skipped, err);
        if (!rc && of.in_place >= 0)
            rc = number_at(csv, of.in_place, &in_place, skipped, err);
        if (rc || in_place > 0)
            continue;
        row.bytes = (uint64_t)bytes;
        row.line = asim_csv_where(csv, (size_t)of.bytes).line + skipped;
        rc = add(measured, row, csv->name, err);
    }
    return rc;
}

/* Lines of comment stand before the header only. */
static int read_csv(struct asim_measured *measured, const struct asim_src *src, size_t from,
                    struct asim_err *err)
{
    struct asim_csv_text text = {src->data + from, src->size - from};
    struct asim_csv csv;
    unsigned skipped = 0;
    int rc;

    for (size_t i = 0; i < from; i++)
        skipped += src->data[i] == '\n';
    asim_csv_init(&csv, src->name, (struct asim_csv_source){&text, asim_csv_read_text});
    rc = read_rows(measured, &csv, skipped, err);
    asim_csv_close(&csv);
    return rc;
}

/* --- the text of nccl-tests ---------------------------------------------------------------------
 */

enum { MOST_WORDS = 16 };

/* size count type [redop [root]] time algbw busbw #wrong time algbw busbw #wrong: the numbers are
 * counted from the end, as old versions lack root. */
static int read_line(struct asim_measured *measured, char *line, unsigned number, const char *path,
                     struct asim_err *err)
{
    char *word[MOST_WORDS], *rest = NULL;
    struct asim_measured_row row = {.line = number};
    int n = 0;

    for (char *w = strtok_r(line, " \t\r", &rest); w && n < MOST_WORDS;
         w = strtok_r(NULL, " \t\r", &rest))
        word[n++] = w;
    if (n < 5 || asim_text_u64(word[0], &row.bytes))
        return 0;
    for (int i = 3; i < n && row.us <= 0; i++)
        if (strchr(word[i], '.') || (i >= 5 && word[i][0] != '-'))
            row.us = atof(word[i]);
    if (n >= 12)
        row.in_place_us = atof(word[n - 4]);
    return add(measured, row, path, err);
}

static int read_text(struct asim_measured *measured, struct asim_src *src, struct asim_err *err)
{
    char *at = src->data;
    unsigned number = 0;
    int rc = 0;

    while (at && *at && !rc) {
        char *end = strchr(at, '\n');

        if (end)
            *end = '\0';
        rc = read_line(measured, at, ++number, src->name, err);
        at = end ? end + 1 : NULL;
    }
    return rc;
}

/* --- all ----------------------------------------------------------------------------------------
 */

/* Offset of the first line that is no comment and not empty. */
static size_t first_line(const struct asim_src *src)
{
    size_t at = 0;

    while (at < src->size && (src->data[at] == '#' || src->data[at] == '\n')) {
        const char *end = strchr(src->data + at, '\n');

        at = end ? (size_t)(end - src->data) + 1 : src->size;
    }
    return at;
}

static int by_bytes(const void *a, const void *b)
{
    uint64_t x = ((const struct asim_measured_row *)a)->bytes;
    uint64_t y = ((const struct asim_measured_row *)b)->bytes;

    return (x > y) - (x < y);
}

int asim_measured_read(struct asim_measured *measured, const char *path, struct asim_err *err)
{
    struct asim_src src;
    size_t from;
    int rc = asim_src_open(&src, path, err);

    memset(measured, 0, sizeof *measured);
    if (rc)
        return rc;
    from = first_line(&src);
    if (src.data[from] == '{' || src.data[from] == '[')
        rc = read_json(measured, &src, err);
    else if (memchr(src.data + from, ',', strcspn(src.data + from, "\n")))
        rc = read_csv(measured, &src, from, err);
    else
        rc = read_text(measured, &src, err);
    if (!rc && !measured->row.n)
        rc = asim_err_set(err, ASIM_EINVAL,
                          "%s: no row with a size and a time; expected the output of nccl-tests, "
                          "or CSV with size_bytes and time_us.",
                          path);
    if (!rc)
        qsort(measured->row.at, measured->row.n, sizeof *measured->row.at, by_bytes);
    asim_src_close(&src);
    return rc;
}

void asim_measured_fini(struct asim_measured *measured)
{
    free(measured->row.at);
    memset(measured, 0, sizeof *measured);
}

const struct asim_measured_row *asim_measured_find(const struct asim_measured *measured,
                                                   uint64_t bytes)
{
    for (size_t i = 0; i < measured->row.n; i++)
        if (measured->row.at[i].bytes == bytes)
            return &measured->row.at[i];
    return NULL;
}
