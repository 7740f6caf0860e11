/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The jobs of a world: one of all traces of the workload, or those of a scenario, one after the
 * other. Counts their ranks, finds their traces, reads their groups, and places their ranks on
 * hosts.
 *
 * With settings.only_job the world has that job alone, on the hosts that it has beside the others.
 */
#include "base/text.h"
#include "conf/custom.h"
#include "scenario/place.h"
#include "sim/scenario/plan.h"
#include "sim/collective/nvswitch.h"
#include "sim/world.h"
#include "topo/placement.h"
#include "topo/servers.h"
#include "trace/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- one workload ------------------------------------------------------------------------------
 */
/* "empty", with or without its quotes, means no groups, as in ASTRA-sim and its scripts. */
static int is_named(const char *path)
{
    return path && strcmp(path, "empty") && strcmp(path, "\"empty\"") && *path;
}

/* The file with the dimensions, for messages. */
struct dims_file {
    const char *kind, *path;
};

static struct dims_file dims_file_of(const struct asim_settings *set)
{
    if (set->mode && !set->shape && set->network && !asim_settings_has(set, ASIM_NET_OVER_TOPOLOGY))
        return (struct dims_file){"network", set->network};
    return (struct dims_file){"logical topology", set->logical ? set->logical : ""};
}

/* The number of ranks: the product of the logical dimensions, or else the number of traces. */
static int open_workload(struct asim_world *world, const struct asim_settings *set,
                         struct asim_err *err)
{
    const struct dims_file dims = dims_file_of(set);
    struct asim_world_job *job = world->set.jobs;
    struct asim_trace_files traces;
    uint32_t files;
    uint64_t product;

    if (asim_trace_count(set->workload, &traces, err))
        return ASIM_EINVAL;
    files = traces.ranks;
    job->exact_names = traces.plain;
    if (set->backend ? set->shape != NULL : !asim_settings_has(set, ASIM_NET_OVER_TOPOLOGY)) {
        if (asim_world_open_shape(world, set, err))
            return ASIM_EINVAL;
    } else if (set->logical) {
        if (asim_logical_read(&world->set.dims, set->logical, err))
            return ASIM_EINVAL;
    } else {
        world->set.dims = (struct asim_dims){.at = {files}, .n = 1};
    }
    product = asim_dims_product(&world->set.dims);
    if (product > files)
        return asim_err_set(err, ASIM_EINVAL,
                            "the %s %s has %llu ranks, but the workload %s has only "
                            "%u traces; %s.%u.et is missing",
                            dims.kind, dims.path, (unsigned long long)product, set->workload, files,
                            set->workload, files);
    if (product < files)
        asim_world_diagnose(
            world,
            "the workload has %u traces, the %s %llu ranks: traces from rank %llu on are not used",
            files, dims.kind, (unsigned long long)product, (unsigned long long)product);
    world->set.n_ranks = job->n = (uint32_t)product;
    world->set.most_dims = (uint32_t)world->set.dims.n;
    job->prefix = set->workload;
    job->repeat = 1;
    job->dims = world->set.dims;
    if (traces.both < product)
        asim_world_diagnose(world,
                            "rank %u has two traces, %s.%u.et and %s.%u.et.gz; the first one is "
                            "read",
                            traces.both, set->workload, traces.both, set->workload, traces.both);
    return 0;
}

/* --- a scenario --------------------------------------------------------------------------------
 */
/* The prefix of the traces of a job, in the arena; NULL with err. */
static const char *prefix_of(struct asim_world *world, const struct asim_settings *set,
                             const struct asim_scenario_job *job, struct asim_err *err)
{
    char made[2048], *found;
    const char *prefix;

    if (job->generate && !set->scenario_traces) {
        asim_err_at(
            err, ASIM_EINVAL, asim_scenario_at(world->set.scenario, job->line),
            "job '%s' has a generator, whose traces are not made here; make them with `asim "
            "scenario traces FILE --out=DIR` and say --scenario-traces=DIR.",
            job->name);
        return NULL;
    }
    if (job->generate)
        snprintf(made, sizeof made, "%.1900s/%s/trace", set->scenario_traces, job->name);
    found = job->generate ? NULL : asim_custom_resolve(set->scenario, job->workload);
    prefix = job->generate ? made : found;
    prefix = prefix ? asim_arena_strdup(&world->arena, prefix) : NULL;
    free(found);
    if (!prefix)
        asim_err_nomem(err, "opening the jobs of a scenario");
    return prefix;
}

/* An error about the traces of a job, behind the place of the job. */
static int refuse_traces(const struct asim_world *world, const struct asim_scenario_job *job,
                         const struct asim_err *why, struct asim_err *err)
{
    char text[2600];

    return asim_err_at(err, why->code, asim_scenario_at(world->set.scenario, job->line),
                       "job '%s': %s", job->name, asim_err_show(why, text, sizeof text));
}

