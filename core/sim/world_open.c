/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Files → world. Reads settings, network, topology and traces in that order and checks that they
 * fit together, so that a run does not discover an input error in simulated time.
 *
 * The order matters twice: checks of a file need the files before it, and the user sees the first
 * error. The world owns everything that was opened, so one close serves every failure.
 */
#include "asim/asim.h"
#include "base/io/inputs.h"
#include "conf/rank_values.h"
#include "sim/collective/bus.h"
#include "sim/collective/coll_setup.h"
#include "sim/collective/groups.h"
#include "sim/collective/nccl_graph.h"
#include "sim/collective/op_graph.h"
#include "sim/collective/op_graph_set.h"
#include "sim/ops/issue.h"
#include "sim/ops/memory.h"
#include "sim/ops/round.h"
#include "sim/rank/breakdown.h"
#include "sim/rank/event_bus.h"
#include "net/ways.h"
#include "sim/collective/nvswitch.h"
#include "sim/distributed/distribution.h"
#include "sim/families.h"
#include "sim/rank/noise.h"
#include "sim/rank/tensor.h"
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

/* The counts of the traces of one rank; ranks with the same ops add the same. */
struct rank_counts {
    const struct asim_world_job *job; /* of the last rank opened, or NULL */
    const struct asim_feed *feed;     /* of that rank */
    const struct asim_world *world;
    struct asim_census census;
    uint64_t bytes;
    double packets; /* asim_order_packets */
};

static void count_op(void *self, const struct asim_op *op)
{
    struct rank_counts *counts = self;

    counts->bytes += asim_op_progress_bytes(op);
    counts->packets += asim_order_packets(counts->world, counts->job, op);
    asim_census_op(&counts->census, &counts->world->set.node_prefixes, op);
}

/* Opens the feed of rank r and counts its ops. */
static int open_feed(struct asim_world *world, uint32_t r, struct rank_counts *counts,
                     struct asim_feed **feed, struct asim_err *err)
{
    const struct asim_settings *set = &world->set.settings;
    const struct asim_world_job *job = asim_world_job_of(world, r);
    struct rank_counts own = {.job = job, .world = world};
    const struct asim_op_visitor visitor = {count_op, &own};
    struct asim_feed_options options = {.prefix = job->prefix,
                                        .rank = r - job->first,
                                        .plain = job->exact_names,
                                        .cached_records = set->window_ops,
                                        .lenient = !set->strict_deps,
                                        .visitor = &visitor,
                                        .like = counts->job == job ? counts->feed : NULL};

    if (asim_feed_open(feed, &options, err))
        return ASIM_EINVAL;
    if (!asim_feed_unread(*feed))
        *counts = own;
    counts->feed = *feed;
    return 0;
}

/* Adds the counts of a rank to the world's. */
static int count_rank(struct asim_rank *rank, struct rank_counts *counts, double *packets,
                      struct asim_err *err)
{
    struct asim_world_setup *setup = &rank->world->set;
    const struct asim_world_job *job = rank->job;
    const char *version;

    if (open_feed(rank->world, rank->id, counts, &rank->feed, err))
        return ASIM_EINVAL;
    *packets += counts->packets * job->repeat;
    setup->bytes_total += counts->bytes * job->repeat;
    setup->ops_total += asim_feed_total(rank->feed) * job->repeat;
    asim_census_add(&setup->census, &counts->census);
    if (!asim_feed_version_known(rank->feed, &version))
        asim_census_version(&setup->census, rank->id, version);
    return 0;
}

/* Queues and counters live in the arena; close_rank closes maps and the feed. */
static int open_rank(struct asim_world *world, uint32_t r, const struct asim_settings *set,
                     struct asim_err *err)
{
    struct asim_rank *rank = &world->run.ranks[r];
    const struct asim_world_job *job = asim_world_job_of(world, r);
    size_t dims = job->dims.n, queues = dims * set->queues_per_dim;

    rank->world = world;
    rank->job = job;
    rank->id = r;
    rank->compute_scale = asim_rank_values_get(&world->set.system.compute_scale, r, 1);
    if (world->set.settings.compute_factor > 0)
        rank->compute_scale *= world->set.settings.compute_factor;
    rank->start_delay_ns =
        job->start_ns + (uint64_t)asim_rank_values_get(&world->set.system.start_delay_ns, r, 0);
    rank->endpoint_ns = (uint64_t)world->set.endpoint_ns +
                        (uint64_t)asim_rank_values_get(&world->set.system.message_delay_ns, r, 0);
    asim_map_init(&rank->tick_map);
    asim_map_init(&rank->sequences);
    asim_map_init(&rank->inboxes);
    asim_map_init(&rank->running);
    rank->queues = asim_arena_array(&world->arena, queues, sizeof *rank->queues);
    rank->round_robin = asim_arena_array(&world->arena, dims, sizeof *rank->round_robin);
    if (!rank->queues || !rank->round_robin)
        return asim_err_nomem(err, "setting up ranks");
    return 0;
}

