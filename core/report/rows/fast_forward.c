/* SPDX-License-Identifier: GPL-2.0-only
 *
 * fast_forward.csv: how many packet-hops fast-forward has replayed and skipped, and how many were
 * carried frame by frame, for which reason, most costly first. Written with --out and
 * --reports=fast_forward.
 *
 * It tells about the simulator and not about the simulated network: with another --fast-forward,
 * --threads or number of processes it differs, as no other report does. So it is not in
 * summary.json and not part of `all`. With several processes it is that of the first.
 */
#include "net/packets.h"
#include "report/report.h"
#include "net/carried.h"

#include <inttypes.h>

static void put(struct asim_out *file, const char *what, uint64_t hops, const char *why)
{
    asim_out_printf(file, "%s,%" PRIu64 ",\"%s\"\n", what, hops, why);
}

/* Selects the largest that is left; there are few. */
static void put_carried(struct asim_out *file, struct asim_memo_use *use)
{
    for (;;) {
        int most = 0;

        for (int i = 1; i < ASIM_CARRIED_REASONS; i++)
            if (use->reasons[i].hops > use->reasons[most].hops)
                most = i;
        if (!use->reasons[most].hops)
            return;
        put(file, "carried", use->reasons[most].hops,
            most == ASIM_CARRIED_OFF && use->off ? use->off : use->reasons[most].why);
        use->reasons[most].hops = 0;
    }
}

static int write_rows(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct asim_out *file = asim_report_out(self);
    struct asim_memo_use use;

    (void)err;
    world->via.packets->memo_use(world->via.packet_net, &use);
    put(file, "replayed", use.replayed, "in replays of episodes");
    put(file, "skipped", use.skipped, "in periods of a steady state");
    put_carried(file, &use);
    put(file, "again", use.wasted, "simulated a second time, since ranks deviated from a replay");
    return 0;
}

const struct asim_report asim_report_fast_forward = {
    .member = {.name = "fast_forward",
               .about = "fast_forward.csv: packet-hops carried, replayed and skipped, and why not "
                        "more; not among all"},
    .in_out = ASIM_OUT_BY_NAME,
    .needs = ASIM_NET_REPLAYS,
    .file = "fast_forward.csv",
    .head = "what,packet_hops,reason",
    .end = write_rows,
};
