/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim compare: one workload at packet level (as asim packet), at the flow level and over both
 * analytical networks, with the table of cli/compare.h at the end. AstraSimNetwork
 * --compare=analytical is the same with the packet level run by ns-3.
 *
 * Exit codes are those of the packet run: if it fails or stalls there is nothing to compare.
 */
#include <stdio.h>
#include <string.h>
#include "asim/ext/command.h"
#include "cli/app.h"
#include "cli/args.h"
#include "tools/report/report.h"

/* 1 if the option `compare`, which other commands have, says none: it would have no effect here. */
static int says_none(int argc, char **argv)
{
    const struct asim_option *row = asim_option_find(asim_settings_options, "compare");

    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');

        if (!asim_args_is(argv[i], row))
            continue;
        value = value ? value + 1 : argv[i + 1];
        if (value && !strcmp(value, "none"))
            return 1;
    }
    return 0;
}

static int run_compare(int argc, char **argv)
{
    struct asim_app app = {
        .program = "asim compare",
        .verdict = asim_report_text,
        .compare = 1,
        .like = ASIM_LIKE_ASTRA_SIM, /* the formulas' algorithms */
        .about = "Runs the Chakra execution traces PREFIX.0.et, PREFIX.1.et, … at packet level, at "
                 "the flow\nlevel and over both analytical networks and prints how far they are "
                 "apart."};

    if (says_none(argc, argv)) {
        fprintf(stderr, "asim compare: --compare=none leaves nothing to compare; leave it out, or "
                        "run `asim packet`.\n");
        return 2;
    }
    return asim_app_run(&app, argc, argv);
}

const struct asim_command asim_command_compare = {
    .member = {.name = "compare",
               .about = "Run packets, the flow level and both analytical networks."},
    .run = run_compare,
    .topic = ASIM_TOPIC_COMPARE,
};
