/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs without ns-3, with the clock of the core. After Ctrl-C a run ends at its next safe point and
 * keeps its partial results.
 *
 * Wall-clock figures go to stderr only; they are never part of a result.
 */
#include "asim/packet.h"
#include "cli/app.h"
#include "cli/interrupt.h"

/* Step by step, for the progress line. */
static int run_packets(struct asim_app *app)
{
    int code = 0;

    while (!code && !asim_world_done(app->world) && asim_packet_next(app->world) != ASIM_NEVER) {
        asim_packet_step(app->world, &app->err);
        code = app->err.code;
        asim_app_tick(app);
    }
    return code;
}

int asim_app_run(struct asim_app *app, int argc, char **argv)
{
    int code;

    asim_interrupt_note(); /* also of the set-up, which leaves no half-written files then */
    code = asim_app_open(app, argc, argv);
    if (code != ASIM_APP_GO_ON)
        return code;
    code = asim_world_start(app->world, &app->err);
    if (!code)
        code = asim_packet_is_used(app->world) ? run_packets(app)
                                               : asim_world_go(app->world, &app->err);
    return asim_app_close(app, code);
}
