/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Files → world. Reads settings, network, topology and traces in that order and checks that they
 * fit together, so that a run does not discover an input error in simulated time.
 *
 * The order matters twice: checks of a file need the files before it, and the user sees the first
 * error. The world owns everything that was opened, so one close serves every failure.
 */
#include "asim/asim.h"
#include "sim/collective/coll_setup.h"
#include "sim/ops/issue.h"
#include "sim/ops/memory.h"
#include "sim/rank/breakdown.h"
#include "sim/rank/event_bus.h"
#include "net/ways.h"
#include "sim/distributed/distribution.h"
#include "sim/families.h"
#include "sim/world.h"
#include "topo/route.h"

#include <stdlib.h>
#include <string.h>

/* injection-scale multiplies a delay that the file gives, not the built-in one
 * (system-layer.md#system-file). The product is truncated. */
static int open_system(struct asim_world *world, const struct asim_settings *set,
                       struct asim_err *err)
{
    int code = set->system ? asim_system_read(&world->set.system, set->system,
                                              asim_world_diagnostics(world), err)
                           : asim_system_defaults(&world->set.system, ASIM_LIKE_ASTRA_SIM, err);
    double ns;

    if (code)
        return code;
    ns = (double)world->set.system.endpoint_delay_ns;
    if (world->set.system.endpoint_delay_set)
        ns *= set->injection_scale;
    if (!(ns >= 0 && ns <= INT32_MAX))
        return asim_err_set(err, ASIM_EINVAL,
                            "endpoint-delay, times --injection-scale, is %g ns; expected 0 to %d",
                            ns, INT32_MAX);
    world->set.endpoint_ns = (int64_t)ns;
    return 0;
}

/* Memory needs the number of ranks; collectives need all of it. */
static int open_rest(struct asim_world *world, const struct asim_settings *set,
                     struct asim_err *err)
{
    if (set->memory &&
        asim_memory_read(&world->set.memory, set->memory, asim_world_diagnostics(world), err))
        return ASIM_EINVAL;
    if (asim_world_open_groups(world, set, err))
        return ASIM_EINVAL;
    if (asim_memory_setup(world, err))
        return asim_world_attach_source(ASIM_EINVAL, set->memory, err);
    if (world->run.memory_servers && asim_settings_has(set, ASIM_NET_FRAMES) && !set->per_event)
        asim_world_diagnose(world, "the remote memory is shared between ranks, which couples them "
                                   "without delay: the packet network runs frame by frame");
    return asim_world_attach_source(asim_coll_setup(world, err), set->system, err);
}

/* Copies the text into the arena; NULL stays NULL. */
static int keep(struct asim_world *world, const char **kept, const char *text, struct asim_err *err)
{
    *kept = text ? asim_arena_strdup(&world->arena, text) : NULL;
    return text && !*kept ? asim_err_nomem(err, "starting") : 0;
}

/* Keeps the strings that reports read. */
static int keep_strings(struct asim_world *world, const struct asim_settings *set,
                        struct asim_err *err)
{
    const char *folder = set->logging_folder;
    int code = keep(world, &world->set.pcap, set->pcap, err);

    if (!code)
        code = keep(world, &world->set.log_folder, folder && *folder ? folder : NULL, err);
    if (!code)
        code = keep(world, &world->set.reports, set->reports, err);
    return code;
}

static int keep_texts(struct asim_world *world, const struct asim_settings *set,
                      struct asim_err *err)
{
    int code = keep_strings(world, set, err);

    return code ? code : asim_world_list_inputs(world, set, err);
}

/* Ranks that share one clock run on one thread. */
static int check_parallel(const struct asim_settings *set, struct asim_err *err)
{
    if (asim_settings_has(set, ASIM_NET_FRAMES) || set->processes < 2)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "an analytical network has one clock for all ranks and runs in one "
                        "process; leave out --mpi and mpiexec");
}

static int check_settings(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    if (!set->queues_per_dim || (set->process && set->process >= set->processes))
        return asim_err_set(err, ASIM_EINVAL,
                            "queues_per_dim or process of the settings is out of range; begin with "
                            "asim_settings_init.");
    if (asim_families_check(err))
        return ASIM_EBUG;
    if (asim_ways_parse(set->without, &world->set.without, err))
        return ASIM_EUSAGE;
    if (set->workload || set->scenario)
        return 0;
    return asim_err_set(err, ASIM_EUSAGE,
                        "no workload given; say --workload=PREFIX, where the "
                        "traces are PREFIX.0.et, PREFIX.1.et, …");
}