/* Sizes alone: a file would be one more input. */
static int open_dims(struct asim_world *world, const struct asim_scenario_job *from,
                     struct asim_world_job *job, struct asim_err *err)
{
    const struct asim_where at = asim_scenario_at(world->set.scenario, from->line);

    job->dims = (struct asim_dims){.at = {job->n}, .n = 1};
    if (!from->logical)
        return 0;
    job->dims.n = 0;
    if (from->logical[strspn(from->logical, "0123456789x")] ||
        asim_logical_read(&job->dims, from->logical, NULL))
        return asim_err_at(err, ASIM_EINVAL, at,
                           "\"logical\" of job '%s' is no list of sizes, such as \"8x64\".",
                           job->name);
    if (asim_dims_product(&job->dims) != job->n)
        return asim_err_at(
            err, ASIM_EINVAL, at, "\"logical\" of job '%s' is %s, %llu ranks; the job has %u.",
            job->name, from->logical, (unsigned long long)asim_dims_product(&job->dims), job->n);
    if (job->dims.n > world->set.most_dims)
        world->set.most_dims = (uint32_t)job->dims.n;
    return 0;
}

static int open_job(struct asim_world *world, const struct asim_settings *set, size_t i,
                    struct asim_err *err)
{
    const struct asim_scenario_job *from = &world->set.scenario->jobs.at[i];
    struct asim_world_job *job = &world->set.jobs[i];
    struct asim_trace_files traces;
    struct asim_err why = {0};

    job->name = from->name;
    job->prefix = prefix_of(world, set, from, err);
    if (!job->prefix)
        return ASIM_EINVAL;
    if (asim_trace_count(job->prefix, &traces, &why))
        return refuse_traces(world, from, &why, err);
    if (from->ranks > traces.ranks)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(world->set.scenario, from->line),
                           "job '%s' has %u ranks, but its workload %s has only %u traces; "
                           "%s.%u.et is missing.",
                           job->name, from->ranks, job->prefix, traces.ranks, job->prefix,
                           traces.ranks);
    if (from->ranks && from->ranks < traces.ranks)
        asim_world_diagnose(world,
                            "job '%s' has %u ranks and its workload %u traces: traces from rank %u "
                            "on are not used",
                            job->name, from->ranks, traces.ranks, from->ranks);
    job->exact_names = traces.plain;
    job->n = from->ranks ? from->ranks : traces.ranks;
    job->start_ns = (from->start_fs + ASIM_FS_PER_NS / 2) / ASIM_FS_PER_NS;
    job->repeat = from->repeat;
    return open_dims(world, from, job, err);
}

/* All jobs, also those that only_job leaves out: their ranks have hosts. */
static int open_scenario(struct asim_world *world, const struct asim_settings *set,
                         struct asim_err *err)
{
    struct asim_scenario *scenario;
    uint64_t ranks = 0;

    if (set->workload || set->logical || set->placement || is_named(set->groups))
        return asim_err_set(err, ASIM_EUSAGE,
                            "--scenario does not go together with --workload, --logical, "
                            "--placement or --groups: the scenario says these for each job.");
    if (!asim_settings_has(set, ASIM_NET_FLOWS))
        return asim_err_set(err, ASIM_EUSAGE,
                            "--scenario is for the packet network and the flow level; the formulas "
                            "have no hosts for several jobs.");
    if (asim_scenario_read(&world->set.scenario, set->scenario, err))
        return ASIM_EINVAL;
    scenario = world->set.scenario;
    world->set.jobs = asim_arena_array(&world->arena, scenario->jobs.n, sizeof *world->set.jobs);
    if (!world->set.jobs)
        return asim_err_nomem(err, "opening the jobs of a scenario");
    for (size_t i = 0; i < scenario->jobs.n; i++) {
        if (open_job(world, set, i, err))
            return ASIM_EINVAL;
        world->set.jobs[i].number = (uint32_t)i;
        world->set.jobs[i].first = (uint32_t)ranks;
        ranks += world->set.jobs[i].n;
        if (ranks >= UINT32_MAX)
            return asim_err_set(err, ASIM_EINVAL, "the jobs have more than %u ranks.",
                                UINT32_MAX - 1);
    }
    if (scenario->end.job && !set->end_ns)
        return asim_err_at(err, ASIM_EUSAGE, asim_scenario_at(scenario, scenario->end.line),
                           "the run ends with job '%s', and when that is must be found first: "
                           "asim packet, asim run and AstraSimNetwork do; a program sets end_ns "
                           "(asim/asim.h).",
                           scenario->end.job);
    if (scenario->end.time_fs)
        world->set.end_ns = scenario->end.time_fs / ASIM_FS_PER_NS;
    if (scenario->end.job && set->end_ns < world->set.end_ns)
        world->set.end_ns = set->end_ns;
    world->set.n_jobs = (uint32_t)scenario->jobs.n;
    world->set.n_ranks = (uint32_t)ranks;
    return 0;
}

