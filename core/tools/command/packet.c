/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim packet: the packet-level run of AstraSimNetwork without ns-3. The node logic and the
 * results are the same; what is missing is what ns-3 adds (attributes, trace sources, pcap, other
 * models, MPI). Quick to build, and the way the C tests run whole simulations.
 */
#include "asim/ext/command.h"
#include "fabric/fabric.h"
#include "tools/app.h"

#include <signal.h>
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

static int run_packet(int argc, char **argv)
{
    struct asim_app app = {.program = "asim packet", .stop = stop};
    struct sigaction action;
    struct asim_fabric *fabric;
    int code = asim_app_open(&app, argc, argv);

    if (code != ASIM_APP_GO_ON)
        return code;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    fabric = asim_world_fabric(app.world);
    code = asim_world_start(app.world, &app.err);
    while (!code && !asim_world_done(app.world) && asim_fabric_next(fabric) != UINT64_MAX) {
        asim_fabric_step(fabric, &app.err);
        code = app.err.code;
        asim_app_tick(&app);
    }
    return asim_app_close(&app, code);
}

const struct asim_command asim_command_packet = {
    .member = {.name = "packet", .about = "simulate traces at packet level, without ns-3"},
    .run = run_packet,
};
