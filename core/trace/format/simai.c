/* SPDX-License-Identifier: GPL-2.0-only
 *
 * SimAI / AICB workload text as a trace: one file for all ranks, turned into each rank's ops in the
 * order SimAI runs its rows (spec simai.md b.4): forward rows first to last, then backward rows
 * last to first, input gradient before weight gradient; forward and input-gradient collectives
 * block the rank, weight-gradient collectives run beside what follows; recompute replays forward
 * rows from the nearest checkpoint. Ops are a chain, weight-gradient collectives leave it.
 *
 * Differs from SimAI: collectives of 0 bytes or of one rank are left out (there the run stops
 * without a word); expert collectives happen with a tensor size of 1 too; pipeline stages exist
 * (micro-batches pass from stage to stage with pp_comm bytes, all forward, then all backward, as
 * GPipe does); MICRO runs all its rows, not the first one over and over. One rank does one
 * collective at a time, as ASTRA-sim's comm slot has it.
 *
 * Nothing is kept but the distinct rows: the place of an op holds all that makes it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "conf/conf.h"
#include "trace/op.h"
#include "trace/simai.h"

enum kind { META, RECV, COMP, COLL, DELAY, SEND };
/* part of RECV and SEND: the direction of the pass. */
enum { FORWARD, BACKWARD };

struct act {
    uint8_t kind, part, leaf; /* leaf: what follows does not wait for it */
};

static const struct act forward_acts[] = {{RECV, FORWARD, 0},
                                          {COMP, ASIM_SIMAI_FWD, 0},
                                          {COLL, ASIM_SIMAI_FWD, 0},
                                          {DELAY, ASIM_SIMAI_FWD, 0},
                                          {SEND, FORWARD, 1}};
static const struct act backward_acts[] = {
    {RECV, BACKWARD, 0},       {COMP, ASIM_SIMAI_IG, 0}, {COLL, ASIM_SIMAI_IG, 0},
    {DELAY, ASIM_SIMAI_IG, 0}, {COMP, ASIM_SIMAI_WG, 0}, {COLL, ASIM_SIMAI_WG, 1},
    {DELAY, ASIM_SIMAI_WG, 1}, {SEND, BACKWARD, 1},
};
static const struct act data_acts[] = {{COMP, ASIM_SIMAI_WG, 0},
                                       {COLL, ASIM_SIMAI_WG, 1},
                                       {DELAY, ASIM_SIMAI_WG, 1},
                                       {COMP, ASIM_SIMAI_IG, 0}};
static const struct act compute_acts[] = {{COMP, ASIM_SIMAI_FWD, 0}};
static const struct act micro_acts[] = {{COLL, ASIM_SIMAI_WG, 0}, {DELAY, ASIM_SIMAI_WG, 0}};

struct pass {
    const struct act *acts;
    unsigned n;
    int down; /* rows last to first */
};
#define ACTS(list) list, sizeof list / sizeof *list

struct asim_reader {
    struct asim_simai w;
    struct asim_simai_layout layout;
    uint32_t rank, stage;                    /* own pipeline stage */
    uint32_t first_row, batch_rows, batches; /* of the micro-batches; 0 rows = no pipeline */
    struct pass passes[2];
    unsigned n_passes;
    /* the cursor */
    unsigned pass, act;
    uint32_t row;
    int replaying;
    uint32_t replay_row;
    unsigned replay_act;
    uint64_t id, chain; /* last op made, last op of the chain; 0 = none */
    uint64_t place;
    /* what the op last delivered points at */
    uint64_t dep;
    char name[96], group[16];
    char *metadata;
};

/* --- places: an op in 64 bits ------------------------------------------------------------------
 */
enum { ID_BITS = 31, ROW_BITS = 24, KIND_BITS = 3, PART_BITS = 2, DEP_BITS = 4 };

struct item {
    uint64_t id, dep; /* dep: how many ids back, 0 = nothing */
    uint32_t row;
    uint8_t kind, part;
};