int asim_world_open_jobs(struct asim_world *world, const struct asim_settings *set,
                         struct asim_err *err)
{
    world->set.end_ns = UINT64_MAX;
    if (set->scenario) {
        world->set.most_dims = 1;
        return open_scenario(world, set, err);
    }
    world->set.jobs = asim_arena_array(&world->arena, 1, sizeof *world->set.jobs);
    if (!world->set.jobs)
        return asim_err_nomem(err, "starting");
    world->set.n_jobs = 1;
    return open_workload(world, set, err);
}

/* Takes the job of that name out of the others, with its part of host. */
static int keep_only(struct asim_world *world, const char *name, uint32_t *host,
                     struct asim_err *err)
{
    uint32_t j = 0;

    while (j < world->set.n_jobs && strcmp(world->set.jobs[j].name, name))
        j++;
    if (j == world->set.n_jobs)
        return asim_err_set(err, ASIM_EINVAL, "the scenario has no job '%s'.", name);
    world->set.jobs += j;
    memmove(host, host + world->set.jobs->first, world->set.jobs->n * sizeof *host);
    world->set.jobs->first = 0;
    world->set.n_jobs = 1;
    world->set.n_ranks = world->set.jobs->n;
    return 0;
}

/* For stragglers. */
static int keep_hosts(struct asim_world *world, const uint32_t *host, struct asim_err *err)
{
    world->set.host_of =
        asim_arena_array(&world->arena, world->set.n_ranks, sizeof *world->set.host_of);
    if (!world->set.host_of)
        return asim_err_nomem(err, "placing ranks");
    memcpy(world->set.host_of, host, world->set.n_ranks * sizeof *host);
    return 0;
}

/* Puts ranks on their hosts; with a section "hosts" these become servers. */
static int place(struct asim_world *world, const uint32_t *host, struct asim_err *err)
{
    const struct asim_scenario_hosts *hosts = &world->set.scenario->hosts;
    struct asim_topo_servers servers = {hosts->ranks, hosts->nic == ASIM_SCENARIO_NIC_OWN,
                                        hosts->pcie_bps, hosts->pcie_fs};
    struct asim_err why = {0};

    if (!hosts->line)
        return asim_topo_place_at(&world->set.topo, host, world->set.n_ranks, err);
    if (world->set.net.nvswitch_endpoints || asim_nvswitch_wanted(world) > 1)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(world->set.scenario, hosts->line),
                           "\"hosts\" does not go together with NVSwitches as end points "
                           "(NVSWITCH_ENDPOINTS, NVLS): give the topology a host for each GPU.");
    if (!asim_topo_place_servers(&world->set.topo, host, world->set.n_ranks, &servers, &why))
        return 0;
    return asim_err_at(err, why.code, asim_scenario_at(world->set.scenario, hosts->line), "%s",
                       why.text);
}

int asim_world_place_jobs(struct asim_world *world, const struct asim_settings *set,
                          struct asim_err *err)
{
    uint32_t *host = malloc(((size_t)world->set.n_ranks + 1) * sizeof *host);
    uint32_t *ranks = malloc(((size_t)world->set.n_jobs + 1) * sizeof *ranks);
    int code = host && ranks ? 0 : asim_err_nomem(err, "placing ranks");

    for (uint32_t j = 0; j < world->set.n_jobs && !code; j++)
        ranks[j] = world->set.jobs[j].n;
    if (!code)
        code = asim_scenario_place(world->set.scenario, &world->set.topo, ranks, host, err);
    if (!code && set->only_job)
        code = keep_only(world, set->only_job, host, err);
    if (!code)
        code = keep_hosts(world, host, err);
    if (!code)
        code = place(world, host, err);
    ASIM_FREE(ranks, host);
    return code;
}

int asim_world_open_groups(struct asim_world *world, const struct asim_settings *set,
                           struct asim_err *err)
{
    struct asim_world_job *job = world->set.jobs;

    if (world->set.scenario || !is_named(set->groups))
        return 0;
    return asim_groups_read(&job->groups, set->groups, job->n, set->allow_missing_ranks, err);
}

void asim_world_close_jobs(struct asim_world *world)
{
    for (uint32_t j = 0; j < world->set.n_jobs; j++)
        asim_groups_fini(&world->set.jobs[j].groups);
    asim_network_plan_close(world);
    asim_scenario_close(world->set.scenario);
}

/* Jobs have ranks in their order, and one at least. */
const struct asim_world_job *asim_world_job_of(const struct asim_world *world, uint32_t rank)
{
    uint32_t low = 0, high = world->set.n_jobs;

    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;

        if (rank >= world->set.jobs[middle].first)
            low = middle;
        else
            high = middle;
    }
    return &world->set.jobs[low];
}
