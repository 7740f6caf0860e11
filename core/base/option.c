/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Option tables: finds rows, fills defaults, parses values and checks ranges. option_help.c prints
 * the help. A table knows offsets, not types, so fields are written with memcpy; asim/ext/option.h
 * lists the types. Strings are malloc'ed copies that the struct owns and asim_option_fini frees;
 * setting a value again frees the old one. Every error has the key, the value found and an example
 * of a good value.
 *
 * To add a type: a value in enum asim_type, its parser (parse_value), its expectation (expected),
 * its size (option_fields.c) and its word in help (option_help.c).
 */
#include "asim/ext/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/option_names.h"
#include "base/text.h"

/* Suggestions and lists consider so many keys; a longer table still works. */
enum { MOST_WORDS = 256, MOST_LISTED = 32, MOST_CHOICES = 32, CHOICE_BYTES = 512 };

/* Linear: tables have at most some sixty rows. */
static const struct asim_option *find_exact(const struct asim_option *table, const char *key)
{
    for (const struct asim_option *row = table; row && row->key; row++) {
        if (!strcmp(row->key, key) || (row->alias && !strcmp(row->alias, key)))
            return row;
    }
    return NULL;
}

const struct asim_option *asim_option_find(const struct asim_option *table, const char *key)
{
    const struct asim_option *row = find_exact(table, key);
    const char *const *name = row ? NULL : asim_option_names(key, strlen(key));

    for (; !row && name && *name; name++)
        row = find_exact(table, *name);
    return row;
}

/* Suggests the most similar key; without one it lists all keys if they are few. Aliases are
 * suggested but not listed. */
int asim_option_unknown(const struct asim_option *table, const char *key, struct asim_where at,
                        struct asim_err *err)
{
    const char *words[MOST_WORDS] = {NULL};
    char safe[80], hint[160], list[700];
    size_t n = 0, keys = 0;
    for (const struct asim_option *row = table; row && row->key && n < MOST_WORDS; row++)
        words[n++] = row->key;
    /* Aliases follow the keys. */
    keys = n;
    for (const struct asim_option *row = table; row && row->key && n < MOST_WORDS; row++) {
        if (row->alias)
            words[n++] = row->alias;
    }
    const char *nearest = asim_text_nearest(key, words, n);
    asim_text_safe(safe, sizeof safe, key);
    if (nearest || keys == 0 || keys > MOST_LISTED)
        return asim_err_at(err, ASIM_EINVAL, at, "unknown option '%s'.%s", safe,
                           asim_text_hint(hint, sizeof hint, nearest));
    return asim_err_at(err, ASIM_EINVAL, at, "unknown option '%s'. Known are: %s.", safe,
                       asim_text_list(list, sizeof list, words, keys));
}

/* Splits "a|b|c" in buf; the words point into buf. */
static size_t split_choices(const char *choices, char *buf, const char *words[MOST_CHOICES])
{
    size_t n = 0;
    snprintf(buf, CHOICE_BYTES, "%s", choices ? choices : "");
    for (char *at = buf; *at && n < MOST_CHOICES; n++) {
        words[n] = at;
        at += strcspn(at, "|");
        if (*at)
            *at++ = '\0';
    }
    return n;
}

/* Choices are exact, as keys are: a file must mean the same in every version. */
static int parse_choice(const struct asim_option *row, const char *text, int *out)
{
    char buf[CHOICE_BYTES];
    const char *words[MOST_CHOICES];
    size_t n = split_choices(row->choices, buf, words);
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(words[i], text)) {
            *out = (int)i;
            return 0;
        }
    }
    return ASIM_EINVAL;
}

/* Copies a number without unit to buf and adds the unit; 0 if the text ends in something else. "5."
 * counts as a number without unit, as in published files. */
static int add_unit(char *buf, size_t size, const char *text, const char *unit)
{
    size_t n = strlen(text);
    if (!n || n + strlen(unit) + 1 > size)
        return 0;
    if ((text[n - 1] < '0' || text[n - 1] > '9') && text[n - 1] != '.')
        return 0;
    memcpy(buf, text, n);
    memcpy(buf + n, unit, strlen(unit) + 1);
    return 1;
}

/* A rate needs a unit unless the row allows a bare number: 200 could mean 200 Gb/s. */
static int parse_rate(const struct asim_option *row, const char *text, uint64_t *out)
{
    char buf[64];
    if ((row->flags & ASIM_F_BARE) && add_unit(buf, sizeof buf, text, "bps"))
        return asim_text_rate(buf, out);
    return asim_text_rate(text, out);
}