static uint64_t pack(const struct item *item)
{
    return item->id << (ROW_BITS + KIND_BITS + PART_BITS + DEP_BITS) |
           (uint64_t)item->row << (KIND_BITS + PART_BITS + DEP_BITS) |
           (uint64_t)item->kind << (PART_BITS + DEP_BITS) | (uint64_t)item->part << DEP_BITS |
           item->dep;
}

static struct item unpack(uint64_t place)
{
    struct item item;
    item.dep = place & ((1u << DEP_BITS) - 1);
    item.part = place >> DEP_BITS & ((1u << PART_BITS) - 1);
    item.kind = place >> (PART_BITS + DEP_BITS) & ((1u << KIND_BITS) - 1);
    item.row = place >> (KIND_BITS + PART_BITS + DEP_BITS) & ((1u << ROW_BITS) - 1);
    item.id = place >> (ROW_BITS + KIND_BITS + PART_BITS + DEP_BITS);
    return item;
}

/* --- what an item is ----------------------------------------------------------------------------
 */

static void group_of(const struct asim_reader *r, const struct asim_simai_comm *comm,
                     struct asim_simai_ranks *ranks)
{
    asim_simai_group(&r->layout, comm->group, r->rank, ranks);
}

static uint64_t comm_bytes(const struct asim_reader *r, uint32_t row, int part)
{
    uint64_t bytes = asim_simai_row(&r->w, row)->comm[part].bytes;
    /* parity: forward collectives of this policy are raised to 4096 bytes */
    if (part == ASIM_SIMAI_FWD && bytes && bytes < 4096 && r->w.policy == ASIM_SIMAI_FWD_IN_BCKWD)
        return 4096;
    return bytes;
}

static int has_coll(const struct asim_reader *r, uint32_t row, int part)
{
    const struct asim_simai_comm *comm = &asim_simai_row(&r->w, row)->comm[part];
    struct asim_simai_ranks ranks;
    if (comm->op == ASIM_SIMAI_NONE || !comm->bytes)
        return 0;
    group_of(r, comm, &ranks);
    return ranks.n > 1;
}

/* A micro-batch passes a stage's border: forward into its first row and out of its last, backward
 * the other way round. */
static int has_transfer(const struct asim_reader *r, uint32_t row, const struct act *act)
{
    uint32_t in_batch, last = r->batch_rows - 1;
    if (!r->batch_rows || row < r->first_row || row - r->first_row >= r->batch_rows * r->batches)
        return 0;
    in_batch = (row - r->first_row) % r->batch_rows;
    int enters = (act->kind == RECV) == (act->part == FORWARD);
    int peer_exists = enters ? r->stage > 0 : r->stage + 1 < r->layout.pp;
    return peer_exists && in_batch == (enters ? 0 : last);
}

static int exists(const struct asim_reader *r, uint32_t row, const struct act *act)
{
    const struct asim_simai_row *of = asim_simai_row(&r->w, row);
    switch (act->kind) {
    case COMP:
        return of->compute_ns[act->part] > 0;
    case COLL:
        return has_coll(r, row, act->part);
    case DELAY:
        return of->update_ns > 0 && has_coll(r, row, act->part);
    default:
        return has_transfer(r, row, act);
    }
}

/* --- the walk
 * ------------------------------------------------------------------------------------- */

static int is_marked(const uint32_t *marks, uint32_t n, uint32_t row)
{
    for (uint32_t i = 0; i < n; i++)
        if (marks[i] == row)
            return 1;
    return 0;
}

/* Entering a backward row that initiates recompute: back to the nearest checkpoint. */
static void enter_row(struct asim_reader *r)
{
    const struct asim_simai *w = &r->w;
    r->act = 0;
    if (!r->passes[r->pass].down || w->policy != ASIM_SIMAI_FWD_IN_BCKWD ||
        !is_marked(w->initiates, w->n_initiates, r->row))
        return;
    r->replaying = 1;
    r->replay_row = r->row;
    r->replay_act = 0;
    while (r->replay_row && !is_marked(w->checkpoints, w->n_checkpoints, r->replay_row))
        r->replay_row--;
}

