/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim scenario traces: the traces of the jobs that have a generator, once for many runs, or for
 * AstraSimNetwork, which has no generators.
 */
#include <stdio.h>

#include "asim/ext/command.h"
#include "cli/args.h"
#include "tools/scenario/traces.h"

struct options {
    char *out;
};

static const struct asim_option options[] = {{"out", NULL, "folder for the traces (required)", NULL,
                                              ASIM_T_STRING, offsetof(struct options, out), 0, 0,
                                              NULL, ASIM_F_WRITES | ASIM_F_SET},
                                             {0}};

static int work(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    size_t made;
    int code;

    if (args->n_words != 1 || !opt->out)
        return ASIM_ARGS_USAGE;
    code = asim_scenario_traces_make(args->words[0], opt->out, args->limits.force, &made, err);
    if (!code)
        printf("made the traces of %zu jobs; --scenario-traces=%s uses them\n", made, opt->out);
    return code;
}

static const struct asim_args_job job = {
    .name = "scenario traces",
    .usage = "usage: asim scenario traces FILE --out=DIR\n\nRuns the generators of a scenario's "
             "jobs: DIR/JOB/trace.RANK.et, for --scenario-traces=DIR.\n",
    .options = options,
    .max_words = 1,
    .work = work,
    .words_are = ASIM_F_READS,
};

const struct asim_command asim_scenario_command_traces = {
    .member = {"traces", "make the traces of jobs that have a generator", options,
               sizeof(struct options)},
    .job = &job,
};
