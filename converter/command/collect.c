/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace collect: the Python script that records traces and training metrics on the machine
 * with the GPUs.
 */
#include <stdio.h>

#include "asim/ext/command.h"
#include "base/io/out.h"
#include "cli/args.h"
#include "cli/embedded.h"

struct options {
    char *out;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {{"out", NULL, "file to write; -: standard output", "-",
                                              ASIM_T_STRING, AT(out), 0, 0, NULL, ASIM_F_WRITES},
                                             {0}};

static int write_script(const struct asim_args *args, struct asim_err *err)
{
    const struct options *opt = args->tables[0].base;
    struct asim_out out;

    if (asim_out_open(&out, opt->out, err))
        return ASIM_EIO;
    asim_out_printf(&out, "%s", collect_files[0].text);
    return asim_out_commit(&out, err);
}

static const struct asim_args_job job = {
    .name = "trace collect",
    .usage = "usage: asim trace collect [--out=collect.py]\n\n"
             "Prints a Python script for the machine with the GPUs. It records PyTorch's traces "
             "and training metrics of\na small model or of a program of yours, for asim run "
             "--workload=FOLDER. python3 collect.py --help tells more.\n\nOptions:",
    .options = options,
    .work = write_script};

const struct asim_command asim_trace_command_collect = {
    .member = {.name = "collect",
               .about = "print a Python script that records PyTorch's traces and training metrics",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