static void enter_pass(struct asim_reader *r)
{
    if (r->pass < r->n_passes) {
        r->row = r->passes[r->pass].down ? r->w.n_rows - 1 : 0;
        enter_row(r);
    }
}

static void leave_row(struct asim_reader *r)
{
    const struct pass *pass = &r->passes[r->pass];
    if (r->row == (pass->down ? 0 : r->w.n_rows - 1)) {
        r->pass++;
        enter_pass(r);
        return;
    }
    r->row += pass->down ? UINT32_MAX : 1;
    enter_row(r);
}

/* The next act, whether it exists or not; NULL at the end. */
static const struct act *next_act(struct asim_reader *r, uint32_t *row)
{
    while (r->pass < r->n_passes) {
        const struct pass *pass = &r->passes[r->pass];
        if (r->replaying && r->replay_act < sizeof forward_acts / sizeof *forward_acts) {
            *row = r->replay_row;
            return &forward_acts[r->replay_act++];
        }
        if (r->replaying) {
            r->replaying = r->replay_row++ < r->row;
            r->replay_act = 0;
            continue;
        }
        if (r->act < pass->n) {
            *row = r->row;
            return &pass->acts[r->act++];
        }
        leave_row(r);
    }
    return NULL;
}

/* A replay computes and reduces again but passes nothing on to other stages. */
static int is_replayed_transfer(const struct asim_reader *r, const struct act *act)
{
    return r->replaying && (act->kind == RECV || act->kind == SEND);
}

static int next_item(struct asim_reader *r, struct item *item)
{
    const struct act *act;
    uint32_t row = 0;
    if (!r->id && r->metadata) {
        *item = (struct item){.id = ++r->id, .kind = META};
        return 1;
    }
    do {
        act = next_act(r, &row);
        if (!act)
            return 0;
    } while (is_replayed_transfer(r, act) || !exists(r, row, act));
    *item = (struct item){.id = ++r->id, .row = row, .kind = act->kind, .part = act->part};
    /* a leaf's delay waits for the leaf, everything else for the chain */
    uint64_t parent = act->leaf && act->kind == DELAY ? r->id - 1 : r->chain;
    item->dep = parent ? r->id - parent : 0;
    if (!act->leaf)
        r->chain = r->id;
    return 1;
}

/* --- items as ops
 * --------------------------------------------------------------------------------- */

static void fill_coll(struct asim_reader *r, const struct item *item, struct asim_op *op)
{
    static const int kinds[] = {-1, ASIM_ALL_REDUCE, ASIM_ALL_GATHER, ASIM_REDUCE_SCATTER,
                                ASIM_ALL_TO_ALL};
    const struct asim_simai_comm *comm = &asim_simai_row(&r->w, item->row)->comm[item->part];
    struct asim_simai_ranks ranks;
    uint64_t bytes = comm_bytes(r, item->row, item->part);
    group_of(r, comm, &ranks);
    if (comm->op == ASIM_SIMAI_ALLGATHER) /* here: what one rank gives */
        bytes = bytes / ranks.n ? bytes / ranks.n : 1;
    op->type = ASIM_OP_COMM_COLL;
    op->has = ASIM_HAS_COMM_TYPE | ASIM_HAS_COMM_SIZE;
    op->comm_type = (uint32_t)kinds[comm->op];
    op->comm_bytes = bytes;
    if (ranks.n < r->layout.gpus) { /* the whole run needs no group */
        snprintf(r->group, sizeof r->group, "%u", ranks.id);
        op->pg_name = r->group;
    }
}

static void fill_transfer(struct asim_reader *r, const struct item *item, struct asim_op *op)
{
    uint32_t stage = r->layout.gpus / r->layout.pp;
    uint32_t batch = (item->row - r->first_row) / r->batch_rows;
    int up = (item->kind == SEND) == (item->part == FORWARD); /* peer is the next stage */
    uint32_t peer = up ? r->rank + stage : r->rank - stage;
    op->type = item->kind == SEND ? ASIM_OP_COMM_SEND : ASIM_OP_COMM_RECV;
    op->has = ASIM_HAS_COMM_SIZE | ASIM_HAS_COMM_SRC | ASIM_HAS_COMM_DST | ASIM_HAS_COMM_TAG;
    op->comm_bytes = r->w.pp_comm;
    op->comm_src = item->kind == SEND ? r->rank : peer;
    op->comm_dst = item->kind == SEND ? peer : r->rank;
    op->comm_tag = 2 * batch + item->part;
}

