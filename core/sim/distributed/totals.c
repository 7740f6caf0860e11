/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Adds up what the ranks of this process have done, and the sums of other processes.
 */
#include "sim/collective/coll_progress.h"
#include "sim/collective/uniform_phase.h"
#include "sim/distributed/state.h"

/* Rounds that took no time are left out (ops/issue.c). */
static uint64_t ops_done(const struct asim_rank *rank)
{
    uint64_t total = asim_feed_total(rank->feed);

    return rank->finished ? rank->job->repeat * total
                          : rank->rounds * total + asim_feed_finished(rank->feed);
}

/* Linear in ranks and nodes. Counts messages at their sources where the network does not count
 * them. */
void asim_totals_here(const struct asim_world *world, struct asim_totals *totals)
{
    *totals = (struct asim_totals){.ranks_done = world->run.ranks_done,
                                   .stopped = world->run.stopped != 0,
                                   .ops_total = world->set.ops_total,
                                   .bytes_total = world->set.bytes_total,
                                   .census = world->set.census,
                                   .settled_ns = world->run.settled_ns};
    if (asim_world_has(world, ASIM_NET_LINKS))
        world->via.packets->stats(world->via.packet_net, &totals->net);
    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        const struct asim_rank *rank = &world->run.ranks[r];

        if (!asim_rank_is_here(rank))
            continue;
        totals->ranks_cut += rank->is_cut != 0;
        totals->ops_done += ops_done(rank);
        totals->bytes_done += rank->bytes_done + asim_coll_bytes_under_way(rank);
        totals->messages += asim_world_has(world, ASIM_NET_LINKS)
                                ? 0
                                : rank->sent - asim_uniform_phase_unsent(rank);
        totals->dropped += asim_feed_unresolved(rank->feed);
        totals->alone += rank->alone;
        if (rank->alone && !totals->alone_rank) {
            totals->alone_rank = r + 1;
            totals->alone_op = rank->alone_op;
        }
        if (!asim_feed_total(rank->feed) && !totals->idle++)
            totals->first_idle = r + 1;
        if (rank->finished && rank->cycles > totals->last_ns)
            totals->last_ns = rank->cycles;
    }
    totals->messages += totals->net.messages;
}

/* Every frame and mark counts in one process only: the process of its sender or switch. */
static void add_net(struct asim_fabric_stats *into, const struct asim_fabric_stats *from)
{
#define ADD(NAME) (into->NAME += from->NAME)
    ASIM_FABRIC_SUMS(ADD);
#undef ADD
    into->last_ns = from->last_ns > into->last_ns ? from->last_ns : into->last_ns;
    into->contested |= from->contested;
}

/* Takes the latest of two times. */
void asim_totals_add(struct asim_totals *into, const struct asim_totals *from)
{
    into->ranks_done += from->ranks_done;
    into->ranks_cut += from->ranks_cut;
    into->stopped |= from->stopped;
    into->ops_done += from->ops_done;
    into->ops_total += from->ops_total;
    into->bytes_total += from->bytes_total;
    into->bytes_done += from->bytes_done;
    into->messages += from->messages;
    into->dropped += from->dropped;
    asim_census_add(&into->census, &from->census);
    into->alone += from->alone;
    if (from->alone_rank && (!into->alone_rank || from->alone_rank < into->alone_rank)) {
        into->alone_rank = from->alone_rank;
        into->alone_op = from->alone_op;
    }
    into->idle += from->idle;
    if (!into->first_idle || (from->first_idle && from->first_idle < into->first_idle))
        into->first_idle = from->first_idle;
    into->last_ns = from->last_ns > into->last_ns ? from->last_ns : into->last_ns;
    into->settled_ns = from->settled_ns > into->settled_ns ? from->settled_ns : into->settled_ns;
    add_net(&into->net, &from->net);
}

/* During the run only the totals of this process are known. */
void asim_totals_all(const struct asim_world *world, struct asim_totals *totals)
{
    asim_totals_here(world, totals);
    if (world->dist)
        asim_totals_add(totals, &world->dist->others);
}
