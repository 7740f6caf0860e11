/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Forward rows first to last, then backward rows last to first, input gradient before weight
 * gradient. Forward and input-gradient collectives block the rank, weight-gradient collectives run
 * beside the following items. Recompute replays forward rows from the nearest checkpoint. Items
 * form a chain that weight-gradient collectives and sends leave.
 *
 * Differences from SimAI: collectives of 0 bytes or of one rank are left out (SimAI stops there
 * without a message); expert collectives also happen with a tensor size of 1; pipeline stages exist
 * (micro-batches pass from stage to stage with pp_comm bytes, all forward, then all backward, as in
 * GPipe); MICRO runs all its rows, not the first one only.
 *
 * The iterator is a cursor and allocates nothing. Ranks differ in their groups and pipeline stage
 * only.
 */
#include "trace/simai/iterator.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_BITS = 24, TYPE_BITS = 3, PART_BITS = 2, DEP_BITS = 4 };

#define META          ASIM_SIMAI_META
#define RECV          ASIM_SIMAI_RECV
#define COMP          ASIM_SIMAI_COMP
#define COLL          ASIM_SIMAI_COLL
#define DELAY         ASIM_SIMAI_DELAY
#define SEND          ASIM_SIMAI_SEND
#define FORWARD       ASIM_SIMAI_FORWARD
#define BACKWARD      ASIM_SIMAI_BACKWARD
#define ACTIONS(list) list, sizeof list / sizeof *list

/* The actions of a rank in a row, in order; {type, part, non_blocking}. A non-blocking action
 * stands beside the chain: the next action does not wait for it. */
static const struct asim_simai_action forward_actions[] = {{RECV, FORWARD, 0},
                                                           {COMP, ASIM_SIMAI_FWD, 0},
                                                           {COLL, ASIM_SIMAI_FWD, 0},
                                                           {DELAY, ASIM_SIMAI_FWD, 0},
                                                           {SEND, FORWARD, 1}};
static const struct asim_simai_action backward_actions[] = {
    {RECV, BACKWARD, 0},       {COMP, ASIM_SIMAI_IG, 0}, {COLL, ASIM_SIMAI_IG, 0},
    {DELAY, ASIM_SIMAI_IG, 0}, {COMP, ASIM_SIMAI_WG, 0}, {COLL, ASIM_SIMAI_WG, 1},
    {DELAY, ASIM_SIMAI_WG, 1}, {SEND, BACKWARD, 1},
};
static const struct asim_simai_action data_actions[] = {{COMP, ASIM_SIMAI_WG, 0},
                                                        {COLL, ASIM_SIMAI_WG, 1},
                                                        {DELAY, ASIM_SIMAI_WG, 1},
                                                        {COMP, ASIM_SIMAI_IG, 0}};
static const struct asim_simai_action compute_actions[] = {{COMP, ASIM_SIMAI_FWD, 0}};
static const struct asim_simai_action micro_actions[] = {{COLL, ASIM_SIMAI_WG, 0},
                                                         {DELAY, ASIM_SIMAI_WG, 0}};

/* 31 bits id, 24 row, 3 type, 2 part, 4 dep: the position of an op in the "file", from which the op
 * can be made again. */
uint64_t asim_simai_pack(const struct asim_simai_item *item)
{
    return item->id << (ROW_BITS + TYPE_BITS + PART_BITS + DEP_BITS) |
           (uint64_t)item->row << (TYPE_BITS + PART_BITS + DEP_BITS) |
           (uint64_t)item->type << (PART_BITS + DEP_BITS) | (uint64_t)item->part << DEP_BITS |
           item->dep;
}

struct asim_simai_item asim_simai_unpack(uint64_t position)
{
    struct asim_simai_item item;
    item.dep = position & ((1u << DEP_BITS) - 1);
    item.part = position >> DEP_BITS & ((1u << PART_BITS) - 1);
    item.type = position >> (PART_BITS + DEP_BITS) & ((1u << TYPE_BITS) - 1);
    item.row = position >> (TYPE_BITS + PART_BITS + DEP_BITS) & ((1u << ROW_BITS) - 1);
    item.id = position >> (ROW_BITS + TYPE_BITS + PART_BITS + DEP_BITS);
    return item;
}

static void group_of(const struct asim_simai_iterator *r, const struct asim_simai_comm *comm,
                     struct asim_simai_ranks *ranks)
{
    asim_simai_group(&r->layout, comm->group, r->rank, ranks);
}

