/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Keeps the last records of a feed decoded. A record is one struct asim_op whose pointers lead into
 * one piece of memory, which the next op of the slot reuses: pointer arrays first, then dependency
 * lists, then characters, so that everything is aligned.
 *
 * A record that is not cached is decoded again from the file, so the size of the cache costs time
 * and never changes a result: a test runs whole workloads with a cache of 1.
 */
#include "trace/feed/record_cache.h"

#include <stdlib.h>
#include <string.h>

#define KEEP_BYTES  4096u /* most memory that a spare record keeps */
#define FIRST_SLOTS 16u

struct asim_op_record {
    struct asim_op_record *spare; /* next in the list of spares */
    struct asim_op op;
    uint32_t index;
    unsigned char *memory;
    size_t cap;
};

/* The cache has at most one slot per op. Memory comes with the first record. */
void asim_record_cache_init(struct asim_record_cache *cache, size_t n, struct asim_trace *trace,
                            const struct asim_index *index)
{
    *cache = (struct asim_record_cache){.trace = trace, .index = index};
    cache->most = n < index->n ? n : index->n;
}

/* Bytes of the pointers and characters of a list of strings. */
static size_t text_bytes(const char *const *list, size_t n)
{
    size_t bytes = n * sizeof *list;
    for (size_t i = 0; i < n; i++)
        bytes += strlen(list[i]) + 1;
    return bytes;
}

/* The sum cannot overflow: all of it was decoded into memory at once. */
static size_t record_bytes(const struct asim_op *op)
{
    const char *const texts[] = {op->name, op->pg_name, op->inputs_values};
    return text_bytes(texts, 3) + text_bytes(op->input_list, op->input_n) +
           text_bytes(op->output_list, op->output_n) +
           (op->data_dep_n + op->ctrl_dep_n + op->comm_size_n) * sizeof(uint64_t);
}

/* Copies to *to, moves *to behind the copy and returns the copy. */
static void *put(unsigned char **to, const void *from, size_t bytes)
{
    void *there = *to;
    if (bytes)
        memcpy(there, from, bytes);
    *to += bytes;
    return there;
}

static void put_list(unsigned char **to, const char **list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        list[i] = put(to, list[i], strlen(list[i]) + 1);
}

/* Copies everything that op points to into the record's memory. */
static void copy(struct asim_op_record *record, const struct asim_op *op)
{
    unsigned char *to = record->memory;
    struct asim_op *own = &record->op;
    *own = *op;
    own->slip = NULL;
    const char **inputs = put(&to, op->input_list, op->input_n * sizeof *inputs);
    const char **outputs = put(&to, op->output_list, op->output_n * sizeof *outputs);
    own->input_list = inputs;
    own->output_list = outputs;
    own->data_deps = put(&to, op->data_deps, op->data_dep_n * sizeof(uint64_t));
    own->ctrl_deps = put(&to, op->ctrl_deps, op->ctrl_dep_n * sizeof(uint64_t));
    own->comm_sizes = put(&to, op->comm_sizes, op->comm_size_n * sizeof(uint64_t));
    own->name = put(&to, op->name, strlen(op->name) + 1);
    own->pg_name = put(&to, op->pg_name, strlen(op->pg_name) + 1);
    own->inputs_values = put(&to, op->inputs_values, strlen(op->inputs_values) + 1);
    put_list(&to, inputs, op->input_n);
    put_list(&to, outputs, op->output_n);
}

/* The old content is not needed, hence no realloc. */
static int fit(struct asim_op_record *record, size_t bytes)
{
    if (bytes <= record->cap)
        return 0;
    unsigned char *memory = malloc(bytes);
    if (!memory)
        return ASIM_ENOMEM;
    free(record->memory);
    record->memory = memory;
    record->cap = bytes;
    return 0;
}

/* Spares keep their memory: records of one trace have similar sizes. A large memory is freed: it is
 * mostly the list of groups, which a rank reads once, and the ranks are many. */
static void make_spare(struct asim_record_cache *cache, struct asim_op_record *record)
{
    if (record->cap > KEEP_BYTES) {
        free(record->memory);
        record->memory = NULL;
        record->cap = 0;
    }
    record->spare = cache->spare;
    cache->spare = record;
}

