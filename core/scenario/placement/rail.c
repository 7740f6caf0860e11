/* SPDX-License-Identifier: GPL-2.0-only
 *
 * All hosts of a leaf or rail switch before those of the next. In rail-optimised networks a host is
 * a GPU with its NIC, and the GPUs of equal number of all servers share a rail: a job of as many
 * ranks as there are servers stays on one rail. Where hosts of a leaf have consecutive numbers it
 * is the same as packed.
 */
#include "scenario/place.h"

static int order(const struct asim_placement_view *view, const void *options, uint32_t *at)
{
    (void)options;
    for (uint32_t s = 0; s <= view->switches; s++)
        for (uint32_t host = 0; host < view->hosts; host++)
            for (uint32_t k = 0; k < view->per_host && view->switch_of[host] == s; k++)
                *at++ = host;
    return 0;
}

const struct asim_placement asim_scenario_placement_rail = {
    .member = {.name = "rail", .about = "the hosts of one leaf or rail switch after the other"},
    .order = order,
};
