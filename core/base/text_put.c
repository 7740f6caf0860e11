/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Prints numbers without a format, for files with a line per message, where printf took a quarter
 * of a whole run. Each function writes at `at`, which must have room for the longest value, puts no
 * NUL, and returns the end. The digits are those of printf's %llu and %08x in every locale.
 */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "digits are put together in words for little-endian machines"
#endif

/* The eight digits of a value below 10^8, one per byte, the first in the lowest byte: halves of
 * four digits, then of two, then single digits, side by side in one word. The multiplications
 * replace divisions and are exact for so few digits (spare bits separate the fields). */
static uint64_t digits8(uint64_t value)
{
    uint64_t x = value / 10000 | value % 10000 << 32, t;

    t = (x * 10486 >> 20) & 0x0000007f0000007full; /* hundreds of each half */
    x = t | (x - t * 100) << 16;
    t = (x * 103 >> 10) & 0x000f000f000f000full; /* tens of each quarter */
    return t | (x - t * 10) << 8;
}

static const uint64_t zeros = 0x3030303030303030ull;

/* From nine digits on, the last eight are printed with leading zeros. */
static char *put_long(char *at, uint64_t value)
{
    uint64_t text = digits8(value % 100000000) + zeros;

    at = asim_text_put_u64(at, value / 100000000);
    memcpy(at, &text, sizeof text);
    return at + sizeof text;
}

/* Always writes eight characters and returns the true end. There is no loop over digits, whose
 * number the branch predictor would miss. */
char *asim_text_put_u64(char *at, uint64_t value)
{
    uint64_t digits, text;
    unsigned blank;

    if (value >= 100000000)
        return put_long(at, value);
    digits = digits8(value);
    blank = (unsigned)__builtin_ctzll(digits | 1ull << 56) / 8;
    text = (digits + zeros) >> 8 * blank;
    memcpy(at, &text, sizeof text);
    return at + sizeof text - blank;
}

char *asim_text_put_hex8(char *at, uint32_t value)
{
    static const char digits[] = "0123456789abcdef";

    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = digits[value >> shift & 15];
    return at;
}

/* The product has an error below 1e-7, so digits are certain unless it is about halfway between
 * two. */
char *asim_text_put_thousandths(char *at, double value)
{
    const double most = 1e6, close = 1e-6;
    double scaled = value * 1000, rest;
    uint64_t whole;

    if (!(value >= 0 && value < most))
        return at + sprintf(at, "%.3f", value);
    whole = (uint64_t)scaled;
    rest = scaled - (double)whole - 0.5;
    if (rest > -close && rest < close)
        return at + sprintf(at, "%.3f", value);
    whole += rest > 0;
    at = asim_text_put_u64(at, whole / 1000);
    *at++ = '.';
    for (uint64_t digit = 100; digit; digit /= 10)
        *at++ = (char)('0' + whole / digit % 10);
    return at;
}
