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

static int run_greet(int argc, char **argv)
{
    static const struct asim_args_job job = {
        .name = "greet", .usage = "usage: asim greet\n", .options = options, .work = greet};
    struct greet_options opt = {0};

    return asim_args_run(&job, &opt, argc, argv);
}

const struct asim_command asim_command_greet = {
    .member = {.name = "greet", .about = "greet, for a test"},
    .run = run_greet,
};
