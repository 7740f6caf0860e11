/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics about inputs: legal values that are seldom meant, and the file that an error is
 * about.
 */
#include "base/text.h"
#include "conf/rank_values.h"
#include "sim/collective/consistency.h"
#include "sim/collective/groups.h"
#include "sim/collective/op_graph_set.h"
#include "sim/distributed/distribution.h"
#include "sim/distributed/totals.h"
#include "sim/world.h"
#include "trace/shared.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int asim_world_attach_source(int code, const char *path, struct asim_err *err)
{
    if (code && path && err && err->code == ASIM_EINVAL && !err->source[0])
        snprintf(err->source, sizeof err->source, "%s", path);
    return code;
}

/* Those who made the traces say how much of them happens at once; as NCCL all does that may. */
static void diagnose_system_beside(struct asim_world *world, const struct asim_settings *set)
{
    char path[4096];

    if (!set->workload || set->system || world->set.settings.like == ASIM_LIKE_NCCL)
        return;
    snprintf(path, sizeof path, "%.4000s.system.json", set->workload);
    if (!access(path, F_OK))
        asim_world_diagnose(world,
                            "%s was made with the traces and is not used: ops that it allows at "
                            "once may take turns; --system=%s obeys it",
                            path, path);
}

/* Options of one run that change nothing in it, or that it lacks. */
void asim_world_diagnose_options(struct asim_world *world, const struct asim_settings *set)
{
    diagnose_system_beside(world, set);
    if (set->comm_scale != 1 || set->compute_scale != 1)
        asim_world_diagnose(world, "--%s-scale has no effect, as in ASTRA-sim",
                            set->comm_scale != 1 ? "comm" : "compute");
    if (set->logging && *set->logging && strcmp(set->logging, "empty"))
        asim_world_diagnose(
            world,
            "--logging-configuration has no effect: --logging-folder says where the log goes");
    if (set->injection_scale != 1 && !world->set.system.endpoint_delay_set)
        asim_world_diagnose(world, "--injection-scale has no effect: it multiplies an "
                                   "endpoint-delay that the system configuration states");
    if (set->logging_folder && *set->logging_folder && !world->set.system.trace_enabled)
        asim_world_diagnose(world, "--logging-folder has no effect: the system configuration does "
                                   "not say \"trace-enabled\": 1");
}

