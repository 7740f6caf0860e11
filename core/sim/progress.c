/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a caller may ask of a world: progress, times of ranks and jobs, its network.
 */
#include "asim/packet.h"
#include "asim/netconf.h"
#include "net/carried.h"
#include "sim/distributed/totals.h"
#include "sim/world.h"

static void tell_memo_use(const struct asim_world *world, struct asim_progress *progress)
{
    struct asim_memo_use use;

    world->via.packets->memo_use(world->via.packet_net, &use);
    progress->hops_replayed = use.replayed;
    progress->hops_skipped = use.skipped;
    for (int i = 0; i < ASIM_CARRIED_REASONS; i++) {
        if (progress->carried_most_why && use.reasons[i].hops <= progress->hops_carried_most)
            continue;
        progress->hops_carried_most = use.reasons[i].hops;
        progress->carried_most_why =
            i == ASIM_CARRIED_OFF && use.off ? use.off : use.reasons[i].why;
    }
}

/* Linear in ranks and nodes: meant for a display a few times a second. With several processes it
 * tells the progress of this process. */
void asim_world_progress(const struct asim_world *world, struct asim_progress *progress)
{
    struct asim_totals totals;

    asim_totals_all(world, &totals);
    *progress = (struct asim_progress){.time_ns = totals.settled_ns,
                                       .finish_ns = totals.last_ns,
                                       .ops_done = totals.ops_done,
                                       .ops_total = totals.ops_total,
                                       .bytes_done = totals.bytes_done,
                                       .bytes_total = totals.bytes_total,
                                       .messages = totals.messages,
                                       .hops = totals.net.hops,
                                       .ranks_done = totals.ranks_done,
                                       .ranks = world->set.n_here};
    if (asim_world_has(world, ASIM_NET_REPLAYS))
        tell_memo_use(world, progress);
}

void asim_packet_stats(const struct asim_world *world, struct asim_packet_counters *counters)
{
    struct asim_totals totals;
    const struct asim_fabric_stats *net = &totals.net;

    asim_totals_all(world, &totals);
    *counters = (struct asim_packet_counters){.hops = net->hops,
                                              .hop_bytes = net->hop_bytes,
                                              .messages = net->messages,
                                              .drops = net->drops,
                                              .marks = net->marks,
                                              .pauses = net->pauses,
                                              .windows = net->windows,
                                              .last_ns = net->last_ns,
                                              .data_packets = net->data,
                                              .retransmitted = net->retransmits,
                                              .lost = net->lost,
                                              .timeouts = net->timeouts,
                                              .aborted_messages = net->aborted,
                                              .nacks = net->nacks};
}

uint64_t asim_world_cycles(const struct asim_world *world, uint32_t rank)
{
    return rank < world->set.n_ranks && world->run.ranks[rank].finished
               ? world->run.ranks[rank].cycles
               : UINT64_MAX;
}

uint64_t asim_world_job_ns(const struct asim_world *world, uint32_t i)
{
    const struct asim_world_job *job = &world->set.jobs[i];
    uint64_t last = 0;

    if (i >= world->set.n_jobs)
        return UINT64_MAX;
    for (uint32_t r = job->first; r < job->first + job->n; r++) {
        uint64_t cycles = asim_world_cycles(world, r);

        if (cycles == UINT64_MAX)
            return UINT64_MAX;
        last = cycles > last ? cycles : last;
    }
    return last - (last > job->start_ns ? job->start_ns : last);
}

uint32_t asim_world_ranks(const struct asim_world *world)
{
    return world->set.n_ranks;
}

/* For programs that build objects around the network (ns-3); constant, lives as long as the world.
 */
const struct asim_topo *asim_world_topo(const struct asim_world *world)
{
    return &world->set.topo;
}

const struct asim_netconf *asim_world_netconf(const struct asim_world *world)
{
    return &world->set.net;
}
