/* SPDX-License-Identifier: GPL-2.0-only
 *
 * links.csv: a row per direction of each link, at the end: bytes carried; utilization until the
 * last finish or the end of the last frame, the later of the two; and for a switch's egress the
 * longest queue, ECN marks, PAUSE frames sent and frames refused on entry. A host's row has the
 * pauses of its NIC. Written with --out and --reports=links.
 */
#include "report/report.h"
#include "sim/distributed/distribution.h"

#include <inttypes.h>

static int close_links(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct asim_totals all;
    uint64_t end;

    if (world->run.failed)
        return asim_report_file_close(self, world, err);
    asim_totals_all(world, &all);
    end = all.last_ns > all.net.last_ns ? all.last_ns : all.net.last_ns;
    end = end ? end : 1;
    for (size_t l = 0; l < world->set.topo.n_links * 2; l++) {
        struct asim_link_use use;

        asim_distribution_link_use(world, (uint32_t)l, &use);
        asim_out_printf(self,
                        "%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%" PRIu64 ",%" PRIu64
                        ",%" PRIu64 ",%" PRIu64 "\n",
                        asim_topo_external_id(&world->set.topo, use.from), use.port,
                        asim_topo_external_id(&world->set.topo, use.to), use.rate_bps, use.frames,
                        use.bytes, (double)use.bytes * 8e9 / ((double)use.rate_bps * (double)end),
                        use.peak_queue_bytes, use.marks, use.pauses, use.drops);
    }
    return asim_report_file_close(self, world, err);
}

static int open_links(struct asim_event_observer *observer, struct asim_world *world,
                      const char *out, struct asim_err *err)
{
    struct asim_out *file;

    if (!world->via.fabric || !asim_report_wanted(world, out, "links"))
        return 0;
    if (asim_report_file(&file, world, out, "links.csv", err))
        return ASIM_EIO;
    asim_out_printf(file, "from,port,to,rate_bps,frames,bytes,utilisation,peak_queue_bytes,"
                          "ecn_marks,pauses_sent,drops\n");
    *observer = (struct asim_event_observer){
        .wants = 1u << ASIM_EV_LINKS, .self = file, .close = close_links};
    return 0;
}

const struct asim_report asim_report_links = {
    .member = {.name = "links", .about = "links.csv: what each link carried and queued"},
    .in_out = ASIM_OUT_NAMED,
    .open = open_links,
};