static void fill_time(struct asim_op *op, uint64_t ns)
{
    op->type = ASIM_OP_COMP;
    op->duration_ns = ns;
    op->duration_micros = (ns + 500) / 1000;
}

static void fill(struct asim_reader *r, const struct item *item, struct asim_op *op)
{
    static const char *const kinds[] = {"metadata", "recv", "comp", "coll", "update", "send"};
    static const char *const parts[] = {"fwd", "ig", "wg"};
    static const char *const ways[] = {"fwd", "bwd"};
    const struct asim_simai_row *row = asim_simai_row(&r->w, item->row);
    int transfer = item->kind == RECV || item->kind == SEND;
    memset(op, 0, sizeof *op);
    op->id = item->id;
    op->pg_name = op->inputs_values = "";
    snprintf(r->name, sizeof r->name, "%s_%s_%s_%u", row->name,
             transfer ? ways[item->part] : parts[item->part], kinds[item->kind], item->row);
    op->name = item->kind == META ? "## process_group:init ##" : r->name;
    if (item->dep) {
        r->dep = item->id - item->dep;
        op->data_deps = &r->dep;
        op->data_dep_n = 1;
    }
    if (item->kind == META) {
        op->type = ASIM_OP_METADATA;
        op->inputs_values = r->metadata;
    } else if (item->kind == COLL) {
        fill_coll(r, item, op);
    } else if (transfer) {
        fill_transfer(r, item, op);
    } else {
        fill_time(op, item->kind == COMP ? row->compute_ns[item->part] : row->update_ns);
        op->is_cpu = item->kind == DELAY; /* a delay, it keeps no GPU busy */
    }
}

static int next(struct asim_reader *r, struct asim_op *op, struct asim_err *err)
{
    struct item item;
    if (!next_item(r, &item))
        return 0;
    if (item.id >> ID_BITS)
        return asim_err_set(err, ASIM_ENOMEM, "the workload %s has more than 2^31 ops a rank.",
                            r->w.source);
    r->place = pack(&item);
    fill(r, &item, op);
    return 1;
}

static uint64_t tell(const struct asim_reader *r)
{
    return r->place;
}

static int at(struct asim_reader *r, uint64_t place, struct asim_op *op, struct asim_err *err)
{
    struct item item = unpack(place);
    (void)err;
    fill(r, &item, op);
    return 1;
}

/* --- opening
 * -------------------------------------------------------------------------------------- */

/* Which rows a micro-batch has: those from one embedding_layer to the next, ga of them. Only files
 * with several stages need to know. */
static void find_batches(struct asim_reader *r)
{
    uint32_t starts = 0, first = 0, second = 0, tail = r->w.n_rows;
    if (r->layout.pp == 1 || !r->w.pp_comm)
        return;
    for (uint32_t i = 0; i < r->w.n_rows; i++) {
        const char *name = asim_simai_row(&r->w, i)->name;
        if (!strcmp(name, "embedding_layer") && ++starts <= 2)
            *(starts == 1 ? &first : &second) = i;
        if (!strcmp(name, "cross_entropy1"))
            tail = i;
    }
    r->first_row = starts ? first : 0;
    r->batches = starts > 1 && (!r->w.ga || starts == r->w.ga) ? starts : 1;
    r->batch_rows = r->batches > 1 ? second - first : tail - r->first_row;
}

