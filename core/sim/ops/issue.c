/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ready op → slot. A rank has three slots (CPU, GPU compute, GPU communication) of one op each, or
 * of as many as concurrent-… in the system configuration says; receives need no slot. At every
 * completion the rank visits its ready ops by ascending id and issues each op whose slot is free
 * (system-layer.md#resource-slots and system-layer.md#issue-order).
 *
 * Ops that take no time (METADATA, INVALID, an empty roofline op) finish at once. parity: ASTRA-sim
 * does not look at their children before the rank's next completion, and where no other op runs it
 * never looks again (a silent dead-lock). Only in that case asim looks at once.
 *
 * The invariant of a rank: every op is waiting, ready, running (in `running`, counted in `busy`) or
 * finished. asim_op_done is the only way from running to finished, and every running op must reach
 * it exactly once.
 */
#include "sim/ops/issue.h"
#include "sim/collective/coll_issue.h"
#include "sim/collective/groups.h"
#include "sim/ops/memory.h"
#include "sim/ops/p2p.h"
#include "sim/ops/round.h"
#include "sim/rank/clock.h"
#include "sim/rank/compute.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/noise.h"
#include "sim/rank/rank_shard.h"
#include "sim/rank/track.h"
#include "sim/rank/tensor.h"

/* Running ops of all units, receives included. */
static uint32_t outstanding(const struct asim_rank *rank)
{
    uint32_t n = 0;

    for (int unit = 0; unit < ASIM_UNITS; unit++)
        n += rank->busy[unit];
    return n;
}

/* The unit of the ready op with the lowest id among units with a free slot; ASIM_UNITS if there is
 * none. Four peeks of O(1) each cost less than a walk over one list of all ready ops. */
static enum asim_unit next_unit(const struct asim_rank *rank, uint32_t *index)
{
    enum asim_unit best = ASIM_UNITS;
    uint64_t best_id = 0;

    for (int unit = 0; unit < ASIM_UNITS; unit++) {
        uint32_t at;
        uint64_t id;

        /* Ready ops of a full unit cost nothing. */
        if (rank->busy[unit] >= rank->world->set.units[unit])
            continue;
        if (!asim_feed_peek(rank->feed, (enum asim_unit)unit, &at, &id))
            continue;
        if (best == ASIM_UNITS || id < best_id) {
            best = (enum asim_unit)unit;
            best_id = id;
            *index = at;
        }
    }
    return best;
}

/* Frees the op's slot and closes its interval. `running` has the unit and the class of time, so the
 * trace need not be read again. */
static void leave(struct asim_rank *rank, uint32_t index)
{
    uint64_t *running = asim_map_get(&rank->running, 0, index);

    if (!running) {
        asim_rank_fail(rank, "rank %u: op index %u ended twice; please report this", rank->id,
                       index);
        return;
    }
    rank->busy[*running & 0xff]--;
    asim_track_end(rank, (enum asim_span)(*running >> 8 & 0xff));
    rank->bytes_done += *running >> 16;
    if (asim_event_bus_wants(&rank->world->run.event_bus, ASIM_EV_OP_END)) {
        struct asim_event event = {
            .t = asim_rank_now(rank), .kind = ASIM_EV_OP_END, .rank = rank->id};

        event.of.op.index = index;
        asim_event_bus_record(&rank->world->run.event_bus, rank->shard->events, &event);
    }
    if (rank->tensors)
        asim_tensors_end(rank, index);
    asim_map_delete(&rank->running, 0, index);
}

/* For ops that take no time: asim_issue_all releases their children after its loop. */
static void finish_at_once(struct asim_rank *rank, uint32_t index)
{
    leave(rank, index);
    if (ASIM_VEC_PUSH(rank->skipped, index))
        asim_rank_fail_nomem(rank, "skipping an op");
}

/* Replays a recorded duration, scaled for compute ops. CPU ops do not count as GPU time. */
static void replay(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    uint64_t ns = asim_replay_ns(op);

    if (op->type == ASIM_OP_COMP)
        ns = asim_noise_apply(rank, index, asim_compute_scaled(rank, ns));
    if (!op->is_cpu)
        rank->track.gpu_busy += ns;
    asim_clock_end_op(rank, ns, index);
}

/* parity: a roofline op without a tensor takes no time, as in ASTRA-sim. */
static void compute(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    uint64_t ns;

    if (rank->world->set.system.roofline && !op->is_cpu && op->has & ASIM_HAS_TENSOR_SIZE &&
        !op->tensor_bytes) {
        finish_at_once(rank, index);
        return;
    }
    ns = asim_compute_scaled(rank, asim_compute_ns(rank, op));
    ns = asim_noise_apply(rank, index, ns);
    if (!op->is_cpu)
        rank->track.gpu_busy += ns;
    asim_track_roofline(rank, rank->world->set.system.roofline && !op->is_cpu ? op : NULL, ns);
    asim_clock_end_op(rank, ns, index);
}

/* ASTRA-sim, too, throws for is_cpu_op on a communication (system-layer.md#issue-order). */
static void communicate(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    if (op->is_cpu)
        asim_rank_fail(rank,
                       "rank %u: op %llu ('%s') is a communication with is_cpu_op set; only GPU "
                       "communication can be simulated",
                       rank->id, (unsigned long long)op->id, op->name);
    else if (op->type == ASIM_OP_COMM_COLL)
        asim_coll_issue(rank, index, op);
    else if (asim_p2p_issue(rank, index, op))
        asim_op_done(rank, index);
}

/* ASTRA-sim's order of tests: replay-only goes before the type. */
static void dispatch(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    if (rank->world->set.system.replay_only) {
        replay(rank, index, op);
        return;
    }
    switch (op->type) {
    case ASIM_OP_MEM_LOAD:
    case ASIM_OP_MEM_STORE:
        asim_memory_issue(rank, index, op);
        break;
    case ASIM_OP_COMP:
        compute(rank, index, op);
        break;
    case ASIM_OP_COMM_COLL:
    case ASIM_OP_COMM_SEND:
    case ASIM_OP_COMM_RECV:
        communicate(rank, index, op);
        break;
    case ASIM_OP_METADATA:
        asim_group_metadata(rank, op);
        finish_at_once(rank, index);
        break;
    case ASIM_OP_STORAGE:
    case ASIM_OP_BATCH:
    case ASIM_OP_CHECKPOINT:
        replay(rank, index, op);
        break;
    default:
        finish_at_once(rank, index);
    }
}

static void record_issue(const struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    struct asim_event event = {
        .t = asim_rank_now(rank), .kind = ASIM_EV_OP_ISSUE, .rank = rank->id};
    int is_comm = op->type == ASIM_OP_COMM_COLL || op->type == ASIM_OP_COMM_SEND ||
                  op->type == ASIM_OP_COMM_RECV;

    event.of.op.index = index;
    event.of.op.id = op->id;
    event.of.op.type = (uint16_t)op->type;
    event.of.op.is_cpu = op->is_cpu;
    event.of.op.bytes = is_comm ? op->comm_bytes : op->tensor_bytes;
    event.of.op.tag = op->comm_tag;
    event.of.op.peer =
        rank->job->first + (op->type == ASIM_OP_COMM_SEND ? op->comm_dst : op->comm_src);
    asim_event_bus_record(&rank->world->run.event_bus, rank->shard->events, &event);
}

/* Sets slot, track and `running` before dispatch, because an op may end inside it. */
static void issue_one(struct asim_rank *rank, enum asim_unit unit, uint32_t index)
{
    struct asim_op op;
    enum asim_span span;
    uint64_t *running = asim_map_put(&rank->running, 0, index);

    asim_feed_take(rank->feed, unit);
    if (!running || asim_feed_record(rank->feed, index, &op, &rank->shard->scratch_err)) {
        if (!running)
            asim_err_nomem(&rank->shard->scratch_err, "issuing an op");
        asim_rank_record_failure(rank);
        return;
    }
    span = asim_span_of(op.type, op.is_cpu);
    *running = (uint64_t)unit | (uint64_t)span << 8 | asim_op_progress_bytes(&op) << 16;
    rank->busy[unit]++;
    asim_track_start(rank, span);
    if (asim_event_bus_wants(&rank->world->run.event_bus, ASIM_EV_OP_ISSUE))
        record_issue(rank, index, &op);
    if (rank->tensors)
        asim_tensors_start(rank, index, &op);
    dispatch(rank, index, &op);
}

/* The feed never allocates here, so a failure is a bug of asim. */
static void finish_in_feed(struct asim_rank *rank, uint32_t index)
{
    if (asim_feed_finish(rank->feed, index))
        asim_rank_fail(rank, "rank %u: op index %u ended without having begun; please report this",
                       rank->id, index);
}

/* Once per rank, when no op is ready, running or waiting. */
static void end_of_rank(struct asim_rank *rank)
{
    rank->finished = 1;
    rank->cycles = asim_rank_now(rank);
    rank->shard->ranks_done++;
    asim_event_bus_record(
        &rank->world->run.event_bus, rank->shard->events,
        &(struct asim_event){.t = rank->cycles, .kind = ASIM_EV_RANK_DONE, .rank = rank->id});
}

/* 1 where the rank goes through its trace once more, at once. */
static int begins_again(struct asim_rank *rank)
{
    if (rank->failed || asim_feed_finished(rank->feed) < asim_feed_total(rank->feed) ||
        rank->rounds == rank->job->repeat)
        return 0;
    return asim_round_ended(rank);
}

/* Issues the ready ops by ascending id over all units. The outer loop is the parity rule of the
 * file's head. */
static void issue_round(struct asim_rank *rank)
{
    uint32_t index = 0;
    enum asim_unit unit;

    do {
        /* This loop also sees children that become ready meanwhile, and orders them by id. */
        while (!rank->failed && (unit = next_unit(rank, &index)) != ASIM_UNITS)
            issue_one(rank, unit, index);
        for (size_t i = 0; i < rank->skipped.n; i++)
            finish_in_feed(rank, rank->skipped.at[i]);
        rank->skipped.n = 0;
    } while (!rank->failed && !outstanding(rank) && next_unit(rank, &index) != ASIM_UNITS);
}

/* From the end of the scenario on a rank begins no op: 1 where it has some left. */
static int is_cut(struct asim_rank *rank)
{
    int is_last = rank->rounds + 1 >= rank->job->repeat;

    if (asim_rank_now(rank) < rank->world->set.end_ns || rank->rounds == rank->job->repeat)
        return 0;
    rank->is_cut = asim_feed_finished(rank->feed) < asim_feed_total(rank->feed) || !is_last;
    return rank->is_cut;
}

/* Ops that end inside the loop must not start another loop (asim_op_done), hence `issuing`. */
void asim_issue_all(struct asim_rank *rank)
{
    if (rank->finished || rank->is_cut || is_cut(rank))
        return;
    rank->issuing = 1;
    do
        issue_round(rank);
    while (begins_again(rank));
    rank->issuing = 0;
    if (!rank->failed && rank->rounds == rank->job->repeat && asim_round_is_open(rank))
        end_of_rank(rank);
}

void asim_issue_first(struct asim_rank *rank)
{
    if (asim_round_first(rank))
        asim_issue_all(rank);
}

void asim_issue_after_storage(struct asim_rank *rank)
{
    if (asim_round_go(rank))
        asim_issue_all(rank);
}

void asim_op_done(struct asim_rank *rank, uint32_t op)
{
    leave(rank, op);
    finish_in_feed(rank, op);
    /* An op may end during its issue, as a receive whose bytes are there; the loop that issued it
     * goes on. */
    if (!rank->issuing)
        asim_issue_all(rank);
}
