/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parses --bandwidth and --latency: a value or a factor.
 */
#include "base/override.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000 };

int asim_override_parse(struct asim_override *override, const char *option, enum asim_type type,
                        const char *text, struct asim_err *err)
{
    const struct asim_option row = {
        .key = option, .type = type, .offset = offsetof(struct asim_override, value)};
    char where[40], *end;
    double factor = strtod(text, &end);

    *override = (struct asim_override){0};
    snprintf(where, sizeof where, "--%s", option);
    if (end == text || strcmp(end, "x"))
        return asim_option_parse(&row, override, text, (struct asim_where){where, 0, 0}, err);
    if (!(factor > 0 && factor <= MOST))
        return asim_err_set(err, ASIM_EINVAL, "--%s=%s: a factor is above 0 and at most %d.",
                            option, text, MOST);
    override->factor = factor;
    return 0;
}

uint64_t asim_override_apply(const struct asim_override *override, uint64_t old)
{
    double scaled = (double)old * override->factor + 0.5;

    if (override->factor <= 0)
        return override->value;
    return scaled >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)scaled;
}