/* PyTorch's process-group JSON in a Python list's repr, as METADATA nodes hold it. */
static int make_metadata(struct asim_reader *r, struct asim_err *err)
{
    struct asim_simai_ranks ranks;
    size_t size = 64, used;
    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(&r->layout, g, r->rank, &ranks);
        size += 64 + (size_t)ranks.n * 12;
    }
    char *text = malloc(size);
    if (!text)
        return asim_err_nomem(err, "listing communicator groups");
    used = (size_t)snprintf(text, size, "['[");
    for (int g = ASIM_SIMAI_TP; g <= ASIM_SIMAI_DP_EP; g++) {
        asim_simai_group(&r->layout, g, r->rank, &ranks);
        if (ranks.n < 2 || ranks.n == r->layout.gpus)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s{\"pg_name\": \"%u\", \"ranks\": [",
                                 used > 3 ? ", " : "", ranks.id);
        for (uint32_t i = 0; i < ranks.n; i++)
            used += (size_t)snprintf(text + used, size - used, "%s%u", i ? ", " : "",
                                     ranks.base + i * ranks.stride);
        used += (size_t)snprintf(text + used, size - used, "]}");
    }
    snprintf(text + used, size - used, "]']");
    if (used > 3)
        r->metadata = text;
    else
        free(text);
    return 0;
}

static int choose_passes(struct asim_reader *r, struct asim_err *err)
{
    static const struct pass forward = {ACTS(forward_acts), 0}, backward = {ACTS(backward_acts), 1},
                             compute = {ACTS(compute_acts), 0}, data = {ACTS(data_acts), 1},
                             micro = {ACTS(micro_acts), 0};
    r->n_passes = 2;
    switch (r->w.policy) {
    case ASIM_SIMAI_TRANSFORMER:
    case ASIM_SIMAI_FWD_IN_BCKWD:
        r->passes[0] = forward;
        r->passes[1] = backward;
        return 0;
    case ASIM_SIMAI_DATA:
        r->passes[0] = compute;
        r->passes[1] = data;
        return 0;
    case ASIM_SIMAI_MICRO:
        r->passes[0] = micro;
        r->n_passes = 1;
        return 0;
    default:
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){r->w.source, 1, 0},
                           "the policy %s cannot be run; HYBRID_TRANSFORMER, "
                           "HYBRID_TRANSFORMER_FWD_IN_BCKWD, DATA and MICRO can.",
                           asim_simai_policy_names[r->w.policy]);
    }
}

static void close_reader(struct asim_reader *r)
{
    asim_simai_fini(&r->w);
    free(r->metadata);
    free(r);
}

static int open_reader(struct asim_reader **reader, const char *path, uint32_t rank,
                       struct asim_err *err)
{
    struct asim_reader *r = calloc(1, sizeof *r);
    if (!r)
        return asim_err_nomem(err, "opening a workload");
    int rc = asim_simai_read(&r->w, path, err);
    if (!rc)
        rc = asim_simai_layout(&r->w, 0, &r->layout, err);
    if (!rc && rank >= r->layout.gpus)
        rc = asim_err_set(err, ASIM_EINVAL, "%s is for %u GPUs; there is no rank %u.", path,
                          r->layout.gpus, rank);
    if (!rc)
        rc = choose_passes(r, err);
    r->rank = rank;
    r->stage = rc ? 0 : rank / (r->layout.gpus / r->layout.pp);
    if (!rc)
        rc = make_metadata(r, err);
    if (rc) {
        close_reader(r);
        return rc;
    }
    find_batches(r);
    enter_pass(r);
    *reader = r;
    return 0;
}

static int count_ranks(const char *path, uint32_t *ranks, struct asim_err *err)
{
    struct asim_simai w;
    struct asim_simai_layout layout;
    int rc = asim_simai_read(&w, path, err);
    if (rc)
        return rc;
    rc = asim_simai_layout(&w, 0, &layout, err);
    *ranks = rc ? 0 : layout.gpus;
    asim_simai_fini(&w);
    return rc;
}

const struct asim_trace_format asim_trace_format_simai = {
    .member = {"simai", "SimAI / AICB workload text: one file for all ranks.", NULL, 0},
    .sniff = asim_simai_sniff,
    .open = open_reader,
    .next = next,
    .tell = tell,
    .at = at,
    .close = close_reader,
    .ranks = count_ranks,
};
