/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One collective on one rank: its members and its chunks (system-layer.md#chunks). phase_plan.c
 * makes the phases of each chunk.
 *
 * parity: the size of a chunk is the collective's size divided by the splits, so a remainder makes
 * one more full chunk. A collective smaller than the number of ranks grows to one byte a rank and
 * chunk. ASTRA-sim loops for ever over an all-gather smaller than the number of splits; asim uses
 * chunks of one byte.
 *
 * An all-to-all-v (op.comm_sizes, an extension of asim) has as many chunks as there are splits,
 * each with its share of every size, because the number of chunks must not depend on the sizes of
 * one rank.
 *
 * Example (system-layer.md#recorded-numbers): 1,000,003 bytes in 4 splits are 5 chunks of 250,000;
 * 100 bytes over 4 ranks in 4 splits are 4 chunks of 25; 7 bytes in 1 split are 1 chunk of 7.
 */
#include "conf/custom.h"
#include "sim/collective/coll_issue.h"
#include "sim/collective/chunk_scheduler.h"
#include "sim/collective/groups.h"
#include "sim/collective/op_graph.h"
#include "sim/collective/op_graph_set.h"
#include "sim/rank/clock.h"
#include "sim/rank/compute.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/phase_plan.h"

#include <stdlib.h>
#include <string.h>

/* Tags: bit 63: a collective; from bit 32 on: group + 1; 28-31: its type; below: the chunk. Chunk
 * numbers wrap long after the collectives that they tell apart have ended. */
enum { GROUP_TAG_SHIFT = 32 };

/* The priority of a collective and all its chunks (system-layer.md#priorities). Greater comes
 * first: LIFO counts up, FIFO down. */
static int64_t take_priority(struct asim_rank *rank, const struct asim_op *op)
{
    if (rank->world->set.system.policy == ASIM_EXPLICIT)
        return op->priority;
    return rank->world->set.system.policy == ASIM_LIFO ? rank->priority++ : rank->priority--;
}

/* The size of a chunk (system-layer.md#chunks). Raises *total to the bytes that are really sent;
 * with the remainder, the number of chunks is ASTRA-sim's. */
static uint64_t chunk_bytes(const struct asim_phase_plan *plan, uint64_t *total)
{
    const struct asim_world *world = plan->rank->world;
    uint32_t n_ranks = plan->rank->job->n;
    uint64_t splits = world->set.system.splits, chunk_size = *total / splits;
    int kind = plan->kind;

    if (plan->sizes) { /* counts chunks, not bytes */
        *total = splits;
        return 1;
    }
    if (kind == ASIM_BARRIER) /* has one chunk */
        return *total;
    if (kind != ASIM_ALL_GATHER && chunk_size < n_ranks) {
        chunk_size = n_ranks;
        *total = splits * chunk_size;
    }
    if (!chunk_size) {
        chunk_size = 1;
        *total = *total ? *total : 1;
    }
    return chunk_size;
}

/* The sequence number counts the group's collectives on this rank: members must issue them in one
 * order, and a stall report names the members that have not joined. */
static struct asim_coll_op *open_coll(const struct asim_phase_plan *plan, uint32_t index,
                                      const struct asim_op *op)
{
    struct asim_rank *rank = plan->rank;
    struct asim_coll_op *coll = asim_pool_get(&rank->shard->pools.coll_op);
    uint64_t *sequence = asim_map_put(&rank->sequences, 1, asim_group_key(plan->listed));
    uint64_t *sizes = plan->sizes ? malloc((op->comm_size_n + 1) * sizeof *sizes) : NULL;

    if (!coll || !sequence || (plan->sizes && !sizes)) {
        free(sizes);
        asim_rank_fail_nomem(rank, "starting a collective");
        return NULL;
    }
    *coll = (struct asim_coll_op){.op = index,
                                  .group = plan->listed,
                                  .sequence = (*sequence)++,
                                  .kind = plan->kind,
                                  .bytes = op->comm_bytes,
                                  .sizes = sizes,
                                  .issued_ns = asim_rank_now(rank),
                                  .prev = rank->open_tail};
    if (sizes) /* the feed reuses the memory of op->comm_sizes */
        memcpy(sizes, plan->sizes, op->comm_size_n * sizeof *sizes);
    *(rank->open_tail ? &rank->open_tail->next : &rank->open_head) = coll;
    rank->open_tail = coll;
    return coll;
}

/* A new tag for a chunk; all members of a group count alike. 0 after failing the rank; no
 * collective has tag 0. */
static uint64_t take_tag(struct asim_rank *rank, const struct asim_group *group, int type)
{
    uint64_t key = asim_group_key(group);
    uint64_t *chunks = asim_map_put(&rank->sequences, 2, key);

    if (!chunks) {
        asim_rank_fail_nomem(rank, "starting a collective");
        return 0;
    }
    return 1ull << 63 | (uint64_t)type << ASIM_TAG_TYPE_SHIFT | key << GROUP_TAG_SHIFT |
           ((*chunks)++ & ((1ull << ASIM_TAG_TYPE_SHIFT) - 1));
}

/* Appends the phases of the next chunk; an algorithm given as traces has one phase on queue 0 of
 * the first dimension. Returns the bytes that the chunk covers: an algorithm given as traces has
 * its own sizes, so its one chunk covers everything. */
static uint64_t plan_chunk(struct asim_phase_plan *plan, struct asim_chunk *chunk,
                           uint64_t chunk_size)
{
    if (plan->sizes) {
        chunk->share = plan->dims.chunk++;
        asim_phase_plan_add_sized(plan, chunk);
        return chunk_size;
    }
    if (!plan->graph)
        return asim_phase_plan_add(plan, chunk, chunk_size);
    chunk->n_phases = 1;
    chunk->phases[0] = (struct asim_phase){.kind = plan->kind, .bytes = plan->dims.left, .step = 1};
    chunk->phases[0].graph = plan->graph;
    chunk->phases[0].ring = asim_phase_plan_all(plan, plan->group);
    return plan->dims.left;
}

/* For the reports, and for consistency.c, which compares the members' collectives. */
static void record_join(const struct asim_phase_plan *plan, const struct asim_coll_op *coll)
{
    struct asim_rank *rank = plan->rank;
    struct asim_event event = {.t = coll->issued_ns, .kind = ASIM_EV_COLL_JOIN, .rank = rank->id};

    event.of.join.index = coll->op;
    event.of.join.kind = (uint8_t)plan->list;
    event.of.join.group = (uint32_t)asim_group_key(plan->listed);
    event.of.join.bytes = plan->kind == ASIM_BARRIER ? 0 : coll->bytes;
    if (asim_phase_plan_is_rooted(plan->kind))
        event.of.join.root =
            plan->group ? plan->group->ranks[plan->root] - rank->job->first : plan->root;
    event.of.join.sequence = coll->sequence;
    event.of.join.first = asim_phase_plan_first(plan);
    event.of.join.sized = plan->sizes != NULL;
    event.of.join.members = (uint32_t)asim_phase_plan_members(plan);
    asim_event_bus_record(&rank->world->run.event_bus, rank->shard->events, &event);
}

/* Each chunk starts before the next is made (system-layer.md#chunks), and may even end: a member of
 * an algorithm given as traces may have nothing to do, or receive only what is there already. The
 * extra count in coll->chunks keeps the collective open meanwhile. */
static void run_chunks(struct asim_phase_plan *plan, struct asim_coll_op *coll,
                       const struct asim_op *op, uint64_t chunk_size, uint64_t total)
{
    struct asim_rank *rank = plan->rank;
    int64_t priority = take_priority(rank, op);
    uint64_t done;

    coll->chunks = 1; /* the extra count */
    plan->dims = (struct asim_dims_cursor){0};
    while (total && !rank->failed) {
        struct asim_chunk *chunk = asim_pool_get(&rank->shard->pools.chunk);

        if (!chunk) {
            asim_rank_fail_nomem(rank, "starting a chunk");
            return;
        }
        chunk->coll = coll;
        chunk->priority = priority;
        chunk->queue = -1;
        chunk->tag = take_tag(rank, plan->listed, plan->kind);
        plan->dims.left = total;
        done = plan_chunk(plan, chunk, chunk_size);
        if (rank->failed)
            return;
        coll->chunks++;
        total = done > total ? 0 : total - done;
        asim_chunk_advance(rank, chunk);
    }
    if (!rank->failed)
        asim_chunk_scheduler_ended(rank, coll);
}

/* The prefix of the algorithm's traces, or NULL: the op's own before that of its kind, as in
 * ASTRA-sim (system-layer.md#algorithm-names). */
static const char *trace_prefix_of(const struct asim_world *world, const struct asim_op *op)
{
    const char *own = asim_node_prefixes_get(&world->set.node_prefixes, op->id);

    return own ? own : world->set.custom[op->comm_type];
}

/* Fails the rank where the trace lacks an attribute or the configuration has no algorithm. */
static int check_kind(struct asim_rank *rank, const struct asim_op *op)
{
    int is_known = op->comm_type < ASIM_COLL_TYPES;
    const char *lacks = NULL;

    if (!(op->has & ASIM_HAS_COMM_TYPE))
        lacks = "comm_type";
    else if (!(op->has & ASIM_HAS_COMM_SIZE) && op->comm_type != ASIM_BARRIER)
        lacks = "comm_size";
    if (lacks) {
        asim_rank_fail(rank, "rank %u: collective op %llu ('%s') has no %s attribute", rank->id,
                       (unsigned long long)op->id, op->name, lacks);
        return 0;
    }
    if (op->comm_type == ASIM_BROADCAST)
        return 1;
    if (is_known && (rank->world->set.n_choices[op->comm_type] || trace_prefix_of(rank->world, op)))
        return 1;
    asim_rank_fail(
        rank,
        "rank %u: op %llu ('%s') is a %s (comm_type %u), for which the system "
        "configuration names no algorithm: %s%s%s",
        rank->id, (unsigned long long)op->id, op->name, asim_coll_type_name((int)op->comm_type),
        op->comm_type, is_known ? "it has no key " : "known types are 0 to 9",
        is_known ? asim_coll_type_key((int)op->comm_type) : "", is_known ? "-implementation" : "");
    return 0;
}

/* parity: a broadcast without an algorithm is not modelled; each rank waits for its recorded
 * duration. Without a system file one that has none is sent like other rooted collectives. */
static int is_replayed(const struct asim_world *world, const struct asim_op *op)
{
    int is_named = world->set.system.impl[ASIM_BROADCAST].n > 0;

    if (trace_prefix_of(world, op))
        return 0;
    return !world->set.n_choices[ASIM_BROADCAST] ||
           (!is_named && (op->duration_ns || op->duration_micros));
}

/* Finds the root of a rooted collective: comm_src or comm_dst, or else the first member. As a
 * position in the group, or a rank where all ranks take part. */
static int find_root(struct asim_phase_plan *plan, const struct asim_op *op)
{
    int down = plan->kind == ASIM_BROADCAST || plan->kind == ASIM_SCATTER;
    int given = (op->has & (down ? ASIM_HAS_COMM_SRC : ASIM_HAS_COMM_DST)) != 0;
    uint32_t n = plan->rank->job->n, root = down ? op->comm_src : op->comm_dst;

    if (!asim_phase_plan_is_rooted(plan->kind) || !given)
        return 0;
    plan->root = root;
    if (plan->group)
        plan->root = root < n ? asim_group_position(plan->group, root + plan->rank->job->first)
                              : plan->group->n;
    if (plan->root < (plan->group ? plan->group->n : n))
        return 0;
    asim_rank_fail(plan->rank,
                   "rank %u: op %llu ('%s') is a %s with comm_%s %u as its root, which is no "
                   "member",
                   plan->rank->id, (unsigned long long)op->id, op->name,
                   asim_coll_type_name(plan->kind), down ? "src" : "dst", root);
    return ASIM_EINVAL;
}

/* Bits of the involved dimensions. A list shorter than the dimensions leaves the others open: they
 * take part where all listed ones do (converters write four trues for "all"). */
static uint32_t involved_of(const struct asim_op *op)
{
    uint32_t listed = (1u << op->involved_n) - 1;

    if (!(op->has & ASIM_HAS_INVOLVED_DIM))
        return UINT32_MAX;
    return op->involved == listed ? UINT32_MAX : op->involved;
}

/* Checks and takes the sizes of an all-to-all-v. Runs at the issue and not at load, because
 * METADATA ops may define the group during the run; `asim trace check` reports the same before a
 * run. 0, or the rank has failed. */
static int take_sizes(struct asim_phase_plan *plan, const struct asim_op *op)
{
    uint64_t n = plan->listed ? plan->listed->n : plan->rank->job->n;
    const char *why = NULL;

    if (op->comm_type != ASIM_ALL_TO_ALL)
        why = "only an ALL_TO_ALL can have sizes of its own";
    else if (plan->graph)
        why = "an algorithm given as traces has its own sizes; leave one of the two out";
    else if (!plan->group && asim_phase_plan_members(plan) != plan->rank->job->n)
        why = "involved_dim leaves ranks out; name a communicator group instead";
    if (why)
        asim_rank_fail(plan->rank, "rank %u: op %llu ('%s') is a %s with comm_sizes: %s",
                       plan->rank->id, (unsigned long long)op->id, op->name,
                       asim_coll_type_name((int)op->comm_type), why);
    else if (op->comm_size_n != n)
        asim_rank_fail(plan->rank,
                       "rank %u: op %llu ('%s') has %zu comm_sizes, but %s %llu; give one for each "
                       "member, its own included",
                       plan->rank->id, (unsigned long long)op->id, op->name, op->comm_size_n,
                       plan->listed ? "the members of its group are" : "the ranks are",
                       (unsigned long long)n);
    plan->sizes = op->comm_sizes;
    plan->position = plan->listed ? asim_group_position(plan->listed, plan->rank->id)
                                  : asim_rank_in_job(plan->rank);
    return plan->rank->failed ? ASIM_EINVAL : 0;
}

/* Sets the members and the algorithm; 0, or the rank has failed. */
static int fill_plan(struct asim_phase_plan *plan, const struct asim_op *op)
{
    struct asim_world *world = plan->rank->world;
    const char *custom = trace_prefix_of(world, op);

    /* A group of all ranks uses the logical dimensions, all of them involved, but keeps the tags
     * and the sequence numbers of the group (system-layer.md#chunks). */
    plan->listed = plan->group;
    if (plan->group && plan->group->n == plan->rank->job->n)
        plan->group = NULL;
    else if (!plan->group)
        plan->involved = involved_of(op);
    if (plan->group)
        plan->position = asim_group_position(plan->group, plan->rank->id);
    plan->kind = plan->list == ASIM_REDUCE_SCATTER_BLOCK ? ASIM_REDUCE_SCATTER : plan->list;
    if (custom) {
        asim_phase_plan_tags_fit(plan, "an algorithm given as traces");
        plan->graph = asim_op_graph_find(
            plan->rank, custom, plan->group ? plan->position : asim_rank_in_job(plan->rank));
        if (plan->rank->failed)
            return ASIM_EINVAL;
        return asim_op_graph_set_check(plan->rank, custom, (uint32_t)asim_phase_plan_members(plan),
                                       op);
    }
    plan->n_dims = plan->group
                       ? 1
                       : asim_phase_plan_dims(world, (uint32_t)plan->rank->job->dims.n, plan->list);
    return find_root(plan, op);
}

/* For a note, except where a group of one rank says so. */
static void count_alone(const struct asim_phase_plan *plan, const struct asim_op *op)
{
    struct asim_rank *rank = plan->rank;

    if (plan->listed && plan->listed->n == 1 && rank->job->n > 1)
        return;
    if (!rank->alone++)
        rank->alone_op = op->id;
}

/* Checks attributes, finds the group, sets the plan, makes chunks. Each rank decides alone, so all
 * ranks must reach the same decisions from the same data. */
void asim_coll_issue(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    struct asim_phase_plan plan = {
        .rank = rank, .list = (int)op->comm_type, .involved = UINT32_MAX};
    uint64_t total = op->comm_type == ASIM_BARRIER ? 1 : op->comm_bytes, chunk_size;
    struct asim_coll_op *coll;
    int all = 0;

    if (!check_kind(rank, op))
        return;
    if (op->has & ASIM_HAS_QUEUE)
        plan.queue = 1 + op->comm_queue % rank->world->set.settings.queues_per_dim;
    plan.group = asim_group_find(rank, op, &all);
    if (!plan.group && !all)
        return;
    if (op->comm_type == ASIM_BROADCAST && is_replayed(rank->world, op)) {
        asim_clock_end_op(rank, asim_replay_ns(op), index);
        return;
    }
    if (fill_plan(&plan, op) || (op->has & ASIM_HAS_COMM_SIZES && take_sizes(&plan, op)))
        return;
    if (!plan.graph && !asim_phase_plan_has_partners(&plan)) {
        /* one member exchanges nothing; ASTRA-sim never finishes here */
        count_alone(&plan, op);
        asim_clock_end_op(rank, 0, index);
        return;
    }
    chunk_size = chunk_bytes(&plan, &total);
    coll = open_coll(&plan, index, op);
    if (!coll)
        return;
    record_join(&plan, coll);
    run_chunks(&plan, coll, op, chunk_size, total);
}
