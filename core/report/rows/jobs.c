/* SPDX-License-Identifier: GPL-2.0-only
 *
 * jobs.csv and a line for each job of a scenario, at the end: when its ranks began and finished,
 * how often they went through their traces (rounds), and how much longer the job took than alone
 * (--alone). A round of the job ends when its last rank ends it. Cells of what is not known are
 * empty: the finish of a job that has not finished, the time alone without --alone.
 */
#include "report/report.h"
#include "sim/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct round {
    uint32_t ranks; /* that have ended it */
    uint64_t end;   /* of the last of them */
};

struct job {
    uint32_t ranks; /* that have finished */
    uint64_t finish;
    ASIM_VEC(struct round) rounds;
    size_t done; /* rounds that all ranks have ended */
};

struct jobs {
    struct asim_out *file; /* NULL without --out */
    int failed;
    struct job at[]; /* [n_jobs] */
};

static void see_round(struct jobs *jobs, struct job *job, uint32_t n,
                      const struct asim_event *event)
{
    uint32_t number = event->of.round.number;

    while (job->rounds.n < number && !jobs->failed)
        jobs->failed |= ASIM_VEC_PUSH(job->rounds, ((struct round){0, 0})) != 0;
    if (jobs->failed)
        return;
    job->rounds.at[number - 1].end = event->t;
    if (++job->rounds.at[number - 1].ranks == n)
        job->done = number;
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    const struct asim_world_job *of = asim_world_job_of(world, event->rank);
    struct jobs *jobs = self;
    struct job *job = &jobs->at[of - world->set.jobs];

    if (event->kind == ASIM_EV_ROUND_DONE) {
        see_round(jobs, job, of->n, event);
        return;
    }
    job->ranks++;
    job->finish = event->t;
}

/* The longest round; the first one begins with the job. */
static uint64_t longest(const struct asim_world_job *of, const struct job *job)
{
    uint64_t before = of->start_ns, most = 0;

    for (size_t i = 0; i < job->done; i++) {
        uint64_t took = job->rounds.at[i].end - before;

        most = took > most ? took : most;
        before = job->rounds.at[i].end;
    }
    return most;
}

static const uint64_t *alone_of(const struct asim_world *world, const struct asim_world_job *of)
{
    const uint64_t *alone = world->set.settings.alone_ns;

    return alone && alone[of->number] != UINT64_MAX ? &alone[of->number] : NULL;
}

static void write_row(struct asim_out *file, const struct asim_world *world,
                      const struct asim_world_job *of, const struct job *job)
{
    const uint64_t *alone = alone_of(world, of);
    int has_finished = job->ranks == of->n;
    char slowdown[40] = "";

    asim_out_printf(file, "%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",", of->name, of->n, job->ranks,
                    of->start_ns);
    if (has_finished)
        asim_out_printf(file, "%" PRIu64 ",%" PRIu64, job->finish, job->finish - of->start_ns);
    else
        asim_out_printf(file, ",");
    asim_out_printf(file, ",%zu,", job->done);
    if (job->done)
        asim_out_printf(file, "%" PRIu64 ",%" PRIu64,
                        (job->rounds.at[job->done - 1].end - of->start_ns) / job->done,
                        longest(of, job));
    else
        asim_out_printf(file, ",");
    if (alone && has_finished)
        *asim_report_put_slowdown(slowdown, job->finish - of->start_ns, *alone) = '\0';
    if (alone)
        asim_out_printf(file, ",%" PRIu64 ",%s\n", *alone, slowdown);
    else
        asim_out_printf(file, ",,\n");
}

static void say(const struct asim_world *world, const struct asim_world_job *of,
                const struct job *job)
{
    const uint64_t *alone = alone_of(world, of);
    uint64_t took = job->finish - of->start_ns;
    char text[300], slowdown[40];
    int n;

    n = snprintf(text, sizeof text, "[%s] %" PRIu32 " of %" PRIu32 " ranks finished, %zu rounds",
                 of->name, job->ranks, of->n, job->done);
    if (job->ranks == of->n)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ", %" PRIu64 " ns from its start at %" PRIu64 " ns", took, of->start_ns);
    if (alone && job->ranks == of->n) {
        *asim_report_put_slowdown(slowdown, took, *alone) = '\0';
        snprintf(text + n, sizeof text - (size_t)n, "; alone %" PRIu64 " ns, slowdown %s", *alone,
                 slowdown);
    }
    world->hooks.line(world->hooks.self, text);
}

static int close_jobs(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct jobs *jobs = self;
    int failed = jobs->failed, code = 0;

    for (uint32_t j = 0; j < world->set.n_jobs && !world->run.failed && !failed; j++) {
        if (jobs->file)
            write_row(jobs->file, world, &world->set.jobs[j], &jobs->at[j]);
        if (world->hooks.line && !world->set.settings.quiet)
            say(world, &world->set.jobs[j], &jobs->at[j]);
    }
    if (jobs->file)
        code = asim_report_file_close(jobs->file, world, err);
    for (uint32_t j = 0; j < world->set.n_jobs; j++)
        free(jobs->at[j].rounds.at);
    free(jobs);
    return code || !failed ? code : asim_err_nomem(err, "keeping rounds for jobs.csv");
}

static int open_jobs(struct asim_event_observer *observer, struct asim_world *world,
                     const char *out, struct asim_err *err)
{
    struct jobs *jobs;

    if (!world->set.scenario)
        return 0;
    jobs = calloc(1, sizeof *jobs + world->set.n_jobs * sizeof jobs->at[0]);
    if (!jobs)
        return asim_err_nomem(err, "opening reports");
    if (out && asim_report_open_file(&jobs->file, world, out, "jobs.csv", err)) {
        free(jobs);
        return ASIM_EIO;
    }
    if (jobs->file)
        asim_out_printf(jobs->file, "job,ranks,ranks_finished,start_ns,finish_ns,time_ns,rounds,"
                                    "round_mean_ns,round_max_ns,alone_ns,slowdown\n");
    *observer =
        (struct asim_event_observer){.wants = 1u << ASIM_EV_RANK_DONE | 1u << ASIM_EV_ROUND_DONE,
                                     .self = jobs,
                                     .on_event = see,
                                     .close = close_jobs};
    return 0;
}

const struct asim_report asim_report_jobs = {
    .member = {.name = "jobs", .about = "jobs.csv: a row a job of a scenario"},
    .in_out = ASIM_OUT_ALWAYS,
    .file = "jobs.csv",
    .open = open_jobs,
};
