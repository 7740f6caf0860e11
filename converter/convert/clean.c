/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Deletes isolated nodes (the process root, and with --compat all nodes that the walk did not
 * reach), and makes the graph acyclic. The search uses data and control dependencies together,
 * because a simulator that obeys both deadlocks on a cycle through both. It has its own stack,
 * removes the edge that closes each cycle, and reports the edge.
 */
#include "convert/convert.h"

#include <inttypes.h>
#include <stdlib.h>

/* Keeps read = written + deleted. */
static void uncount(struct asim_convert_counts *c, const struct asim_et_node *node)
{
    int is_gpu = node->kind == ASIM_ET_GPU;

    c->deleted++;
    c->lost_gpu += is_gpu;
    *(is_gpu ? &c->gpu : node->kind == ASIM_ET_CPU ? &c->cpu : &c->metadata) -= 1;
    *(is_gpu ? &c->gpu_us : &c->cpu_us) -= node->dur;
}

/* Isolated = waits for nothing, and nothing waits for it. Without compat a node with a duration or
 * with groups stays. */
static int delete_alone(struct asim_convert *cv)
{
    uint8_t *named = calloc(cv->node.n + 1, 1);

    if (!named)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < cv->dep_at[cv->node.n]; i++)
        named[cv->dep[i]] = 1;
    for (uint32_t i = 0; i < cv->node.n; i++) {
        struct asim_et_node *node = &cv->node.at[i];

        if (named[i] || cv->dep_at[i] < cv->dep_at[i + 1] ||
            asim_index_get(&cv->host.by_id, cv->host.node.at[i].id) != i) /* repeated id */
            continue;
        if (!cv->opt->compat && (node->kind != ASIM_ET_CPU || node->dur > 0))
            continue;
        node->flags |= ASIM_ET_DELETED;
        uncount(&cv->counts, node);
    }
    free(named);
    return 0;
}

struct frame {
    uint32_t node, next; /* the next dependency to look at; the control parent is the last one */
};

struct search {
    struct asim_convert *cv;
    uint8_t *colour; /* 0 unseen, 1 on the stack, 2 done */
    ASIM_VEC(struct frame) stack;
    struct asim_err *err;
};

/* The control dependency that emit.c will write. */
static uint32_t ctrl_of(const struct asim_convert *cv, uint32_t node)
{
    uint32_t parent = asim_convert_parent(cv, node);

    return parent == ASIM_NONE || cv->opt->compat || cv->node.at[node].flags & ASIM_ET_NO_CTRL ||
                   cv->node.at[parent].flags & ASIM_ET_DELETED
               ? ASIM_NONE
               : parent;
}

/* Names at most four nodes of the cycle that the edge from the top of the stack to `to` closes. */
static int report(struct search *s, uint32_t to, const char *kind)
{
    uint32_t top = s->stack.at[s->stack.n - 1].node;
    char text[600];
    size_t from = s->stack.n, n = 0, shown = 0;
    int64_t id = s->cv->host.node.at[to].id;

    while (from && s->stack.at[from - 1].node != to)
        from--;
    from -= from > 0;
    for (size_t i = from; i < s->stack.n && n + 100 < sizeof text; i++, shown++) {
        uint32_t node = s->stack.at[i].node;

        if (shown == 4) {
            n +=
                (size_t)snprintf(text + n, sizeof text - n, "… (%zu nodes) …, ", s->stack.n - from);
            break;
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "%" PRId64 " %.60s waits for ",
                              s->cv->host.node.at[node].id, asim_convert_name(s->cv, node));
    }
    s->cv->counts.cycles++;
    if (s->cv->opt->compat || s->cv->opt->strict)
        return asim_err_set(s->err, ASIM_EINVAL, "%s: cyclic dependency: %s%" PRId64 ".",
                            s->cv->opt->input, text, id);
    asim_diagnose(&s->cv->opt->notes,
                  "cycle broken: %s%" PRId64 "; the %s dependency of %" PRId64 " %.60s on %" PRId64
                  " %.60s was removed.",
                  text, id, kind, s->cv->host.node.at[top].id, asim_convert_name(s->cv, top), id,
                  asim_convert_name(s->cv, to));
    return 0;
}

/* The next dependency of the top frame; *slot = its position, or NULL for the control parent. */
static uint32_t next_dep(struct search *s, struct frame *top, uint32_t **slot)
{
    const struct asim_convert *cv = s->cv;
    uint32_t n = cv->dep_at[top->node + 1] - cv->dep_at[top->node];

    *slot = NULL;
    if (top->next < n) {
        *slot = &cv->dep[cv->dep_at[top->node] + top->next++];
        return **slot;
    }
    top->next++;
    return ctrl_of(cv, top->node);
}

static int done(const struct search *s, const struct frame *top)
{
    return top->next > s->cv->dep_at[top->node + 1] - s->cv->dep_at[top->node];
}

static int search_from(struct search *s, uint32_t start)
{
    struct frame first = {start, 0};

    s->colour[start] = 1;
    if (ASIM_VEC_PUSH(s->stack, first))
        return asim_err_nomem(s->err, "looking for cycles");
    while (s->stack.n) {
        struct frame *top = &s->stack.at[s->stack.n - 1], fresh = {0};
        uint32_t *slot, to;

        if (done(s, top)) {
            s->colour[top->node] = 2;
            s->stack.n--;
            continue;
        }
        to = next_dep(s, top, &slot);
        if (to == ASIM_NONE || s->colour[to] == 2)
            continue;
        if (s->colour[to] == 1) {
            if (report(s, to, slot ? "data" : "control"))
                return ASIM_EINVAL;
            if (slot)
                *slot = ASIM_NONE;
            else
                s->cv->node.at[top->node].flags |= ASIM_ET_NO_CTRL;
            continue;
        }
        fresh.node = to;
        s->colour[to] = 1;
        if (ASIM_VEC_PUSH(s->stack, fresh))
            return asim_err_nomem(s->err, "looking for cycles");
    }
    return 0;
}

int asim_convert_clean(struct asim_convert *cv, struct asim_err *err)
{
    struct search s = {.cv = cv, .err = err};
    int code = 0;

    if (delete_alone(cv))
        return asim_err_nomem(err, "cleaning the graph");
    s.colour = calloc(cv->node.n + 1, 1);
    if (!s.colour)
        return asim_err_nomem(err, "looking for cycles");
    for (uint32_t i = 0; i < cv->node.n && !code; i++)
        if (!s.colour[i] && !(cv->node.at[i].flags & ASIM_ET_DELETED))
            code = search_from(&s, i);
    ASIM_FREE(s.colour, s.stack.at);
    return code;
}
