/* SPDX-License-Identifier: GPL-2.0-only
 *
 * "jobs": what runs in the cluster. Ranks inside the traces of a job, its communicator groups and
 * its peers are numbered from 0; nobody knows of another job. How many traces there are, and
 * whether the hosts suffice, shows when a run opens.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io/digest.h"
#include "base/map.h"
#include "base/text.h"
#include "scenario/scenario.h"

#define ROW(...) ASIM_OPTION(struct asim_scenario_job, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("name", STRING, name,
        "name of the job in reports; without it: job0, job1, … in the order of the file"),
    ROW("workload", STRING, workload,
        "prefix P of the traces P.<rank>.et, in the working directory or beside this file"),
    ROW("generate", STRING, generate,
        "in place of workload: the words of `asim trace …` that make the traces, as \"generate "
        "--type=all_reduce --size=1MiB --ranks=8\", without --out"),
    ROW("ranks", U32, ranks,
        "number of ranks; 0 = as many as there are traces. A generator whose words do not say how "
        "many makes so many",
        .def = "0", .max = 1 << 24),
    ROW("logical", STRING, logical,
        "sizes of the logical dimensions of the ranks, as \"8x64\"; without it one dimension"),
    ROW("placement", STRING, placement,
        "packed, spread, rail, random,seed=N, or the host of each rank as a list", .def = "packed",
        .flags = ASIM_F_LIST),
    ROW("start", TIME, start_fs, "when the ranks of the job begin, as \"5ms\"", .def = "0ns",
        .max = 1e15),
    ROW("repeat", U32, repeat, "how often each rank goes through its trace, without a pause",
        .def = "1", .min = 1, .max = 1e9),
    {0}};

/* Options that say where the traces go are not for the file to give. */
static int check_generator(const struct asim_scenario *scenario,
                           const struct asim_scenario_job *job, struct asim_err *err)
{
    static const char *const own[] = {
        "--out=", "--out ", "--et=", "--et ", "--output=", "--output "};

    for (size_t i = 0; job->generate && i < sizeof own / sizeof *own; i++)
        if (strstr(job->generate, own[i]))
            return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, job->line),
                               "the generator of job '%s' has %.*s; leave it out: the run says "
                               "where its traces go.",
                               job->name, (int)strlen(own[i]) - 1, own[i]);
    return 0;
}

/* Names are fields of CSV files and parts of paths. */
static int is_name(const char *name)
{
    return strlen(name) < 64 && *name != '.' &&
           !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_.-+")];
}

static int give_name(struct asim_scenario_job *job, size_t number, struct asim_err *err)
{
    enum { SIZE = 32 };

    if (job->name)
        return 0;
    job->name = malloc(SIZE);
    if (!job->name)
        return asim_err_nomem(err, "reading a scenario");
    snprintf(job->name, SIZE, "job%zu", number);
    return 0;
}

/* by_name: number of a job + 1. */
static int check_job(const struct asim_scenario *scenario, size_t number, struct asim_map *by_name,
                     struct asim_err *err)
{
    const struct asim_scenario_job *job = &scenario->jobs.at[number];
    struct asim_digest digest = {{0}};
    uint64_t *same;
    char safe[80];

    if (!is_name(job->name))
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, job->line),
                           "found the name '%s' of a job; a name has up to 63 letters, digits and "
                           "_.-+ and does not begin with a dot.",
                           asim_text_safe(safe, sizeof safe, job->name));
    if (!job->workload == !job->generate)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, job->line),
                           "job '%s' has %s; give one of \"workload\" (a prefix of traces) and "
                           "\"generate\" (words of asim trace).",
                           job->name,
                           job->workload ? "both a workload and a generator" : "no workload");
    asim_digest_add_text(&digest, job->name);
    same = asim_map_put(by_name, digest.word[0], digest.word[1]);
    if (!same)
        return asim_err_nomem(err, "checking the names of jobs");
    if (*same)
        return asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, job->line),
                           "two jobs have the name '%s', here and in line %u; reports need "
                           "different names.",
                           job->name, scenario->jobs.at[*same - 1].line);
    *same = number + 1;
    return 0;
}

/* Background traffic alone: beside a job of one rank that does nothing, since a world has ranks. */
static int add_idle_job(struct asim_scenario *scenario, struct asim_err *err)
{
    static const struct asim_key_value given[] = {
        {"name", "idle"}, {"generate", "generate --type=all_reduce --size=1 --ranks=1"}};
    struct asim_where where = asim_scenario_at(scenario, scenario->background.at[0].line);
    struct asim_scenario_job job = {.line = scenario->background.at[0].line}, *at;
    int code;

    for (size_t i = 0; i < scenario->background.n; i++)
        if (!scenario->background.at[i].until_fs)
            return asim_err_at(err, ASIM_EINVAL,
                               asim_scenario_at(scenario, scenario->background.at[i].line),
                               "background traffic without a job never ends; give \"until\", as "
                               "\"10ms\".");
    code = asim_option_defaults(options, &job, err);
    for (int i = 0; i < 2 && !code; i++)
        code = asim_option_set(options, &job, given[i], where, err);
    at = code ? NULL : realloc(scenario->jobs.at, sizeof *at);
    if (!at) {
        asim_option_fini(options, &job);
        return code ? code : asim_err_nomem(err, "reading a scenario");
    }
    *at = job;
    scenario->jobs.at = at;
    scenario->jobs.n = 1;
    return 0;
}

static int check(struct asim_scenario *scenario, struct asim_err *err)
{
    struct asim_map by_name;
    int code = 0;

    if (!scenario->jobs.n && scenario->background.n)
        code = add_idle_job(scenario, err);
    else if (!scenario->jobs.n)
        code = asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, 0),
                           "the scenario has no jobs; give {\"jobs\": [{\"workload\": \"P\"}]}, "
                           "where the traces are P.0.et, P.1.et, …");
    asim_map_init(&by_name);
    for (size_t i = 0; i < scenario->jobs.n && !code; i++)
        if (give_name(&scenario->jobs.at[i], i, err) || check_job(scenario, i, &by_name, err) ||
            check_generator(scenario, &scenario->jobs.at[i], err))
            code = err->code;
    asim_map_fini(&by_name);
    return code;
}

const struct asim_scenario_section asim_scenario_section_jobs = {
    .member = {"jobs", "what runs: traces, number of ranks, placement, start and repetitions",
               options, sizeof(struct asim_scenario_job)},
    .is_list = 1,
    .is_first = 1,
    .offset = offsetof(struct asim_scenario, jobs),
    .check = check,
};
