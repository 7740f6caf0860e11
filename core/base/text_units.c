/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rates, times and sizes with units, in exact decimal arithmetic: "0.0005ms" is 500,000,000 fs. A
 * number is its digits and the position of its point. The part before the point is multiplied with
 * an overflow check. The part after it is folded from the last digit as r = (digit * unit + r) /
 * 10, whose nested floors give the floor of the exact product. A unit is a small factor times a
 * power of ten, so shifting the point does the rest.
 *
 * Rates follow ns-3's DataRate: a fraction of a bit is dropped. (ns-3 multiplies a double, so some
 * of its fractions are one bit/s too low; here they are exact.)
 *
 * Refused: units in another case (gbps), two points, blanks between number and unit, values beyond
 * 64 bits, and numbers above 0 that would count as 0.
 */
#include "base/text.h"

#include <string.h>
#include "asim/err.h"

/* Larger exponents overflow or vanish; the limit keeps the loops short. */
enum { MOST_POWER = 1000 };

struct decimal {
    const char *digits, *end; /* digits with at most one '.' among them */
    long point;               /* number of digits before the point; may be negative */
};

/* Reads "[e[+-]digits]" at text into *power, clamped; returns the text behind it. */
static const char *read_power(const char *text, long *power)
{
    *power = 0;
    const char *at = text + 1;
    int negative = 0;
    if (*text != 'e' && *text != 'E')
        return text;
    if (*at == '+' || *at == '-')
        negative = *at++ == '-';
    if (*at < '0' || *at > '9')
        return text; /* no exponent: the e belongs to the unit */
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*power < MOST_POWER)
            *power = *power * 10 + (*at - '0');
    }
    if (negative)
        *power = -*power;
    return at;
}

/* Returns the unit after the number, or NULL if there is no number. */
static const char *read_decimal(const char *text, struct decimal *d)
{
    long whole = (long)strspn(text, "0123456789"), part = 0, power;
    const char *at = text + whole;
    if (*at == '.') {
        part = (long)strspn(at + 1, "0123456789");
        at += 1 + part;
    }
    if (whole + part == 0)
        return NULL;
    d->digits = text;
    d->end = at;
    at = read_power(at, &power);
    d->point = whole + power;
    return at;
}

/* Digit i of the number, without the '.'. */
static unsigned digit_at(const struct decimal *d, long i, long dot)
{
    return (unsigned)(d->digits[i + (i >= dot)] - '0');
}

/* *whole = floor(value * unit); *rest = 0 if exact, 1 below a half, 2 from a half on. unit <= 2^55,
 * so that 20 * unit fits. */
static int multiply(const struct decimal *d, uint64_t unit, uint64_t *whole, int *rest)
{
    long dot = (long)strcspn(d->digits, "."), n = (long)(d->end - d->digits);
    if (dot < n)
        n--;
    else
        dot = n;
    uint64_t before = 0, twice = 0;
    int dropped = 0;
    for (long i = 0; i < d->point; i++) {
        unsigned digit = i < n ? digit_at(d, i, dot) : 0;
        if (before > (UINT64_MAX - digit) / 10)
            return ASIM_EINVAL;
        before = before * 10 + digit;
    }
    for (long i = n - 1; i >= 0 && i >= d->point; i--) {
        uint64_t sum = digit_at(d, i, dot) * 2 * unit + twice;
        twice = sum / 10;
        dropped |= sum % 10 != 0;
    }
    for (long i = d->point; i < 0 && twice; i++) {
        dropped |= twice % 10 != 0;
        twice /= 10;
    }
    if (before > (UINT64_MAX - twice / 2) / unit)
        return ASIM_EINVAL;
    *whole = before * unit + twice / 2;
    *rest = twice & 1 ? 2 : dropped;
    return 0;
}

/* Returns 0, 1, 2, 3 for k, M, G, T, or -1; *at moves behind the letter. */
static int read_prefix(const char **at)
{
    static const char letters[] = "kMGT";
    const char *found = **at ? strchr(letters, **at == 'K' ? 'k' : **at) : NULL;
    if (!found)
        return -1;
    ++*at;
    return (int)(found - letters);
}

