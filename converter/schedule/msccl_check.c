/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs an algorithm of MSCCL on chunks that remember where they come from: each place of a buffer
 * holds nothing, or a chunk of the collective with the set of ranks whose parts it sums. Thread
 * blocks go on as long as one can; in the end each output must be what the collective promises.
 */
#include "schedule/msccl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "asim/trace.h"
#include "base/map.h"

#define NOTHING UINT32_MAX

struct chunk {
    uint32_t id;    /* among all inputs that are not summed, NOTHING = empty */
    uint64_t *part; /* [words] ranks */
};

struct state {
    const struct asim_msccl *msccl;
    struct asim_err *err;
    uint32_t words;
    uint32_t share;                 /* chunks of one rank in the buffer of all */
    size_t *first;                  /* [gpus] place of a GPU's buffers */
    struct chunk *at;               /* [places] */
    uint32_t *done;                 /* [blocks] steps */
    uint32_t *sender;               /* [blocks] the block whose sends a block receives */
    struct asim_map ways;           /* (from << 32 | to, channel) -> 1 + sending block */
    ASIM_VEC(struct chunk) * queue; /* [blocks] chunks that its receiver has not taken */
    size_t *head;                   /* [blocks] */
    uint64_t *memory;
    struct chunk hand; /* the chunk that a step holds */
};

static int fail(struct state *s, unsigned line, const char *what)
{
    return asim_err_at(s->err, ASIM_EINVAL, (struct asim_where){s->msccl->path, line, 0}, "%s",
                       what);
}

/* --- places -------------------------------------------------------------------------------------
 */

/* The place of a buffer's chunk; in place, input and output share memory. NULL beyond the buffer.
 */
static struct chunk *place(const struct state *s, uint32_t gpu, int buffer, uint32_t at)
{
    const struct asim_msccl_gpu *g = &s->msccl->gpu.at[gpu];
    int type = s->msccl->coll_type, in_place = s->msccl->in_place;
    uint32_t offset = 0;

    if (in_place && type == ASIM_ALL_REDUCE && buffer == ASIM_MSCCL_OUTPUT)
        buffer = ASIM_MSCCL_INPUT;
    if (in_place && type == ASIM_ALL_GATHER && buffer == ASIM_MSCCL_INPUT) {
        buffer = ASIM_MSCCL_OUTPUT;
        at += gpu * s->share;
    }
    if (in_place && type == ASIM_REDUCE_SCATTER && buffer == ASIM_MSCCL_OUTPUT) {
        buffer = ASIM_MSCCL_INPUT;
        at += gpu * s->share;
    }
    for (int b = 0; b < buffer; b++)
        offset += g->chunks[b];
    return at < g->chunks[buffer] ? &s->at[s->first[gpu] + offset + at] : NULL;
}

static void put(const struct state *s, struct chunk *to, const struct chunk *from)
{
    to->id = from->id;
    memcpy(to->part, from->part, s->words * sizeof *to->part);
}

/* The sum of two parts of one chunk, each rank's once. */
static int add(struct state *s, struct chunk *to, const struct chunk *from, unsigned line)
{
    if (to->id == NOTHING || from->id == NOTHING)
        return fail(s, line, "this step reduces with a place that holds nothing.");
    if (to->id != from->id)
        return fail(s, line, "this step adds parts of different chunks.");
    for (uint32_t w = 0; w < s->words; w++) {
        if (to->part[w] & from->part[w])
            return fail(s, line, "this step adds a rank's part that the sum has already.");
        to->part[w] |= from->part[w];
    }
    return 0;
}

/* --- steps --------------------------------------------------------------------------------------
 */

static int has_arrived(const struct state *s, uint32_t block, uint32_t count)
{
    uint32_t from = s->sender[block];

    return from != NOTHING && s->queue[from].n - s->head[from] >= count;
}

