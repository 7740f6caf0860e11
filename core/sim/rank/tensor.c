/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Local memory tracking (track-local-mem; system-layer.md#local-memory-trace). Every op lists the
 * tensors it reads (attribute inputs) and writes (outputs), names and decimal sizes in turn. A
 * tensor lives from the start of its write to the end of its last read, or to the end of the run
 * where no op reads it. A tensor that is read before any write counts as written in the first 10
 * ns.
 *
 * Only the first write of a tensor counts, as in ASTRA-sim. Sizes of 0 do not count. Ops without
 * the lists use no memory, and a diagnostic names the first one (ASTRA-sim throws there, and its
 * run is lost).
 *
 * A tensor takes memory from the start of its writing op on. Cost: one look-up per name and op,
 * only with track-local-mem.
 */
#include "sim/rank/tensor.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "base/text.h"
#include "sim/rank/event.h"
#include "sim/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GIVEN_NS = 10 };

/* FNV-1a. tensor_of probes further where two names collide. */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037ull;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211ull;
    return hash;
}

/* The index of the tensor, which is added if it is new; UINT32_MAX when out of memory. Indices of
 * tensors never change. */
static uint32_t tensor_of(struct asim_tensors *tensors, const char *name, uint64_t bytes)
{
    uint64_t hash = hash_of(name), *slot;

    for (uint64_t probe = 0;; probe++) {
        struct asim_tensor fresh = {.bytes = bytes};

        slot = asim_map_put(&tensors->names, probe, hash);
        if (!slot)
            return UINT32_MAX;
        if (*slot && strcmp(tensors->list.at[*slot - 1].name, name))
            continue;
        if (*slot)
            return (uint32_t)*slot - 1;
        fresh.name = strdup(name);
        if (!fresh.name || ASIM_VEC_PUSH(tensors->list, fresh)) {
            free(fresh.name);
            return UINT32_MAX;
        }
        *slot = tensors->list.n;
        return (uint32_t)tensors->list.n - 1;
    }
}

/* The inputs or outputs of an op. */
struct use {
    struct asim_rank *rank;
    uint32_t index;
    const struct asim_op *op;
    int is_write;
};

/* Fails the rank; returns ASIM_ENOMEM. */
static int nomem(struct asim_rank *rank)
{
    asim_rank_fail_nomem(rank, "tracking local memory");
    return ASIM_ENOMEM;
}

static int take_write(const struct use *use, struct asim_tensor *tensor, uint32_t at)
{
    struct asim_tensors *tensors = use->rank->tensors;
    uint64_t *open;

    if (tensor->written)
        return 0;
    tensor->written = 1;
    tensor->writer = use->op->id;
    tensor->write_start = asim_rank_now(use->rank);
    tensor->write_end = UINT64_MAX;
    /* a list through the tensors: `open` has the op's newest write, whose write_end has the one
     * before */
    open = asim_map_put(&tensors->open, 1, use->index);
    if (!open)
        return nomem(use->rank);
    tensor->write_end = *open;
    *open = (uint64_t)at + 1;
    return 0;
}

/* The reads of an op lie together in `reads`; `open` keeps their first index and count. */
static int take_read(const struct use *use, struct asim_tensor *tensor, uint32_t at)
{
    struct asim_tensors *tensors = use->rank->tensors;
    struct asim_read read = {.tensor = at,
                             .op = use->index,
                             .op_id = use->op->id,
                             .start = asim_rank_now(use->rank),
                             .end = UINT64_MAX};
    uint64_t *open;

    if (!tensor->written) {
        tensor->written = 1;
        tensor->writer = ASIM_TENSOR_NO_WRITER;
        tensor->write_end = GIVEN_NS;
    }
    open = asim_map_put(&tensors->open, 0, use->index);
    if (!open || ASIM_VEC_PUSH(tensors->reads, read))
        return nomem(use->rank);
    if (!*open)
        *open = (tensors->reads.n - 1) << 32;
    ++*open;
    return 0;
}

/* Takes names and sizes in turn. The error for a list of odd length names the entry without a
 * partner. */
static int take_list(const struct use *use, const char *const *list, size_t n)
{
    struct asim_rank *rank = use->rank;

    for (size_t i = 0; i + 1 < n + n % 2; i += 2) {
        uint64_t bytes = 0;
        uint32_t at;

        if (i + 1 >= n || asim_text_u64(list[i + 1], &bytes)) {
            asim_rank_fail(rank,
                           "rank %u: op %llu ('%s'): its %s are no list of tensor names and sizes "
                           "in turn (entry %zu)",
                           rank->id, (unsigned long long)use->op->id, use->op->name,
                           use->is_write ? "outputs" : "inputs", i + 1);
            return ASIM_EINVAL;
        }
        if (!bytes)
            continue;
        at = tensor_of(rank->tensors, list[i], bytes);
        if (at == UINT32_MAX)
            return nomem(rank);
        if (use->is_write ? take_write(use, &rank->tensors->list.at[at], at)
                          : take_read(use, &rank->tensors->list.at[at], at))
            return ASIM_ENOMEM;
    }
    return 0;
}

/* One diagnostic a rank: a trace mostly has the lists on all ops or on none. */
static void record_no_tensor_list(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    struct asim_event event = {
        .t = asim_rank_now(rank), .kind = ASIM_EV_NO_TENSOR_LIST, .rank = rank->id};

    if (rank->tensors->no_tensor_list || op->has & ASIM_HAS_TENSORS)
        return;
    rank->tensors->no_tensor_list = 1;
    event.of.op.index = index;
    event.of.op.id = op->id;
    asim_event_bus_record(&rank->world->run.event_bus, rank->shard->events, &event);
}

