/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the nodes and dependencies of one rank's trace.
 */
#include "step/emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ATTRS = 8, NAME = 120 };

/* --- groups ----------------------------------------------------------------------------------- */

/* Of gathers and reductions: both stages of a DualPipe pair hold the same layers. */
static uint32_t pair_of(const struct asim_step *s)
{
    return s->opt->schedule == ASIM_STEP_DUALPIPE ? 2 : 1;
}

static int is_upper(int kind)
{
    return kind >= ASIM_STEP_UPPER && kind < ASIM_STEP_BACK;
}

/* The kind with the same members. */
static int lower_kind(int kind)
{
    return kind >= ASIM_STEP_BACK ? kind - ASIM_STEP_BACK
           : is_upper(kind)       ? kind - ASIM_STEP_UPPER + ASIM_STEP_GATHERS
                                  : kind;
}

uint32_t asim_step_group_size(const struct asim_step *s, const struct asim_step_place *place,
                              int kind)
{
    (void)place;
    if (kind >= ASIM_STEP_UPPER && pair_of(s) == 1)
        return 1;
    switch (lower_kind(kind)) {
    case ASIM_STEP_TENSOR:
        return s->tp;
    case ASIM_STEP_EXPERT_TENSOR:
        return s->opt->moe ? s->etp : 1;
    case ASIM_STEP_RAIL:
        return s->opt->moe && s->opt->dispatch == ASIM_STEP_NORMAL ? s->routes.servers : 1;
    case ASIM_STEP_SERVER:
        return s->opt->moe ? (s->opt->dispatch == ASIM_STEP_NORMAL ? s->routes.per_server : s->ep)
                           : 1;
    case ASIM_STEP_EXPERT_GATHERS:
    case ASIM_STEP_EXPERT_REDUCES:
        return s->opt->moe ? s->edp * pair_of(s) : 1;
    default:
        return s->cp * s->dp * pair_of(s);
    }
}

/* Member i of a group within the stage. */
static uint32_t local_of(const struct asim_step *s, const struct asim_step_place *p, int kind,
                         uint32_t i)
{
    uint32_t per = s->routes.per_server ? s->routes.per_server : 1, span = s->etp * s->ep;
    uint32_t block = p->local / span * span + p->expert_tensor;

    switch (lower_kind(kind)) {
    case ASIM_STEP_TENSOR:
        return p->local - p->tensor + i;
    case ASIM_STEP_EXPERT_TENSOR:
        return p->local - p->expert_tensor + i;
    case ASIM_STEP_RAIL:
        return block + (i * per + p->expert % per) * s->etp;
    case ASIM_STEP_SERVER:
        if (s->opt->dispatch != ASIM_STEP_NORMAL)
            return block + i * s->etp;
        return block + (p->expert / per * per + i) * s->etp;
    case ASIM_STEP_EXPERT_GATHERS:
    case ASIM_STEP_EXPERT_REDUCES:
        return i * span + p->local % span;
    default:
        return i * s->tp + p->tensor;
    }
}

static uint32_t group_rank(const struct asim_step *s, const struct asim_step_place *p, int kind,
                           uint32_t i)
{
    uint32_t stage = p->stage, n = asim_step_group_size(s, p, kind);

    if (lower_kind(kind) >= ASIM_STEP_GATHERS && pair_of(s) == 2) {
        uint32_t mirror = s->pp - 1 - stage, low = stage < mirror ? stage : mirror;
        stage = i < n / 2 ? low : s->pp - 1 - low;
        i %= n / 2;
    }
    return stage * s->stage_ranks + local_of(s, p, kind, i);
}

/* Groups of one kind are told apart by their lowest rank. */
static uint64_t group_id(const struct asim_step_emit *e, int kind)
{
    return 1 + (uint64_t)kind * e->step->opt->world + group_rank(e->step, &e->place, kind, 0);
}

/* --- nodes ------------------------------------------------------------------------------------ */

struct op {
    const char *name;
    int type;
    uint64_t ns;
    struct asim_step_after after;
    uint64_t order; /* control dependency; 0 = none */
};

static size_t put_id(uint64_t *list, size_t n, uint64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == id)
            return n;
    if (id)
        list[n++] = id;
    return n;
}