static int may_run(const struct state *s, uint32_t block)
{
    const struct asim_msccl_block *b = &s->msccl->block.at[block];
    const struct asim_msccl_step *step = &s->msccl->step.at[b->first_step + s->done[block]];
    const struct asim_msccl_gpu *gpu = &s->msccl->gpu.at[b->gpu];

    if (step->wait_block >= 0 &&
        s->done[gpu->first_block + (uint32_t)step->wait_block] <= step->wait_step)
        return 0;
    return !(step->parts & ASIM_MSCCL_RECV) || has_arrived(s, block, step->count);
}

static int send(struct state *s, uint32_t block)
{
    struct chunk copy = {s->hand.id, malloc(s->words * sizeof *copy.part)};

    if (!copy.part || ASIM_VEC_PUSH(s->queue[block], copy)) {
        free(copy.part);
        return asim_err_nomem(s->err, "checking an algorithm");
    }
    put(s, &copy, &s->hand);
    return 0;
}

static int one_chunk(struct state *s, uint32_t block, const struct asim_msccl_step *step,
                     uint32_t i)
{
    uint32_t gpu = s->msccl->block.at[block].gpu;
    struct chunk *src = place(s, gpu, step->src, step->src_at + i);
    struct chunk *dst = place(s, gpu, step->dst, step->dst_at + i);
    int receives = step->parts & ASIM_MSCCL_RECV, reduces = step->parts & ASIM_MSCCL_REDUCE;

    if (!src && (!receives || reduces))
        return fail(s, step->line, "the source of this step lies beyond its buffer.");
    if (!dst && step->parts & ASIM_MSCCL_STORE)
        return fail(s, step->line, "the destination of this step lies beyond its buffer.");
    if (receives) {
        struct chunk *came = &s->queue[s->sender[block]].at[s->head[s->sender[block]]++];

        put(s, &s->hand, came);
        free(came->part);
        came->part = NULL;
    } else {
        put(s, &s->hand, src);
    }
    if (s->hand.id == NOTHING)
        return fail(s, step->line, "this step reads a place that holds nothing.");
    if (reduces && add(s, &s->hand, receives ? src : dst, step->line))
        return ASIM_EINVAL;
    if (step->parts & ASIM_MSCCL_STORE)
        put(s, dst, &s->hand);
    return step->parts & ASIM_MSCCL_SEND ? send(s, block) : 0;
}

static int run_step(struct state *s, uint32_t block)
{
    const struct asim_msccl_block *b = &s->msccl->block.at[block];
    const struct asim_msccl_step *step = &s->msccl->step.at[b->first_step + s->done[block]];
    int rc = 0;

    for (uint32_t i = 0; step->parts && i < step->count && !rc; i++)
        rc = one_chunk(s, block, step, i);
    s->done[block]++;
    return rc;
}

static int run(struct state *s)
{
    size_t blocks = s->msccl->block.n;
    int goes_on = 1, rc = 0;

    while (goes_on && !rc) {
        goes_on = 0;
        for (uint32_t b = 0; b < blocks && !rc; b++)
            while (!rc && s->done[b] < s->msccl->block.at[b].steps && may_run(s, b)) {
                rc = run_step(s, b);
                goes_on = 1;
            }
    }
    for (uint32_t b = 0; b < blocks && !rc; b++)
        if (s->done[b] < s->msccl->block.at[b].steps)
            rc = fail(s, s->msccl->step.at[s->msccl->block.at[b].first_step + s->done[b]].line,
                      "this step waits for ever: its dependency or its message never comes.");
    for (uint32_t b = 0; b < blocks && !rc; b++)
        if (s->head[b] < s->queue[b].n)
            rc = fail(s, s->msccl->step.at[s->msccl->block.at[b].first_step].line,
                      "the thread block of this step sends chunks that nobody receives.");
    return rc;
}

/* --- what comes in and out ----------------------------------------------------------------------
 */

