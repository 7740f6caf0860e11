/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Resolves the system configuration's algorithm lists once, before time starts: names to family
 * members, one entry per logical dimension. A list shorter than the dimensions is completed with
 * its last entry (the reference silently leaves those dimensions out of the collective).
 */
#include "sim/sim.h"

static int choose_list(struct asim_world *world, int kind, struct asim_err *err)
{
    const struct asim_words *words = &world->system.impl[kind];

    if (!words->n)
        return 0;
    if (words->n > world->dims.n)
        return asim_err_set(err, ASIM_EINVAL,
                            "the system configuration names %zu algorithms for %s, but there are "
                            "only %zu logical dimensions; give one per dimension",
                            words->n, asim_kind_name(kind), world->dims.n);
    world->choices[kind] = asim_arena_array(&world->arena, words->n, sizeof *world->choices[kind]);
    if (!world->choices[kind])
        return asim_err_nomem(err, "choosing algorithms");
    for (size_t d = 0; d < words->n; d++)
        if (asim_coll_choose(&world->choices[kind][d], words->at[d], err))
            return ASIM_EINVAL;
    world->n_choices[kind] = (uint32_t)words->n;
    return 0;
}

int asim_coll_setup(struct asim_world *world, struct asim_err *err)
{
    uint32_t stride = 1, queues = world->settings.queues_per_dim;

    for (int kind = 0; kind < ASIM_KINDS; kind++)
        if (choose_list(world, kind, err))
            return ASIM_EINVAL;
    if (asim_coll_choose(&world->ring, "ring", err))
        return ASIM_EINVAL;
    world->strides = asim_arena_array(&world->arena, world->dims.n, sizeof *world->strides);
    if (!world->strides)
        return asim_err_nomem(err, "laying out the logical dimensions");
    for (size_t d = 0; d < world->dims.n; d++) {
        world->strides[d] = stride;
        stride *= world->dims.at[d];
    }
    world->max_phases = 2 * (uint32_t)world->dims.n + 1;
    world->queue_limit = (world->system.active_chunks + queues - 1) / queues;
    return 0;
}