static int parse_size(const struct asim_option *row, const char *text, uint64_t *out)
{
    char buf[64];
    if ((row->flags & ASIM_F_MIB) && add_unit(buf, sizeof buf, text, "MiB"))
        return asim_text_size(buf, out);
    return asim_text_size(text, out);
}

/* The last character decides: "5" is bare, "5n" is a wrong unit and not 5 nanoseconds. */
static int parse_time(const struct asim_option *row, const char *text, uint64_t *out)
{
    char buf[64];
    unsigned bare = row->flags & (ASIM_F_NS | ASIM_F_US);
    if (bare && add_unit(buf, sizeof buf, text, bare & ASIM_F_US ? "us" : "ns"))
        return asim_text_time(buf, out);
    return asim_text_time(text, out);
}

/* A whole number, with a unit if the row has one. The field has the unit of the flag. */
static int parse_whole(const struct asim_option *row, const char *text, uint64_t *out)
{
    int code = asim_text_u64(text, out);
    double number;

    if (!code || !row->flags || asim_text_double(text, &number) == 0)
        return code;
    if (row->flags & ASIM_F_BYTES)
        return asim_text_size(text, out);
    if (!(row->flags & (ASIM_F_NS | ASIM_F_US)) || asim_text_time(text, out))
        return ASIM_EINVAL;
    *out /= row->flags & ASIM_F_US ? 1000 * ASIM_FS_PER_NS : ASIM_FS_PER_NS;
    return 0;
}

/* A value for a field of `bytes` bytes; measure is the number that min and max limit. */
struct value {
    union {
        int word;
        uint32_t u32;
        uint64_t u64;
        int64_t i64;
        double real;
        char *string;
    } as;
    size_t bytes;
    double measure;
};

/* All types whose value is an unsigned number. Fields of times are in fs, their ranges in ns. */
static int parse_u64(const struct asim_option *row, const char *text, struct value *v)
{
    /* Converted and checked in 64 bits, stored in the width of the field. */
    uint64_t n;
    int code;
    if (row->type == ASIM_T_RATE)
        code = parse_rate(row, text, &n);
    else if (row->type == ASIM_T_TIME)
        code = parse_time(row, text, &n);
    else if (row->type == ASIM_T_SIZE)
        code = parse_size(row, text, &n);
    else
        code = parse_whole(row, text, &n);
    if (code || (row->type == ASIM_T_U32 && n > UINT32_MAX))
        return ASIM_EINVAL;
    v->measure = row->type == ASIM_T_TIME ? (double)n / ASIM_FS_PER_NS : (double)n;
    v->bytes = row->type == ASIM_T_U32 ? sizeof v->as.u32 : sizeof v->as.u64;
    if (row->type == ASIM_T_U32)
        v->as.u32 = (uint32_t)n;
    else
        v->as.u64 = n;
    return 0;
}

/* All types except strings. Sets measure also without a range. */
static int parse_value(const struct asim_option *row, const char *text, struct value *v)
{
    int code;
    switch (row->type) {
    case ASIM_T_BOOL:
    case ASIM_T_CHOICE:
        v->bytes = sizeof v->as.word;
        code = row->type == ASIM_T_BOOL ? asim_text_bool(text, &v->as.word)
                                        : parse_choice(row, text, &v->as.word);
        v->measure = code ? 0 : v->as.word;
        return code;
    case ASIM_T_I64:
        v->bytes = sizeof v->as.i64;
        code = asim_text_i64(text, &v->as.i64);
        v->measure = code ? 0 : (double)v->as.i64;
        return code;
    case ASIM_T_DOUBLE:
        v->bytes = sizeof v->as.real;
        code = asim_text_double(text, &v->as.real);
        v->measure = code ? 0 : v->as.real;
        return code;
    case ASIM_T_STRING:
        return ASIM_EINVAL; /* set_string handles strings */
    default:
        return parse_u64(row, text, v);
    }
}

