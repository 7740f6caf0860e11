/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts in the order of their numbers, all slots of a host before the next.
 */
#include "scenario/place.h"

static int order(const struct asim_placement_view *view, const void *options, uint32_t *at)
{
    (void)options;
    for (uint32_t host = 0; host < view->hosts; host++)
        for (uint32_t k = 0; k < view->per_host; k++)
            *at++ = host;
    return 0;
}

const struct asim_placement asim_scenario_placement_packed = {
    .member = {.name = "packed", .about = "the lowest free hosts, each full before the next"},
    .order = order,
};
