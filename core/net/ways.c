/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The table of ways to advance, and the names of those that `--without` turns off.
 */
#include "net/ways.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

#define SHORT_NAME(name, bit, text) name = ASIM_HAS_##name,
enum { ASIM_FEATURES(SHORT_NAME) };

const struct asim_way_row asim_ways[] = {
    {"bulk-switch", ASIM_WAY_BULK_SWITCH, 0, FRAMES | LOSSES | SPRAY | QUEUE_CHANGES, 0,
     "a switch's window port by port, not event by event"},
    {"host-fast", ASIM_WAY_HOST_FAST, 0,
     FRAMES | LOSSES | TELEMETRY | NIC_PAUSES | BACK_TO_ZERO | EVENT_LIST, 0,
     "frames of an uncongested host without the event loop"},
    {"uniform-phase", ASIM_WAY_UNIFORM_PHASE, 0, 0, 0, "steps of a collective that are all alike"},
    {NULL, ASIM_WAY_FAST_FORWARD, 0,
     FRAMES | PINT | LOSSES | EVENTS | SPRAY | NIC_PAUSES | QUEUE_CHANGES | SCHEDULER, 0,
     "fast-forward"},
    {"memo", ASIM_WAY_MEMO, ASIM_WAY_FAST_FORWARD, INT, 0, "replay of recorded episodes"},
    {NULL, ASIM_WAY_WHOLE, ASIM_WAY_MEMO, PROCESSES, 0, "of the whole network"},
    {NULL, ASIM_WAY_PARTS, ASIM_WAY_MEMO, REPORTS, 0, "of servers"},
    {NULL, ASIM_WAY_LEAVES, ASIM_WAY_PARTS, PROCESSES | SERVERS, 0,
     "of leaf switches with their hosts"},
    {"steady-state", ASIM_WAY_STEADY_STATE, ASIM_WAY_FAST_FORWARD, 0, STATE,
     "skip of periods inside long messages"},
    {NULL, ASIM_WAY_OWN_PERIOD, ASIM_WAY_STEADY_STATE, PROCESSES, 0, "in one process"},
    {NULL, ASIM_WAY_COMMON_PERIOD, ASIM_WAY_STEADY_STATE, TELEMETRY, PROCESSES,
     "in several, which vote"},
    {"half-steps", ASIM_WAY_HALF_STEPS, 0, EVENTS | TELEMETRY | SHORT_RTO, 0,
     "windows of two delays, hosts and switches in turn"},
    {NULL, ASIM_WAY_HALVES, ASIM_WAY_HALF_STEPS, PER_EVENT | SERVERS, HALVES,
     "of all nodes; else of those of one server"},
    {"domains", ASIM_WAY_DOMAINS, 0, PER_EVENT | EVENT_LIST | SHARDS, 0,
     "windows of long links, scale-up domains one by one"},
    {NULL, ASIM_WAY_SHARDS, 0, PROCESSES, 0, "a large switch by several threads"},
    {NULL, ASIM_WAY_EVENT_LIST, 0, PROCESSES | LOSSES | EVENTS | TRAFFIC, 0,
     "event by event in the order of ns-3's list (--order)"},
    {NULL, 0, 0, 0, 0, NULL},
};
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
