/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One host of each leaf switch in turn, and one rank a host before any host gets a second: a job
 * that crosses the upper tiers as much as it can.
 */
#include "scenario/place.h"

#include <stdlib.h>
#include "base/mem.h"

/* The k-th host of every switch before the k + 1-th: of [hosts] by switch, first [switches + 1]. */
static void one_of_each(const uint32_t *of, const uint32_t *first, size_t switches, uint32_t *at)
{
    for (uint32_t k = 0, left = first[switches]; left; k++)
        for (size_t s = 0; s < switches; s++)
            if (k < first[s + 1] - first[s]) {
                *at++ = of[first[s] + k];
                left--;
            }
}

/* Sorts the hosts by their switch, in the order of their numbers. */
static int order(const struct asim_placement_view *view, const void *options, uint32_t *at)
{
    size_t switches = (size_t)view->switches + 1;
    uint32_t *first = calloc(switches + 1, sizeof *first);
    uint32_t *of = malloc(((size_t)view->hosts + 1) * sizeof *of);
    uint32_t *next = calloc(switches + 1, sizeof *next);
    int code = first && of && next ? 0 : ASIM_ENOMEM;

    (void)options;
    if (!code) {
        for (uint32_t host = 0; host < view->hosts; host++)
            first[view->switch_of[host] + 1]++;
        for (size_t s = 0; s < switches; s++)
            first[s + 1] += first[s];
        for (uint32_t host = 0; host < view->hosts; host++)
            of[first[view->switch_of[host]] + next[view->switch_of[host]]++] = host;
        one_of_each(of, first, switches, at);
        for (uint32_t i = view->hosts; i < view->hosts * view->per_host; i++)
            at[i] = at[i - view->hosts];
    }
    ASIM_FREE(next, of, first);
    return code;
}

const struct asim_placement asim_scenario_placement_spread = {
    .member = {.name = "spread", .about = "a host of each leaf switch in turn"},
    .order = order,
};
