/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Keeps connections through removed nodes. Each removed node has the set of surviving nodes that it
 * waited for, directly or through other removed nodes; a survivor that waited for it gets that set.
 * To keep sets small, survivors are covered by chains (each continues the chain of a node it waits
 * for, if no other node has continued it), and a set holds only the last node of each chain: the
 * earlier ones come before it anyway. Equal sets are shared, so ten thousand CPU ops in a row take
 * one.
 */
#include "repair/graph.h"

#include <stdlib.h>

#define SET_LIMIT ((size_t)1 << 30) /* bytes of all sets */

struct set {
    uint32_t n;
    uint32_t at[]; /* survivors, by chain */
};

struct join {
    struct asim_graph *graph;
    struct asim_arena arena;
    const struct set **frontier; /* of removed nodes */
    uint32_t *chain, *place;     /* of survivors */
    ASIM_VEC(uint32_t) tail;     /* last survivor of each chain */
    uint32_t *best, *touched;    /* by chain: the last survivor of the set in work */
    size_t touched_n;
    ASIM_VEC(uint32_t) out; /* all new dependencies */
};

static void offer(struct join *j, uint32_t node)
{
    uint32_t c = j->chain[node];

    if (j->best[c] == ASIM_NONE) {
        j->best[c] = node;
        j->touched[j->touched_n++] = c;
    } else if (j->place[node] > j->place[j->best[c]]) {
        j->best[c] = node;
    }
}

/* Collects the dependencies of a node. removed_only: only those through removed nodes. Returns the
 * one set that contains them all, or NULL if there is none. */
static const struct set *gather(struct join *j, const struct asim_rnode *node, int removed_only)
{
    const struct set *only = NULL;
    int sources = 0;

    for (uint32_t k = 0; k < node->data_n + node->ctrl_n; k++) {
        uint32_t dep = j->graph->dep.at[node->dep_at + k];
        const struct set *set;

        if (dep == ASIM_NONE)
            continue;
        if (!(j->graph->node.at[dep].flags & ASIM_RN_REMOVED)) {
            if (!removed_only) {
                offer(j, dep);
                sources = 2;
            }
            continue;
        }
        set = j->frontier[dep];
        if (!set || set == only)
            continue;
        only = set;
        sources++;
        for (uint32_t i = 0; i < set->n; i++)
            offer(j, set->at[i]);
    }
    return sources == 1 ? only : NULL;
}

ASIM_ORDER(by_number, uint32_t, [0])

/* Returns the collected set and clears it. */
static const struct set *take(struct join *j)
{
    struct set *set = asim_arena_alloc(&j->arena, sizeof *set + j->touched_n * sizeof set->at[0]);

    for (size_t i = 0; i < j->touched_n; i++) {
        if (set)
            set->at[set->n++] = j->best[j->touched[i]];
        j->best[j->touched[i]] = ASIM_NONE;
    }
    j->touched_n = 0;
    return set;
}

static int see_removed(struct join *j, uint32_t at)
{
    const struct set *only = gather(j, &j->graph->node.at[at], 0);

    if (only) {
        for (size_t i = 0; i < j->touched_n; i++)
            j->best[j->touched[i]] = ASIM_NONE;
        j->touched_n = 0;
        j->frontier[at] = only;
        return 0;
    }
    if (!j->touched_n)
        return 0;
    j->frontier[at] = take(j);
    return j->frontier[at] ? 0 : ASIM_ENOMEM;
}

/* Puts a survivor on the chain of a node it waits for, if no other node has continued that chain.
 * Its new dependencies begin at `first`. */
static int enchain(struct join *j, uint32_t at, size_t first)
{
    const struct asim_rnode *node = &j->graph->node.at[at];
    size_t n = node->data_n + node->ctrl_n, made_n = j->out.n - first;

    for (size_t k = 0; k < n + made_n; k++) {
        uint32_t dep = k < n ? j->graph->dep.at[node->dep_at + k] : j->out.at[first + k - n];

        if (dep == ASIM_NONE || j->graph->node.at[dep].flags & ASIM_RN_REMOVED ||
            j->tail.at[j->chain[dep]] != dep)
            continue;
        j->chain[at] = j->chain[dep];
        j->place[at] = j->place[dep] + 1;
        j->tail.at[j->chain[at]] = at;
        return 0;
    }
    j->chain[at] = (uint32_t)j->tail.n;
    j->place[at] = 0;
    j->best[j->tail.n] = ASIM_NONE;
    return ASIM_VEC_PUSH(j->tail, at);
}

static int has_dep(const struct asim_graph *graph, const struct asim_rnode *node, uint32_t dep)
{
    for (uint32_t k = 0; k < node->data_n + node->ctrl_n && k < 64; k++)
        if (graph->dep.at[node->dep_at + k] == dep)
            return 1;
    return 0;
}

static int see_survivor(struct join *j, uint32_t at)
{
    struct asim_graph *graph = j->graph;
    const struct asim_rnode *node = &graph->node.at[at];
    size_t first = j->out.n;

    gather(j, node, 1);
    graph->join_at[2 * (size_t)at] = (uint32_t)first;
    for (size_t i = 0; i < j->touched_n; i++) {
        uint32_t dep = j->best[j->touched[i]];

        j->best[j->touched[i]] = ASIM_NONE;
        if (!has_dep(graph, node, dep) && ASIM_VEC_PUSH(j->out, dep))
            return ASIM_ENOMEM;
    }
    j->touched_n = 0;
    if (j->out.n > first)
        qsort(j->out.at + first, j->out.n - first, sizeof *j->out.at, by_number);
    graph->join_at[2 * (size_t)at + 1] = (uint32_t)j->out.n;
    graph->counts.reconnected += j->out.n - first;
    return enchain(j, at, first);
}

static int join_all(struct join *j)
{
    for (size_t i = 0; i < j->graph->node.n; i++) {
        uint32_t at = j->graph->topo[i];
        int removed = j->graph->node.at[at].flags & ASIM_RN_REMOVED;

        if (removed ? see_removed(j, at) : see_survivor(j, at))
            return ASIM_ENOMEM;
        if (j->arena.used_bytes > SET_LIMIT || j->out.n > ASIM_NONE / 2)
            return ASIM_ENOMEM;
    }
    return 0;
}

int asim_graph_reconnect(struct asim_graph *graph, struct asim_err *err)
{
    size_t n = graph->node.n + 1;
    struct join j = {.graph = graph};
    int code;

    asim_arena_init(&j.arena, 2 * SET_LIMIT);
    j.frontier = calloc(n, sizeof *j.frontier);
    j.chain = malloc(n * sizeof *j.chain);
    j.place = malloc(n * sizeof *j.place);
    j.best = malloc(n * sizeof *j.best);
    j.touched = malloc(n * sizeof *j.touched);
    graph->join_at = calloc(2 * n, sizeof *graph->join_at);
    code = !j.frontier || !j.chain || !j.place || !j.best || !j.touched || !graph->join_at ||
           join_all(&j);
    graph->join = j.out.at;
    ASIM_FREE(j.frontier, j.chain, j.place, j.best, j.touched, j.tail.at);
    asim_arena_fini(&j.arena);
    return code ? asim_err_nomem(
                      err,
                      "reconnecting through removed nodes (at most 1 GiB of connections are kept)")
                : 0;
}
