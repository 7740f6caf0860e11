/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Dependencies beyond the walk (chakra.md#dependencies): operations of one GPU stream run one after
 * another, and nodes wait for GPU operations as the linker found. Each goes from an earlier start
 * to a later one, so none closes a cycle.
 *
 * parity: chakra_converter compares start times that are never set, so it drops all such waits, and
 * GPU operations have no order among themselves; --compat does both.
 */
#include "convert/convert.h"

#include <stdlib.h>

static int by_stream(const void *ctx, uint32_t a, uint32_t b)
{
    const struct asim_et_node *x = (const struct asim_et_node *)ctx + a;
    const struct asim_et_node *y = (const struct asim_et_node *)ctx + b;

    if (x->device != y->device)
        return x->device < y->device;
    if (x->stream != y->stream)
        return x->stream < y->stream;
    return x->ts < y->ts;
}

/* 1 for members of one group: they run in one kernel, side by side. */
static int beside(const struct asim_et_node *a, const struct asim_et_node *b)
{
    return a->flags & b->flags & ASIM_ET_MADE && a->ts == b->ts;
}

/* Operation at[i] of a stream waits for those before it: one, or all members of a group. */
static int chain(struct asim_convert *cv, const uint32_t *at, size_t i)
{
    const struct asim_et_node *node = cv->node.at, *me = &node[at[i]], *before = NULL;

    for (; i-- && node[at[i]].device == me->device && node[at[i]].stream == me->stream;) {
        if (!before && beside(&node[at[i]], me))
            continue;
        if (before && !beside(&node[at[i]], before))
            break;
        before = &node[at[i]];
        if (asim_convert_edge(cv, (uint32_t)(me - node), at[i]))
            return ASIM_ENOMEM;
        cv->counts.stream_edges++;
    }
    return 0;
}

/* Leaves out nodes without a start time or a stream. */
static int chain_streams(struct asim_convert *cv)
{
    const struct asim_et_node *node = cv->node.at;
    uint32_t *at = malloc((cv->node.n + 1) * sizeof *at);
    size_t n = 0;
    int code = !at;

    for (uint32_t i = 0; i < cv->node.n && !code; i++)
        if (node[i].kind == ASIM_ET_GPU && node[i].flags & ASIM_ET_HAS_TS &&
            node[i].stream != ASIM_NONE)
            at[n++] = i;
    if (!code)
        code = asim_sort_u32(at, n, by_stream, node);
    for (size_t i = 1; i < n && !code; i++)
        code = chain(cv, at, i);
    free(at);
    return code;
}

static int add_waits(struct asim_convert *cv)
{
    for (size_t i = 0; i < cv->wait.n; i++) {
        uint32_t to = cv->wait.at[i].node;
        uint32_t from = asim_index_get(&cv->host.by_id, cv->wait.at[i].id);

        if (from == ASIM_NONE || !(cv->node.at[to].flags & ASIM_ET_HAS_TS) ||
            !(cv->node.at[from].flags & ASIM_ET_HAS_TS) ||
            cv->node.at[from].ts >= cv->node.at[to].ts) {
            cv->counts.deps_dropped++;
            continue;
        }
        if (asim_convert_edge(cv, to, from))
            return ASIM_ENOMEM;
        cv->counts.sync_edges++;
    }
    return 0;
}

/* Turns edges into ranges of sources by target, in the order of addition, and frees the edges.
 * While a range fills, dep_at[t + 1] is the end of target t, so no second array is needed. Memory
 * has its peak here. */
static int spread(struct asim_convert *cv)
{
    size_t n = cv->node.n;

    cv->dep_at = calloc(n + 2, sizeof *cv->dep_at);
    cv->dep = malloc((cv->edge.n + 1) * sizeof *cv->dep);
    if (!cv->dep_at || !cv->dep)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < cv->edge.n; i++)
        cv->dep_at[cv->edge.at[i].to + 2]++;
    for (size_t i = 2; i < n + 2; i++)
        cv->dep_at[i] += cv->dep_at[i - 1];
    for (size_t i = 0; i < cv->edge.n; i++)
        cv->dep[cv->dep_at[cv->edge.at[i].to + 1]++] = cv->edge.at[i].from;
    free(cv->edge.at);
    cv->edge.at = NULL;
    cv->edge.n = cv->edge.cap = 0;
    return 0;
}

/* Makes the ranges and removes duplicates. */
static int collect(struct asim_convert *cv)
{
    size_t n = cv->node.n;
    uint32_t kept = 0, from = 0, *seen;

    if (spread(cv))
        return ASIM_ENOMEM;
    seen = malloc((n + 1) * sizeof *seen);
    if (!seen)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < n; i++)
        seen[i] = ASIM_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t end = cv->dep_at[i + 1];

        cv->dep_at[i] = kept;
        for (; from < end; from++) {
            if (seen[cv->dep[from]] == i)
                continue;
            seen[cv->dep[from]] = i;
            cv->dep[kept++] = cv->dep[from];
        }
    }
    cv->dep_at[n] = kept;
    free(seen);
    return 0;
}

int asim_convert_order(struct asim_convert *cv, struct asim_err *err)
{
    int code = 0;

    ASIM_FREE(cv->child_at, cv->child);
    cv->child_at = cv->child = NULL;
    if (!cv->opt->compat && !cv->opt->no_stream_order)
        code = chain_streams(cv);
    if (!code && !cv->opt->compat && !cv->opt->no_sync)
        code = add_waits(cv);
    if (!code)
        code = collect(cv);
    return code ? asim_err_nomem(err, "ordering GPU operations") : 0;
}
