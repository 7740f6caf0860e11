/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the op or the rank behind an event. An op of this process is read again from its trace,
 * since the feed may have dropped its record. An event of another process carries the fields
 * that observers may ask for.
 *
 * Costs one read of a record, only where an observer asks.
 */
#include "sim/rank/event.h"
#include "sim/rank/rank_shard.h"

int asim_event_op(const struct asim_world *world, const struct asim_event *event,
                  struct asim_op *op)
{
    struct asim_rank *rank = &world->run.ranks[event->rank];

    if (!event->of.op.name) {
        int code = asim_feed_record(rank->feed, event->of.op.index, op, &rank->shard->scratch_err);

        if (code)
            asim_rank_record_failure(rank);
        return code;
    }
    *op = (struct asim_op){.id = event->of.op.id,
                           .type = (enum asim_op_type)event->of.op.type,
                           .name = event->of.op.name};
    return 0;
}

/* A finished rank changes no more, so a late question has the same answer. */
void asim_event_rank(const struct asim_world *world, const struct asim_event *event,
                     struct asim_rank_facts *facts)
{
    const struct asim_rank *rank = &world->run.ranks[event->rank];

    if (event->of.done.facts) {
        *facts = *event->of.done.facts;
        return;
    }
    *facts = (struct asim_rank_facts){
        .track = rank->track, .cycles = rank->cycles, .ops = asim_feed_total(rank->feed)};
    if (world->set.system.comp_slots > 1 && !world->set.system.replay_only)
        facts->track.gpu_busy = rank->track.total[ASIM_SPAN_GPU]; /* concurrent ops count once */
}

/* Never wraps: in replay-only runs the GPU time may exceed the rank's time
 * (system-layer.md#end-of-a-rank). */
uint64_t asim_rank_exposed(const struct asim_rank_facts *facts)
{
    uint64_t busy = facts->track.gpu_busy;

    return facts->cycles > busy ? facts->cycles - busy : 0;
}
