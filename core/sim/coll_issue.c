/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One collective on one rank: who takes part, into how many chunks it is cut, and which phases
 * each chunk runs through (spec astra-system.md, sections 4.2-4.4).
 *
 * parity: a chunk is always splits-th of the size, so a remainder makes one full chunk more; a
 * collective smaller than the number of ranks is inflated to one byte a rank and chunk. An
 * all-gather smaller than the number of splits, for which the reference loops for ever, gets
 * chunks of one byte.
 */
#include "sim/sim.h"

enum { GROUP_TAG_SHIFT = 32 };

/* What one collective needs while its phases are laid out. */
struct layout {
    struct asim_rank *rank;
    int kind;
    const struct asim_group *group; /* NULL: the logical dimensions */
    uint32_t position;              /* in the group */
    uint32_t involved;              /* bit per dimension */
};

static const struct asim_coll_choice *choice_of(const struct asim_world *world, int kind,
                                                uint32_t dim)
{
    uint32_t n = world->n_choices[kind];

    return &world->choices[kind][dim < n ? dim : n - 1];
}

/* Dimensions of the logical topology this kind of collective sees: a "one…" entry swallows the
 * rest. */
static uint32_t dims_of(const struct asim_world *world, int kind)
{
    for (uint32_t d = 0; d < world->dims.n; d++)
        if (choice_of(world, kind, d)->one)
            return d + 1;
    return (uint32_t)world->dims.n;
}

static struct asim_ring_of ring_of(const struct layout *lay, uint32_t dim)
{
    const struct asim_world *world = lay->rank->world;
    struct asim_ring_of ring = {.stride = world->strides[dim], .n = world->dims.at[dim]};

    if (lay->group)
        return (struct asim_ring_of){
            .members = lay->group->ranks, .n = lay->group->n, .index = lay->position};
    if (choice_of(world, lay->kind, dim)->one) {
        ring.stride = 1;
        ring.n = world->n_ranks;
    }
    ring.index = lay->rank->id / ring.stride % ring.n;
    ring.base = lay->rank->id - ring.index * ring.stride;
    return ring;
}

/* The next queue of a dimension. half: 0 = all of them, 1 = the first half, 2 = the second. */
static uint32_t take_queue(struct asim_rank *rank, uint32_t dim, int half, int *step)
{
    uint32_t q = rank->world->settings.queues_per_dim, at;
    struct asim_dim_turns *turns = &rank->turns[dim];

    if (half == 0) {
        at = turns->all++ % q;
        *step = q > 1 && at >= q / 2 ? -1 : 1;
    } else if (half == 1) {
        at = q > 1 ? turns->first++ % (q / 2) : 0;
        *step = 1;
    } else {
        at = q > 1 ? q / 2 + turns->second++ % (q - q / 2) : 0;
        *step = -1;
    }
    return dim * q + at;
}

/* Appends one phase; returns the bytes the next one starts from. */
static uint64_t add_phase(const struct layout *lay, struct asim_stream *stream, uint32_t dim,
                          const int kind_half[2], uint64_t bytes)
{
    struct asim_phase *phase = &stream->phases[stream->n_phases++];

    *phase = (struct asim_phase){.kind = kind_half[0], .dim = dim, .bytes = bytes};
    phase->choice = choice_of(lay->rank->world, lay->kind, dim);
    phase->ring = ring_of(lay, dim);
    if (lay->group) {
        phase->subgroup = 1;
        if (lay->rank->world->n_choices[lay->kind] > 1)
            phase->choice = &lay->rank->world->ring;
    }
    phase->queue = take_queue(lay->rank, dim, kind_half[1], &phase->step);
    phase->variant = lay->rank->turns[dim].trees[lay->kind]++ % 2;
    return asim_coll_out_bytes(phase->choice->algo, phase->kind, bytes, phase->ring.n);
}

static int is_active(const struct layout *lay, uint32_t dim)
{
    return ring_of(lay, dim).n > 1 && (lay->involved >> dim & 1);
}