/* Reports the first such op of the run. The peak and the memory trace then cover the other ops
 * only. */
static void report_no_tensor_list(void *self, const struct asim_world *seen,
                                  const struct asim_event *event)
{
    struct asim_world *world = self;
    struct asim_op op;

    (void)seen;
    if (world->run.no_tensor_list_reported || asim_event_op(world, event, &op))
        return;
    world->run.no_tensor_list_reported = 1;
    asim_world_diagnose(
        world,
        "track-local-mem: rank %u's op %llu ('%.80s') has no attributes inputs and outputs; such "
        "ops count as using no memory (ASTRA-sim stops there)",
        event->rank, (unsigned long long)op.id, op.name);
}

/* Inputs come first: an op that updates a tensor in place reads the old one. */
void asim_tensors_start(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    record_no_tensor_list(rank, index, op);
    if (take_list(&(struct use){rank, index, op, 0}, op->input_list, op->input_n))
        return;
    take_list(&(struct use){rank, index, op, 1}, op->output_list, op->output_n);
}

/* Closes the intervals the op has opened. */
void asim_tensors_end(struct asim_rank *rank, uint32_t index)
{
    struct asim_tensors *tensors = rank->tensors;
    uint64_t now = asim_rank_now(rank), *open = asim_map_get(&tensors->open, 0, index);
    uint64_t first = open ? *open >> 32 : 0, reads = open ? *open & UINT32_MAX : 0;

    for (uint64_t i = first; i < first + reads; i++) {
        struct asim_tensor *tensor = &tensors->list.at[tensors->reads.at[i].tensor];

        tensors->reads.at[i].end = now;
        tensor->read = 1;
        tensor->read_end = now; /* the last recorded one */
    }
    asim_map_delete(&tensors->open, 0, index);
    open = asim_map_get(&tensors->open, 1, index);
    for (uint64_t at = open ? *open : 0; at;) {
        struct asim_tensor *tensor = &tensors->list.at[at - 1];

        at = tensor->write_end;
        tensor->write_end = now;
    }
    asim_map_delete(&tensors->open, 1, index);
}

/* Of one time, tensors that go precede tensors that come: a reused buffer counts once. */
static int by_time(const void *a, const void *b)
{
    const struct asim_tensor_change *x = a, *y = b;

    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return x->comes - y->comes;
}

struct asim_tensor_change *asim_tensors_changes(const struct asim_tensors *tensors, size_t *n)
{
    struct asim_tensor_change *changes = calloc(2 * tensors->list.n + 1, sizeof *changes);

    *n = 0;
    for (size_t i = 0; changes && i < tensors->list.n; i++) {
        const struct asim_tensor *tensor = &tensors->list.at[i];

        changes[(*n)++] = (struct asim_tensor_change){tensor->write_start, tensor->bytes, 1};
        if (tensor->read)
            changes[(*n)++] = (struct asim_tensor_change){tensor->read_end, tensor->bytes, 0};
    }
    if (changes)
        qsort(changes, *n, sizeof *changes, by_time);
    return changes;
}

/* The largest sum of tensors at one time. n log n in tensors, once at the end of a rank. */
static uint64_t peak_of(struct asim_rank *rank)
{
    const struct asim_tensors *tensors = rank->tensors;
    uint64_t pinned = 0, peak = 0;
    size_t n = 0;
    struct asim_tensor_change *changes = asim_tensors_changes(tensors, &n);

    if (!changes) {
        nomem(rank);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        pinned += changes[i].comes ? changes[i].bytes : 0 - changes[i].bytes;
        peak = changes[i].comes && pinned > peak ? pinned : peak;
    }
    free(changes);
    return peak;
}

void asim_event_rank_peak(const struct asim_world *world, const struct asim_event *event,
                          struct asim_rank_facts *facts)
{
    struct asim_rank *rank = &world->run.ranks[event->rank];

    asim_event_rank(world, event, facts);
    if (!event->of.done.facts && rank->tensors)
        facts->peak_bytes = peak_of(rank);
}

/* Only with track-local-mem; other runs allocate no tensors. */
int asim_tensors_setup(struct asim_world *world, struct asim_err *err)
{
    for (uint32_t r = 0; world->set.system.track_local_mem && r < world->set.n_ranks; r++) {
        struct asim_tensors *tensors;

        if (!asim_rank_is_here(&world->run.ranks[r]))
            continue;
        tensors = calloc(1, sizeof *tensors);
        if (!tensors)
            return asim_err_nomem(err, "tracking local memory");
        asim_map_init(&tensors->names);
        asim_map_init(&tensors->open);
        world->run.ranks[r].tensors = tensors;
    }
    if (world->set.system.track_local_mem &&
        asim_event_bus_add(&world->run.event_bus,
                           &(struct asim_event_observer){.wants = 1u << ASIM_EV_NO_TENSOR_LIST,
                                                         .self = world,
                                                         .on_event = report_no_tensor_list}))
        return asim_err_nomem(err, "tracking local memory");
    return 0;
}

void asim_tensors_fini(struct asim_rank *rank)
{
    struct asim_tensors *tensors = rank->tensors;

    if (!tensors)
        return;
    for (size_t i = 0; i < tensors->list.n; i++)
        free(tensors->list.at[i].name);
    ASIM_FREE(tensors->list.at, tensors->reads.at);
    asim_map_fini(&tensors->names);
    asim_map_fini(&tensors->open);
    free(tensors);
}
