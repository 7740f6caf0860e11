/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads values that differ between ranks. A lookup walks the list: there are few ranges, and each
 * rank is looked up once, when the world opens.
 */
#include "conf/rank_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

/* "7", "8-15" or "*". */
static int read_range(struct asim_rank_value *value, const char *text)
{
    char from[24];
    const char *dash = strchr(text, '-');
    size_t n = dash ? (size_t)(dash - text) : strlen(text);
    uint64_t low, high;

    if (!strcmp(text, "*")) {
        value->from = 0;
        value->to = UINT32_MAX;
        return 0;
    }
    if (n >= sizeof from)
        return ASIM_EINVAL;
    memcpy(from, text, n);
    from[n] = '\0';
    if (asim_text_u64(from, &low) || asim_text_u64(dash ? dash + 1 : from, &high) || low > high ||
        high >= UINT32_MAX)
        return ASIM_EINVAL;
    value->from = (uint32_t)low;
    value->to = (uint32_t)high;
    return 0;
}

/* where: the key and file to name, and the greatest value allowed. NaN fails the comparison,
 * too. */
int asim_rank_values_read(struct asim_rank_values *values, const struct asim_rank_values_key *where,
                          const json_t *object, struct asim_err *err)
{
    struct asim_where at = {where->path, 0, 0};
    const char *range;
    json_t *value, *all = (json_t *)(uintptr_t)object; /* jansson's loop wants it mutable */
    char safe[64];

    if (!json_is_object(object))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "key \"%s\" is no object; expected {\"rank\": number}, such as {\"3\": "
                           "1.5, \"8-15\": 2}.",
                           where->key);
    values->at = calloc(json_object_size(object) + 1, sizeof *values->at);
    if (!values->at)
        return asim_err_nomem(err, "reading the system file");
    json_object_foreach(all, range, value)
    {
        struct asim_rank_value *one = &values->at[values->n];

        one->value = json_number_value(value);
        if (read_range(one, range) || !json_is_number(value) ||
            !(one->value >= 0 && one->value <= where->most) ||
            (where->whole && one->value != floor(one->value)))
            return asim_err_at(err, ASIM_EINVAL, at,
                               "key \"%s\", entry \"%s\": expected a rank (\"7\"), ranks "
                               "(\"8-15\") or \"*\", and a %snumber from 0 to %g.",
                               where->key, asim_text_safe(safe, sizeof safe, range),
                               where->whole ? "whole " : "", where->most);
        values->n++;
    }
    return 0;
}

/* The narrowest range that holds the rank wins, so an exception can stand beside a "*"; of equally
 * narrow ones the last. def where none does. */
double asim_rank_values_get(const struct asim_rank_values *values, uint32_t rank, double def)
{
    uint32_t narrowest = UINT32_MAX;

    for (size_t i = 0; i < values->n; i++) {
        const struct asim_rank_value *one = &values->at[i];

        if (rank < one->from || rank > one->to || one->to - one->from > narrowest)
            continue;
        narrowest = one->to - one->from;
        def = one->value;
    }
    return def;
}

/* "*" begins with rank 0, which is always there. */
uint32_t asim_rank_values_beyond(const struct asim_rank_values *values, uint32_t n)
{
    for (size_t i = 0; i < values->n; i++)
        if (values->at[i].from >= n)
            return values->at[i].from;
    return UINT32_MAX;
}

void asim_rank_values_fini(struct asim_rank_values *values)
{
    free(values->at);
    *values = (struct asim_rank_values){NULL, 0};
}
