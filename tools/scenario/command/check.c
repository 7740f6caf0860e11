/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim scenario check: opens the scenario as a run does, with its traces, placements and topology,
 * and runs nothing.
 */
#include <stdio.h>

#include "asim/asim.h"
#include "asim/ext/command.h"
#include "asim/scenario.h"
#include "cli/args.h"
#include "tools/scenario/traces.h"

struct options {
    char *topology, *network, *traces;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"topology", NULL, "topology of the run; without it: one switch with a host for each rank",
     NULL, ASIM_T_STRING, AT(topology), 0, 0, NULL, ASIM_F_READS},
    {"network", "network-configuration", "network configuration of the run", NULL, ASIM_T_STRING,
     AT(network), 0, 0, NULL, ASIM_F_READS},
    {"scenario-traces", NULL, "folder with the traces of jobs that have a generator", NULL,
     ASIM_T_STRING, AT(traces), 0, 0, NULL, ASIM_F_READS},
    {0}};

static void say_note(void *self, const char *text)
{
    (void)self;
    fprintf(stderr, "note: %s\n", text);
}

/* Opens the world of a run. */
static int open_world(const char *path, const struct options *opt, uint32_t *ranks,
                      struct asim_err *err)
{
    const struct asim_hooks hooks = {.note = say_note};
    struct asim_settings settings;
    struct asim_world *world = NULL;
    int code = asim_settings_init(&settings, sizeof settings, err);

    settings.end_ns = UINT64_MAX; /* found by runs only */
    if (!code)
        code = asim_settings_set(&settings, "scenario", path, err);
    if (!code && opt->topology)
        code = asim_settings_set(&settings, "topology", opt->topology, err);
    if (!code && opt->network)
        code = asim_settings_set(&settings, "network", opt->network, err);
    if (!code && opt->traces)
        code = asim_settings_set(&settings, "scenario-traces", opt->traces, err);
    if (!code)
        code = asim_world_open(&world, &settings, &hooks, err);
    if (!code)
        *ranks = asim_world_ranks(world);
    asim_world_close(world);
    asim_settings_fini(&settings);
    return code;
}

/* Traces of generators are made in a temporary folder, as for a run. */
static int work(const struct asim_args *args, struct asim_err *err)
{
    struct options opt = *(const struct options *)args->tables[0].base;
    struct asim_scenario_traces traces = {0};
    struct asim_scenario *scenario;
    uint32_t ranks = 0;
    int code = 0;

    if (args->n_words != 1)
        return ASIM_ARGS_USAGE;
    if (asim_scenario_read(&scenario, args->words[0], err))
        return err->code;
    if (!opt.traces) {
        code = asim_scenario_traces_open(&traces, args->words[0], err);
        opt.traces = traces.folder;
    }
    if (!code)
        code = open_world(args->words[0], &opt, &ranks, err);
    if (!code)
        printf("%s: %zu jobs, %u ranks, no errors\n", args->words[0], asim_scenario_jobs(scenario),
               ranks);
    asim_scenario_close(scenario);
    asim_scenario_traces_close(&traces);
    return code;
}

static const struct asim_args_job job = {
    .name = "scenario check",
    .usage =
        "usage: asim scenario check FILE [--option=value …]\n\nReads a scenario with its traces "
        "and places its jobs on the topology; says what is wrong, with\nfile and line.\n",
    .options = options,
    .max_words = 1,
    .work = work,
    .words_are = ASIM_F_READS,
};

const struct asim_command asim_scenario_command_check = {
    .member = {"check", "say what is wrong with a scenario", options, sizeof(struct options)},
    .job = &job,
};