/* Reduce-scatter up the dimensions, all-reduce on the last, all-gather back down. */
static void lay_bw_aware(const struct layout *lay, struct asim_stream *stream, uint32_t dims,
                         uint64_t bytes)
{
    uint32_t last = dims;

    for (uint32_t d = 0; d < dims; d++)
        if (is_active(lay, d))
            last = d;
    if (last == dims)
        return;
    for (uint32_t d = 0; d < last; d++)
        if (is_active(lay, d))
            bytes = add_phase(lay, stream, d, (const int[2]){ASIM_REDUCE_SCATTER, 1}, bytes);
    bytes = add_phase(lay, stream, last, (const int[2]){ASIM_ALL_REDUCE, 1}, bytes);
    for (uint32_t d = last; d-- > 0;)
        if (is_active(lay, d))
            bytes = add_phase(lay, stream, d, (const int[2]){ASIM_ALL_GATHER, 2}, bytes);
}

static void lay_phases(const struct layout *lay, struct asim_stream *stream, uint64_t bytes)
{
    const struct asim_world *world = lay->rank->world;
    uint32_t dims = lay->group ? 1 : dims_of(world, lay->kind);

    if (lay->kind == ASIM_ALL_REDUCE && world->system.optimization == ASIM_LOCAL_BW_AWARE) {
        lay_bw_aware(lay, stream, dims, bytes);
        return;
    }
    for (uint32_t i = 0; i < dims; i++) {
        uint32_t d = lay->kind == ASIM_ALL_GATHER ? dims - 1 - i : i;

        if (is_active(lay, d))
            bytes = add_phase(lay, stream, d, (const int[2]){lay->kind, 0}, bytes);
    }
}

static int64_t take_priority(struct asim_rank *rank, const struct asim_op *op)
{
    if (rank->world->system.policy == ASIM_EXPLICIT)
        return op->priority;
    return rank->world->system.policy == ASIM_LIFO ? rank->priority++ : rank->priority--;
}

/* Chunk size and how many (spec 4.2). */
static uint64_t chunk_bytes(const struct asim_world *world, int kind, uint64_t *total)
{
    uint64_t splits = world->system.splits, chunk = *total / splits;

    if (kind != ASIM_ALL_GATHER && chunk < world->n_ranks) {
        chunk = world->n_ranks;
        *total = splits * chunk;
    }
    if (!chunk) {
        chunk = 1;
        *total = *total ? *total : 1;
    }
    return chunk;
}

static struct asim_dataset *open_dataset(const struct layout *lay, uint32_t index, uint64_t bytes)
{
    struct asim_rank *rank = lay->rank;
    struct asim_dataset *data = asim_pool_get(&rank->world->pools.dataset);
    uint64_t *ordinal =
        asim_map_put(&rank->ordinals, 1, lay->group ? (uint64_t)lay->group->id + 1 : 0);

    if (!data || !ordinal) {
        asim_world_fail_nomem(rank->world, "starting a collective");
        return NULL;
    }
    *data = (struct asim_dataset){.op = index,
                                  .group = lay->group,
                                  .ordinal = (*ordinal)++,
                                  .kind = lay->kind,
                                  .bytes = bytes,
                                  .issued_ns = asim_rank_now(rank),
                                  .prev = rank->open_tail};
    *(rank->open_tail ? &rank->open_tail->next : &rank->open_head) = data;
    rank->open_tail = data;
    return data;
}

/* A tag of its own for every stream of a group; all members count alike. */
static uint64_t take_tag(struct asim_rank *rank, const struct asim_group *group)
{
    uint64_t key = group ? (uint64_t)group->id + 1 : 0;
    uint64_t *streams = asim_map_put(&rank->ordinals, 2, key);

    if (!streams) {
        asim_world_fail_nomem(rank->world, "starting a collective");
        return 0;
    }
    return 1ull << 63 | key << GROUP_TAG_SHIFT | (*streams)++;
}

