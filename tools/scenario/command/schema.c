/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim scenario schema: the JSON Schema of scenario files.
 */
#include <stdio.h>
#include <stdlib.h>

#include "asim/ext/command.h"
#include "asim/scenario.h"
#include "cli/args.h"

static const struct asim_option options[] = {{.key = NULL}};

static int work(const struct asim_args *args, struct asim_err *err)
{
    size_t size = asim_scenario_schema(NULL, 0) + 1;
    char *text = malloc(size);

    (void)args;
    if (!text)
        return asim_err_nomem(err, "writing a schema");
    asim_scenario_schema(text, size);
    fputs(text, stdout);
    free(text);
    return 0;
}

static const struct asim_args_job job = {
    .name = "scenario schema",
    .usage = "usage: asim scenario schema\n\nPrints the JSON Schema of scenario files; "
             "examples/scenarios/scenario.schema.json is its output.\n",
    .options = options,
    .work = work,
    .reads_only = 1,
};

const struct asim_command asim_scenario_command_schema = {
    .member = {.name = "schema", .about = "print the JSON Schema of scenario files"},
    .job = &job,
};
