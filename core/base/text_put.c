/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Numbers written without a format: for files with a line per message, where printf took a quarter
 * of a whole run. Each function writes at `at`, where there must be room for the longest value,
 * puts no NUL behind it, and returns where the next character goes. The digits are printf's, %llu
 * and %08x, on every locale.
 */
#include "base/text.h"

#include <string.h>

enum { DIGITS_MOST = 20 }; /* of 2^64 - 1 */

/* Two digits at a time, the last ones first. A division by a constant is a multiplication. */
char *asim_text_put_u64(char *at, uint64_t value)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char digits[DIGITS_MOST], *first = digits + DIGITS_MOST;
    size_t n;

    for (; value >= 10; value /= 100)
        memcpy(first -= 2, &pairs[value % 100 * 2], 2);
    if (value || first == digits + DIGITS_MOST)
        *--first = (char)('0' + value);
    n = (size_t)(digits + DIGITS_MOST - first);
    memcpy(at, first, n);
    return at + n;
}

char *asim_text_put_hex8(char *at, uint32_t value)
{
    static const char digits[] = "0123456789abcdef";

    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = digits[value >> shift & 15];
    return at;
}
