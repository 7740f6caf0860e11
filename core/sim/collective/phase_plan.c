/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The phases of a chunk: one or two per logical dimension, each with its ring, queue and direction
 * (system-layer.md#collectives). A communicator group is one ring over its members in listed order.
 *
 * Collectives with a root, which ASTRA-sim does not have, also go dimension by dimension: from the
 * outermost down (broadcast, scatter) or from the innermost up (reduce, gather). In each dimension
 * only the rings that hold data take part: their ranks have the root's position in all inner
 * dimensions.
 *
 * Example: dimensions [4, 2, 8], all-reduce, localBWAware: reduce-scatter in 0, reduce-scatter in
 * 1, all-reduce in 2, all-gather in 1, all-gather in 0, on 1, 1/4, 1/8, 1/8 and 1/4 of the data.
 * The baseline does a whole all-reduce in each.
 */
#include "sim/collective/phase_plan.h"
#include "sim/collective/groups.h"
#include "sim/collective/nccl_graph.h"
#include "sim/collective/nccl_servers.h"
#include "sim/collective/nvswitch.h"

/* The last entry of a list also serves the dimensions behind it (coll_setup.c). */
static const struct asim_coll_choice *choice_of(const struct asim_world *world, int list,
                                                uint32_t dim)
{
    uint32_t n = world->set.n_choices[list];

    return &world->set.choices[list][dim < n ? dim : n - 1];
}

int asim_phase_plan_is_rooted(int kind)
{
    return kind == ASIM_BROADCAST || kind == ASIM_SCATTER || kind == ASIM_REDUCE ||
           kind == ASIM_GATHER;
}

/* A "one…" algorithm is a ring over all ranks and takes all dimensions after it
 * (system-layer.md#dimensions-and-groups). */
uint32_t asim_phase_plan_dims(const struct asim_world *world, uint32_t n_dims, int list)
{
    for (uint32_t d = 0; d < n_dims; d++)
        if (choice_of(world, list, d)->one)
            return d + 1;
    return n_dims;
}

struct asim_ring_of asim_phase_plan_all(const struct asim_phase_plan *plan,
                                        const struct asim_group *group)
{
    if (group)
        return (struct asim_ring_of){
            .members = group->ranks, .n = group->n, .index = plan->position, .root = plan->root};
    return (struct asim_ring_of){.base = plan->rank->job->first,
                                 .stride = 1,
                                 .n = plan->rank->job->n,
                                 .index = asim_rank_in_job(plan->rank)};
}

/* The ranks that differ from this one in that dimension only; or the group, as one ring. */
static struct asim_ring_of ring_of(const struct asim_phase_plan *plan, uint32_t dim)
{
    const struct asim_world *world = plan->rank->world;
    const struct asim_world_job *job = plan->rank->job;
    struct asim_ring_of ring = {.stride = job->strides[dim], .n = job->dims.at[dim]};

    if (plan->group)
        return asim_phase_plan_all(plan, plan->group);
    if (choice_of(world, plan->list, dim)->one) {
        ring.stride = 1;
        ring.n = job->n;
    }
    ring.index = asim_rank_in_job(plan->rank) / ring.stride % ring.n;
    ring.root = plan->root / ring.stride % ring.n;
    ring.base = plan->rank->id - ring.index * ring.stride;
    return ring;
}

/* Dimensions of one member, and dimensions that involved_dim leaves out, have no phase. */
static int is_active(const struct asim_phase_plan *plan, uint32_t dim)
{
    return ring_of(plan, dim).n > 1 && (plan->involved >> dim & 1);
}

int asim_phase_plan_has_partners(const struct asim_phase_plan *plan)
{
    for (uint32_t d = 0; d < plan->n_dims; d++)
        if (is_active(plan, d))
            return 1;
    return 0;
}

uint64_t asim_phase_plan_members(const struct asim_phase_plan *plan)
{
    uint64_t members = 1;

    if (plan->graph)
        return plan->group ? plan->group->n : plan->rank->job->n;
    for (uint32_t d = 0; d < plan->n_dims; d++)
        if (is_active(plan, d))
            members *= ring_of(plan, d).n;
    return members;
}

uint32_t asim_phase_plan_first(const struct asim_phase_plan *plan)
{
    uint32_t first = plan->rank->id;

    for (uint32_t d = 0; !plan->graph && !plan->group && d < plan->n_dims; d++)
        if (is_active(plan, d))
            first -= ring_of(plan, d).index * ring_of(plan, d).stride;
    return plan->graph || plan->group ? plan->rank->job->first : first;
}

/* The queues of a dimension from which a phase takes its queue. */
enum queues { ALL_QUEUES, FIRST_HALF, SECOND_HALF };

/* The next queue in turn, unless the op names one. Sets the direction of the ring in *step. */
static uint32_t take_queue(const struct asim_phase_plan *plan, uint32_t dim, enum queues queues,
                           int *step)
{
    uint32_t q = plan->rank->world->set.settings.queues_per_dim, at;
    struct asim_dim_round_robin *round_robin = &plan->rank->round_robin[dim];

    if (plan->queue) {
        at = plan->queue - 1;
        *step = 1;
    } else if (queues == ALL_QUEUES) {
        at = round_robin->all++ % q;
        *step = q > 1 && at >= q / 2 ? -1 : 1;
    } else if (queues == FIRST_HALF) {
        at = q > 1 ? round_robin->first++ % (q / 2) : 0;
        *step = 1;
    } else {
        at = q > 1 ? q / 2 + round_robin->second++ % (q - q / 2) : 0;
        *step = -1;
    }
    return dim * q + at;
}

/* parity: a group uses ring where the configuration lists several algorithms and ring can do the
 * operation. An algorithm of NCCL, which ASTRA-sim does not have, serves groups, too. */
static const struct asim_coll_choice *choice_in_group(const struct asim_phase_plan *plan, int kind)
{
    const struct asim_world *world = plan->rank->world;

    for (uint32_t i = 0; i < world->set.n_choices[plan->list]; i++)
        if (world->set.choices[plan->list][i].algo->flows)
            return &world->set.choices[plan->list][i];
    if (world->set.n_choices[plan->list] > 1 && world->set.ring.algo->coll_types & 1u << kind)
        return &world->set.ring;
    return choice_of(world, plan->list, 0);
}

/* Whether messages of two groups of the rank may meet: another rank is in both, or each has another
 * one at an NVSwitch of this rank. */
static int may_meet(const struct asim_rank *rank, const struct asim_group *a,
                    const struct asim_group *b)
{
    const struct asim_group *groups[] = {a, b};
    const struct asim_world *world = rank->world;
    int near = 0;

    for (uint32_t i = 0; i < a->n; i++)
        if (a->ranks[i] != rank->id && asim_group_position(b, a->ranks[i]) < b->n)
            return 1;
    for (int g = 0; world->run.nvswitches && g < 2; g++)
        for (uint32_t i = 0; i < groups[g]->n; i++)
            if (groups[g]->ranks[i] != rank->id &&
                asim_nvswitch_host(world, groups[g]->ranks[i], 0) ==
                    asim_nvswitch_host(world, rank->id, 0))
                near |= 1 << g;
    return near == 3;
}

/* Another group of the rank with the same number in tags, whose messages may meet; NULL: none. */
static const struct asim_group *find_alias(const struct asim_rank *rank,
                                           const struct asim_group *group,
                                           const struct asim_groups *among)
{
    for (size_t i = 0; among && i < among->n; i++) {
        const struct asim_group *other = &among->at[i];

        if (other->id != group->id && (other->id - group->id) % ASIM_TAG_GROUPS == 0 &&
            asim_group_position(other, rank->id) < other->n && may_meet(rank, group, other))
            return other;
    }
    return NULL;
}

/* Of two such groups one has a great id. */
int asim_phase_plan_tags_fit(const struct asim_phase_plan *plan, const char *what)
{
    const struct asim_group *group = plan->listed, *alias;

    if (!group || group->id < ASIM_TAG_GROUPS)
        return 1;
    alias = find_alias(plan->rank, group, plan->rank->named);
    alias = alias ? alias : find_alias(plan->rank, group, &plan->rank->job->groups);
    if (!alias)
        return 1;
    asim_rank_fail(plan->rank,
                   "groups %lld and %lld: %s cannot tell their messages apart, since the ids are "
                   "the same modulo %d; give one another id",
                   (long long)group->id, (long long)alias->id, what, ASIM_TAG_GROUPS);
    return 0;
}

static void compile_flows(const struct asim_phase_plan *plan, struct asim_phase *phase)
{
    const struct asim_world *world = plan->rank->world;

    if (plan->rank->failed)
        return;
    if (!phase->choice->algo->flows) {
        if (phase->kind != ASIM_ALL_TO_ALL || phase->choice->algo != world->set.direct.algo)
            return;
        if (world->set.machine)
            asim_nccl_graph_time(plan->rank, phase);
        phase->pxn = asim_nccl_servers_rails(plan->rank, &phase->ring, 0);
        return;
    }
    if (asim_phase_plan_tags_fit(plan, phase->choice->algo->member.name))
        asim_nccl_graph_compile(plan->rank, phase->choice, phase);
}

/* What a phase does, and from which queues it takes its own. */
struct phase_kind {
    int coll_type; /* enum asim_coll_type */
    enum queues queues;
};

/* Appends one phase; returns the bytes that the next phase starts from. */
static uint64_t add_phase(const struct asim_phase_plan *plan, struct asim_chunk *chunk,
                          uint32_t dim, struct phase_kind what, uint64_t bytes)
{
    struct asim_phase *phase = &chunk->phases[chunk->n_phases++];

    *phase = (struct asim_phase){.kind = what.coll_type, .dim = dim, .bytes = bytes};
    phase->choice = choice_of(plan->rank->world, plan->list, dim);
    phase->ring = ring_of(plan, dim);
    if (plan->group) {
        phase->subgroup = 1;
        phase->choice = choice_in_group(plan, phase->kind);
    }
    phase->queue = take_queue(plan, dim, what.queues, &phase->step);
    /* A group chooses the tree by its own count of chunks, because only its members count it. */
    phase->variant =
        (plan->group ? chunk->tag : plan->rank->round_robin[dim].trees[plan->list]++) % 2;
    compile_flows(plan, phase);
    return asim_coll_out_bytes(phase->choice->algo, phase->kind, bytes, phase->ring.n);
}

/* Reduce-scatters through the order, an all-reduce in its last dimension, all-gathers back. With
 * scatters_all: reduce-scatters through the whole order and all-gathers back. Each phase starts
 * from the result of the one before: an all-gather restores the bytes that its reduce-scatter took,
 * but for remainders. */
static void add_bw_aware(const struct asim_phase_plan *plan, struct asim_chunk *chunk,
                         const uint32_t *order, uint64_t bytes)
{
    uint32_t n = plan->n_dims, last = n;

    for (uint32_t i = 0; i < n; i++)
        if (is_active(plan, order[i]))
            last = i;
    if (last == n)
        return;
    if (plan->rank->world->set.order.row->scatters_all)
        last = n;
    for (uint32_t i = 0; i < last; i++)
        if (is_active(plan, order[i]))
            bytes = add_phase(plan, chunk, order[i],
                              (struct phase_kind){ASIM_REDUCE_SCATTER, FIRST_HALF}, bytes);
    if (last < n)
        bytes = add_phase(plan, chunk, order[last],
                          (struct phase_kind){ASIM_ALL_REDUCE, FIRST_HALF}, bytes);
    for (uint32_t i = last; i-- > 0;)
        if (is_active(plan, order[i]))
            bytes = add_phase(plan, chunk, order[i],
                              (struct phase_kind){ASIM_ALL_GATHER, SECOND_HALF}, bytes);
}

/* 1 if this rank's ring in `dim` holds data: the rank has the root's position in every inner
 * dimension. */
static int holds_data(const struct asim_phase_plan *plan, uint32_t dim)
{
    for (uint32_t d = 0; d < dim; d++)
        if (is_active(plan, d) && ring_of(plan, d).index != ring_of(plan, d).root)
            return 0;
    return 1;
}

/* `bytes` follows the data, also through dimensions in which this rank takes no part. */
static void add_rooted(const struct asim_phase_plan *plan, struct asim_chunk *chunk, uint64_t bytes)
{
    int down = plan->kind == ASIM_BROADCAST || plan->kind == ASIM_SCATTER;

    for (uint32_t i = 0; i < plan->n_dims; i++) {
        uint32_t d = down ? plan->n_dims - 1 - i : i;

        if (!is_active(plan, d))
            continue;
        if (holds_data(plan, d))
            add_phase(plan, chunk, d, (struct phase_kind){plan->kind, ALL_QUEUES}, bytes);
        bytes = asim_coll_out_bytes(choice_of(plan->rank->world, plan->list, d)->algo, plan->kind,
                                    bytes, ring_of(plan, d).n);
    }
}

/* The inputs of a dimension order (coll/dims.h): neither time nor state of the rank. */
static void fill_dims_context(const struct asim_phase_plan *plan, struct asim_dims_context *context)
{
    *context = (struct asim_dims_context){.coll_type = plan->kind, .n = plan->n_dims};
    context->options = plan->rank->world->set.order.options;
    for (uint32_t d = 0; d < plan->n_dims; d++) {
        context->size[d] = ring_of(plan, d).n;
        context->bw[d] = plan->rank->job->dim_bw[d];
        context->active |= (uint32_t)is_active(plan, d) << d;
    }
}

/* One exchange of all members with all others, without dimensions: a size that belongs to a pair
 * cannot travel through dimensions. The number of outstanding messages of direct<W> applies. Cost:
 * n - 1 messages a member and chunk. Empty messages travel, too, because only the sender knows that
 * they are empty, and the receiver waits for one message from every member. */
void asim_phase_plan_add_sized(const struct asim_phase_plan *plan, struct asim_chunk *chunk)
{
    const struct asim_world *world = plan->rank->world;
    const struct asim_coll_choice *named = choice_of(world, plan->list, 0);
    struct asim_phase *phase = &chunk->phases[chunk->n_phases++];

    *phase = (struct asim_phase){.kind = plan->kind, .subgroup = plan->group != NULL};
    phase->choice = named->algo == world->set.direct.algo ? named : &world->set.direct;
    phase->ring = asim_phase_plan_all(plan, plan->listed);
    phase->queue = take_queue(plan, 0, ALL_QUEUES, &phase->step);
    /* A kernel takes as long as for equal sizes with the same sum. */
    for (uint32_t d = 0; world->set.machine && d < phase->ring.n; d++)
        phase->bytes += plan->sizes[d] / world->set.system.splits;
    if (world->set.machine && !plan->rank->failed)
        asim_nccl_graph_time(plan->rank, phase);
    phase->pxn = asim_nccl_servers_rails(plan->rank, &phase->ring, 1);
}

/* A dimension order may change the size of a chunk (offlineGreedyFlex). */
uint64_t asim_phase_plan_add(struct asim_phase_plan *plan, struct asim_chunk *chunk, uint64_t bytes)
{
    const struct asim_world *world = plan->rank->world;
    struct asim_dims_choice chosen = {.bytes = bytes};
    struct asim_dims_context context;

    if (asim_phase_plan_is_rooted(plan->kind)) {
        add_rooted(plan, chunk, bytes);
        return bytes;
    }
    fill_dims_context(plan, &context);
    world->set.order.row->order(&context, &plan->dims, &chosen);
    plan->dims.chunk++;
    if (plan->kind == ASIM_ALL_REDUCE && world->set.system.optimization == ASIM_LOCAL_BW_AWARE) {
        add_bw_aware(plan, chunk, chosen.order, chosen.bytes);
        return chosen.bytes;
    }
    bytes = chosen.bytes;
    for (uint32_t i = 0; i < plan->n_dims; i++)
        if (is_active(plan, chosen.order[i]))
            bytes = add_phase(plan, chunk, chosen.order[i],
                              (struct phase_kind){plan->kind, ALL_QUEUES}, bytes);
    return chosen.bytes;
}