static void run_chunks(const struct layout *lay, struct asim_dataset *data,
                       const struct asim_op *op, uint64_t chunk, uint64_t total)
{
    struct asim_rank *rank = lay->rank;
    struct asim_world *world = rank->world;
    int64_t priority = take_priority(rank, op);

    data->streams = 1; /* held until every chunk is in */
    while (total && !world->failed) {
        struct asim_stream *stream = asim_pool_get(&world->pools.stream);

        if (!stream) {
            asim_world_fail_nomem(world, "starting a chunk");
            return;
        }
        stream->data = data;
        stream->priority = priority;
        stream->queue = -1;
        stream->tag = take_tag(rank, lay->group);
        lay_phases(lay, stream, chunk);
        data->streams++;
        total = chunk > total ? 0 : total - chunk;
        asim_order_advance(rank, stream);
    }
    if (!world->failed && --data->streams == 0)
        asim_world_fail(world, "rank %u: a collective ended while it was being issued", rank->id);
}

/* 1 if any dimension has partners for this rank. */
static int has_partners(const struct layout *lay)
{
    uint32_t dims = lay->group ? 1 : dims_of(lay->rank->world, lay->kind);

    for (uint32_t d = 0; d < dims; d++)
        if (is_active(lay, d))
            return 1;
    return 0;
}

static int check_kind(struct asim_rank *rank, const struct asim_op *op)
{
    if (!(op->has & ASIM_HAS_COMM_TYPE) || !(op->has & ASIM_HAS_COMM_SIZE)) {
        asim_world_fail(rank->world, "rank %u: collective op %llu ('%s') has no %s attribute",
                        rank->id, (unsigned long long)op->id, op->name,
                        op->has & ASIM_HAS_COMM_TYPE ? "comm_size" : "comm_type");
        return 0;
    }
    if (op->comm_type == ASIM_BROADCAST)
        return 1;
    if (op->comm_type < ASIM_KINDS && rank->world->n_choices[op->comm_type])
        return 1;
    asim_world_fail(rank->world,
                    "rank %u: op %llu ('%s') is a %s (comm_type %u), for which the system "
                    "configuration names no algorithm%s",
                    rank->id, (unsigned long long)op->id, op->name,
                    asim_kind_name((int)op->comm_type), op->comm_type,
                    op->comm_type < ASIM_KINDS ? "" : "; known types are 0 to 9");
    return 0;
}

/* Position of the rank in the group, file order; group->n if it is no member. */
static uint32_t position_in(const struct asim_group *group, uint32_t rank)
{
    uint32_t i = 0;

    while (i < group->n && group->ranks[i] != rank)
        i++;
    return i;
}

void asim_coll_op(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    struct layout lay = {.rank = rank, .kind = (int)op->comm_type, .involved = UINT32_MAX};
    int all = 0;
    uint64_t total = op->comm_bytes, chunk;
    struct asim_dataset *data;

    if (!check_kind(rank, op))
        return;
    lay.group = asim_group_find(rank, op, &all);
    if (!lay.group && !all)
        return;
    if (op->comm_type == ASIM_BROADCAST) { /* parity: not modelled, each rank waits on its own */
        asim_clock_add(rank, asim_replay_ns(op),
                       &(struct asim_todo){.kind = ASIM_TODO_OP_DONE, .op = index});
        return;
    }
    if (lay.group && lay.group->n == rank->world->n_ranks)
        lay.group = NULL; /* everybody: as without a group, all dimensions involved */
    else if (!lay.group && op->has & ASIM_HAS_INVOLVED_DIM)
        lay.involved = op->involved;
    if (lay.group)
        lay.position = position_in(lay.group, rank->id);
    if (!has_partners(&lay)) { /* alone: nothing to exchange (the reference never finishes) */
        asim_clock_add(rank, 0, &(struct asim_todo){.kind = ASIM_TODO_OP_DONE, .op = index});
        return;
    }
    chunk = chunk_bytes(rank->world, lay.kind, &total);
    data = open_dataset(&lay, index, op->comm_bytes);
    if (data)
        run_chunks(&lay, data, op, chunk, total);
}
