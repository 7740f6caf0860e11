/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The tree of callers, and the walk that turns it into an order: each thread is a chain of its CPU
 * nodes in call order, and a GPU node depends on the CPU node visited last
 * (chakra.md#dependencies). The walk has its own stack: real traces nest a thousand levels deep.
 *
 * parity: with --compat the walk covers only the trees below thread roots, and other nodes are lost
 * later. Otherwise nodes without a parent get another one (link/assign_parent.c), and a tree
 * without a thread root is walked like a thread.
 */
#include "convert/convert.h"
#include "link/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t asim_convert_parent(const struct asim_convert *cv, uint32_t node)
{
    uint32_t parent = asim_index_get(&cv->host.by_id, cv->host.node.at[node].parent);

    return parent == node ? ASIM_NONE : parent;
}

const char *asim_convert_name(const struct asim_convert *cv, uint32_t node)
{
    return asim_names_get(&cv->names, cv->node.at[node].name);
}

int asim_convert_edge(struct asim_convert *cv, uint32_t to, uint32_t from)
{
    struct asim_edge edge = {to, from};

    if (to == from)
        return 0;
    return ASIM_VEC_PUSH(cv->edge, edge) ? ASIM_ENOMEM : 0;
}

uint32_t asim_convert_record_above(const struct asim_convert *cv, uint32_t at)
{
    for (int i = 0; i < 4; i++) {
        at = asim_convert_parent(cv, at);
        if (at == ASIM_NONE || cv->node.at[at].comm == ASIM_NONE)
            return ASIM_NONE;
        if (cv->comm.at[cv->node.at[at].comm].is_record)
            return at;
    }
    return ASIM_NONE;
}

static size_t live(const struct asim_convert *cv)
{
    return cv->host.node.n - (size_t)cv->host.duplicates;
}

/* Nodes that call each other in a cycle belong to no thread, so no walk would find them. Names at
 * most four. */
static int tell_ring(const struct asim_convert *cv, uint32_t start, struct asim_err *err)
{
    const struct asim_host_node *node = cv->host.node.at;
    char text[500];
    size_t n = 0;
    uint32_t at = start;

    for (int i = 0; i < 4 && (!i || at != start); i++, at = asim_convert_parent(cv, at))
        n += (size_t)snprintf(text + n, sizeof text - n, "%" PRId64 " %.60s is called by ",
                              node[at].id, asim_convert_name(cv, at));
    if (at != start)
        n += (size_t)snprintf(text + n, sizeof text - n, "… ");
    snprintf(text + n, sizeof text - n, "%" PRId64, node[start].id);
    if (cv->opt->strict)
        return asim_err_set(
            err, ASIM_EINVAL,
            "%s: a cycle of callers (ctrl_deps): %s; correct one of them, or leave out --strict.",
            cv->opt->input, text);
    asim_diagnose(&cv->opt->notes,
                  "cycle of callers (ctrl_deps) broken: %s; the first was hung on its thread.",
                  text);
    return 0;
}

/* Follows the callers of every node until they end or meet a node seen before; a node seen from the
 * same start closes a cycle. */
static int break_rings(struct asim_convert *cv, struct asim_err *err)
{
    uint32_t *seen = calloc(cv->node.n + 1, sizeof *seen);
    int code = seen ? 0 : asim_err_nomem(err, "building the caller tree");

    for (size_t i = 0; i < live(cv) && !code; i++) {
        uint32_t mark = (uint32_t)i + 1, at = cv->host.order[i];

        while (at != ASIM_NONE && !seen[at]) {
            seen[at] = mark;
            at = asim_convert_parent(cv, at);
        }
        if (at == ASIM_NONE || seen[at] != mark)
            continue;
        code = tell_ring(cv, at, err);
        cv->host.node.at[at].parent = -1;
        cv->counts.cycles++;
    }
    free(seen);
    return code;
}

/* Puts orphans below the first root of their thread in the file. */
static int assign_orphans(struct asim_convert *cv)
{
    ASIM_VEC(int64_t) root = {0}; /* id by thread number */
    struct asim_host_roots roots = {.other = -1};
    int code = 0;

    for (uint32_t i = 0; i < cv->node.n && !code; i++) {
        if (!(cv->node.at[i].flags & ASIM_ET_ROOT))
            continue;
        while (root.n <= cv->host.node.at[i].tid && !code)
            code = ASIM_VEC_PUSH(root, -1) ? ASIM_ENOMEM : 0;
        if (!code && root.at[cv->host.node.at[i].tid] < 0)
            root.at[cv->host.node.at[i].tid] = cv->host.node.at[i].id;
    }
    roots.at = root.at;
    roots.n = root.n;
    if (!code)
        code = asim_host_adopt(&cv->host, &roots);
    cv->counts.orphans = cv->host.parents_assigned;
    free(root.at);
    return code;
}

/* Children as ranges of one array, ascending by id because they are added in that order. */
int asim_convert_tree(struct asim_convert *cv, struct asim_err *err)
{
    size_t n = cv->node.n;
    uint32_t *fill = NULL;

    if (!cv->opt->compat && break_rings(cv, err))
        return ASIM_EINVAL;
    if (!cv->opt->compat && assign_orphans(cv))
        return asim_err_nomem(err, "building the caller tree");
    cv->child_at = calloc(n + 2, sizeof *cv->child_at);
    cv->child = malloc((n + 1) * sizeof *cv->child);
    fill = malloc((n + 1) * sizeof *fill);
    if (!cv->child_at || !cv->child || !fill) {
        free(fill);
        return asim_err_nomem(err, "building the caller tree");
    }
    for (size_t i = 0; i < live(cv); i++) {
        uint32_t parent = asim_convert_parent(cv, cv->host.order[i]);

        if (parent != ASIM_NONE)
            cv->child_at[parent + 1]++;
    }
    for (size_t i = 0; i < n; i++) {
        cv->child_at[i + 1] += cv->child_at[i];
        fill[i] = cv->child_at[i];
    }
    for (size_t i = 0; i < live(cv); i++) {
        uint32_t parent = asim_convert_parent(cv, cv->host.order[i]);

        if (parent != ASIM_NONE)
            cv->child[fill[parent]++] = cv->host.order[i];
    }
    free(fill);
    return 0;
}

struct walk {
    struct asim_convert *cv;
    uint32_t last_cpu;  /* the last node visited in this thread */
    uint32_t last_gpu;  /* the last computation it launched */
    uint32_t last_comm; /* the last communication it launched */
    ASIM_VEC(uint32_t) stack;
    ASIM_VEC(uint32_t) waited; /* collectives that a wait() has named, not yet given to a kernel */
    uint64_t visits;
};

#define MOST_WALKS 64 /* average number of walks over a node */

/* A GPU operation that started after the end of `from` may have waited for it. A call without a
 * recorded kernel has no times: it follows what NCCL has it follow. */
static int follows(const struct asim_convert *cv, uint32_t to, uint32_t from)
{
    const struct asim_et_node *a = &cv->node.at[from], *b = &cv->node.at[to];

    if (!(a->flags & b->flags & ASIM_ET_HAS_TS))
        return (a->flags | b->flags) & ASIM_ET_MADE;
    return (a->flags & b->flags & ASIM_ET_HAS_TS) && a->ts < b->ts && a->ts + a->dur <= b->ts + 1.0;
}

/* NCCL's order relative to PyTorch's streams, which a trace without cuda_sync does not contain: a
 * collective starts after the kernels launched before it, and kernels launched after its wait()
 * start after it. Applied only where the recorded times agree. */
static int order_comm(struct walk *w, uint32_t at)
{
    struct asim_convert *cv = w->cv;
    uint64_t before = cv->edge.n;
    int code = 0;

    if (cv->opt->compat || cv->opt->no_comm_order)
        return 0;
    if (cv->node.at[at].comm != ASIM_NONE) {
        int recorded = cv->node.at[at].flags & ASIM_ET_HAS_TS;

        if (w->last_gpu != ASIM_NONE && follows(cv, at, w->last_gpu))
            code = asim_convert_edge(cv, at, w->last_gpu);
        if (!code && w->last_comm != ASIM_NONE && !cv->counts.host_comm &&
            !(recorded && cv->node.at[w->last_comm].flags & ASIM_ET_HAS_TS))
            code = asim_convert_edge(cv, at, w->last_comm);
        w->last_comm = at;
    } else {
        for (size_t i = 0; i < w->waited.n && !code; i++)
            if (follows(cv, at, w->waited.at[i]))
                code = asim_convert_edge(cv, at, w->waited.at[i]);
        w->waited.n = 0;
        w->last_gpu = at;
    }
    cv->counts.comm_edges += cv->edge.n - before;
    return code;
}

/* A GPU node depends on the CPU node visited last, the op that launched it. */
static int visit_gpu(struct walk *w, uint32_t at)
{
    struct asim_convert *cv = w->cv;
    uint32_t record;

    if (w->last_cpu != ASIM_NONE && asim_convert_edge(cv, at, w->last_cpu))
        return ASIM_ENOMEM;
    if (cv->node.at[at].comm != ASIM_NONE) {
        record = asim_convert_record_above(cv, at);
        if (record != ASIM_NONE && cv->comm.at[cv->node.at[record].comm].gpu == ASIM_NONE)
            cv->comm.at[cv->node.at[record].comm].gpu = at;
    }
    return order_comm(w, at);
}

/* A wait() ends its op: without kernels the op itself waits, else the kernels launched after it. */
static int wait_for(struct walk *w, uint32_t at, uint32_t gpu)
{
    if (gpu == ASIM_NONE)
        return 0;
    return w->cv->counts.host_comm ? asim_convert_edge(w->cv, at, gpu)
                                   : ASIM_VEC_PUSH(w->waited, gpu);
}

/* The collective that a wait() names: same sequence number, the latest before it; of a group, which
 * has one number, all. */
static int wait_for_call(struct walk *w, uint32_t at)
{
    const struct asim_convert *cv = w->cv;
    uint32_t wait = cv->node.at[at].comm, found = 0;
    const struct asim_comm *me = &cv->comm.at[wait];

    for (uint32_t i = wait; i-- && wait - i <= 10000;) {
        const struct asim_comm *c = &cv->comm.at[i];

        if (!c->is_record || c->kind == ASIM_COMM_WAIT || c->kind == ASIM_COMM_UNKNOWN)
            continue;
        if (c->seq == me->seq &&
            (c->pg_name == me->pg_name || me->pg_name == ASIM_NONE || c->pg_name == ASIM_NONE)) {
            if (wait_for(w, at, c->gpu))
                return ASIM_ENOMEM;
            found++;
        } else if (found) {
            break;
        }
    }
    return 0;
}

static int visit_cpu(struct walk *w, uint32_t at)
{
    struct asim_convert *cv = w->cv;
    struct asim_et_node *node = &cv->node.at[at];
    uint32_t id = cv->host.node.at[at].inter_thread;
    int named = id != ASIM_NONE && (id || !cv->opt->compat);
    uint32_t other = named ? asim_index_get(&cv->host.by_id, id) : ASIM_NONE;

    if (named && other == ASIM_NONE)
        cv->counts.deps_dropped++;
    if (other != ASIM_NONE) {
        if (asim_convert_edge(cv, at, other))
            return ASIM_ENOMEM;
        cv->counts.thread_edges++;
    }
    if (w->last_cpu != ASIM_NONE && w->last_cpu != other && asim_convert_edge(cv, at, w->last_cpu))
        return ASIM_ENOMEM;
    w->last_cpu = at;
    if (node->comm == ASIM_NONE || !cv->comm.at[node->comm].is_record ||
        cv->comm.at[node->comm].kind != ASIM_COMM_WAIT || cv->comm.at[node->comm].seq < 0)
        return 0;
    return wait_for_call(w, at);
}

/* Pre-order over the tree below root, children by ascending id. */
static int walk_thread(struct walk *w, uint32_t root)
{
    struct asim_convert *cv = w->cv;

    w->last_cpu = w->last_gpu = w->last_comm = ASIM_NONE;
    w->stack.n = w->waited.n = 0;
    if (ASIM_VEC_PUSH(w->stack, root))
        return ASIM_ENOMEM;
    while (w->stack.n) {
        uint32_t at = w->stack.at[--w->stack.n];
        int gpu = cv->node.at[at].kind == ASIM_ET_GPU;

        if (cv->node.at[at].flags & ASIM_ET_VISITED)
            continue;
        cv->node.at[at].flags |= ASIM_ET_VISITED;
        w->visits++;
        if (gpu ? visit_gpu(w, at) : visit_cpu(w, at))
            return ASIM_ENOMEM;
        for (uint32_t k = cv->child_at[at + 1]; k-- > cv->child_at[at];)
            if (ASIM_VEC_PUSH(w->stack, cv->child[k]))
                return ASIM_ENOMEM;
    }
    return 0;
}

/* parity: chakra_converter walks the nodes below a thread root again if that root is below
 * another one, so the nodes wait in both orders. Roots nested so that this would never end are
 * left alone. */
static int forget(struct walk *w, uint32_t root)
{
    struct asim_convert *cv = w->cv;

    w->stack.n = 0;
    if (w->visits / MOST_WALKS > cv->node.n)
        return 0;
    if (ASIM_VEC_PUSH(w->stack, root))
        return ASIM_ENOMEM;
    while (w->stack.n) {
        uint32_t at = w->stack.at[--w->stack.n];

        if (!(cv->node.at[at].flags & ASIM_ET_VISITED))
            continue;
        cv->node.at[at].flags &= (uint8_t)~ASIM_ET_VISITED;
        for (uint32_t k = cv->child_at[at]; k < cv->child_at[at + 1]; k++)
            if (ASIM_VEC_PUSH(w->stack, cv->child[k]))
                return ASIM_ENOMEM;
    }
    return 0;
}

/* Without compat: trees without a thread root, except the process root. */
static int walk_rest(struct walk *w)
{
    struct asim_convert *cv = w->cv;

    for (size_t i = 0; i < live(cv); i++) {
        uint32_t at = cv->host.order[i], parent = asim_convert_parent(cv, at);
        const char *name = asim_convert_name(cv, at);

        if (cv->node.at[at].flags & ASIM_ET_VISITED ||
            (parent == ASIM_NONE && strstr(name, "|process]")))
            continue;
        if (parent != ASIM_NONE && !strstr(asim_convert_name(cv, parent), "|process]"))
            continue;
        if (walk_thread(w, at))
            return ASIM_ENOMEM;
    }
    return 0;
}

int asim_convert_walk(struct asim_convert *cv, struct asim_err *err)
{
    struct walk w = {.cv = cv};
    int code = 0;

    for (uint32_t i = 0; i < cv->node.n && !code; i++)
        if (cv->node.at[i].flags & ASIM_ET_ROOT &&
            asim_index_get(&cv->host.by_id, cv->host.node.at[i].id) == i) {
            code = walk_thread(&w, i);
            if (!code && cv->opt->compat)
                code = forget(&w, i);
        }
    if (!code && !cv->opt->compat)
        code = walk_rest(&w);
    ASIM_FREE(w.stack.at, w.waited.at);
    return code ? asim_err_nomem(err, "walking the caller tree") : 0;
}