/* Names say the pass, the layer and the op. */
static uint64_t put(struct asim_step_emit *e, const struct op *op, struct asim_chakra_attr *attrs,
                    size_t attr_n)
{
    uint64_t deps[3], ctrl[1];
    char name[NAME];
    struct asim_chakra_node node = {.type = op->type, .data_deps = deps, .attrs = attrs};
    size_t n = put_id(deps, 0, op->after.a);

    if (e->rc)
        return 0;
    n = put_id(deps, n, op->after.b);
    node.data_dep_n = put_id(deps, n, op->after.c);
    ctrl[0] = op->order;
    for (size_t i = 0; i < node.data_dep_n; i++)
        if (deps[i] == op->order)
            ctrl[0] = 0;
    node.ctrl_deps = ctrl;
    node.ctrl_dep_n = ctrl[0] ? 1 : 0;
    snprintf(name, sizeof name, "%s%s", e->prefix, op->name);
    node.name = name;
    node.id = e->next_id++;
    node.duration_micros = op->ns / 1000;
    if (op->type != ASIM_OP_METADATA)
        attrs[attr_n++] =
            (struct asim_chakra_attr){.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL, .value.u = 0};
    if (op->ns % 1000)
        attrs[attr_n++] = (struct asim_chakra_attr){
            .name = "duration_ns", .type = ASIM_CHAKRA_UINT64, .value.u = op->ns};
    node.attr_n = attr_n;
    e->traffic.nodes++;
    e->rc = asim_chakra_writer_node(e->writer, &node, e->err);
    return node.id;
}

static void add_int(struct asim_chakra_attr *attrs, size_t *n, const char *name, uint64_t value)
{
    attrs[(*n)++] = (struct asim_chakra_attr){
        .name = name, .type = ASIM_CHAKRA_INT64, .value.i = (int64_t)value};
}

uint64_t asim_step_compute(struct asim_step_emit *e, const char *name, uint64_t ns,
                           struct asim_step_after after)
{
    struct asim_chakra_attr attrs[MOST_ATTRS];
    const struct op op = {name, ASIM_OP_COMP, ns ? ns : 1, after, 0};

    e->traffic.compute_ns += op.ns;
    return put(e, &op, attrs, 0);
}

/* A measured or modelled time counts; flops and bytes let `asim trace calibrate` move it. */
uint64_t asim_step_compute_part(struct asim_step_emit *e, const char *name, int part, int phase,
                                struct asim_step_after after)
{
    const struct asim_step_time *t = &e->step->times.part[part];
    uint64_t ns = phase == ASIM_STEP_FORWARD ? t->forward
                  : phase == ASIM_STEP_DGRAD ? t->dgrad
                                             : t->wgrad;
    struct asim_chakra_attr attrs[MOST_ATTRS];
    const struct op op = {name, ASIM_OP_COMP, ns ? ns : 1, after, 0};
    size_t n = 0;

    if (t->flops > 0)
        add_int(attrs, &n, "num_ops", (uint64_t)t->flops);
    if (t->bytes > 0)
        add_int(attrs, &n, "tensor_size", (uint64_t)t->bytes);
    e->traffic.compute_ns += op.ns;
    return put(e, &op, attrs, n);
}

static uint64_t put_collective(struct asim_step_emit *e, const struct asim_step_coll *coll,
                               struct asim_step_after after, size_t sizes)
{
    struct asim_chakra_attr attrs[MOST_ATTRS];
    struct op op = {coll->name, ASIM_OP_COMM_COLL, 0, after, 0};
    char name[24];
    size_t n = 0;

    int group = coll->group;
    if (group < ASIM_STEP_GATHERS && e->is_back && pair_of(e->step) == 2)
        group += ASIM_STEP_BACK;
    op.order = group == ASIM_STEP_WORLD ? 0 : e->stream[group];
    add_int(attrs, &n, "comm_type", (uint64_t)coll->type);
    add_int(attrs, &n, "comm_size", coll->bytes);
    if (sizes)
        attrs[n++] = (struct asim_chakra_attr){.name = "comm_sizes",
                                               .type = ASIM_CHAKRA_LIST(ASIM_CHAKRA_UINT64),
                                               .value.list = {e->sizes, sizes}};
    if (group != ASIM_STEP_WORLD) {
        snprintf(name, sizeof name, "%" PRIu64, group_id(e, group));
        attrs[n++] = (struct asim_chakra_attr){
            .name = "pg_name", .type = ASIM_CHAKRA_STRING, .value.s = name};
    }
    e->traffic.ops[coll->group]++;
    e->traffic.bytes[coll->group] += coll->bytes;
    uint64_t id = put(e, &op, attrs, n);
    if (group != ASIM_STEP_WORLD)
        e->stream[group] = id;
    return id;
}

