/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim compare: one workload at packet level (as asim packet) and over both analytical networks,
 * with the table of tools/compare.h at the end. AstraSimNetwork --compare=analytical is the same
 * with the packet level run by ns-3.
 *
 * Exit codes are those of the packet run: if it fails or stalls there is nothing to compare.
 */
#include "asim/ext/command.h"
#include "tools/app.h"

static int run_compare(int argc, char **argv)
{
    struct asim_app app = {
        .program = "asim compare",
        .compare = 1,
        .about = "Runs the Chakra execution traces PREFIX.0.et, PREFIX.1.et, … at packet level and "
                 "over both\nanalytical networks and prints how far they are apart."};

    return asim_app_run(&app, argc, argv);
}

const struct asim_command asim_command_compare = {
    .member = {.name = "compare", .about = "packet level against both analytical networks"},
    .run = run_compare,
};
