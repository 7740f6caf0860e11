/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The files that a run reads, listed when the world opens: no output may replace one of them
 * (base/io/inputs.h), and their bytes are part of the run's identity. Traces are listed by their
 * prefix, also those that other processes read.
 */
#include "base/io/inputs.h"
#include "sim/world.h"
#include "asim/asim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file, or the traces of a prefix. Only what was there when the world opened has bytes. */
static int list(struct asim_world *world, const char *path, int is_prefix, struct asim_err *err)
{
    struct asim_input input = {path ? asim_arena_strdup(&world->arena, path) : NULL, is_prefix};
    int code;

    if (!path)
        return 0;
    code = is_prefix ? asim_inputs_add_set(world->set.inputs, path, err)
                     : asim_inputs_add(world->set.inputs, path, err);
    if (code)
        return code;
    return !input.name || ASIM_VEC_PUSH(world->set.input_names, input)
               ? asim_err_nomem(err, "listing the inputs")
               : 0;
}

int asim_world_identify(struct asim_world *world, const struct asim_option *table,
                        const void *values, struct asim_err *err)
{
    int code = 0;

    asim_identity_options(world, table, values);
    for (const struct asim_option *row = table; row->key && !code; row++) {
        char *text = NULL;

        if (row->type == ASIM_T_STRING && row->flags & ASIM_F_READS)
            memcpy(&text, (const char *)values + row->offset, sizeof text);
        code = list(world, text, 0, err);
    }
    return code;
}

/* The traces of collective algorithms, and the file that names those of single nodes. */
static int list_algorithms(struct asim_world *world, struct asim_err *err)
{
    int code = list(world, world->set.system.per_node_custom, 0, err);

    for (int kind = 0; kind < ASIM_COLL_TYPES && !code; kind++)
        code = list(world, world->set.custom[kind], 1, err);
    for (size_t i = 0; i < world->set.node_prefixes.n && !code; i++)
        code = list(world, world->set.node_prefixes.at[i].prefix, 1, err);
    return code;
}

/* machine:FILE,nodes=4 and auto:machine,file=FILE read that file. */
static int list_machine(struct asim_world *world, const char *topology, struct asim_err *err)
{
    const char *at = topology ? strstr(topology, "file=") : NULL;
    char path[4096];

    if (topology && !strncmp(topology, "machine:", 8))
        at = topology + 8;
    else if (at)
        at += 5;
    if (!at)
        return 0;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at, ","), at);
    return list(world, path, 0, err);
}

int asim_world_list_inputs(struct asim_world *world, const struct asim_settings *set,
                           struct asim_err *err)
{
    const char *const paths[] = {
        set->scenario,  set->system,          set->network,           set->logical,
        set->memory,    set->groups,          set->machine,           set->nccl_env,
        set->placement, set->compare_network, world->set.topo.source, world->set.net.trace_file};
    int code = 0;

    world->set.inputs = calloc(1, sizeof *world->set.inputs);
    if (!world->set.inputs)
        return asim_err_nomem(err, "listing the inputs");
    asim_identity_begin(world, set);
    for (uint32_t j = 0; j < world->set.n_jobs && !code; j++)
        code = list(world, world->set.jobs[j].prefix, 1, err);
    for (size_t i = 0; i < sizeof paths / sizeof *paths && !code; i++)
        code = list(world, paths[i], 0, err);
    if (!code)
        code = list_machine(world, set->topology, err);
    return code ? code : list_algorithms(world, err);
}

void asim_world_close_inputs(struct asim_world *world)
{
    if (world->set.inputs)
        asim_inputs_fini(world->set.inputs);
    ASIM_FREE(world->set.inputs, world->set.input_names.at);
}