uint64_t asim_simai_run_bytes(const struct asim_simai *w, uint32_t row, int part)
{
    uint64_t bytes = asim_simai_row(w, row)->comm[part].bytes;
    /* parity: forward collectives of this policy are raised to 4096 bytes */
    if (part == ASIM_SIMAI_FWD && bytes && bytes < 4096 && w->policy == ASIM_SIMAI_FWD_IN_BCKWD)
        return 4096;
    return bytes;
}

/* A collective without bytes or with one rank is left out. */
static int has_coll(const struct asim_simai_iterator *r, uint32_t row, int part)
{
    const struct asim_simai_comm *comm = &asim_simai_row(r->w, row)->comm[part];
    struct asim_simai_ranks ranks;
    if (comm->op == ASIM_SIMAI_NONE || !comm->bytes)
        return 0;
    group_of(r, comm, &ranks);
    return ranks.n > 1;
}

/* A micro-batch crosses the border of a stage: forward into its first row and out of its last,
 * backward the other way round. Rows outside of the micro-batches (before the first embedding,
 * after the last loss) cross nothing. */
static int has_transfer(const struct asim_simai_iterator *r, uint32_t row,
                        const struct asim_simai_action *action)
{
    uint32_t in_batch, last = r->batch_rows - 1;
    if (!r->batch_rows || row < r->first_row || row - r->first_row >= r->batch_rows * r->batches)
        return 0;
    in_batch = (row - r->first_row) % r->batch_rows;
    int enters = (action->type == RECV) == (action->part == FORWARD);
    int peer_exists = enters ? r->stage > 0 : r->stage + 1 < r->layout.pp;
    return peer_exists && in_batch == (enters ? 0 : last);
}

/* Actions without work make no op. */
static int exists(const struct asim_simai_iterator *r, uint32_t row,
                  const struct asim_simai_action *action)
{
    const struct asim_simai_row *of = asim_simai_row(r->w, row);
    switch (action->type) {
    case COMP:
        return of->compute_ns[action->part] > 0;
    case COLL:
        return has_coll(r, row, action->part);
    case DELAY:
        return of->update_ns > 0 && has_coll(r, row, action->part);
    default:
        return has_transfer(r, row, action);
    }
}

/* Linear: files mark a few layers. */
static int is_marked(const uint32_t *marks, uint32_t n, uint32_t row)
{
    for (uint32_t i = 0; i < n; i++)
        if (marks[i] == row)
            return 1;
    return 0;
}

/* Only HYBRID_TRANSFORMER_FWD_IN_BCKWD recomputes; other policies ignore the marks, as in SimAI. */
static int is_replayed(const struct asim_simai *w, uint32_t row)
{
    return w->policy == ASIM_SIMAI_FWD_IN_BCKWD && is_marked(w->initiates, w->n_initiates, row);
}

/* The nearest checkpoint at or before a row, where its replay begins. */
static uint32_t checkpoint_of(const struct asim_simai *w, uint32_t row)
{
    while (row && !is_marked(w->checkpoints, w->n_checkpoints, row))
        row--;
    return row;
}

uint32_t *asim_simai_forwards(const struct asim_simai *w)
{
    uint32_t *times = calloc((size_t)w->n_rows + 1, sizeof *times);
    for (uint32_t row = 0; times && row < w->n_rows; row++) {
        times[row]++;
        for (uint32_t i = is_replayed(w, row) ? checkpoint_of(w, row) : row + 1; i <= row; i++)
            times[i]++;
    }
    return times;
}

/* A backward row that initiates recompute begins with its replay. */
static void enter_row(struct asim_simai_iterator *r)
{
    r->action = 0;
    if (!r->passes[r->pass].down || !is_replayed(r->w, r->row))
        return;
    r->replaying = 1;
    r->replay_row = checkpoint_of(r->w, r->row);
    r->replay_action = 0;
}

/* r->pass behind the last pass means the end. */
static void enter_pass(struct asim_simai_iterator *r)
{
    if (r->pass < r->n_passes) {
        r->row = r->passes[r->pass].down ? r->w->n_rows - 1 : 0;
        enter_row(r);
    }
}

/* Adding UINT32_MAX is one row down. */
static void leave_row(struct asim_simai_iterator *r)
{
    const struct asim_simai_pass *pass = &r->passes[r->pass];
    if (r->row == (pass->down ? 0 : r->w->n_rows - 1)) {
        r->pass++;
        enter_pass(r);
        return;
    }
    r->row += pass->down ? UINT32_MAX : 1;
    enter_row(r);
}

/* The next action, whether it has work or not; NULL at the end. A replay runs the forward actions
 * of the rows from the checkpoint up to the row that initiates it, then that row. */