static void set_rank(uint64_t *part, uint32_t rank)
{
    part[rank / 64] |= UINT64_C(1) << rank % 64;
}

/* Ids: chunks of the reduced buffer; of all gathered ones; for an all-to-all of each pair's. */
static void fill_inputs(struct state *s)
{
    const struct asim_msccl *m = s->msccl;

    for (uint32_t g = 0; g < m->gpus; g++) {
        uint32_t n = m->coll_type == ASIM_ALL_GATHER ? s->share : m->chunks;

        for (uint32_t k = 0; k < n; k++) {
            struct chunk *to = place(s, g, ASIM_MSCCL_INPUT, k);

            if (!to)
                continue;
            to->id = m->coll_type == ASIM_ALL_GATHER   ? g * s->share + k
                     : m->coll_type == ASIM_ALL_TO_ALL ? g * m->chunks + k
                                                       : k;
            set_rank(to->part, g);
        }
    }
}

static int is_right(const struct state *s, uint32_t gpu, uint32_t k, const struct chunk *out)
{
    const struct asim_msccl *m = s->msccl;
    uint32_t from = k / s->share, parts = 0;

    for (uint32_t w = 0; out && w < s->words; w++)
        parts += (uint32_t)__builtin_popcountll(out->part[w]);
    if (!out)
        return 0;
    switch (m->coll_type) {
    case ASIM_ALL_GATHER:
        return out->id == k;
    case ASIM_ALL_TO_ALL:
        return out->id == from * m->chunks + gpu * s->share + k % s->share;
    case ASIM_REDUCE_SCATTER:
        return out->id == gpu * s->share + k && parts == m->gpus;
    default:
        return out->id == k && parts == m->gpus;
    }
}

static int check_outputs(struct state *s)
{
    const struct asim_msccl *m = s->msccl;
    uint32_t n = m->coll_type == ASIM_REDUCE_SCATTER ? s->share : m->chunks;

    for (uint32_t g = 0; g < m->gpus; g++)
        for (uint32_t k = 0; k < n; k++)
            if (!is_right(s, g, k, place(s, g, ASIM_MSCCL_OUTPUT, k)))
                return asim_err_at(s->err, ASIM_EINVAL, (struct asim_where){m->path, 0, 0},
                                   "chunk %" PRIu32 " of the output of gpu %" PRIu32
                                   " is not the collective's in the end: the algorithm is not "
                                   "complete.",
                                   k, g);
    return 0;
}

/* --- memory -------------------------------------------------------------------------------------
 */

static uint64_t *way(struct state *s, int64_t from, int64_t to, uint32_t channel, int is_new)
{
    uint64_t pair = (uint64_t)from << 32 | (uint64_t)to;

    return is_new ? asim_map_put(&s->ways, channel, pair) : asim_map_get(&s->ways, channel, pair);
}

/* Which block's sends each block receives; one sender and one receiver a channel of a pair. */
static int connect(struct state *s)
{
    const struct asim_msccl *m = s->msccl;

    for (uint32_t b = 0; b < m->block.n; b++) {
        const struct asim_msccl_block *block = &m->block.at[b];
        uint64_t *at;

        s->sender[b] = NOTHING;
        if (block->send < 0)
            continue;
        at = way(s, block->gpu, block->send, block->channel, 1);
        if (!at)
            return asim_err_nomem(s->err, "checking an algorithm");
        if (*at)
            return asim_err_at(s->err, ASIM_EINVAL, (struct asim_where){m->path, 0, 0},
                               "two thread blocks of gpu %" PRIu32 " send to gpu %" PRId64
                               " on channel %" PRIu32 "; give each a channel of its own.",
                               block->gpu, block->send, block->channel);
        *at = b + 1;
    }
    for (uint32_t b = 0; b < m->block.n; b++) {
        const struct asim_msccl_block *block = &m->block.at[b];
        uint64_t *at = block->recv < 0 ? NULL : way(s, block->recv, block->gpu, block->channel, 0);

        if (!at)
            continue;
        if (*at > m->block.n)
            return asim_err_at(s->err, ASIM_EINVAL, (struct asim_where){m->path, 0, 0},
                               "two thread blocks of gpu %" PRIu32 " receive from gpu %" PRId64
                               " on channel %" PRIu32 "; give each a channel of its own.",
                               block->gpu, block->recv, block->channel);
        s->sender[b] = (uint32_t)*at - 1;
        *at += m->block.n;
    }
    return 0;
}

