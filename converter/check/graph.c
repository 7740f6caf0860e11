/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks the dependencies of one rank with the index that a simulation builds.
 */
#include "check/check.h"
#include "asim/trace.h"

void asim_check_graph(struct asim_check *check, uint32_t rank)
{
    struct asim_trace trace = {0};
    size_t unresolved = 0;
    struct asim_err err = {0};
    char text[sizeof err.text + sizeof err.source + 32];
    int rc = asim_trace_open(&trace, check->prefix, rank, &err);
    if (!rc) {
        rc = asim_trace_check_graph(&trace, check->lenient, &unresolved, &err);
        if (unresolved)
            asim_check_say(check, 0,
                           "rank %u: %zu control dependenc%s on nodes that are not there; a "
                           "simulation drops %s.",
                           rank, unresolved, unresolved == 1 ? "y" : "ies",
                           unresolved == 1 ? "it" : "them");
    }
    if (rc)
        asim_check_say(check, 1, "rank %u: %s", rank, asim_err_show(&err, text, sizeof text));
    asim_trace_close(&trace);
}