static struct asim_op_record *take_spare(struct asim_record_cache *cache)
{
    struct asim_op_record *record = cache->spare;
    if (!record)
        return calloc(1, sizeof *record);
    cache->spare = record->spare;
    return record;
}

/* Fills the slot. Empties it first, so that a failure leaves no record of another op in it. */
static int fill(struct asim_record_cache *cache, struct asim_op_record **slot,
                const struct asim_op *op)
{
    struct asim_op_record *record = *slot ? *slot : take_spare(cache);
    *slot = NULL;
    if (!record)
        return ASIM_ENOMEM;
    if (fit(record, record_bytes(op))) {
        make_spare(cache, record);
        return ASIM_ENOMEM;
    }
    copy(record, op);
    *slot = record;
    return 0;
}

/* Doubles the number of slots, up to the most. Records with different slots keep different slots.
 */
static int add_slots(struct asim_record_cache *cache)
{
    size_t n = cache->n ? 2 * cache->n : FIRST_SLOTS;
    if (n > cache->most)
        n = cache->most;
    struct asim_op_record **slots = calloc(n, sizeof(struct asim_op_record *));
    if (!slots)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < cache->n; i++) {
        struct asim_op_record *record = cache->slots[i];
        struct asim_op_record **slot = record ? &slots[record->index % n] : NULL;
        if (slot && *slot) /* n is the most, and no multiple of the last one */
            make_spare(cache, record);
        else if (slot)
            *slot = record;
    }
    free(cache->slots);
    cache->slots = slots;
    cache->n = n;
    return 0;
}

/* The slot of an op: free, or with its record, or, of a full cache, with another. */
static struct asim_op_record **slot_of(struct asim_record_cache *cache, uint32_t i)
{
    struct asim_op_record **slot;
    for (;;) {
        if (!cache->n && add_slots(cache))
            return NULL;
        slot = &cache->slots[i % cache->n];
        if (!*slot || (*slot)->index == i || cache->n == cache->most)
            return slot;
        if (add_slots(cache))
            return NULL;
    }
}

/* Slot = index mod n: no search, and ops with neighbouring ids, which are in use together, have
 * different slots. *op points into the slot until another op takes it. */
int asim_record_cache_get(struct asim_record_cache *cache, uint32_t i, struct asim_op *op,
                          struct asim_err *err)
{
    struct asim_op_record **slot = slot_of(cache, i);
    if (!slot)
        return asim_err_nomem(err, "keeping trace nodes");
    if (!*slot || (*slot)->index != i) {
        struct asim_op read;
        int rc = asim_trace_at(cache->trace, cache->index->position[i], &read, err);
        if (rc)
            return rc;
        if (fill(cache, slot, &read))
            return asim_err_nomem(err, "keeping trace nodes");
        (*slot)->index = i;
    }
    *op = (*slot)->op;
    return 0;
}

/* Where reports follow ops to their ends, records of finished ops would be most of a run's memory.
 * A large record stays, since to release it would free what *op points to. */
int asim_record_cache_lend(struct asim_record_cache *cache, uint32_t i, struct asim_op *op,
                           struct asim_err *err)
{
    int rc = asim_record_cache_get(cache, i, op, err);

    if (!rc && cache->slots[i % cache->n]->cap <= KEEP_BYTES)
        asim_record_cache_release(cache, i);
    return rc;
}

/* A finished op will not be needed again. */
void asim_record_cache_release(struct asim_record_cache *cache, uint32_t i)
{
    if (!cache->slots)
        return;
    struct asim_op_record **slot = &cache->slots[i % cache->n];
    if (!*slot || (*slot)->index != i)
        return;
    make_spare(cache, *slot);
    *slot = NULL;
}

static void free_record(struct asim_op_record *record)
{
    if (record)
        free(record->memory);
    free(record);
}

void asim_record_cache_fini(struct asim_record_cache *cache)
{
    for (size_t i = 0; cache->slots && i < cache->n; i++)
        free_record(cache->slots[i]);
    for (struct asim_op_record *record = cache->spare, *next; record; record = next) {
        next = record->spare;
        free_record(record);
    }
    free(cache->slots);
    *cache = (struct asim_record_cache){0};
}
