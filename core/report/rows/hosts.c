/* SPDX-License-Identifier: GPL-2.0-only
 *
 * hosts.csv: a row a host, at the end: its rank (empty where it has none), data packets sent and of
 * these sent again, packets received twice, NACKs sent, timeouts, messages given up, and PFC frames
 * received (pauses and their ends). Written with --out and --reports=hosts.
 */
#include "report/report.h"
#include "sim/distributed/distribution.h"

#include <inttypes.h>

/* Rank r runs on host r of a topology in memory; the id is that of the topology file. */
static void write_row(struct asim_out *file, const struct asim_world *world, uint32_t host)
{
    struct asim_host_use use;

    asim_distribution_host_use(world, host, &use);
    asim_out_printf(file, "%u,", asim_topo_external_id(&world->set.topo, host));
    if (host < world->set.n_ranks)
        asim_out_printf(file, "%u", host);
    asim_out_printf(
        file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
        use.data_packets, use.retransmitted, use.duplicates, use.nacks, use.timeouts,
        use.aborted_messages, use.pfc_received);
    asim_report_job(file, world, host);
    asim_out_printf(file, "\n");
}

static int close_hosts(void *self, const struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;

    for (uint32_t host = 0; !world->run.failed && host < topo->hosts; host++)
        if (!asim_topo_is_endpoint(topo, host))
            write_row(self, world, host);
    return asim_report_file_close(self, world, err);
}

static int open_hosts(struct asim_event_observer *observer, struct asim_world *world,
                      const char *out, struct asim_err *err)
{
    struct asim_out *file;

    if (!asim_world_has(world, ASIM_NET_HOSTS) || !asim_report_wanted(world, out, "hosts"))
        return 0;
    if (asim_report_file(&file, world, out, "hosts.csv", err))
        return ASIM_EIO;
    asim_out_printf(file, "host,rank,data_packets,retransmitted_packets,duplicate_packets,"
                          "nacks_sent,timeouts,aborted_messages,pfc_frames_received");
    asim_report_job_header(file, world);
    asim_out_printf(file, "\n");
    *observer = (struct asim_event_observer){
        .wants = 1u << ASIM_EV_HOSTS, .self = file, .close = close_hosts};
    return 0;
}

const struct asim_report asim_report_hosts = {
    .member = {.name = "hosts", .about = "hosts.csv: retransmissions, NACKs and timeouts of hosts"},
    .in_out = ASIM_OUT_NAMED,
    .open = open_hosts,
};
