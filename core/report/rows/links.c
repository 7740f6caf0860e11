/* SPDX-License-Identifier: GPL-2.0-only
 *
 * links.csv: a row per direction of each link, at the end: bytes carried; utilization until the
 * last finish or the end of the last frame, the later of the two; and for a switch's egress the
 * longest queue, ECN marks, PAUSE frames sent and frames refused on entry. A host's row has the
 * pauses of its NIC. lost_frames: of the link's error rate and outages. Class, tiers and names are
 * those of topo/tier.h. The flow level has queues and expected marks as it models them, which a
 * last column tells, and leaves the cells of pauses and losses empty. Written with --out and
 * --reports=links. New columns go at the end.
 */
#include "asim/packet.h"
#include "report/report.h"
#include "sim/distributed/distribution.h"
#include "topo/tier.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_row(struct asim_out *file, const struct asim_world *world, const uint8_t *tier,
                      uint32_t wire, uint64_t end)
{
    const struct asim_topo *topo = &world->set.topo;
    const struct asim_link *link = &topo->links[wire / 2];
    char class[24], from[24], to[24];
    struct asim_link_use use;

    asim_distribution_link_use(world, wire, &use);

    asim_out_printf(file, "%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f",
                    asim_topo_external_id(topo, use.from), use.port,
                    asim_topo_external_id(topo, use.to), use.rate_bps, use.frames, use.bytes,
                    (double)use.bytes * 8e9 / ((double)use.rate_bps * (double)end));
    if (asim_world_has(world, ASIM_NET_QUEUES))
        asim_out_printf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                        use.peak_queue_bytes, use.marks, use.pauses, use.drops, use.lost);
    else
        asim_out_printf(file, ",%" PRIu64 ",%" PRIu64 ",,,", use.peak_queue_bytes, use.marks);
    asim_out_printf(file, ",%s,%u,%u,%s,%s%s\n",
                    asim_topo_link_class(class, sizeof class, topo, tier, link), tier[use.from],
                    tier[use.to], asim_topo_node_name(from, sizeof from, topo, tier, use.from),
                    asim_topo_node_name(to, sizeof to, topo, tier, use.to),
                    asim_world_has(world, ASIM_NET_QUEUES) ? "" : ",flow");
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    (void)err;
    asim_out_printf(asim_report_out(self),
                    "from,port,to,rate_bps,frames,bytes,utilisation,peak_queue_bytes,ecn_marks,"
                    "pauses_sent,drops,lost_frames,class,from_tier,to_tier,from_name,to_name%s\n",
                    asim_world_has(world, ASIM_NET_QUEUES) ? "" : ",model");
    return 0;
}

static int write_rows(void *self, const struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    uint64_t end = asim_report_end_ns(world);
    uint8_t *tier;

    if (asim_topo_tiers(&tier, topo, err))
        return ASIM_ENOMEM;
    end = end ? end : 1;
    for (uint32_t wire = 0; wire < topo->n_links * 2; wire++)
        write_row(asim_report_out(self), world, tier, wire, end);
    free(tier);
    return 0;
}

const struct asim_report asim_report_links = {
    .member = {.name = "links", .about = "links.csv: what each link carried and queued"},
    .in_out = ASIM_OUT_NAMED,
    .needs = ASIM_NET_LINKS,
    .file = "links.csv",
    .wants = 1u << ASIM_EV_LINKS,
    .begin = begin,
    .end = write_rows,
};
