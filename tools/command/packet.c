/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim packet: the packet-level run of AstraSimNetwork without ns-3. The node logic and the
 * results are the same; what is missing is what ns-3 adds (attributes, trace sources, pcap, other
 * models, MPI). Quick to build, and the way the C tests run whole simulations.
 *
 * The same run as AstraSimNetwork without ns-3: the fabric's own loop is the clock. Results are
 * equal to the byte; this one starts quicker and needs no ns-3 build.
 */
#include "asim/ext/command.h"
#include "cli/app.h"
#include "tools/report/report.h"
#include "tools/scenario/traces.h"

static int run_packet(int argc, char **argv)
{
    struct asim_app app = {.program = "asim packet",
                           .verdict = asim_report_text,
                           .make_traces = asim_scenario_traces_for,
                           .drop_traces = asim_scenario_traces_drop};

    return asim_app_run(&app, argc, argv);
}

const struct asim_command asim_command_packet = {
    .member = {.name = "packet", .about = "Simulate traces at packet level, without ns-3."},
    .run = run_packet,
    .topic = ASIM_TOPIC_RUN,
};
