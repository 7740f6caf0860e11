/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See ranges.h. A range that goes down, "7-0", is refused: it may be a slip.
 */
#include "scenario/ranges.h"

#include <string.h>

#include "asim/err.h"
#include "base/text.h"

enum { DIGITS = 10 };

static int read_number(struct asim_ranges *ranges, uint32_t *number)
{
    size_t n = strspn(ranges->at, "0123456789");
    char text[DIGITS + 1] = "";
    uint64_t value;

    if (!n || n > DIGITS)
        return ASIM_EINVAL;
    memcpy(text, ranges->at, n);
    if (asim_text_u64(text, &value) || value >= UINT32_MAX)
        return ASIM_EINVAL;
    ranges->at += n;
    *number = (uint32_t)value;
    return 0;
}

int asim_ranges_next(struct asim_ranges *ranges, uint32_t *number)
{
    if (!ranges->is_open) {
        if (!*ranges->at)
            return 0;
        if (read_number(ranges, &ranges->next))
            return ASIM_EINVAL;
        ranges->last = ranges->next;
        if (*ranges->at == '-') {
            ranges->at++;
            if (read_number(ranges, &ranges->last) || ranges->last < ranges->next)
                return ASIM_EINVAL;
        }
        if (*ranges->at && (*ranges->at != ',' || !*++ranges->at))
            return ASIM_EINVAL;
        ranges->is_open = 1;
    }
    *number = ranges->next;
    ranges->is_open = ranges->next++ < ranges->last;
    return 1;
}