/* An example of a good value of the row, for the end of the sentence. */
static const char *expected(const struct asim_option *row)
{
    switch (row->type) {
    case ASIM_T_BOOL:
        return "0 or 1 (or true, false, yes, no, on, off)";
    case ASIM_T_U32:
        return "a whole number from 0 to 4294967295";
    case ASIM_T_U64:
        return "a whole number from 0 to 18446744073709551615";
    case ASIM_T_I64:
        return "a whole number of at most 64 bits";
    case ASIM_T_DOUBLE:
        return "a number like 0.5 or 1e-3";
    case ASIM_T_RATE:
        return row->flags & ASIM_F_BARE ? "a rate like 200Gbps or 200gbit, or a number of bit/s"
                                        : "a rate with its unit like 200Gbps, 200gbit or 100MB/s";
    case ASIM_T_TIME:
        if (row->flags & ASIM_F_US)
            return "a time like 1.5ms, or a number of us";
        return row->flags & ASIM_F_NS ? "a time like 1.5us, or a number of ns"
                                      : "a time with its unit like 25ns or 1.5us";
    case ASIM_T_SIZE:
        return "a whole number of bytes like 4096, 64KiB, 1M (2^20) or 10MB";
    default:
        return "another value";
    }
}

static int is_whole(const struct asim_option *row)
{
    return row->type == ASIM_T_U32 || row->type == ASIM_T_U64 || row->type == ASIM_T_I64;
}

static int refuse(const struct asim_option *row, const char *text, struct asim_where at,
                  struct asim_err *err)
{
    char safe[120], hint[120], buf[CHOICE_BYTES], list[CHOICE_BYTES];
    const char *words[MOST_CHOICES];
    asim_text_safe(safe, sizeof safe, text);
    if (is_whole(row) && row->max > row->min)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "%s is '%s', expected a whole number from %.10g to %.10g.", row->key,
                           safe, row->min, row->max);
    if (row->type != ASIM_T_CHOICE)
        return asim_err_at(err, ASIM_EINVAL, at, "%s is '%s', expected %s.", row->key, safe,
                           expected(row));
    size_t n = split_choices(row->choices, buf, words);
    asim_text_hint(hint, sizeof hint, asim_text_nearest(text, words, n));
    return asim_err_at(err, ASIM_EINVAL, at, "%s is '%s', expected one of %s.%s", row->key, safe,
                       asim_text_list(list, sizeof list, words, n), hint);
}

/* Ranges are in the units of the table (ns, bit/s, bytes), not in the user's. */
static const char *unit_of_range(const struct asim_option *row)
{
    return row->type == ASIM_T_TIME   ? " ns"
           : row->type == ASIM_T_RATE ? " bit/s"
           : row->type == ASIM_T_SIZE ? " bytes"
                                      : "";
}

/* The end of a sentence about a number that has no unit, or "". */
static const char *bare_unit(const struct asim_option *row, const char *text)
{
    size_t n = strlen(text);
    int is_bare = n && ((text[n - 1] >= '0' && text[n - 1] <= '9') || text[n - 1] == '.');

    if (!is_bare ||
        (row->type != ASIM_T_SIZE && row->type != ASIM_T_TIME && row->type != ASIM_T_RATE))
        return "";
    return row->flags & ASIM_F_MIB    ? "; a number without a unit is MiB"
           : row->flags & ASIM_F_US   ? "; a number without a unit is us"
           : row->flags & ASIM_F_NS   ? "; a number without a unit is ns"
           : row->flags & ASIM_F_BARE ? "; a number without a unit is bit/s"
                                      : "";
}

static int refuse_range(const struct asim_option *row, const char *text, struct asim_where at,
                        struct asim_err *err)
{
    char safe[120];

    return asim_err_at(err, ASIM_EINVAL, at, "%s is '%s', expected %.12g to %.12g%s%s.", row->key,
                       asim_text_safe(safe, sizeof safe, text), row->min, row->max,
                       unit_of_range(row), bare_unit(row, text));
}

/* The number at field in the units of min and max; 0 for other types. */
static double number_at(const struct asim_option *row, const void *field)
{
    uint32_t u32;
    uint64_t u64;
    double real;

    switch (row->type) {
    case ASIM_T_U32:
        memcpy(&u32, field, sizeof u32);
        return u32;
    case ASIM_T_DOUBLE:
        memcpy(&real, field, sizeof real);
        return real;
    case ASIM_T_TIME:
    case ASIM_T_U64:
    case ASIM_T_RATE:
    case ASIM_T_SIZE:
        memcpy(&u64, field, sizeof u64);
        return row->type == ASIM_T_TIME ? (double)u64 / ASIM_FS_PER_NS : (double)u64;
    default:
        return 0;
    }
}

