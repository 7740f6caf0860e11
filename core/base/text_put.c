/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Numbers written without a format: for files with a line per message, where printf took a quarter
 * of a whole run. Each function writes at `at`, where there must be room for the longest value,
 * puts no NUL behind it, and returns where the next character goes. The digits are printf's, %llu
 * and %08x, on every locale.
 */
#include "base/text.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "digits are put together in words for little-endian machines"
#endif

/* The eight digits of a value below 10^8, a byte each, the first in the lowest: halves of four,
 * then of two, then one digit, side by side in one word. Divisions are multiplications that are
 * exact for so few digits (spare bits keep the lanes apart). */
static uint64_t digits8(uint64_t value)
{
    uint64_t x = value / 10000 | value % 10000 << 32, t;

    t = (x * 10486 >> 20) & 0x0000007f0000007full; /* hundreds of each half */
    x = t | (x - t * 100) << 16;
    t = (x * 103 >> 10) & 0x000f000f000f000full; /* tens of each quarter */
    return t | (x - t * 10) << 8;
}

static const uint64_t zeros = 0x3030303030303030ull;

/* Nine digits or more: the last eight stand all, zeros included. */
static char *put_long(char *at, uint64_t value)
{
    uint64_t text = digits8(value % 100000000) + zeros;

    at = asim_text_put_u64(at, value / 100000000);
    memcpy(at, &text, sizeof text);
    return at + sizeof text;
}

/* Eight characters are written whatever the length: what is too much is written over, or beyond
 * the end of the text. Without a loop over digits, whose number nobody guesses; the last digit
 * stands in any case. */
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
