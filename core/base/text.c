/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Plain numbers and truth values. strtoull and its relatives accept leading blanks, signs on
 * unsigned numbers, hexadecimal, "inf" and trailing characters, which hide mistakes in
 * configurations. So this code checks the form of the text, and the C library only converts.
 * text_units.c has numbers with units, text_show.c texts for messages.
 *
 * Nothing here depends on the locale, except for strtod's decimal point.
 */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "asim/err.h"

/* isdigit would depend on the locale. */
static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* strtoull accepts "-1" as 2^64 - 1. The overflow test is exact at 2^64 - 1. */
int asim_text_u64(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (!*text)
        return ASIM_EINVAL;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return ASIM_EINVAL;
        unsigned digit = (unsigned)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return ASIM_EINVAL;
        value = value * 10 + digit;
    }
    *out = value;
    return 0;
}

/* A sign is allowed, "+5" included. */
int asim_text_i64(const char *text, int64_t *out)
{
    int negative = *text == '-';
    uint64_t size;
    if (asim_text_u64(text + (*text == '-' || *text == '+'), &size))
        return ASIM_EINVAL;
    if (size > (uint64_t)INT64_MAX + (uint64_t)negative)
        return ASIM_EINVAL;
    if (negative)
        *out = size ? -(int64_t)(size - 1) - 1 : 0; /* INT64_MIN has no positive counterpart */
    else
        *out = (int64_t)size;
    return 0;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit before the e. */
static int is_decimal(const char *text)
{
    text += *text == '-' || *text == '+';
    size_t whole = count_digits(text), part = 0;
    text += whole;
    if (*text == '.') {
        part = count_digits(text + 1);
        text += 1 + part;
    }
    if (whole + part == 0)
        return 0;
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        size_t power = count_digits(text);
        if (!power)
            return 0;
        text += power;
    }
    return *text == '\0';
}

/* The host program may have set a locale whose decimal point is not '.', which strtod obeys. */
static int double_in_locale(const char *text, double *value)
{
    char buf[128], *end;
    const char *point = localeconv()->decimal_point;
    size_t whole = strcspn(text, "."), rest = strlen(text + whole), mark = strlen(point);
    if (!rest || whole + mark + rest > sizeof buf)
        return ASIM_EINVAL;
    memcpy(buf, text, whole);
    memcpy(buf + whole, point, mark);
    memcpy(buf + whole + mark, text + whole + 1, rest); /* with the NUL */
    *value = strtod(buf, &end);
    return *end ? ASIM_EINVAL : 0;
}

/* strtod rounds correctly. Underflow to 0 is accepted, overflow to infinity is not. */
int asim_text_double(const char *text, double *out)
{
    if (!is_decimal(text))
        return ASIM_EINVAL;
    char *end;
    double value = strtod(text, &end);
    if (*end && double_in_locale(text, &value))
        return ASIM_EINVAL;
    if (!isfinite(value))
        return ASIM_EINVAL;
    *out = value;
    return 0;
}

int asim_text_bool(const char *text, int *out)
{
    /* Words for "off" are at even positions. Arrays need no relocation in a shared library. */
    static const char words[][6] = {"0", "1", "false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcasecmp(text, words[i])) {
            *out = (int)(i & 1);
            return 0;
        }
    }
    return ASIM_EINVAL;
}

size_t asim_text_dirlen(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

uint32_t asim_text_ranks(const char *name)
{
    const char *at = strstr(name, "npus_");
    uint64_t n = 0, unit = 1;

    for (; at && at > name && at[-1] >= '0' && at[-1] <= '9' && n < 1 << 20; unit *= 10)
        n += unit * (uint64_t)(*--at - '0');
    return at && at > name && at[-1] == '_' && n <= 1 << 20 ? (uint32_t)n : 0;
}