int asim_option_is_doubtful(const struct asim_option *row, const void *field, const char *text,
                            char *buf, size_t size)
{
    const uint64_t us = 1000 * (uint64_t)ASIM_FS_PER_NS;
    double value = number_at(row, field);
    char safe[120];
    uint64_t fs = 0;

    asim_text_safe(safe, sizeof safe, text);
    if (row->flags & ASIM_F_WHOLE)
        memcpy(&fs, field, sizeof fs);
    if (fs % us) {
        snprintf(buf, size, "%s is '%s', of which %llu us count: the fraction is dropped", row->key,
                 safe, (unsigned long long)(fs / us));
        return 1;
    }
    if (!value || (row->usual_min == 0 && row->usual_max == 0) ||
        (value >= row->usual_min && value <= row->usual_max))
        return 0;
    snprintf(buf, size, "%s is '%s'; usual are %.12g to %.12g%s%s", row->key, safe, row->usual_min,
             row->usual_max, unit_of_range(row), bare_unit(row, text));
    return 1;
}

/* Frees the old string only after the copy has succeeded. */
static int set_string(void *field, const char *text, struct asim_err *err)
{
    size_t n = strlen(text) + 1;
    char *old, *copy = malloc(n);
    if (!copy)
        return asim_err_nomem(err, "keeping a setting");
    memcpy(copy, text, n);
    memcpy(&old, field, sizeof old);
    free(old);
    memcpy(field, &copy, sizeof copy);
    return 0;
}

/* Writes the field last: a refused value changes nothing. */
int asim_option_parse(const struct asim_option *row, void *base, const char *value,
                      struct asim_where at, struct asim_err *err)
{
    struct value v = {.bytes = 0};
    if (row->type == ASIM_T_STRING)
        return set_string((char *)base + row->offset, value, err);
    if (parse_value(row, value, &v))
        return refuse(row, value, at, err);
    /* min == max == 0 means "no range". */
    int ranged = row->min != 0 || row->max != 0;
    if (ranged && (v.measure < row->min || v.measure > row->max))
        return refuse_range(row, value, at, err);
    memcpy((char *)base + row->offset, &v.as, v.bytes);
    return 0;
}

int asim_option_set(const struct asim_option *table, void *base, struct asim_key_value setting,
                    struct asim_where at, struct asim_err *err)
{
    const struct asim_option *row = asim_option_find(table, setting.key);
    if (!row)
        return asim_option_unknown(table, setting.key, at, err);
    return asim_option_parse(row, base, setting.value, at, err);
}

int asim_option_next(struct asim_key_value *pair, char **list, char separator, struct asim_where at,
                     struct asim_err *err)
{
    char *end = strchr(*list, separator), *equals, safe[64];

    pair->key = *list;
    *list = end ? end + 1 : *list + strlen(*list);
    if (end)
        *end = '\0';
    equals = strchr(pair->key, '=');
    if (!equals || pair->key + strspn(pair->key, " \t") == equals)
        return asim_err_at(err, ASIM_EINVAL, at, "found '%s' where key=value is expected.",
                           asim_text_safe(safe, sizeof safe, pair->key));
    *equals = '\0';
    pair->value = equals + 1;
    return 0;
}

/* A key that is there twice, by its name or alias, is refused: one of the values would be lost.
 * Keys before it are looked for in what was cut, key and value in turn. */
int asim_option_set_list(const struct asim_option *table, void *base, const char *list,
                         char separator, struct asim_where at, struct asim_err *err)
{
    char *copy = strdup(list), *rest = copy;
    int code = copy ? 0 : asim_err_nomem(err, "reading options");

    while (!code && *rest) {
        const struct asim_option *row;
        struct asim_key_value pair;

        code = asim_option_next(&pair, &rest, separator, at, err);
        if (code)
            break;
        row = asim_option_find(table, pair.key);
        for (const char *word = copy; row && !code && word < pair.key;) {
            if (asim_option_find(table, word) == row)
                code = asim_err_at(err, ASIM_EINVAL, at,
                                   "the key '%s' is there twice; give it once.", row->key);
            word += strlen(word) + 1;
            word += strlen(word) + 1;
        }
        if (!code)
            code = asim_option_set(table, base, pair, at, err);
    }
    free(copy);
    return code;
}
