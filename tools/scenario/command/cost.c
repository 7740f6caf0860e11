/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim scenario cost: the time that each event and failure of a scenario costs. Runs the scenario
 * without any, then with the first, with the first two, and so on; the difference of two finish
 * times is what the last one costs, beside those before it. So the costs add up to the whole. An
 * event behind the end of a run costs nothing, and takes no run.
 */
#include <inttypes.h>
#include <stdio.h>

#include "asim/asim.h"
#include "asim/ext/command.h"
#include "asim/scenario.h"
#include "cli/alone.h"
#include "cli/args.h"
#include "cli/interrupt.h"
#include "tools/scenario/traces.h"

enum { MOST_RUNS = 1000 };

struct options {
    struct asim_settings settings; /* first: the options of a run */
    uint32_t most;
};

static const struct asim_option options[] = {
    {"first", NULL, "examine the first so many events and failures only; 0 = all. Each takes a run",
     "0", ASIM_T_U32, offsetof(struct options, most), 0, MOST_RUNS},
    {0}};

static void say_note(void *self, const char *text)
{
    (void)self;
    fprintf(stderr, "note: %s\n", text);
}

/* When the last rank has finished. */
static uint64_t finish_of(const struct asim_world *world)
{
    uint64_t last = 0;

    for (uint32_t r = 0; r < asim_world_ranks(world); r++)
        last = asim_world_cycles(world, r) > last ? asim_world_cycles(world, r) : last;
    return last;
}

/* A run with the first n events; UINT64_MAX where it does not finish, with its report in err. */
static int run_first(struct asim_settings *settings, uint32_t n, uint64_t *finish_ns,
                     struct asim_err *err)
{
    const struct asim_hooks hooks = {.stop = asim_interrupt_stop};
    struct asim_world *world = NULL;
    int code;

    settings->first_events = n + 1;
    code = asim_alone_find_end(settings, &hooks, err);
    if (!code)
        code = asim_world_open(&world, settings, &hooks, err);
    if (!code)
        code = asim_world_run(world, err);
    *finish_ns = code ? UINT64_MAX : finish_of(world);
    asim_world_close(world);
    return code;
}

/* Of the runs without and with an event. */
struct finishes {
    uint64_t before, after;
};

/* Says what the last event costs; a run that does not finish ends the table. */
static int say_row(const struct asim_scenario_occurrence *row, struct finishes finish,
                   const struct asim_err *why)
{
    char until[32] = "";

    if (row->until_ns != UINT64_MAX)
        snprintf(until, sizeof until, "%" PRIu64, row->until_ns);
    printf("%" PRIu64 ",%s,%s,%s,%u,%" PRIu64 ",", row->time_ns, row->kind, row->part, until,
           row->line, row->lost_work_ns);
    if (finish.after != UINT64_MAX) {
        printf("%" PRIu64 ",%" PRId64 "\n", finish.after,
               (int64_t)finish.after - (int64_t)finish.before);
        return 0;
    }
    printf(",does not finish\n");
    fflush(stdout);
    fprintf(stderr, "with this event the run does not finish: %s\n", why->text);
    return 1;
}

static int say_costs(const struct asim_world *world, struct asim_settings *settings, size_t n,
                     struct asim_err *err)
{
    struct finishes finish;

    if (run_first(settings, 0, &finish.before, err))
        return err->code;
    printf("time_ns,event,part,until_ns,line,lost_work_ns,finish_ns,cost_ns\n");
    printf(",none,,,,,%" PRIu64 ",0\n", finish.before);
    for (size_t i = 0; i < n; i++) {
        struct asim_scenario_occurrence row;
        struct asim_err why = {0};

        asim_world_occurrence(world, i, &row);
        finish.after = finish.before;
        if (row.time_ns <= finish.before)
            run_first(settings, (uint32_t)i + 1, &finish.after, &why);
        if (why.code && why.code != ASIM_ESTALL) {
            *err = why;
            return why.code;
        }
        if (say_row(&row, finish, &why))
            return 0;
        fflush(stdout);
        finish.before = finish.after;
    }
    return 0;
}

/* Opens the run to learn of its events, in all. */
static int examine(struct options *opt, const char *path, struct asim_err *err)
{
    const struct asim_hooks hooks = {.note = say_note};
    struct asim_settings *settings = &opt->settings;
    struct asim_world *world = NULL;
    size_t n, most;

    settings->end_ns = UINT64_MAX; /* each run finds its own */
    if (asim_settings_set(settings, "scenario", path, err) ||
        asim_world_open(&world, settings, &hooks, err))
        return err->code;
    n = asim_world_occurrences(world);
    most = opt->most && opt->most < n ? opt->most : n;
    if (!n || most > MOST_RUNS)
        asim_err_set(err, ASIM_EINVAL,
                     "%s has %zu events and failures; each takes a run, so 1 to %d are possible%s",
                     path, n, MOST_RUNS, n ? "; --first=N examines the first of them only." : ".");
    else
        say_costs(world, settings, most, err);
    if (!err->code && most < n)
        fprintf(stderr, "note: the first %zu of %zu events and failures were examined\n", most, n);
    asim_world_close(world);
    return err->code;
}

static int work(const struct asim_args *args, struct asim_err *err)
{
    struct options *opt = args->tables[0].base;
    struct asim_scenario_traces traces = {0};
    int code = 0;

    if (args->n_words != 1)
        return ASIM_ARGS_USAGE;
    opt->settings.size = sizeof opt->settings;
    if (!opt->settings.scenario_traces)
        code = asim_scenario_traces_open(&traces, args->words[0], err);
    if (!code && traces.folder)
        code = asim_settings_set(&opt->settings, "scenario-traces", traces.folder, err);
    if (!code)
        code = examine(opt, args->words[0], err);
    asim_scenario_traces_close(&traces);
    return code;
}

static const struct asim_args_job job = {
    .name = "scenario cost",
    .usage = "usage: asim scenario cost FILE [--first=N] [options of asim packet]\n\nRuns a "
             "scenario without its events and failures, then with the first of them, with "
             "the\nfirst two, …, and prints a table (CSV) of the time that each one costs.\n",
    .options = asim_settings_options,
    .further = options,
    .max_words = 1,
    .work = work,
    .words_are = ASIM_F_READS,
};

const struct asim_command asim_scenario_command_cost = {
    .member = {"cost", "the time that each event and failure of a scenario costs", options,
               sizeof(struct options)},
    .job = &job,
};