void asim_world_diagnose_text(struct asim_world *world, const char *workload)
{
    asim_trace_shared_diagnose(workload, asim_world_diagnostics(world));
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

/* Durations: ops that take the 1 ns of "no duration recorded". */
static void diagnose_durations(struct asim_world *world, const struct asim_census *census)
{
    const struct asim_system *sys = &world->set.system;
    int recorded = sys->replay_only || !sys->roofline;

    if (census->broadcasts && !world->set.n_choices[ASIM_BROADCAST] && !sys->replay_only &&
        !world->set.custom[ASIM_BROADCAST])
        asim_world_diagnose(world,
                            "%llu broadcasts have no recorded duration and take 1 ns; a "
                            "broadcast-implementation in the system configuration simulates them",
                            (unsigned long long)census->broadcasts);
    if (sys->replay_only && census->timeless_transfers)
        asim_world_diagnose(world,
                            "replay-only: %llu of %llu collectives, messages and memory accesses "
                            "have no recorded duration and take 1 ns each",
                            (unsigned long long)census->timeless_transfers,
                            (unsigned long long)census->transfers);
    if (recorded && census->work_computes)
        asim_world_diagnose(world,
                            "%llu computations have num_ops or tensor_size and no recorded "
                            "duration; they take 1 ns each%s",
                            (unsigned long long)census->work_computes,
                            sys->replay_only
                                ? ""
                                : " (roofline-enabled with peak-perf and local-mem-bw in the "
                                  "system configuration computes their times)");
    else if (recorded && census->computes && census->timeless_computes == census->computes)
        asim_world_diagnose(world,
                            "none of the %llu computations on GPUs has a recorded duration; they "
                            "take 1 ns each",
                            (unsigned long long)census->computes);
}

/* Computations that the roofline model does not time as one may expect. */
static void diagnose_roofline(struct asim_world *world, const struct asim_census *census)
{
    const struct asim_system *sys = &world->set.system;

    if (census->work_cpu)
        asim_world_diagnose(world,
                            "%llu CPU ops have num_ops and no recorded duration; they take 1 ns "
                            "each (the roofline model holds for GPU computations)",
                            (unsigned long long)census->work_cpu);
    if (sys->roofline && !sys->replay_only && census->half_work)
        asim_world_diagnose(world,
                            "%llu computations have a num_ops or a tensor_size of 0; the roofline "
                            "model gives them no time",
                            (unsigned long long)census->half_work);
}

static int has_groups(const struct asim_world *world)
{
    uint32_t j = 0;

    while (j < world->set.n_jobs && !world->set.jobs[j].groups.n)
        j++;
    return j < world->set.n_jobs;
}

/* Whom the run follows. What ncclAuto takes is said when it does (collective/nccl_choice.c). */
static void diagnose_like(struct asim_world *world)
{
    const struct asim_settings *set = &world->set.settings;
    const struct asim_netconf *net = &world->set.net;
    uint32_t gpus = world->set.topo.gpus_per_server;
    char servers[64] = "no servers in the topology";

    if (gpus > 1)
        snprintf(servers, sizeof servers, "servers of %u GPUs", gpus);
    if (set->like == ASIM_LIKE_NCCL)
        asim_world_diagnose(world,
                            "follows NCCL: %s, queue pairs a connection: %u (0: one a message), "
                            "MTU %u%s",
                            servers, net->qps_per_connection, net->payload_bytes,
                            set->algorithm ? "; algorithms as --algorithm says" : "");
    else if (!set->system && !set->algorithm)
        asim_world_diagnose(world,
                            "follows ASTRA-sim (--like=nccl follows NCCL): all-reduce on one ring "
                            "over all ranks or on a tree, by size; others on that ring, all-to-all "
                            "direct; 4 chunks each");
}

/* Options that no op of the traces makes use of. */
static void diagnose_idle_options(struct asim_world *world, const struct asim_census *census)
{
    const struct asim_settings *set = &world->set.settings;
    const struct {
        const char *option;
        int is_given;
        uint64_t users;
        const char *who;
    } rows[] = {
        {"remote-memory-configuration", world->set.memory.type != ASIM_MEM_NONE, census->remote,
         "op loads from remote memory or stores there"},
        {"compute-factor", set->compute_factor > 0 && set->compute_factor != 1,
         census->computes + census->cpu_computes + census->host_ops, "op computes"},
        {"rendezvous-protocol", set->rendezvous, census->transfers, "op communicates"},
        {"num-queues-per-dim", set->queues_per_dim > 1, census->collectives, "op is a collective"},
        {"algorithm", set->algorithm != NULL, census->collectives, "op is a collective"},
        {"injection-scale", set->injection_scale != 1, census->collectives, "op is a collective"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].is_given && !rows[i].users)
            asim_world_diagnose(world, "--%s has no effect: no %s", rows[i].option, rows[i].who);
}

/* Settings that no op of the traces makes use of. */
static void diagnose_unused(struct asim_world *world, const struct asim_census *census)
{
    const struct asim_node_prefixes *prefixes = &world->set.node_prefixes;
    int is_explicit = world->set.system.policy == ASIM_EXPLICIT;

    for (size_t i = 0; i < prefixes->n && i < ASIM_CENSUS_PREFIXES; i++)
        if (!(census->own_prefixes >> i & 1))
            asim_world_diagnose(world,
                                "per-node-custom-implementation names node %llu, but no trace has "
                                "a collective with that id; the entry has no effect",
                                (unsigned long long)prefixes->at[i].node);
    if (has_groups(world) && census->collectives && !census->grouped)
        asim_world_diagnose(world,
                            "the communicator groups have no effect: none of the %llu collectives "
                            "names a group (attribute pg_name)",
                            (unsigned long long)census->collectives);
    if (census->group_dims)
        asim_world_diagnose(world,
                            "%llu collectives of a group have an involved_dim, which has no effect "
                            "there: all members of the group take part",
                            (unsigned long long)census->group_dims);
    if (census->collectives)
        diagnose_like(world);
    if (is_explicit && census->collectives && !census->prioritized)
        asim_world_diagnose(world, "scheduling-policy EXPLICIT has no effect: no collective has a "
                                   "comm_priority other than 0");
    if (!is_explicit && census->prioritized)
        asim_world_diagnose(world,
                            "%llu collectives have a comm_priority, which has no effect without "
                            "scheduling-policy EXPLICIT in the system configuration",
                            (unsigned long long)census->prioritized);
}

/* One line for all ranks. With several processes only the end of the run knows the traces of all.
 */
void asim_world_diagnose_traces(struct asim_world *world)
{
    struct asim_totals totals;
    char safe[64];

    asim_totals_all(world, &totals);
    if (totals.dropped)
        asim_world_diagnose(
            world,
            "%llu control dependencies on nodes that are not in the traces were dropped "
            "(--strict-dependencies=1 makes them an error)",
            (unsigned long long)totals.dropped);
    if (totals.census.invalid)
        asim_world_diagnose(
            world,
            "%llu nodes are of the type INVALID_NODE (an empty record is one, with id "
            "0); they take no time",
            (unsigned long long)totals.census.invalid);
    if (totals.census.host_ops)
        asim_world_diagnose(
            world,
            "%llu nodes are STORAGE_NODE, BATCH_NODE or CHECKPOINT_NODE: each takes the CPU for "
            "its "
            "recorded duration (%llu have none and take 1 ns); storage itself is not simulated",
            (unsigned long long)totals.census.host_ops,
            (unsigned long long)totals.census.timeless_host_ops);
    if (totals.census.slips)
        asim_world_diagnose(world,
                            "%llu nodes have an attribute '%s', which has no effect; is another "
                            "name meant (comm_size, pg_name, involved_dim, …)?",
                            (unsigned long long)totals.census.slips,
                            asim_text_safe(safe, sizeof safe, totals.census.slip));
    if (totals.census.versions)
        asim_world_diagnose(world,
                            "%llu of %u traces state a schema version that asim does not know, "
                            "that of rank %u is the first ('%s'); they are read as version 0.0.4",
                            (unsigned long long)totals.census.versions, world->set.n_ranks,
                            totals.census.first_version - 1,
                            asim_text_safe(safe, sizeof safe, totals.census.version));
    if (totals.idle)
        asim_world_diagnose(world,
                            "%u of %u traces have no nodes, that of rank %u is the first; such a "
                            "rank finishes at once",
                            totals.idle, world->set.n_ranks, totals.first_idle - 1);
    if (!world->set.scenario && totals.census.named_ranks > world->set.n_ranks)
        asim_world_diagnose(world,
                            "the traces are of %u ranks and their collectives are named as of %u: "
                            "where the last ones are missing, fewer take part",
                            world->set.n_ranks, totals.census.named_ranks);
    if (world->set.n_ranks > 1 && !totals.census.transfers)
        asim_world_diagnose(world, "the traces have no collective, send or receive: the ranks do "
                                   "not communicate");
    diagnose_durations(world, &totals.census);
    diagnose_roofline(world, &totals.census);
    diagnose_unused(world, &totals.census);
    diagnose_idle_options(world, &totals.census);
}

/* Options of which only the end of the run knows whether they had an effect. */
static void diagnose_options_after(struct asim_world *world, const struct asim_totals *totals)
{
    const struct asim_settings *set = &world->set.settings;
    struct asim_settings defaults;

    if (asim_settings_init(&defaults, sizeof defaults, NULL))
        return;
    if (set->seed != defaults.seed && asim_world_has(world, ASIM_NET_FRAMES) && !totals->net.draws)
        asim_world_diagnose(world, "--seed has no effect on the network, which drew no random "
                                   "number");
    if (set->allow_missing_ranks && !asim_is_distributed(world) && !asim_groups_left_out(world))
        asim_world_diagnose(
            world, "--allow-missing-ranks has no effect on the simulation: no group of its "
                   "traces has a rank that it lacks");
    asim_settings_fini(&defaults);
}

/* After the run, because METADATA ops may define groups while it runs. */
void asim_world_diagnose_run(struct asim_world *world)
{
    struct asim_totals totals;

    asim_totals_all(world, &totals);
    if (!world->run.failed)
        diagnose_options_after(world, &totals);
    if (totals.alone && !(world->set.n_ranks == 1 && world->set.n_generators)) /* traffic alone */
        asim_world_diagnose(world,
                            "%llu collectives have no other member (%s) and took no time; op %llu "
                            "of rank %u is the first",
                            (unsigned long long)totals.alone,
                            world->set.n_ranks == 1 ? "the run has one rank"
                                                    : "involved_dim leaves all others out",
                            (unsigned long long)totals.alone_op, totals.alone_rank - 1);
    if (!world->run.failed)
        asim_world_diagnose_traffic(world);
    asim_op_graph_set_diagnose(world);
    asim_consistency_diagnose(world);
}