uint64_t asim_step_collective(struct asim_step_emit *e, struct asim_step_coll coll,
                              struct asim_step_after after)
{
    if ((coll.group != ASIM_STEP_WORLD &&
         asim_step_group_size(e->step, &e->place, coll.group) < 2) ||
        !coll.bytes)
        return after.a;
    return put_collective(e, &coll, after, 0);
}

/* The own entry does not travel, so it is no part of the op's bytes. */
uint64_t asim_step_all_to_all_v(struct asim_step_emit *e, const char *name, int group,
                                struct asim_step_after after)
{
    uint32_t n = asim_step_group_size(e->step, &e->place, group);
    struct asim_step_coll coll = {name, group, ASIM_ALL_TO_ALL, 0};

    if (n < 2)
        return after.a;
    for (uint32_t i = 0; i < n; i++) {
        if (group_rank(e->step, &e->place, group, i) == e->place.rank)
            e->sizes[i] = 0;
        coll.bytes += e->sizes[i];
    }
    return put_collective(e, &coll, after, n);
}

uint64_t asim_step_message(struct asim_step_emit *e, struct asim_step_message m,
                           struct asim_step_after after)
{
    struct asim_chakra_attr attrs[MOST_ATTRS];
    const struct op op = {m.name, m.is_send ? ASIM_OP_COMM_SEND : ASIM_OP_COMM_RECV, 0, after, 0};
    size_t n = 0;

    add_int(attrs, &n, "comm_size", m.bytes);
    add_int(attrs, &n, "comm_src", m.is_send ? e->place.rank : m.peer);
    add_int(attrs, &n, "comm_dst", m.is_send ? m.peer : e->place.rank);
    add_int(attrs, &n, "comm_tag", m.tag);
    if (m.is_send) {
        e->traffic.ops[m.kind]++;
        e->traffic.bytes[m.kind] += m.bytes;
    }
    return put(e, &op, attrs, n);
}

/* --- METADATA --------------------------------------------------------------------------------- */

/* PyTorch's list of process groups, with two characters of wrapping on each side
 * (chakra.md#process-groups). */
static size_t list_groups(const struct asim_step_emit *e, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "['[");
    const char *comma = "";

    for (int kind = 0; kind < ASIM_STEP_GROUPS; kind++) {
        uint32_t n = asim_step_group_size(e->step, &e->place, kind);
        if (n < 2)
            continue;
        at += (size_t)snprintf(text ? text + at : NULL, text ? size - at : 0,
                               "%s{\"pg_name\": \"%" PRIu64 "\", \"ranks\": [", comma,
                               group_id(e, kind));
        for (uint32_t i = 0; i < n; i++)
            at += (size_t)snprintf(text ? text + at : NULL, text ? size - at : 0, "%s%" PRIu32,
                                   i ? ", " : "", group_rank(e->step, &e->place, kind, i));
        at += (size_t)snprintf(text ? text + at : NULL, text ? size - at : 0, "]}");
        comma = ", ";
    }
    return at + (size_t)snprintf(text ? text + at : NULL, text ? size - at : 0, "]']");
}

void asim_step_put_groups(struct asim_step_emit *e)
{
    size_t size = list_groups(e, NULL, 0) + 1;
    char *text = malloc(size);
    struct asim_chakra_attr attr = {.name = "is_cpu_op", .type = ASIM_CHAKRA_BOOL, .value.u = 0};
    struct asim_chakra_node node = {.id = e->next_id++,
                                    .name = "## process_group:init ##",
                                    .type = ASIM_OP_METADATA,
                                    .inputs.values = text,
                                    .attrs = &attr,
                                    .attr_n = 1};

    if (!text) {
        e->rc = asim_err_nomem(e->err, "writing a training step");
        return;
    }
    list_groups(e, text, size);
    if (!e->rc)
        e->rc = asim_chakra_writer_node(e->writer, &node, e->err);
    free(text);
}
