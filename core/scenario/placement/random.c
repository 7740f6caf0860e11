/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A random permutation of all slots (Fisher and Yates), the same for the same seed and topology.
 */
#include "base/map.h"
#include "scenario/place.h"

struct options {
    uint64_t seed;
};

#define ROW(...) ASIM_OPTION(struct options, __VA_ARGS__)
static const struct asim_option rows[] = {ROW("seed", U64, seed, "seed of the draw", .def = "1"),
                                          {0}};

static int order(const struct asim_placement_view *view, const void *options, uint32_t *at)
{
    const struct options *opt = options;
    size_t n = (size_t)view->hosts * view->per_host;
    uint64_t state = asim_mix64(opt->seed + 1);

    for (size_t i = 0; i < n; i++)
        at[i] = (uint32_t)(i / view->per_host);
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)((asim_mix64(state += UINT64_C(0x9e3779b97f4a7c15)) >> 32) * i >> 32);
        uint32_t moved = at[i - 1];

        at[i - 1] = at[k];
        at[k] = moved;
    }
    return 0;
}

const struct asim_placement asim_scenario_placement_random = {
    .member = {"random", "free places drawn at random", rows, sizeof(struct options)},
    .order = order,
};
