/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parses lists of numbers such as "0-3,7". A range that goes down, "7-0", is refused: it may be a
 * slip.
 */
#include "scenario/number_list.h"

#include <stdlib.h>
#include <string.h>

#include "asim/err.h"
#include "base/mem.h"
#include "base/text.h"

enum { DIGITS = 10 };

static int read_number(struct asim_number_list *ranges, uint32_t *number)
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

/* The next range into next and last: 1, 0 at the end, or ASIM_EINVAL. */
static int read_range(struct asim_number_list *ranges)
{
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
    return *ranges->at && (*ranges->at != ',' || !*++ranges->at) ? ASIM_EINVAL : 1;
}

int asim_number_list_next(struct asim_number_list *ranges, uint32_t *number)
{
    if (!ranges->is_open) {
        int code = read_range(ranges);

        if (code != 1)
            return code;
        ranges->is_open = 1;
    }
    *number = ranges->next;
    ranges->is_open = ranges->next++ < ranges->last;
    return 1;
}

struct span {
    uint32_t first, last;
};

ASIM_ORDER(by_first, struct span, ->first)

int asim_number_list_check(const char *text, uint32_t *twice)
{
    struct asim_number_list ranges = {text};
    ASIM_VEC(struct span) spans = {0};
    uint32_t last = 0;
    int code;

    while ((code = read_range(&ranges)) == 1) {
        const struct span span = {ranges.next, ranges.last};

        if (ASIM_VEC_PUSH(spans, span)) {
            code = ASIM_ENOMEM;
            break;
        }
    }
    if (!code && spans.n)
        qsort(spans.at, spans.n, sizeof *spans.at, by_first);
    for (size_t i = 0; i < spans.n && !code; i++) {
        if (i && spans.at[i].first <= last) {
            *twice = spans.at[i].first;
            code = 1;
        }
        last = spans.at[i].last > last ? spans.at[i].last : last;
    }
    free(spans.at);
    return code;
}