static int check_waits(struct state *s)
{
    const struct asim_msccl *m = s->msccl;

    for (size_t b = 0; b < m->block.n; b++)
        for (uint32_t i = 0; i < m->block.at[b].steps; i++) {
            const struct asim_msccl_step *step = &m->step.at[m->block.at[b].first_step + i];
            const struct asim_msccl_gpu *gpu = &m->gpu.at[m->block.at[b].gpu];

            if (step->wait_block >= 0 &&
                (step->wait_block >= gpu->blocks ||
                 step->wait_step >= m->block.at[gpu->first_block + step->wait_block].steps))
                return fail(s, step->line,
                            "depid and deps name a step that its gpu does not have.");
        }
    return 0;
}

static int allocate(struct state *s)
{
    const struct asim_msccl *m = s->msccl;
    size_t places = 0, blocks = m->block.n + 1;

    s->first = calloc(m->gpus, sizeof *s->first);
    for (uint32_t g = 0; s->first && g < m->gpus; g++) {
        s->first[g] = places;
        for (int b = 0; b < 3; b++)
            places += m->gpu.at[g].chunks[b];
    }
    s->at = calloc(places + 1, sizeof *s->at);
    s->memory = calloc((places + 1) * s->words, sizeof *s->memory);
    s->done = calloc(blocks, sizeof *s->done);
    s->sender = calloc(blocks, sizeof *s->sender);
    s->queue = calloc(blocks, sizeof *s->queue);
    s->head = calloc(blocks, sizeof *s->head);
    if (!s->first || !s->at || !s->memory || !s->done || !s->sender || !s->queue || !s->head)
        return asim_err_nomem(s->err, "checking an algorithm");
    for (size_t i = 0; i < places; i++)
        s->at[i] = (struct chunk){NOTHING, s->memory + i * s->words};
    s->hand.part = s->memory + places * s->words;
    return 0;
}

static void release(struct state *s)
{
    for (size_t b = 0; s->queue && b < s->msccl->block.n; b++) {
        for (size_t i = 0; i < s->queue[b].n; i++)
            free(s->queue[b].at[i].part);
        free(s->queue[b].at);
    }
    asim_map_fini(&s->ways);
    free(s->first);
    free(s->at);
    free(s->memory);
    free(s->done);
    free(s->sender);
    free(s->queue);
    free(s->head);
}

int asim_msccl_check(const struct asim_msccl *msccl, struct asim_err *err)
{
    struct state s = {.msccl = msccl, .err = err, .words = (msccl->gpus + 63) / 64};
    int reduces_all = msccl->coll_type == ASIM_ALL_REDUCE, rc;

    if (!reduces_all && msccl->chunks % msccl->gpus)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){msccl->path, 0, 0},
                           "nchunksperloop %" PRIu32 " is no multiple of the %" PRIu32
                           " GPUs, so they have no equal shares.",
                           msccl->chunks, msccl->gpus);
    s.share = reduces_all ? msccl->chunks : msccl->chunks / msccl->gpus;
    asim_map_init(&s.ways);
    rc = allocate(&s);
    if (!rc)
        rc = connect(&s);
    if (!rc)
        rc = check_waits(&s);
    if (!rc) {
        fill_inputs(&s);
        rc = run(&s);
    }
    if (!rc)
        rc = check_outputs(&s);
    release(&s);
    return rc;
}
