/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes computations take other times than in the traces, for stragglers and jitter. A draw is a
 * hash of its seed, job, rank in the job, round and op, so it depends on nothing else: neither
 * threads nor other jobs change it. Normal numbers are those of Box and Muller (1958). Truncated
 * to whole ns, as all times.
 */
#include "sim/rank/noise.h"
#include "scenario/number_list.h"
#include "scenario/scenario.h"
#include "sim/world.h"

#include <math.h>

static void slow_down(struct asim_world *world, uint32_t r, double factor)
{
    if (asim_rank_is_here(&world->run.ranks[r]))
        world->run.ranks[r].compute_scale *= factor;
}

/* only_job may have left the straggler's job out. */
static int slow_job(struct asim_world *world, const struct asim_scenario_straggler *one,
                    struct asim_err *err)
{
    struct asim_number_list ranges = {one->ranks ? one->ranks : ""};
    const struct asim_world_job *job = world->set.jobs;
    uint32_t rank;
    int more;

    while (job < world->set.jobs + world->set.n_jobs && job->number != one->number)
        job++;
    if (job == world->set.jobs + world->set.n_jobs)
        return 0;
    for (rank = 0; !one->ranks && rank < job->n; rank++)
        slow_down(world, job->first + rank, one->factor);
    while ((more = asim_number_list_next(&ranges, &rank)) > 0 && rank < job->n)
        slow_down(world, job->first + rank, one->factor);
    if (!more)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(world->set.scenario, one->line),
                       "the straggler's ranks '%.60s' are no list of ranks 0 to %u of job '%s'.",
                       one->ranks, job->n - 1, job->name);
}

/* Host numbers are those before servers became several nodes. */
static int slow_hosts(struct asim_world *world, const struct asim_scenario_straggler *one,
                      struct asim_err *err)
{
    struct asim_number_list ranges = {one->hosts};
    uint32_t host, slowed = 0;
    int more;

    while ((more = asim_number_list_next(&ranges, &host)) > 0)
        for (uint32_t r = 0; r < world->set.n_ranks; r++)
            if (world->set.host_of[r] == host) {
                slow_down(world, r, one->factor);
                slowed++;
            }
    if (more < 0)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(world->set.scenario, one->line),
                           "'%.60s' is no list of hosts such as 0-3,7.", one->hosts);
    if (!slowed && !world->set.settings.only_job)
        asim_world_diagnose(world,
                            "%s:%u: the straggler has no effect: no rank runs on the hosts %.60s",
                            world->set.scenario->path, one->line, one->hosts);
    return 0;
}

int asim_noise_open(struct asim_world *world, struct asim_err *err)
{
    const struct asim_scenario *scenario = world->set.scenario;
    int code = 0;

    for (size_t i = 0; scenario && i < scenario->stragglers.n && !code; i++) {
        const struct asim_scenario_straggler *one = &scenario->stragglers.at[i];

        code = one->hosts ? slow_hosts(world, one, err) : slow_job(world, one, err);
    }
    return code;
}

double asim_noise_draw(const struct asim_scenario_jitter *jitter, double ns, double u, double v)
{
    const double two_pi = 6.283185307179586;
    double normal = sqrt(-2 * log(u)) * cos(two_pi * v), spread = jitter->spread;

    switch (jitter->distribution) {
    case ASIM_SCENARIO_NORMAL:
        return ns * fmax(0, 1 + spread * normal);
    case ASIM_SCENARIO_LOGNORMAL:
        return ns * exp(spread * normal - spread * spread / 2);
    case ASIM_SCENARIO_UNIFORM:
        return ns * (1 + spread * (2 * u - 1));
    default:
        return ns - (double)jitter->mean_fs / 1e6 * log(u);
    }
}

/* In (0, 1], from the upper 53 bits. */
static double uniform(uint64_t hash)
{
    return (double)((hash >> 11) + 1) * 0x1p-53;
}

static uint64_t draw(const struct asim_rank *rank, const struct asim_scenario_jitter *jitter,
                     size_t number, uint32_t op, uint64_t ns)
{
    uint64_t hash = asim_mix64(jitter->seed + number * UINT64_C(0x9e3779b97f4a7c15) + 1);

    hash = asim_mix64(hash ^ ((uint64_t)rank->job->number << 32 | asim_rank_in_job(rank)));
    hash = asim_mix64(hash ^ ((uint64_t)rank->rounds << 32 | op));
    return asim_ns_whole(
        asim_noise_draw(jitter, (double)ns, uniform(hash), uniform(asim_mix64(hash + 1))));
}

uint64_t asim_noise_apply(const struct asim_rank *rank, uint32_t op, uint64_t ns)
{
    const struct asim_scenario *scenario = rank->world->set.scenario;

    for (size_t i = 0; scenario && i < scenario->jitters.n; i++) {
        const struct asim_scenario_jitter *one = &scenario->jitters.at[i];

        if (one->number == ASIM_SCENARIO_ALL_JOBS || one->number == rank->job->number)
            ns = draw(rank, one, i, op, ns);
    }
    return ns;
}