static const struct asim_simai_action *next_action(struct asim_simai_iterator *r, uint32_t *row)
{
    while (r->pass < r->n_passes) {
        const struct asim_simai_pass *pass = &r->passes[r->pass];
        if (r->replaying && r->replay_action < sizeof forward_actions / sizeof *forward_actions) {
            *row = r->replay_row;
            return &forward_actions[r->replay_action++];
        }
        if (r->replaying) {
            r->replaying = r->replay_row++ < r->row;
            r->replay_action = 0;
            continue;
        }
        if (r->action < pass->n) {
            *row = r->row;
            return &pass->actions[r->action++];
        }
        leave_row(r);
    }
    return NULL;
}

/* A replay computes and reduces again but sends nothing to other stages. */
static int is_replayed_transfer(const struct asim_simai_iterator *r,
                                const struct asim_simai_action *action)
{
    return r->replaying && (action->type == RECV || action->type == SEND);
}

/* Constant time, except for rows without work. */
int asim_simai_iterator_next(struct asim_simai_iterator *r, struct asim_simai_item *item)
{
    const struct asim_simai_action *action;
    uint32_t row = 0;
    if (!r->id && r->has_meta) {
        *item = (struct asim_simai_item){.id = ++r->id, .type = META};
        return 1;
    }
    do {
        action = next_action(r, &row);
        if (!action)
            return 0;
    } while (is_replayed_transfer(r, action) || !exists(r, row, action));
    *item = (struct asim_simai_item){
        .id = ++r->id, .row = row, .type = action->type, .part = action->part};
    /* the delay of a non-blocking collective waits for the collective, all others for the chain */
    uint64_t parent = action->non_blocking && action->type == DELAY ? r->id - 1 : r->chain;
    item->dep = parent ? r->id - parent : 0;
    if (!action->non_blocking)
        r->chain = r->id;
    return 1;
}

/* Finds the rows of the micro-batches: from one embedding_layer to the next, ga of them. Only files
 * with several stages need them. The format marks micro-batches by the layer names
 * "embedding_layer" and "cross_entropy1" only. */
static void find_batches(struct asim_simai_iterator *r)
{
    uint32_t starts = 0, first = 0, second = 0, tail = r->w->n_rows;
    if (r->layout.pp == 1 || !r->w->pp_comm)
        return;
    for (uint32_t i = 0; i < r->w->n_rows; i++) {
        const char *name = asim_simai_row(r->w, i)->name;
        if (!strcmp(name, "embedding_layer") && ++starts <= 2)
            *(starts == 1 ? &first : &second) = i;
        if (!strcmp(name, "cross_entropy1"))
            tail = i;
    }
    r->first_row = starts ? first : 0;
    r->batches = starts > 1 && (!r->w->ga || starts == r->w->ga) ? starts : 1;
    r->batch_rows = r->batches > 1 ? second - first : tail - r->first_row;
}

/* SimAI's own loop runs these policies (simai.md#execution); others are refused by name. */
static int choose_passes(struct asim_simai_iterator *r, struct asim_err *err)
{
    static const struct asim_simai_pass forward = {ACTIONS(forward_actions), 0},
                                        backward = {ACTIONS(backward_actions), 1},
                                        compute = {ACTIONS(compute_actions), 0},
                                        data = {ACTIONS(data_actions), 1},
                                        micro = {ACTIONS(micro_actions), 0};
    r->n_passes = 2;
    switch (r->w->policy) {
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
        return asim_err_at(err, ASIM_EINVAL, (struct asim_where){r->w->source, 1, 0},
                           "the policy %s cannot be run; HYBRID_TRANSFORMER, "
                           "HYBRID_TRANSFORMER_FWD_IN_BCKWD, DATA and MICRO can.",
                           asim_simai_policy_names[r->w->policy]);
    }
}

int asim_simai_iterator_start(struct asim_simai_iterator *it, const struct asim_simai *w,
                              const struct asim_simai_layout *layout, uint32_t rank,
                              struct asim_err *err)
{
    memset(it, 0, sizeof *it);
    it->w = w;
    it->layout = *layout;
    it->rank = rank;
    if (rank >= layout->gpus)
        return asim_err_set(err, ASIM_EINVAL, "%s is for %u GPUs; there is no rank %u.", w->source,
                            layout->gpus, rank);
    it->stage = rank / (layout->gpus / layout->pp);
    int rc = choose_passes(it, err);
    if (rc)
        return rc;
    find_batches(it);
    enter_pass(it);
    return 0;
}
