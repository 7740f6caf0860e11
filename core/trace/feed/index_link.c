/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Second half of building an index: parents named by id become indices, each pair of parent and
 * child counts once whatever its kinds and repetitions (a data edge hides a control edge), and
 * the children lists are laid out one after the other.
 *
 * A missing data parent is always refused. A missing control parent is what the PyTorch converter
 * leaves behind when it deletes the process root (spec chakra.md 4.8), so lenient drops it.
 *
 * After this an edge is 4 bytes (a child's index in the parent's list) and the parents of an op are
 * only a count. The edges as read stay until the check for cycles, then go.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "trace/feed/index_build.h"

/* Index of an id, or n when there is none. */
static uint32_t find(const struct asim_index *index, uint64_t id)
{
    if (!index->ids)
        return id >= index->first_id && id - index->first_id < index->n
                   ? (uint32_t)(id - index->first_id)
                   : index->n;
    uint32_t low = 0, high = index->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->n && index->ids[low] == id ? low : index->n;
}

/* A node that needs itself and a parent that is not there: both could never start. */
static int refuse(struct asim_index_build *build, uint32_t child, uint64_t parent, const char *kind,
                  struct asim_err *err)
{
    struct asim_where at = {build->trace->path, 0, 0};
    char name[96];
    asim_index_name(build, child, name, sizeof name);
    if (asim_index_id(build->index, child) == parent)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "node %s has a %s dependency on itself and could never start.", name,
                           kind);
    return asim_err_at(
        err, ASIM_EINVAL, at,
        "node %s has a %s dependency on node %" PRIu64 ", which is not in the file.%s", name, kind,
        parent, build->lenient ? "" : " Missing control parents can be dropped (lenient).");
}

/* Parent in the high bits, kind in the lowest: data sorts before control. */
static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts n linked edges and keeps the first of each parent; returns how many stay. */
static uint32_t unique(uint64_t *edges, uint32_t n)
{
    if (n > 1)
        qsort(edges, n, sizeof *edges, by_value);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || edges[kept - 1] / 2 != edges[i] / 2)
            edges[kept++] = edges[i];
    return kept;
}

/* Replaces the op's edges in place by indices of parents, and counts it at each of them. */
static int link_op(struct asim_index_build *build, uint32_t child, struct asim_err *err)
{
    struct asim_index *index = build->index;
    uint32_t at = ASIM_BUILD_AT(build, child);
    uint64_t *edges = build->edges.at ? build->edges.at + build->first.at[at] : NULL;
    uint32_t n = build->first.at[at + 1] - build->first.at[at], kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        int is_ctrl = i >= build->data_n.at[at];
        uint32_t parent = find(index, edges[i]);
        int is_missing = parent == index->n;
        if (parent == child || (is_missing && !(is_ctrl && build->lenient)))
            return refuse(build, child, edges[i], is_ctrl ? "control" : "data", err);
        if (is_missing) {
            index->unresolved++;
            continue;
        }
        build->backward |= parent > child;
        edges[kept++] = (uint64_t)parent * 2 + (uint64_t)is_ctrl;
    }
    kept = unique(edges, kept);
    build->data_n.at[at] = index->pending_parents[child] = kept;
    for (uint32_t i = 0; i < kept; i++)
        index->child_first[edges[i] / 2 + 1]++;
    return 0;
}

/* child_first holds counts (shifted by one); makes them starts and fills the lists. */
static void lay_out(struct asim_index_build *build)
{
    struct asim_index *index = build->index;
    for (uint32_t i = 0; i < index->n; i++)
        index->child_first[i + 1] += index->child_first[i];
    for (uint32_t child = 0; child < index->n; child++) {
        uint32_t at = ASIM_BUILD_AT(build, child);
        const uint64_t *edges = build->edges.at ? build->edges.at + build->first.at[at] : NULL;
        for (uint32_t i = 0; i < build->data_n.at[at]; i++)
            index->children[index->child_first[edges[i] / 2]++] = child;
    }
    /* Filling moved each start to its end, which is the next one's start. */
    for (uint32_t i = index->n; i > 0; i--)
        index->child_first[i] = index->child_first[i - 1];
    index->child_first[0] = 0;
}

/* Two passes: count, then fill; children end up ascending without a sort. */
int asim_index_link(struct asim_index_build *build, struct asim_err *err)
{
    struct asim_index *index = build->index;
    size_t n = index->n;
    index->pending_parents = calloc(n + 1, sizeof *index->pending_parents);
    index->child_first = calloc(n + 1, sizeof *index->child_first);
    if (!index->pending_parents || !index->child_first)
        return asim_err_nomem(err, "indexing a trace");
    size_t edges = 0;
    for (uint32_t i = 0; i < index->n; i++) {
        int rc = link_op(build, i, err);
        if (rc)
            return rc;
        edges += index->pending_parents[i];
    }
    index->children = malloc((edges + 1) * sizeof *index->children);
    if (!index->children)
        return asim_err_nomem(err, "indexing a trace");
    lay_out(build);
    return 0;
}
