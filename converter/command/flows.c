/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace flows: a flow list as a workload (schedule/flows.c).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "asim/ext/command.h"
#include "cli/args.h"
#include "schedule/schedule.h"

struct options {
    char *input, *output;
    uint32_t ranks;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "i",
     "flow list: the number of flows, then source, destination, priority, port, "
     "bytes and start in seconds of each (required)",
     NULL, ASIM_T_STRING, AT(input), 0, 0, NULL, ASIM_F_READS},
    {"out", "output", "prefix of the traces to write (required)", NULL, ASIM_T_STRING, AT(output),
     0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"ranks", "n", "ranks to write; 0: up to the last host that a flow names", "0", ASIM_T_U32,
     AT(ranks), 0, ASIM_SCHEDULE_RANKS},
    {0}};

static int convert(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_schedule schedule = {0};
    int rc;

    if (!o->input || !o->output)
        return asim_err_set(err, ASIM_EUSAGE, "--input and --out are both needed.");
    rc = asim_schedule_read_flows(&schedule, o->input, o->ranks, err);
    if (!rc)
        rc = asim_schedule_write(&schedule, o->output, args->limits.force, err);
    if (!rc) {
        printf("wrote %s.{0..%" PRIu32 "}.et: %" PRIu64 " flows, the first at %.9g s\n", o->output,
               schedule.ranks - 1, schedule.sends, (double)schedule.first_ns / 1e9);
        if (schedule.priorities)
            printf("%" PRIu64 " flows have another priority than the first one; traces state none, "
                   "and all share one queue\n",
                   schedule.priorities);
        printf("run it with --workload=%s --system=%s.system.json; rank r is host r\n", o->output,
               o->output);
    }
    asim_schedule_fini(&schedule);
    return rc;
}

static const struct asim_args_job job = {
    "trace flows",
    "usage: asim trace flows --input=FLOWS.txt --out=FOLDER/NAME [--option=value ...]\n\n"
    "Makes a workload of a list of flows, as FLOW_FILE of HPCC's simulator.\n\nOptions:",
    options, 0, convert};

const struct asim_command asim_trace_command_flows = {
    .member = {.name = "flows",
               .about = "make traces of a list of flows (HPCC's FLOW_FILE)",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
