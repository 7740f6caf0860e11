/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace goal: a GOAL schedule as a workload (schedule/goal.c).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "asim/ext/command.h"
#include "cli/args.h"
#include "schedule/schedule.h"

struct options {
    char *input, *output;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "i", "GOAL text (required)", NULL, ASIM_T_STRING, AT(input), 0, 0, NULL,
     ASIM_F_READS},
    {"out", "output", "prefix of the traces to write (required)", NULL, ASIM_T_STRING, AT(output),
     0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {0}};

static int convert(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_schedule schedule = {0};
    int rc;

    if (!o->input || !o->output)
        return asim_err_set(err, ASIM_EUSAGE, "--input and --out are both needed.");
    rc = asim_schedule_read_goal(&schedule, o->input, err);
    if (!rc)
        rc = asim_schedule_write(&schedule, o->output, args->limits.force, err);
    if (!rc) {
        printf("wrote %s.{0..%" PRIu32 "}.et: %zu ops, %" PRIu64 " messages, %zu waits\n",
               o->output, schedule.ranks - 1, schedule.op.n, schedule.sends, schedule.wait.n);
        if (schedule.start_waits)
            printf("%" PRIu64 " irequires: each waits for what the op it names waits for\n",
                   schedule.start_waits);
        if (schedule.computes > 1)
            printf("%" PRIu32
                   " CPUs a rank: so many computations run at once, whatever their cpu\n",
                   schedule.computes);
        printf("run it with --workload=%s --system=%s.system.json\n", o->output, o->output);
    }
    asim_schedule_fini(&schedule);
    return rc;
}

static const struct asim_args_job job = {
    "trace goal",
    "usage: asim trace goal --input=FILE.goal --out=FOLDER/NAME [--option=value ...]\n\n"
    "Makes a workload of a GOAL schedule, as LogGOPSim and ATLAHS use it.\n\nOptions:",
    options, 0, convert};

const struct asim_command asim_trace_command_goal = {
    .member = {.name = "goal",
               .about = "make traces of a GOAL schedule (LogGOPSim, ATLAHS)",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
