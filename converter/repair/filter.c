/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Removes nodes that a simulator cannot run, and orders the rest. The search for cycles is
 * depth-first over data and control dependencies with its own stack; it removes and reports the
 * edge that closes a cycle.
 */
#include "repair/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "asim/trace.h"

/* Types that ASTRA-sim runs; it replays BROADCAST with the recorded time. */
static int astra_runs(int kind)
{
    return kind == ASIM_ALL_REDUCE || kind == ASIM_ALL_TO_ALL || kind == ASIM_ALL_GATHER ||
           kind == ASIM_REDUCE_SCATTER || kind == ASIM_BROADCAST;
}

/* Looks into the record: sends are rare, and the index has no room for partners. */
static int has_partner(struct asim_graph *graph, uint32_t at, struct asim_err *err)
{
    const ChakraProtoMsg__Node *record;
    int64_t peer;

    if (asim_chakra_at(graph->file, graph->node.at[at].place, &record, err))
        return -1;
    return asim_edit_int(
        record, graph->node.at[at].type == ASIM_OP_COMM_SEND ? "comm_dst" : "comm_src", &peer);
}

/* The count of the reason for removing the node, or NULL if it stays; also NULL on failure, with
 * *code. */
static uint64_t *reason(struct asim_graph *graph, uint32_t at,
                        const struct asim_repair_options *opt, int *code, struct asim_err *err)
{
    const struct asim_rnode *node = &graph->node.at[at];
    struct asim_repair_counts *c = &graph->counts;
    int partner;

    switch (node->type) {
    case ASIM_OP_INVALID:
        return &c->invalid;
    case ASIM_OP_METADATA:
        return opt->gpu_only || opt->simple ? &c->metadata : NULL;
    case ASIM_OP_COMM_COLL:
        return node->kind < 0 || (opt->astra && !astra_runs(node->kind)) ? &c->refused : NULL;
    case ASIM_OP_COMM_SEND:
    case ASIM_OP_COMM_RECV:
        partner = has_partner(graph, at, err);
        *code = partner < 0 ? ASIM_EINVAL : 0;
        return partner ? NULL : &c->partnerless;
    default:
        return (opt->gpu_only && node->flags & ASIM_RN_CPU) || opt->simple ? &c->cpu : NULL;
    }
}

int asim_graph_filter(struct asim_graph *graph, const struct asim_repair_options *opt,
                      struct asim_err *err)
{
    int code = 0;

    for (uint32_t i = 0; i < graph->node.n; i++) {
        uint64_t *count;

        if (graph->node.at[i].flags & ASIM_RN_REMOVED)
            continue;
        count = reason(graph, i, opt, &code, err);
        if (code)
            return code;
        if (count) {
            graph->node.at[i].flags |= ASIM_RN_REMOVED;
            if (++*count <= 5 &&
                (count == &graph->counts.refused || count == &graph->counts.partnerless)) {
                char *name = asim_graph_name(graph, i);

                asim_diagnose(&opt->notes, "%s: node %" PRIu64 " (%s) cannot be run (%s); removed.",
                              graph->path, (uint64_t)graph->node.at[i].id, name ? name : "?",
                              count == &graph->counts.refused
                                  ? graph->node.at[i].kind < 0
                                        ? "a collective without a comm_type"
                                        : asim_coll_type_name(graph->node.at[i].kind)
                                  : "a send or receive without its partner");
                free(name);
            }
        }
    }
    return 0;
}

struct frame {
    uint32_t node, next;
};

struct search {
    struct asim_graph *graph;
    const struct asim_repair_options *opt;
    uint8_t *colour;
    ASIM_VEC(struct frame) stack;
    uint32_t done;
    struct asim_err *err;
};

static int tell_cycle(struct search *s, uint32_t to)
{
    struct asim_graph *graph = s->graph;
    size_t from = s->stack.n, n = 0;
    char text[900];

    while (from && s->stack.at[from - 1].node != to)
        from--;
    from -= from > 0;
    for (size_t i = from; i < s->stack.n && i < from + 6; i++) {
        char *name = asim_graph_name(graph, s->stack.at[i].node);

        n += (size_t)snprintf(text + n, sizeof text - n, "%" PRIu64 " (%.80s) waits for ",
                              (uint64_t)graph->node.at[s->stack.at[i].node].id, name ? name : "?");
        free(name);
    }
    if (s->stack.n - from > 6)
        n += (size_t)snprintf(text + n, sizeof text - n, "… %zu more … ", s->stack.n - from - 6);
    snprintf(text + n, sizeof text - n, "%" PRIu64, (uint64_t)graph->node.at[to].id);
    graph->counts.cycles++;
    if (s->opt->no_break)
        return asim_err_set(s->err, ASIM_EINVAL, "%s: cyclic dependency: %s.", graph->path, text);
    asim_diagnose(&s->opt->notes, "%s: cycle: %s; the last dependency was removed.", graph->path,
                  text);
    return 0;
}

static int push(struct search *s, uint32_t node)
{
    struct frame fresh = {node, 0};

    s->colour[node] = 1;
    return ASIM_VEC_PUSH(s->stack, fresh) ? asim_err_nomem(s->err, "looking for cycles") : 0;
}

/* A node is finished after its last dependency, so topo is filled dependencies first. */
static int search_from(struct search *s, uint32_t start)
{
    struct asim_graph *graph = s->graph;
    int code = push(s, start);

    while (s->stack.n && !code) {
        struct frame *top = &s->stack.at[s->stack.n - 1];
        const struct asim_rnode *node = &graph->node.at[top->node];
        uint32_t *dep;

        if (top->next == node->data_n + node->ctrl_n) {
            s->colour[top->node] = 2;
            graph->topo[s->done++] = top->node;
            s->stack.n--;
            continue;
        }
        dep = &graph->dep.at[node->dep_at + top->next++];
        if (*dep == ASIM_NONE || s->colour[*dep] == 2)
            continue;
        if (s->colour[*dep] == 1) {
            code = tell_cycle(s, *dep);
            *dep = ASIM_NONE;
        } else {
            code = push(s, *dep);
        }
    }
    return code;
}

int asim_graph_order(struct asim_graph *graph, const struct asim_repair_options *opt,
                     struct asim_err *err)
{
    struct search s = {.graph = graph, .opt = opt, .err = err};
    int code = 0;

    s.colour = calloc(graph->node.n + 1, 1);
    graph->topo = malloc((graph->node.n + 1) * sizeof *graph->topo);
    if (!s.colour || !graph->topo)
        code = asim_err_nomem(err, "looking for cycles");
    for (uint32_t i = 0; i < graph->node.n && !code; i++)
        if (!s.colour[i])
            code = search_from(&s, i);
    ASIM_FREE(s.colour, s.stack.at);
    return code;
}
