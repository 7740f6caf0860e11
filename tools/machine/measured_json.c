/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Measured tables as JSON: one value, or one a line. nccl-tests has a list "results" whose rows
 * hold both places; rccl-tests a list of rows, or lines, of one place each ("inPlace").
 */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "base/io/json.h"
#include "base/text.h"
#include "tools/machine/measured.h"
#include "tools/machine/sweep.h"

/* The first of the keys; rccl-tests writes some numbers as strings. NAN where it is no number. */
static double number_of(const json_t *object, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_t *value = json_object_get(object, *keys);
        double number;

        if (json_is_number(value))
            return json_number_value(value);
        if (json_is_true(value) || json_is_false(value))
            return json_is_true(value);
        if (json_is_string(value) && !strcmp(json_string_value(value), "N/A"))
            return 0;
        if (value && !json_is_object(value))
            return json_is_string(value) && !asim_text_double(json_string_value(value), &number)
                       ? number
                       : NAN;
    }
    return 0;
}

static int has_any(const json_t *object, const char *const *keys)
{
    while (*keys && !json_object_get(object, *keys))
        keys++;
    return *keys != NULL;
}

static int op_of(const json_t *row)
{
    static const char *const keys[] = {"op", "name", "experiment_name", "collective"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = json_object_get(row, keys[i]);

        if (json_is_string(value))
            return asim_nccl_op_find(json_string_value(value));
    }
    return -1;
}

/* Whether the bandwidth beside a time is the size over it; yes where one is absent. */
static int fits(const json_t *place, uint64_t bytes, double us, double *alg)
{
    static const char *const algs[] = {"alg_bw", "algBw", "algbw", "algbw_GBps", NULL};

    *alg = place ? number_of(place, algs) : 0;
    return isfinite(*alg) && (*alg <= 0 || asim_measured_agrees(bytes, us, *alg));
}

static int is_bytes(double size)
{
    return size > 0 && size < 1e18 && size == floor(size);
}

/* A row of 0 bytes is left out. */
static int no_size(const json_t *value, double size, const char *path, struct asim_err *err)
{
    if (!json_object_get(value, "size") && !json_object_get(value, "size_bytes"))
        return asim_err_set(err, ASIM_EINVAL, "%s: a row without \"size\", in bytes.", path);
    return size == 0 ? 0
                     : asim_err_set(err, ASIM_EINVAL,
                                    "%s: a row whose \"size\" is no whole number of bytes.", path);
}

/* Where the fields of a run out of place are: an object of its own, or the row. */
static const json_t *place_of(const json_t *value)
{
    const json_t *out = json_object_get(value, "out_of_place");

    return json_is_object(out) ? out : value;
}

static int add_row(struct asim_measured *measured, const json_t *value, const char *path,
                   struct asim_err *err)
{
    static const char *const sizes[] = {"size", "size_bytes", NULL};
    static const char *const times[] = {"time", "time_us", "oop_time_us", NULL};
    static const char *const in_times[] = {"ip_time_us", NULL};
    static const char *const buses[] = {"bus_bw", "busBw", "busbw", "busbw_GBps", NULL};
    static const char *const places[] = {"inPlace", "inplace", NULL};
    static const char *const wrongs[] = {"nwrong", "wrong", NULL};
    const json_t *in = json_object_get(value, "in_place"), *out = place_of(value);
    double size = json_is_object(value) ? number_of(value, sizes) : 0;
    struct asim_measured_row row = {0};
    double alg;

    if (size == 0 || !is_bytes(size))
        return no_size(value, size, path, err);
    row.bytes = (uint64_t)size;
    row.op = op_of(value);
    row.us = number_of(out, times);
    row.in_place_us =
        number_of(json_is_object(in) ? in : value, json_is_object(in) ? times : in_times);
    row.bus_factor = asim_measured_factor(row.bytes, row.us, number_of(out, buses));
    measured->wrong += number_of(out, wrongs) > 0;
    if (out != value && !has_any(out, times))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: \"out_of_place\" of the row of %llu bytes has no \"time\" (us).",
                            path, (unsigned long long)row.bytes);
    if (number_of(value, places) > 0 ||
        number_of(value, (const char *const[]){"in_place", NULL}) > 0) {
        row.in_place_us = row.us;
        row.us = 0;
    }
    if (!isfinite(row.us) || !isfinite(row.in_place_us) || !isfinite(row.bus_factor))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: a time or bandwidth of the row of %llu bytes is no number.", path,
                            (unsigned long long)row.bytes);
    if (!fits(out, row.bytes, row.us > 0 ? row.us : row.in_place_us, &alg) ||
        !fits(json_is_object(in) ? in : NULL, row.bytes, row.in_place_us, &alg))
        return asim_err_set(
            err, ASIM_EINVAL,
            "%s: %llu bytes in %g us (in place %g) are not %g GB/s; expected us and "
            "GB/s.",
            path, (unsigned long long)row.bytes, row.us, row.in_place_us, alg);
    if (row.us == 0 && row.in_place_us == 0)
        return asim_err_set(err, ASIM_EINVAL, "%s: the row of %llu bytes has no \"time\" (us).",
                            path, (unsigned long long)row.bytes);
    return asim_measured_add(measured, row, path, err);
}

static int add_value(struct asim_measured *measured, const json_t *root, const char *path,
                     struct asim_err *err)
{
    const json_t *rows = json_is_object(root) ? json_object_get(root, "results") : root;
    json_t *value;
    size_t i;
    int rc = 0;

    if (!json_is_array(rows))
        return add_row(measured, root, path, err);
    json_array_foreach((json_t *)rows, i, value)
    {
        rc = rc ? rc : add_row(measured, value, path, err);
    }
    return rc;
}

int asim_measured_json(struct asim_measured *measured, const struct asim_src *src,
                       struct asim_err *err)
{
    size_t at = 0;
    unsigned line = 0;

    while (at < src->size) {
        json_t *root;
        size_t space = strspn(src->data + at, " \t\r\n,\xef\xbb\xbf"), used, commas = 0;
        int rc;

        for (size_t i = at; i < at + space; i++) {
            line += src->data[i] == '\n';
            commas += src->data[i] == ',';
        }
        if (commas > (at > 0) || (commas && at + space == src->size))
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){src->name, line + 1, 0},
                               "a comma, expected a row: the file may be cut off.");
        at += space;
        if (at >= src->size)
            break;
        rc = asim_json_text(&root, src->name, src->data + at, src->size - at, &used, line, err);
        if (!rc)
            rc = add_value(measured, root, src->name, err);
        json_decref(root);
        if (rc)
            return rc;
        for (; used--; at++)
            line += src->data[at] == '\n';
    }
    return 0;
}
