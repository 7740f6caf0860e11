/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics about inputs: legal values that are seldom meant, and the file that an error is
 * about.
 */
#include "conf/rank_values.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"

#include <stdio.h>

int asim_world_attach_source(int code, const char *path, struct asim_err *err)
{
    if (code && path && err && err->code == ASIM_EINVAL && !err->source[0])
        snprintf(err->source, sizeof err->source, "%s", path);
    return code;
}

/* A wrong rank number in a list would otherwise have no effect at all. */
void asim_world_diagnose_values(struct asim_world *world)
{
    const struct asim_system *sys = &world->set.system;
    const struct {
        const char *key;
        const struct asim_rank_values *values;
    } keys[] = {{"rank-compute-scale", &sys->compute_scale},
                {"rank-start-delay", &sys->start_delay_ns},
                {"rank-message-delay", &sys->message_delay_ns}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        uint32_t rank = asim_rank_values_beyond(keys[i].values, world->set.n_ranks);

        if (rank != UINT32_MAX)
            asim_world_diagnose(
                world,
                "%s has an entry for rank %u, which has no effect: the run has ranks 0 "
                "to %u",
                keys[i].key, rank, world->set.n_ranks - 1);
    }
}

/* One line for all ranks. With several processes only the end of the run knows the traces of all.
 */
void asim_world_diagnose_traces(struct asim_world *world)
{
    struct asim_totals totals;

    asim_totals_all(world, &totals);
    if (totals.dropped)
        asim_world_diagnose(
            world,
            "%llu control dependencies on nodes that are not in the traces were dropped "
            "(--strict-dependencies=1 makes them an error)",
            (unsigned long long)totals.dropped);
    if (totals.invalid)
        asim_world_diagnose(
            world,
            "%llu nodes are of the type INVALID_NODE (an empty record is one, with id "
            "0); they take no time",
            (unsigned long long)totals.invalid);
    if (totals.no_duration && !world->set.n_choices[ASIM_BROADCAST])
        asim_world_diagnose(world,
                            "%llu broadcasts have no recorded duration and take 1 ns; a "
                            "broadcast-implementation in the system configuration simulates them",
                            (unsigned long long)totals.no_duration);
    if (totals.idle)
        asim_world_diagnose(world,
                            "%u of %u traces have no nodes, that of rank %u is the first; such a "
                            "rank finishes at once",
                            totals.idle, world->set.n_ranks, totals.first_idle - 1);
}
