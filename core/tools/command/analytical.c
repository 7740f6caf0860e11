/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim analytical: the run of ASTRA-sim's analytical programs, cycle for cycle. The options are
 * theirs (spec astra-system.md, section 1.1) with --mode in place of two programs; a misspelt
 * option is an error here, and a run that cannot go on ends with exit code 1 and says why.
 */
#include "asim/ext/command.h"
#include "tools/app.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

/* Sets a flag only: the run ends at its next safe point and keeps its partial results. */
static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static int stop(void)
{
    return interrupted;
}

static const struct asim_option options[] = {
    {.key = "mode",
     .type = ASIM_T_STRING,
     .offset = offsetof(struct asim_settings, mode),
     .def = "unaware",
     .help = "unaware: every message as if it were alone; aware: messages queue for links"},
    {.key = NULL},
};

/* The handler is installed after opening: Ctrl-C while files are read simply ends the program. */
static int run_analytical(int argc, char **argv)
{
    struct asim_app app = {
        .program = "asim analytical",
        .stop = stop,
        .extra = options,
        .about = "Simulates the Chakra execution traces PREFIX.0.et, PREFIX.1.et, … over a network "
                 "of latencies and\nbandwidths (--network is its YAML) and prints when each rank "
                 "finishes."};
    struct sigaction action;
    int code = asim_app_open(&app, argc, argv);

    if (code != ASIM_APP_GO_ON)
        return code;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    code = asim_world_start(app.world, &app.err);
    if (!code)
        code = asim_world_go(app.world, &app.err);
    return asim_app_close(&app, code);
}

const struct asim_command asim_command_analytical = {
    .member = {.name = "analytical", .about = "simulate traces over latencies and bandwidths only"},
    .run = run_analytical,
};
