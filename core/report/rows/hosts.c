/* SPDX-License-Identifier: GPL-2.0-only
 *
 * hosts.csv: a row a host, at the end: its rank (empty where it has none), data packets sent and of
 * these sent again, packets received twice, NACKs sent, timeouts, messages given up, and PFC frames
 * received (pauses and their ends). Written with --out and --reports=hosts.
 */
#include "asim/packet.h"
#include "net/packets.h"
#include "report/report.h"
#include "sim/distributed/distribution.h"

#include <inttypes.h>

#define HEAD(HEADING, MEMBER, COUNTER) "," #HEADING
/* A network without queues knows only what hosts had to send; it loses nothing. */
#define KNOWN(HEADING, MEMBER, COUNTER)                                                            \
    if (&use.MEMBER == &use.data_packets)                                                          \
        CELL(HEADING, MEMBER, COUNTER)                                                             \
    else                                                                                           \
        asim_out_write(file, ",", 1);
#define CELL(HEADING, MEMBER, COUNTER) asim_out_printf(file, ",%" PRIu64, use.MEMBER);

/* Rank r runs on host r of a topology in memory; the id is that of the topology file. */
static void write_row(struct asim_out *file, const struct asim_world *world, uint32_t host)
{
    struct asim_host_use use;

    asim_distribution_host_use(world, host, &use);
    asim_out_printf(file, "%u,", asim_topo_external_id(&world->set.topo, host));
    if (host < world->set.n_ranks)
        asim_out_printf(file, "%u", host);
    if (asim_world_has(world, ASIM_NET_QUEUES)) {
        ASIM_HOST_COLUMNS(CELL)
    } else {
        ASIM_HOST_COLUMNS(KNOWN)
    }
    asim_report_job(file, world, host);
    asim_out_printf(file, "\n");
}

static int write_rows(void *self, const struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;

    (void)err;
    for (uint32_t host = 0; host < topo->hosts; host++)
        if (!asim_topo_is_endpoint(topo, host))
            write_row(asim_report_out(self), world, host);
    return 0;
}

const struct asim_report asim_report_hosts = {
    .member = {.name = "hosts", .about = "hosts.csv: retransmissions, NACKs and timeouts of hosts"},
    .in_out = ASIM_OUT_NAMED,
    .needs = ASIM_NET_HOSTS,
    .file = "hosts.csv",
    .head = "host,rank" ASIM_HOST_COLUMNS(HEAD),
    .has_jobs = 1,
    .wants = 1u << ASIM_EV_HOSTS,
    .end = write_rows,
};