/* Returns the factor of "", k, Ki, M, Mi …; *at moves behind it. */
static uint64_t read_factor(const char **at)
{
    static const uint64_t decimal[] = {1000, 1000000, 1000000000, UINT64_C(1000000000000)};
    int prefix = read_prefix(at);
    if (prefix < 0)
        return 1;
    if (**at != 'i')
        return decimal[prefix];
    ++*at;
    return UINT64_C(1) << (10 * (prefix + 1));
}

/* 1 if a number above 0 is too small for any whole unit: 0 would have another meaning. */
static int vanishes(const struct decimal *d, uint64_t whole)
{
    for (const char *at = d->digits; !whole && at < d->end; at++)
        if (*at >= '1' && *at <= '9')
            return 1;
    return 0;
}

/* iproute2's spellings of bit rates: bit, kbit, mbit, gbit, tbit. 0 = none of them. */
static uint64_t iproute_factor(const char *unit)
{
    static const char letters[] = "kmgt";
    uint64_t factor = 1;
    const char *found = *unit ? strchr(letters, *unit) : NULL;
    if (found && !strcmp(unit + 1, "bit")) {
        for (const char *at = letters; at <= found; at++)
            factor *= 1000;
        return factor;
    }
    return !strcmp(unit, "bit") ? 1 : 0;
}

/* b is a bit and B a byte; gbps is refused because it is ambiguous. */
int asim_text_rate(const char *text, uint64_t *out_bps)
{
    static const struct {
        char name[8];
        unsigned bits;
    } units[] = {{"bps", 1}, {"b/s", 1}, {"bit/s", 1}, {"Bps", 8}, {"B/s", 8}, {"Byte/s", 8}};
    struct decimal d;
    const char *unit = read_decimal(text, &d);
    if (!unit)
        return ASIM_EINVAL;
    uint64_t iproute = iproute_factor(unit), factor = iproute ? iproute : read_factor(&unit);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        int rest;
        uint64_t bps;
        if (!iproute && strcmp(unit, units[i].name))
            continue;
        if (multiply(&d, factor * units[i].bits, &bps, &rest) || vanishes(&d, bps))
            return ASIM_EINVAL;
        *out_bps = bps;
        return 0;
    }
    return ASIM_EINVAL;
}

/* 2^64 fs are 5.1 hours, longer than any run; longer times are refused. */
int asim_text_time(const char *text, uint64_t *out_fs)
{
    static const struct {
        char name[4];
        int factor, power; /* factor * 10^power fs */
    } units[] = {{"fs", 1, 0}, {"ps", 1, 3},   {"ns", 1, 6},  {"us", 1, 9},  {"ms", 1, 12},
                 {"s", 1, 15}, {"min", 6, 16}, {"h", 36, 17}, {"d", 864, 17}};
    struct decimal d;
    const char *unit = read_decimal(text, &d);
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name))
            continue;
        uint64_t fs;
        int rest;
        d.point += units[i].power;
        if (multiply(&d, (uint64_t)units[i].factor, &fs, &rest) || (rest == 2 && fs == UINT64_MAX))
            return ASIM_EINVAL;
        if (vanishes(&d, fs + (rest == 2)))
            return ASIM_EINVAL;
        *out_fs = fs + (rest == 2);
        return 0;
    }
    return ASIM_EINVAL;
}

/* A letter alone, as nccl-tests writes sizes: 1M is 2^20 bytes. 0 = none. */
static uint64_t nccl_factor(const char *unit)
{
    static const char letters[] = "kKmMgG";
    const char *found = *unit && !unit[1] ? strchr(letters, *unit) : NULL;
    return found ? UINT64_C(1024) << 10 * ((found - letters) / 2) : 0;
}

int asim_text_size(const char *text, uint64_t *out_bytes)
{
    struct decimal d;
    const char *unit = read_decimal(text, &d);
    if (!unit)
        return ASIM_EINVAL;
    uint64_t bytes, factor = nccl_factor(unit);
    int rest, is_nccl = factor != 0;
    if (!is_nccl)
        factor = read_factor(&unit);
    if (!is_nccl && strcmp(unit, "B") && (factor != 1 || *unit))
        return ASIM_EINVAL;
    if (multiply(&d, factor, &bytes, &rest) || rest)
        return ASIM_EINVAL;
    *out_bytes = bytes;
    return 0;
}
