/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim analytical: the run of ASTRA-sim's analytical programs, cycle for cycle. The options are
 * theirs (system-layer.md#command-lines) with --mode in place of two programs; a misspelt
 * option is an error here, and a run that cannot go on ends with exit code 1 and says why.
 *
 * No packets, no congestion control, no routes: the network is a table of latencies and bandwidths
 * per dimension, so thousands of ranks take seconds. Use it for questions of schedule, `asim
 * packet` for questions of the network.
 */
#include "asim/ext/command.h"
#include "cli/app.h"
#include "tools/report/report.h"

#include <stddef.h>

static const struct asim_option options[] = {
    {"mode", NULL, "unaware: every message as if it were alone; aware: messages queue for links",
     "unaware", ASIM_T_STRING, offsetof(struct asim_settings, mode)},
    {0},
};

static int run_analytical(int argc, char **argv)
{
    struct asim_app app = {.program = "asim analytical",
                           .verdict = asim_report_text,
                           .extra = options,
                           .is_analytical = 1,
                           .about = "Simulates the Chakra execution traces PREFIX.0.et, "
                                    "PREFIX.1.et, … over a network of latencies and\nbandwidths "
                                    "(--network is its YAML) and prints when each rank finishes."};

    return asim_app_run(&app, argc, argv);
}

const struct asim_command asim_command_analytical = {
    .member = {.name = "analytical",
               .about = "Simulate traces over latencies and bandwidths only."},
    .run = run_analytical,
    .topic = ASIM_TOPIC_RUN,
};
