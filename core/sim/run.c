/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A world in simulated time: start, end, and progress. The caller (ns-3, or asim_world_run)
 * advances the clock.
 */
#include "asim/packet.h"
#include "sim/distributed/stall_report.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/distributed/distribution.h"
#include "sim/distributed/totals.h"
#include "sim/world.h"

/* Gives each rank of this process a pointer to its time, where the network has one. */
static void set_clocks(struct asim_world *world)
{
    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        struct asim_rank *rank = &world->run.ranks[r];

        if (!asim_rank_is_here(rank))
            continue;
        if (world->via.queue)
            rank->clock = &world->via.queue->now_ns;
        else if (world->via.backend->clock)
            rank->clock = world->via.backend->clock(world->via.carrier, r);
    }
}

int asim_world_start(struct asim_world *world, struct asim_err *err)
{
    if (asim_world_has(world, ASIM_NET_FLOWS) && asim_world_set_hooks(world))
        return asim_err_nomem(err, "watching queues");
    if (asim_world_has(world, ASIM_NET_REPLAYS) && world->set.settings.fast_forward &&
        world->via.packets->use_memo(world->via.packet_net))
        return asim_err_nomem(err, "preparing the fast-forward");
    set_clocks(world);
    asim_world_start_ranks(world);
    world->run.event_bus.stage = ASIM_STAGE_NODES;
    asim_rank_shards_gather(world);
    if (world->run.failed && err)
        *err = world->run.failure.err;
    return world->run.failed ? world->run.failure.err.code : 0;
}

/* Delivers the remaining events and closes the reports, which keep their files unless the run
 * failed. */
static int close_reports(struct asim_world *world, struct asim_err *err)
{
    asim_event_bus_deliver(&world->run.event_bus, world, UINT64_MAX);
    asim_rank_shards_gather(world); /* an observer may fail a rank by reading its trace again */
    if (world->run.event_bus.pending.failed) {
        asim_err_nomem(&world->run.failure.err, "keeping events for the reports");
        world->run.failed = 1;
    }
    return asim_event_bus_close(&world->run.event_bus, world, err);
}

/* The end in a process other than process 0: its reports write to /dev/null, except files about its
 * own ranks, which follow the verdict of process 0. */
static int finish_follower(struct asim_world *world, int verdict, struct asim_err *err)
{
    struct asim_err closing = {.code = 0};
    int code;

    asim_distribution_end(world, verdict);
    world->run.failed = 1;
    code = asim_event_bus_close(&world->run.event_bus, world, &closing);
    if (!code)
        return verdict;
    if (err)
        *err = closing;
    return code;
}

/* Closes reports in any case and returns the first failure. */
int asim_world_finish(struct asim_world *world, int code, struct asim_err *err)
{
    struct asim_err run = {.code = 0}, closing = {.code = 0};
    struct asim_totals totals;

    if (!asim_distribution_reports(world))
        return finish_follower(world, code, err);
    if (code && err)
        run = *err;
    run.code = code;
    asim_record_unfinished(world);
    asim_world_finish_failures(world, &run);
    if (asim_is_distributed(world))
        asim_world_diagnose_traces(world);
    close_reports(world, &closing);
    asim_world_diagnose_run(world); /* the last events have been delivered */
    if (asim_world_has(world, ASIM_NET_LINKS) && !run.code)
        world->via.packets->diagnose_end(world->via.packet_net, asim_world_diagnostics(world));
    if (world->run.failed)
        closing = world->run.failure.err;
    if (closing.code) {
        if (err)
            *err = closing;
        return closing.code;
    }
    asim_totals_all(world, &totals);
    if (world->run.stopped && totals.ranks_done < world->set.n_ranks)
        return asim_err_set(err, ASIM_EINTR,
                            "interrupted at %llu ns: %u of %u ranks had finished; the reports hold "
                            "what was known by then",
                            (unsigned long long)totals.settled_ns, totals.ranks_done,
                            world->set.n_ranks);
    if (totals.ranks_cut ||
        (world->set.settings.free_receives && totals.ranks_done == world->set.n_ranks))
        return 0;
    return asim_stall_report(world, err);
}

/* For backends that advance their own clock. */
int asim_world_go(struct asim_world *world, struct asim_err *err)
{
    return world->via.backend->run(world->via.carrier, err);
}

int asim_world_run(struct asim_world *world, struct asim_err *err)
{
    int code = asim_world_start(world, err);

    if (!code)
        code = asim_world_go(world, err);
    return asim_world_finish(world, code, err);
}
