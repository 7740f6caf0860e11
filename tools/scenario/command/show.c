/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim scenario show: everything that a scenario says, and the defaults of what it does not say.
 */
#include <stdio.h>
#include <stdlib.h>

#include "asim/ext/command.h"
#include "asim/scenario.h"
#include "cli/args.h"

static const struct asim_option options[] = {{.key = NULL}};

static int work(const struct asim_args *args, struct asim_err *err)
{
    struct asim_scenario *scenario;
    size_t size;
    char *text;

    if (args->n_words != 1)
        return ASIM_ARGS_USAGE;
    if (asim_scenario_read(&scenario, args->words[0], err))
        return err->code;
    size = asim_scenario_show(scenario, NULL, 0) + 1;
    text = malloc(size);
    if (text) {
        asim_scenario_show(scenario, text, size);
        fputs(text, stdout);
    }
    free(text);
    asim_scenario_close(scenario);
    return text ? 0 : asim_err_nomem(err, "showing a scenario");
}

static const struct asim_args_job job = {
    .name = "scenario show",
    .usage = "usage: asim scenario show FILE\n\nPrints all sections of a scenario with their "
             "lines, the defaults included.\n",
    .options = options,
    .max_words = 1,
    .work = work,
    .words_are = ASIM_F_READS,
    .reads_only = 1,
};

const struct asim_command asim_scenario_command_show = {
    .member = {.name = "show", .about = "print what a scenario says, with the defaults"},
    .job = &job,
};
