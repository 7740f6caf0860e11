/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ways that are open to a run, and the names of those that `--without` turns off.
 */
#include "net/ways.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

#define SHORT_NAME(name, bit, text) name = ASIM_HAS_##name,
enum { ASIM_FEATURES(SHORT_NAME) };

#define ROW(name, bit, option, within, excluded_by, needs, about)                                  \
    {option, ASIM_WAY_##name, ASIM_WAY_##within, excluded_by, needs, about},
const struct asim_way_row asim_ways[] = {ASIM_WAYS(ROW){NULL, 0, 0, 0, 0, NULL}};
enum { WAYS = sizeof asim_ways / sizeof *asim_ways - 1 };

uint32_t asim_ways_of(uint32_t features, uint32_t without)
{
    uint32_t open = 0;

    for (const struct asim_way_row *row = asim_ways; row->way; row++)
        if (!(without & row->way) && (open & row->within) == row->within &&
            !(features & row->excluded_by) && (features & row->needs) == row->needs)
            open |= row->way;
    return open;
}

const char *asim_way_excluded_by(enum asim_way way, uint32_t features)
{
#define TEXT(name, bit, text) [bit] = text,
    static const char *const texts[] = {ASIM_FEATURES(TEXT)};
    const struct asim_way_row *row = asim_ways;

    while (row->way != way)
        row++;
    for (size_t bit = 0; bit < sizeof texts / sizeof *texts; bit++)
        if (features & row->excluded_by & 1u << bit)
            return texts[bit];
    return NULL;
}

static int unknown(const char *name, struct asim_err *err)
{
    const char *names[WAYS];
    char shown[LONGEST_NAME], hint[LONGEST_NAME], list[256];
    size_t n = 0;

    for (const struct asim_way_row *row = asim_ways; row->way; row++)
        if (row->name)
            names[n++] = row->name;
    return asim_err_set(err, ASIM_EUSAGE,
                        "--without: unknown fast path '%s'.%s The fast paths are: %s.",
                        asim_text_safe(shown, sizeof shown, name),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, n)),
                        asim_text_list(list, sizeof list, names, n));
}

int asim_ways_parse(const char *names, uint32_t *set, struct asim_err *err)
{
    const char *at = names ? names : "";

    for (*set = 0; *at;) {
        const struct asim_way_row *row = asim_ways;
        size_t n = strcspn(at, ",");
        char name[LONGEST_NAME];

        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name), at);
        while (row->way && (!row->name || strcmp(row->name, name)))
            row++;
        if (!row->way)
            return unknown(name, err);
        *set |= (uint32_t)row->way;
        at += n + (at[n] == ',');
    }
    return 0;
}
