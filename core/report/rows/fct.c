/* SPDX-License-Identifier: GPL-2.0-only
 *
 * fct.txt: one line per completed message, in the reference's columns (spec rdma-network.md,
 * section 5.5): addresses in hex, ports, bytes, start, duration, and the time the message would
 * take alone. Written where the network configuration names it (FCT_OUTPUT_FILE). Messages that
 * complete in the same ns come in the order of their source rank.
 *
 * Start is when the queue pair was made, the end when its last ACK was back: what the reference
 * calls FCT, not what the rank waited. The receiving rank is told at the same ns.
 */
#include "report/report.h"

#include <inttypes.h>

/* The reference's address of a host.
 * The same arithmetic as fabric/hash.c; reports stand right of it but must not depend on a run
 * having a fabric. */
static uint32_t ip_of(uint32_t host)
{
    return 0x0b000001u + ((host / 256) << 16) + ((host % 256) << 8);
}

/* Port 100 is every message's destination port. Durations end when the last ACK is back. */
static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    (void)world;
    asim_out_printf(self, "%08x %08x %u 100 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                    ip_of(event->rank), ip_of(event->of.fct.dst), event->of.fct.sport,
                    event->of.fct.bytes, event->of.fct.start, event->t - event->of.fct.start,
                    event->of.fct.ideal);
}

/* Not tied to --out: scripts look for the file the network configuration names. */
static int open_fct(struct asim_viewer *viewer, struct asim_world *world, const char *out,
                    struct asim_err *err)
{
    struct asim_out *file;

    (void)out;
    if (!world->fabric || !world->net.fct_output || !*world->net.fct_output)
        return 0;
    if (asim_report_file(&file, NULL, world->net.fct_output, err))
        return ASIM_EIO;
    *viewer = (struct asim_viewer){
        .wants = 1u << ASIM_EV_FCT, .self = file, .see = see, .close = asim_report_file_close};
    return 0;
}

const struct asim_report asim_report_fct = {
    .member = {.name = "fct", .about = "fct.txt: a line a message"},
    .open = open_fct,
};
