/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace msccl: an algorithm of MSCCL or MSCCL++ as a custom algorithm (schedule/msccl.c).
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "asim/ext/command.h"
#include "cli/args.h"
#include "schedule/msccl.h"
#include "schedule/schedule.h"

struct options {
    char *input, *output;
    uint64_t bytes;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"input", "i", "XML of MSCCL, or an execution plan of MSCCL++ (required)", NULL, ASIM_T_STRING,
     AT(input), 0, 0, NULL, ASIM_F_READS},
    {"out", "output", "prefix of the algorithm's traces to write (required)", NULL, ASIM_T_STRING,
     AT(output), 0, 0, NULL, ASIM_F_WRITES | ASIM_F_SET},
    {"size", NULL,
     "bytes of the collective that it is for: of an all-reduce, reduce-scatter or all-to-all a "
     "rank's input, of an all-gather a rank's part (required)",
     "0", ASIM_T_SIZE, AT(bytes)},
    {0}};

static int write(const struct asim_msccl *msccl, const struct options *o, int force,
                 struct asim_err *err)
{
    struct asim_schedule schedule = {0};
    int rc = asim_schedule_from_msccl(&schedule, msccl, o->bytes, err);

    if (!rc)
        rc = asim_schedule_write(&schedule, o->output, force, err);
    if (!rc)
        printf("wrote %s.{0..%" PRIu32 "}.et: %s, %" PRIu64 " messages; complete: each output is "
               "the collective's\nrun it with --system=%s.system.json, on collectives of %" PRIu64
               " bytes\n",
               o->output, schedule.ranks - 1, *msccl->name ? msccl->name : "an algorithm",
               schedule.sends, o->output, o->bytes);
    asim_schedule_fini(&schedule);
    return rc;
}

static int convert(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct asim_msccl msccl = {0};
    int rc;

    if (!o->input || !o->output || !o->bytes)
        return asim_err_set(err, ASIM_EUSAGE, "--input, --out and --size are all needed.");
    rc = asim_msccl_read(&msccl, o->input, err);
    if (!rc)
        rc = asim_msccl_check(&msccl, err);
    if (!rc)
        rc = write(&msccl, o, args->limits.force, err);
    asim_msccl_fini(&msccl);
    return rc;
}

static const struct asim_args_job job = {
    "trace msccl",
    "usage: asim trace msccl --input=FILE --out=FOLDER/NAME --size=BYTES [--option=value "
    "...]\n\n"
    "Checks that an algorithm of MSCCL (XML) or MSCCL++ (JSON) is complete, and makes a custom "
    "algorithm\nof it, which a system configuration takes as all-reduce-implementation-custom and "
    "the like.\n\nOptions:",
    options, 0, convert};

const struct asim_command asim_trace_command_msccl = {
    .member = {.name = "msccl",
               .about = "make a custom algorithm of MSCCL's or MSCCL++'s",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