static const struct asim_world_functions functions = {asim_world_open, asim_world_run,
                                                      asim_world_close};

/* The first error ends it; asim_world_close frees the parts that were opened. */
static int open_all(struct asim_world *world, const struct asim_settings *set, struct asim_err *err)
{
    int code = check_settings(world, set, err);

    if (code || (code = open_system(world, set, err)) ||
        (code = asim_world_open_jobs(world, set, err)) ||
        (code = asim_world_open_network(world, set, err)) || (code = check_parallel(set, err)) ||
        (code = open_rest(world, set, err)) || (code = asim_world_decide_order(world, err)) ||
        (code = asim_distribution_open(world, set, err)) || (code = keep_texts(world, set, err)))
        return code;
    asim_world_diagnose_options(world, set);
    for (uint32_t j = 0; j < world->set.n_jobs; j++)
        asim_world_diagnose_text(world, world->set.jobs[j].prefix);
    asim_world_diagnose_values(world);
    if ((code = asim_world_open_ranks(world, set, err)))
        return code;
    if (!asim_is_distributed(world))
        asim_world_diagnose_traces(world);
    if ((code = asim_world_prepare_ranks(world, err)))
        return code;
    asim_order_try(world, &functions);
    return asim_world_connect(world, err);
}

/* Converts a caller's struct of another size, from an older or newer header. Fields that this
 * library does not know must be 0. */
static int take_settings(struct asim_settings *own, const struct asim_settings *given,
                         struct asim_err *err)
{
    const char *at = (const char *)given;

    if (asim_settings_init(own, sizeof *own, err))
        return ASIM_EBUG;
    if (given->size < offsetof(struct asim_settings, queues_per_dim))
        return asim_err_set(err, ASIM_EINVAL,
                            "the settings are not initialized; begin with asim_settings_init.");
    for (size_t i = sizeof *own; i < given->size; i++)
        if (at[i])
            return asim_err_set(err, ASIM_EINVAL,
                                "the settings use a field that asim %s does not have; the program "
                                "was compiled with a newer one.",
                                asim_version());
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    if (own->mode && !strcmp(own->mode, "packet"))
        own->mode = NULL;
    return 0;
}

/* Reads settings during the call only. Strings in world->set.settings must not be used afterwards.
 */
int asim_world_open(struct asim_world **out, const struct asim_settings *settings,
                    const struct asim_hooks *hooks, struct asim_err *err)
{
    struct asim_world *world = calloc(1, sizeof *world);
    struct asim_settings own;
    int code;

    *out = NULL;
    if (!world)
        return asim_err_nomem(err, "starting");
    if (hooks)
        world->hooks = *hooks;
    asim_arena_init(&world->arena, 0);
    asim_map_init(&world->run.sizes);
    asim_map_init(&world->made.nccl_choices);
    asim_map_init(&world->made.nccl_servers);
    asim_map_init(&world->made.nccl_locals);
    world->op_done = asim_op_done;
    pthread_mutex_init(&world->made.lock, NULL);
    asim_topo_init(&world->set.topo);
    code = take_settings(&own, settings, err);
    world->set.settings = own; /* opening changes the copy */
    if (!code)
        code = open_all(world, &own, err);
    if (code) {
        asim_world_close(world);
        return code;
    }
    *out = world;
    return 0;
}

/* The reverse of opening. NULL is fine. Also ends a world in the middle of a run. */
void asim_world_close(struct asim_world *world)
{
    if (!world)
        return;
    world->run.failed = 1; /* reports that are still open drop their files */
    asim_event_bus_close(&world->run.event_bus, world, NULL);
    asim_breakdown_free(world->run.breakdown);
    asim_world_close_ranks(world);
    asim_world_disconnect(world);
    asim_memory_fini(world);
    asim_coll_fini(world);
    asim_world_close_inputs(world);
    asim_distribution_close(world);
    asim_world_close_jobs(world);
    asim_route_close(world->set.route);
    asim_topo_fini(&world->set.topo);
    asim_dims_order_close(&world->set.order);
    asim_netconf_fini(&world->set.net);
    asim_system_fini(&world->set.system);
    asim_arena_fini(&world->arena);
    asim_map_fini(&world->run.sizes);
    asim_map_fini(&world->made.nccl_choices);
    ASIM_FREE(world->made.nccl_plans.at, world->made.nccl_loads);
    pthread_mutex_destroy(&world->made.lock);
    free(world);
}
