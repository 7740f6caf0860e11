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

#define NOTHING    UINT32_MAX
#define MOST_BYTES (UINT64_C(1) << 32)

struct chunk {
    uint32_t id;    /* among all inputs that are not summed, NOTHING = empty */
    uint64_t *part; /* [words] ranks */
};

struct queue { /* a way's chunks that its receiver has not taken */
    ASIM_VEC(struct chunk) chunk;
    size_t head;
    uint32_t step; /* the last one that sent */
};

struct state {
    const struct asim_msccl *msccl;
    struct asim_err *err;
    uint32_t words;
    uint32_t share;      /* chunks of one rank in the buffer of all */
    size_t places;       /* of all buffers */
    size_t *first;       /* [gpus] place of a GPU's buffers */
    struct chunk *at;    /* [places] */
    uint32_t *next;      /* [blocks] 1 + its next step, 0 = none */
    uint8_t *is_done;    /* [steps] */
    struct queue *queue; /* [ways] */
    uint64_t *memory;
    struct chunk hand; /* the chunk that a step holds */
};

static int fail(struct state *s, const struct asim_msccl_step *step, const char *what)
{
    return asim_msccl_fail(s->msccl, step, s->err, what);
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

    if (in_place && (type == ASIM_ALL_REDUCE || type == ASIM_ALL_TO_ALL) &&
        buffer == ASIM_MSCCL_OUTPUT)
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
static int add(struct state *s, struct chunk *to, const struct chunk *from,
               const struct asim_msccl_step *step)
{
    if (to->id == NOTHING || from->id == NOTHING)
        return fail(s, step, "this step reduces with a place that holds nothing.");
    if (to->id != from->id)
        return fail(s, step, "this step adds parts of different chunks.");
    for (uint32_t w = 0; w < s->words; w++) {
        if (to->part[w] & from->part[w])
            return fail(s, step, "this step adds a rank's part that the sum has already.");
        to->part[w] |= from->part[w];
    }
    return 0;
}

/* --- steps --------------------------------------------------------------------------------------
 */

static int may_run(const struct state *s, const struct asim_msccl_step *step)
{
    size_t need = step->count ? step->count : 1;

    for (uint32_t w = step->wait; w; w = s->msccl->wait.at[w - 1].next)
        if (!s->is_done[s->msccl->wait.at[w - 1].before])
            return 0;
    return !(step->parts & ASIM_MSCCL_RECV) ||
           s->queue[step->in].chunk.n - s->queue[step->in].head >= need;
}

static int send(struct state *s, const struct asim_msccl_step *step, const struct chunk *from)
{
    struct chunk copy = {from->id, malloc(s->words * sizeof *copy.part)};
    struct queue *queue = &s->queue[step->out];

    if (!copy.part || ASIM_VEC_PUSH(queue->chunk, copy)) {
        free(copy.part);
        return asim_err_nomem(s->err, "checking an algorithm");
    }
    queue->step = (uint32_t)(step - s->msccl->step.at);
    put(s, &copy, from);
    return 0;
}

static void take(struct state *s, const struct asim_msccl_step *step)
{
    struct queue *queue = &s->queue[step->in];
    struct chunk *came = &queue->chunk.at[queue->head++];

    put(s, &s->hand, came);
    free(came->part);
    came->part = NULL;
}

static int one_chunk(struct state *s, const struct asim_msccl_step *step, uint32_t i)
{
    struct chunk *src = place(s, step->gpu, step->src, step->src_at + i);
    struct chunk *dst = place(s, step->gpu, step->dst, step->dst_at + i);
    int receives = step->parts & ASIM_MSCCL_RECV, reduces = step->parts & ASIM_MSCCL_REDUCE;

    if (!src && (!receives || reduces))
        return fail(s, step, "the source of this step lies beyond its buffer.");
    if (!dst && step->parts & ASIM_MSCCL_STORE)
        return fail(s, step, "the destination of this step lies beyond its buffer.");
    if (receives)
        take(s, step);
    else
        put(s, &s->hand, src);
    if (s->hand.id == NOTHING)
        return fail(s, step, "this step reads a place that holds nothing.");
    if (reduces && add(s, &s->hand, receives ? src : dst, step))
        return ASIM_EINVAL;
    if (step->parts & ASIM_MSCCL_STORE)
        put(s, dst, &s->hand);
    return step->parts & ASIM_MSCCL_SEND ? send(s, step, &s->hand) : 0;
}

static int run_step(struct state *s, uint32_t block)
{
    uint32_t at = s->next[block] - 1;
    const struct asim_msccl_step *step = &s->msccl->step.at[at];
    int rc = 0;

    if (!step->count && step->parts & ASIM_MSCCL_RECV)
        take(s, step);
    if (!step->count && step->parts & ASIM_MSCCL_SEND)
        rc = send(s, step, &(struct chunk){NOTHING, s->hand.part});
    for (uint32_t i = 0; step->parts && i < step->count && !rc; i++)
        rc = one_chunk(s, step, i);
    s->is_done[at] = 1;
    s->next[block] = step->next;
    return rc;
}

/* Lets blocks run as far as they can, or for a step each. Whether one did, or an error. */
static int run_blocks(struct state *s, uint32_t from, uint32_t to, int is_one_step)
{
    int goes_on = 0, rc = 0;

    for (uint32_t b = from; b < to && !rc; b++)
        while (!rc && s->next[b] && may_run(s, &s->msccl->step.at[s->next[b] - 1])) {
            rc = run_step(s, b);
            goes_on = 1;
            if (is_one_step)
                break;
        }
    return rc ? rc : goes_on;
}

/* Those who move what others put and get do so at once, or as late as they can: what comes out must
 * be the same. */
static int run(struct state *s, int is_late)
{
    uint32_t blocks = (uint32_t)s->msccl->block.n, own = s->msccl->blocks_of_file;
    int rc = 1, more = 1;

    while (rc > 0 || more > 0) {
        rc = run_blocks(s, 0, own, 0);
        more = rc < 0 || (is_late && rc) ? 0 : run_blocks(s, own, blocks, is_late);
        if (rc < 0 || more < 0)
            return s->err->code;
    }
    for (uint32_t b = 0; b < blocks; b++)
        if (s->next[b])
            return fail(s, &s->msccl->step.at[s->next[b] - 1],
                        "this step waits for ever: its dependency or its message never comes.");
    for (size_t w = 0; w < s->msccl->way.n; w++)
        if (s->queue[w].head < s->queue[w].chunk.n)
            return fail(s, &s->msccl->step.at[s->queue[w].step],
                        "this step sends chunks that nobody receives.");
    return 0;
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

static int allocate(struct state *s)
{
    const struct asim_msccl *m = s->msccl;

    s->first = calloc(m->gpus, sizeof *s->first);
    for (uint32_t g = 0; s->first && g < m->gpus; g++) {
        s->first[g] = s->places;
        for (int b = 0; b < 3; b++)
            s->places += m->gpu.at[g].chunks[b];
    }
    if (s->places > MOST_BYTES / (sizeof *s->at + s->words * sizeof *s->memory))
        return asim_err_at(s->err, ASIM_ENOMEM, (struct asim_where){m->path, 0, 0},
                           "the buffers have %zu chunks in all, and each remembers %" PRIu32
                           " ranks: more than 4 GiB, the limit here.",
                           s->places, m->gpus);
    s->at = calloc(s->places + 1, sizeof *s->at);
    s->memory = calloc((s->places + 1) * s->words, sizeof *s->memory);
    s->next = calloc(m->block.n + 1, sizeof *s->next);
    s->is_done = calloc(m->step.n + 1, sizeof *s->is_done);
    s->queue = calloc(m->way.n + 1, sizeof *s->queue);
    if (!s->first || !s->at || !s->memory || !s->next || !s->is_done || !s->queue)
        return asim_err_nomem(s->err, "checking an algorithm");
    for (size_t i = 0; i < s->places; i++)
        s->at[i] = (struct chunk){NOTHING, s->memory + i * s->words};
    s->hand.part = s->memory + s->places * s->words;
    for (size_t b = 0; b < m->block.n; b++)
        s->next[b] = m->block.at[b].first;
    return 0;
}

static void release(struct state *s)
{
    for (size_t w = 0; s->queue && w < s->msccl->way.n; w++) {
        for (size_t i = 0; i < s->queue[w].chunk.n; i++)
            free(s->queue[w].chunk.at[i].part);
        free(s->queue[w].chunk.at);
    }
    ASIM_FREE(s->first, s->at, s->memory, s->next, s->is_done, s->queue);
}

static int check(const struct asim_msccl *msccl, int is_late, struct asim_err *err)
{
    struct state s = {.msccl = msccl, .err = err, .words = (msccl->gpus + 63) / 64};
    int rc;

    s.share = msccl->coll_type == ASIM_ALL_REDUCE ? msccl->chunks : msccl->chunks / msccl->gpus;
    rc = allocate(&s);
    if (!rc) {
        fill_inputs(&s);
        rc = run(&s, is_late);
    }
    if (!rc)
        rc = check_outputs(&s);
    release(&s);
    return rc;
}

int asim_msccl_check(const struct asim_msccl *msccl, struct asim_err *err)
{
    int rc;

    if (msccl->coll_type != ASIM_ALL_REDUCE && msccl->chunks % msccl->gpus)
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){msccl->path, 0, 0},
                           "the %" PRIu32 " chunks are no multiple of the %" PRIu32
                           " GPUs, so they have no equal shares.",
                           msccl->chunks, msccl->gpus);
    rc = check(msccl, 0, err);
    return rc || msccl->blocks_of_file == msccl->block.n ? rc : check(msccl, 1, err);
}