/* Several processes: each reads the traces of all ranks until the run is known to be long, since a
 * short one stays in the first process. */
static int decide_order(struct asim_world *world, struct asim_err *err)
{
    struct rank_counts counts = {0};
    struct asim_feed *feed, *last = NULL;
    double packets = 0;
    int code = 0;

    asim_order_open(world);
    if (world->set.settings.processes < 2 || !world->set.packet_events)
        return 0;
    for (uint32_t r = 0; !code && r < world->set.n_ranks && !asim_order_is_long(world, packets);
         r++) {
        code = open_feed(world, r, &counts, &feed, err);
        asim_feed_close(last);
        last = code ? NULL : feed;
        packets += counts.packets * asim_world_job_of(world, r)->repeat;
    }
    asim_feed_close(last);
    asim_order_decide(world, packets);
    return code;
}

/* calloc touches no page, so ranks of other processes cost no memory. NULL when out of memory. */
static struct asim_rank *make_ranks(struct asim_world *world)
{
    size_t line = _Alignof(struct asim_rank);

    world->run.ranks_memory = calloc(1, world->set.n_ranks * sizeof *world->run.ranks + line);
    if (world->run.ranks_memory)
        world->run.ranks = (void *)(((uintptr_t)world->run.ranks_memory + line - 1) & ~(line - 1));
    return world->run.ranks;
}

/* Those of this process. */
static int open_all_ranks(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    struct rank_counts counts = {0};
    double packets = 0;
    int code = 0;

    if (!make_ranks(world))
        return asim_err_nomem(err, "setting up ranks");
    for (uint32_t r = 0; !code && r < world->set.n_ranks; r++) {
        if (!asim_distribution_has(world, r))
            continue;
        code = open_rank(world, r, set, err);
        if (!code)
            code = count_rank(&world->run.ranks[r], &counts, &packets, err);
        world->set.n_here += !code;
    }
    if (!world->dist)
        asim_order_decide(world, packets);
    return code;
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

static const struct asim_world_functions functions = {asim_world_open, asim_world_close};

/* The first error ends it; asim_world_close frees the parts that were opened. */
static int open_all(struct asim_world *world, const struct asim_settings *set, struct asim_err *err)
{
    int code = check_settings(world, set, err);

    if (code || (code = open_system(world, set, err)) ||
        (code = asim_world_open_jobs(world, set, err)) ||
        (code = asim_world_open_network(world, set, err)) || (code = check_parallel(set, err)) ||
        (code = open_rest(world, set, err)) || (code = decide_order(world, err)) ||
        (code = asim_distribution_open(world, set, err)) || (code = keep_texts(world, set, err)))
        return code;
    asim_world_diagnose_options(world, set);
    for (uint32_t j = 0; j < world->set.n_jobs; j++)
        asim_world_diagnose_text(world, world->set.jobs[j].prefix);
    asim_world_diagnose_values(world);
    if ((code = open_all_ranks(world, set, err)))
        return code;
    if (!asim_is_distributed(world))
        asim_world_diagnose_traces(world);
    if ((code = asim_noise_open(world, err)) || (code = asim_round_open(world, err)) ||
        (code = asim_bus_setup(world, err)) || (code = asim_tensors_setup(world, err)))
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

/* Also serves a rank that was never opened, whose fields are all 0. */
static void close_rank(struct asim_rank *rank)
{
    asim_feed_close(rank->feed);
    asim_tensors_fini(rank);
    for (struct asim_coll_op *coll = rank->open_head; coll; coll = coll->next)
        free(coll->sizes);
    asim_map_fini(&rank->tick_map);
    asim_map_fini(&rank->sequences);
    asim_map_fini(&rank->inboxes);
    asim_map_fini(&rank->running);
    free(rank->skipped.at);
}

/* The reverse of opening. NULL is fine. Also ends a world in the middle of a run. */
void asim_world_close(struct asim_world *world)
{
    if (!world)
        return;
    world->run.failed = 1; /* reports that are still open drop their files */
    asim_event_bus_close(&world->run.event_bus, world, NULL);
    asim_breakdown_free(world->run.breakdown);
    for (uint32_t r = 0; world->run.ranks && r < world->set.n_ranks; r++)
        close_rank(&world->run.ranks[r]);
    free(world->run.ranks_memory);
    asim_world_disconnect(world);
    asim_group_fini(world);
    asim_op_graph_fini(world);
    asim_op_graph_set_fini(world);
    asim_nccl_graph_fini(world);
    asim_nvswitch_close(world);
    asim_memory_fini(world);
    asim_coll_fini(world);
    if (world->set.inputs)
        asim_inputs_fini(world->set.inputs);
    free(world->set.inputs);
    free(world->set.input_names.at);
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
    pthread_mutex_destroy(&world->made.lock);
    free(world);
}
