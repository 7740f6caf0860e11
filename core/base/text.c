/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Plain numbers and truth values. strtoull and friends take leading blanks, signs on unsigned
 * numbers, hexadecimal, "inf" and trailing rubbish; each of these has hidden a mistake in a
 * configuration somewhere, so the shape of the text is checked here first and the C library only
 * converts. Numbers with units are in text_units.c, words for messages in text_show.c.
 *
 * All parsers share one contract: the whole text must be the number, 0 is success, and *out is only
 * written then. They never allocate and never look at the locale, but for strtod's decimal point.
 */
#include "base/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "asim/err.h"

/* ASCII only; isdigit would ask the locale. */
static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* By hand, not strtoull: that one takes "-1" for 2^64 - 1. The overflow test comes before the step
 * and is exact at 2^64 - 1. */
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

/* A sign is fine here, "+5" included: these are differences and delays people write with one. */
int asim_text_i64(const char *text, int64_t *out)
{
    int negative = *text == '-';
    uint64_t size;
    if (asim_text_u64(text + (*text == '-' || *text == '+'), &size))
        return ASIM_EINVAL;
    if (size > (uint64_t)INT64_MAX + (uint64_t)negative)
        return ASIM_EINVAL;
    if (negative)
        *out = size ? -(int64_t)(size - 1) - 1 : 0; /* INT64_MIN has no positive twin */
    else
        *out = (int64_t)size;
    return 0;
}

/* [sign] digits [. digits] [e [sign] digits], with a digit somewhere before the e. */
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

/* A host program may have set a locale whose decimal point is not '.'; strtod obeys it. */
static int double_in_locale(const char *text, double *value)
{
    char buf[128], *end;
    const char *point = localeconv()->decimal_point;
    size_t whole = strcspn(text, "."), rest = strlen(text + whole), mark = strlen(point);
    if (!rest || whole + mark + rest > sizeof buf)
        return ASIM_EINVAL;
    memcpy(buf, text, whole);
    memcpy(buf + whole, point, mark);
    memcpy(buf + whole + mark, text + whole + 1, rest); /* the NUL included */
    *value = strtod(buf, &end);
    return *end ? ASIM_EINVAL : 0;
}

/* strtod converts, correctly rounded; underflow to 0 is accepted, since 1e-400 of anything is 0 for
 * a simulation, but overflow to infinity is not. */
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
    /* Off words at even places. Arrays, not pointers: nothing to relocate in a shared library. */
    static const char words[][6] = {"0", "1", "false", "true", "no", "yes", "off", "on"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcasecmp(text, words[i])) {
            *out = (int)(i & 1);
            return 0;
        }
    }
    return ASIM_EINVAL;
}

/* Bytes of the folder part with its slash: 0 for a bare name. */
size_t asim_text_dirlen(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}
