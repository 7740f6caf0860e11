/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway command with a knob: asim greet --name=WORD.
 */
#include <stdio.h>
#include "asim/ext/command.h"
#include "cli/args.h"

struct greet_options {
    char *name;
};

static const struct asim_option options[] = {
    {.key = "name",
     .type = ASIM_T_STRING,
     .offset = offsetof(struct greet_options, name),
     .def = "world",
     .help = "the one to greet"},
    {.key = NULL},
};

static int greet(const struct asim_args *args, struct asim_err *err)
{
    const struct greet_options *opt = args->tables[0].base;

    (void)err;
    printf("hello %s\n", opt->name);
    return 0;
}

static const struct asim_args_job job = {
    .name = "greet", .usage = "usage: asim greet\n", .options = options, .work = greet};

const struct asim_command asim_command_greet = {
    .member = {"greet", "greet, for a test", options, sizeof(struct greet_options)},
    .job = &job,
};
