/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ASTRA-sim reads JSON with a library that throws on a wrong type, which ends the program
 * without naming the key (system-layer.md#system-file). Here every value goes through the option
 * tables as text, so that ranges, choices and messages are those of every other kind of setting;
 * only the JSON type is checked before, because "4" for a number is an error in ASTRA-sim, too.
 */
#include "conf/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/io/json.h"
#include "base/io/src.h"
#include "base/text.h"

int asim_json_open(json_t **root, const char *path, struct asim_err *err)
{
    int rc = asim_json_read(root, path, err);

    if (!rc && !json_is_object(*root)) {
        struct asim_where at = {path, 0, 0};

        rc = asim_err_at(err, ASIM_EINVAL, at,
                         "found %s where an object {\"key\": value, ...} is "
                         "expected.",
                         asim_json_type_name(*root));
        json_decref(*root);
        *root = NULL;
    }
    return rc;
}

/* With its article, ready for "found …". */
const char *asim_json_type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a truth value";
    default:
        return "null";
    }
}

/* Rows that want a string; all others want a number or a truth value. */
static int is_word_type(enum asim_type type)
{
    return type == ASIM_T_STRING || type == ASIM_T_CHOICE;
}

/* The value as text for the option parser. Whole reals have no fraction in it, so that 10.0 is
 * valid for an integer, as in ASTRA-sim. Other doubles have 17 digits, which restore the same
 * double. */
const char *asim_json_scalar_text(char *buf, size_t size, const json_t *value)
{
    double real = json_number_value(value);

    if (json_is_boolean(value))
        return json_is_true(value) ? "1" : "0";
    if (json_is_integer(value))
        snprintf(buf, size, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (real == floor(real) && fabs(real) < 1e15)
        snprintf(buf, size, "%.0f", real);
    else
        snprintf(buf, size, "%.17g", real);
    return buf;
}

/* JSON's types are checked first: a number in quotes is refused, as ASTRA-sim refuses it. */
int asim_json_option(const struct asim_option *row, void *base, const json_t *value,
                     const char *path, struct asim_err *err)
{
    struct asim_where at = {path, 0, 0};
    char buf[64];
    int word = is_word_type(row->type);

    if (word && json_is_string(value)) {
        /* Embedded NULs cannot occur: jansson refuses them without JSON_ALLOW_NUL. */
        if (json_string_length(value) == 0)
            return asim_err_at(err, ASIM_EINVAL, at, "key \"%s\" is an empty string.", row->key);
        return asim_option_parse(row, base, json_string_value(value), at, err);
    }
    if (!word && (json_is_number(value) || (json_is_boolean(value) && row->type == ASIM_T_BOOL)))
        return asim_option_parse(row, base, asim_json_scalar_text(buf, sizeof buf, value), at, err);
    return asim_err_at(err, ASIM_EINVAL, at, "key \"%s\" is %s, but %s is expected.", row->key,
                       asim_json_type_name(value), word ? "a string" : "a number");
}

/* 9e15 is below 2^53: up to there a double that looks whole is. */
int asim_json_u64(uint64_t *out, const json_t *value)
{
    double real;

    if (json_is_string(value))
        return asim_text_u64(json_string_value(value), out);
    if (json_is_integer(value)) {
        if (json_integer_value(value) < 0)
            return ASIM_EINVAL;
        *out = (uint64_t)json_integer_value(value);
        return 0;
    }
    if (!json_is_real(value))
        return ASIM_EINVAL;
    real = json_real_value(value);
    if (real < 0 || real > 9e15 || real != floor(real))
        return ASIM_EINVAL;
    *out = (uint64_t)real;
    return 0;
}

/* Finds the first occurrence of the key in quotes before a colon. Does not find a key written with
 * escapes. */
int asim_json_place(struct asim_err *err, const char *path, const char *key)
{
    struct asim_src src;
    size_t n = strlen(key);
    unsigned line = 1;

    if (!err || err->code != ASIM_EINVAL || err->line || path[0] == '{')
        return err ? err->code : ASIM_EINVAL;
    if (asim_src_open(&src, path, NULL))
        return err->code;
    for (const char *at = src.data, *end = src.data + src.size; at < end && !err->line; at++) {
        line += *at == '\n';
        if (*at == '"' && (size_t)(end - at) > n + 2 && !memcmp(at + 1, key, n) &&
            at[n + 1] == '"' && at[n + 2 + strspn(at + n + 2, " \t\r\n")] == ':')
            err->line = line;
    }
    asim_src_close(&src);
    return err->code;
}
