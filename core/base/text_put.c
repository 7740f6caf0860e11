/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Numbers written without a format: for files with a line per message, where printf took a quarter
 * of a whole run. Each function writes at `at`, where there must be room for the longest value,
 * puts no NUL behind it, and returns where the next character goes. The digits are printf's, %llu
 * and %08x, on every locale.
 */
#include "base/text.h"

#include <string.h>

/* Four digits a round: most values here take one or two. */
static unsigned digits_of(uint64_t value)
{
    unsigned n = 1;

    for (; value >= 10000; value /= 10000)
        n += 4;
    return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

/* Two digits at a time, the last ones first, where they belong: a copy of a length nobody knows
 * costs more than counting them. A division by a constant is a multiplication. */
char *asim_text_put_u64(char *at, uint64_t value)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    char *end = at + digits_of(value), *first = end;

    for (; value >= 10; value /= 100)
        memcpy(first -= 2, &pairs[value % 100 * 2], 2);
    if (first != at)
        *at = (char)('0' + value);
    return end;
}

char *asim_text_put_hex8(char *at, uint32_t value)
{
    static const char digits[] = "0123456789abcdef";

    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = digits[value >> shift & 15];
    return at;
}
