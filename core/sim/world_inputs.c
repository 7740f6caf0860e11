/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The files that a run reads, listed when the world opens: no output may replace one of them
 * (base/io/inputs.h). Traces are listed by their prefix, also those that other processes read.
 */
#include "base/io/inputs.h"
#include "sim/world.h"

#include <stdlib.h>

/* The traces of collective algorithms, and the file that names those of single nodes. */
static int list_algorithms(struct asim_world *world, struct asim_inputs *inputs,
                           struct asim_err *err)
{
    int code = asim_inputs_add(inputs, world->set.system.per_node_custom, err);

    for (int kind = 0; kind < ASIM_COLL_TYPES && !code; kind++)
        code = asim_inputs_add_set(inputs, world->set.custom[kind], err);
    for (size_t i = 0; i < world->set.node_prefixes.n && !code; i++)
        code = asim_inputs_add_set(inputs, world->set.node_prefixes.at[i].prefix, err);
    return code;
}

int asim_world_list_inputs(struct asim_world *world, const struct asim_settings *set,
                           struct asim_err *err)
{
    const char *const paths[] = {
        set->system, set->network,         set->logical,           set->memory,
        set->groups, set->compare_network, world->set.topo.source, world->set.net.trace_file};
    struct asim_inputs *inputs = world->set.inputs = calloc(1, sizeof *inputs);
    int code = inputs ? asim_inputs_add(inputs, set->scenario, err)
                      : asim_err_nomem(err, "listing the inputs");

    for (uint32_t j = 0; j < world->set.n_jobs && !code; j++)
        code = asim_inputs_add_set(inputs, world->set.jobs[j].prefix, err);
    for (size_t i = 0; i < sizeof paths / sizeof *paths && !code; i++)
        code = asim_inputs_add(inputs, paths[i], err);
    return code ? code : list_algorithms(world, inputs, err);
}
