/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Builds the index of a trace. One pass over the file collects ids, positions and edges. Most
 * traces have ascending ids without gaps and need neither an id table nor a sort. A child may stand
 * before its parent in the file.
 *
 * Then parent ids become indices. A pair of parent and child counts once (a data edge hides a
 * control edge), and the lists of children are laid out one after the other: an edge takes 4 bytes,
 * and the parents of an op are a count. A missing data parent is always an error. The PyTorch
 * converter leaves control parents behind that do not exist, because it deletes the process root
 * (chakra.md#dangling-dependencies): lenient ignores them.
 *
 * Ownership: arrays grow in struct asim_index_build; the final ones move into the index and are
 * NULL in the build from then on, so both can be freed after any failure.
 */
#include "trace/feed/index.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/feed/feed.h"
#include "trace/feed/index_build.h"
#include "trace/feed/index_share.h"

#define OPS_MAX   (UINT32_MAX - 1)
#define SHOWN_MAX 6u /* ops of a longer cycle that are named */

/* The slots of ASTRA-sim (system-layer.md#resource-slots). A CPU op of any type takes the CPU slot.
 */
static enum asim_unit unit_of(const struct asim_op *op)
{
    if (op->is_cpu)
        return ASIM_UNIT_CPU;
    if (op->type == ASIM_OP_COMP)
        return ASIM_UNIT_COMP;
    return op->type == ASIM_OP_COMM_RECV ? ASIM_UNIT_RECV : ASIM_UNIT_COMM;
}

static int too_many(const struct asim_index_build *build, const char *what, struct asim_err *err)
{
    struct asim_where at = {build->trace->path, 0, 0};
    return asim_err_at(err, ASIM_ENOMEM, at,
                       "the trace has more than %" PRIu32 " %s, the most one rank may have.",
                       OPS_MAX, what);
}

/* Traces of converters nearly always have ids without gaps: then the index stores no ids, and id =
 * first + position. */
static int note_id(struct asim_index_build *build, uint64_t id)
{
    struct asim_index *index = build->index;
    size_t n = build->positions.n;
    if (n == 0)
        index->first_id = id;
    /* Also catches ids that would overflow. */
    if (!build->gaps && id == index->first_id + n && id >= index->first_id)
        return 0;
    if (!build->gaps) {
        build->gaps = 1;
        if (ASIM_VEC_RESERVE(build->ids, n + 1))
            return ASIM_ENOMEM;
        for (size_t i = 0; i < n; i++)
            build->ids.at[build->ids.n++] = index->first_id + i;
    }
    if (id <= build->ids.at[n - 1])
        build->unsorted = 1;
    return ASIM_VEC_PUSH(build->ids, id);
}

static int note_op(struct asim_index_build *build, const struct asim_op *op, struct asim_err *err)
{
    size_t edges = op->data_dep_n + op->ctrl_dep_n;
    /* Indices and edge numbers have 32 bits, which halves the memory of the index. */
    if (build->positions.n >= OPS_MAX)
        return too_many(build, "nodes", err);
    if (edges > OPS_MAX - build->edges.n)
        return too_many(build, "dependencies", err);
    if (note_id(build, op->id) || ASIM_VEC_PUSH(build->positions, asim_trace_tell(build->trace)) ||
        ASIM_VEC_PUSH(build->flags, (uint8_t)unit_of(op)) ||
        ASIM_VEC_PUSH(build->first, (uint32_t)build->edges.n) ||
        ASIM_VEC_PUSH(build->data_n, (uint32_t)op->data_dep_n) ||
        ASIM_VEC_RESERVE(build->edges, build->edges.n + edges))
        return asim_err_nomem(err, "indexing a trace");
    if (build->visitor)
        build->visitor->visit(build->visitor->self, op);
    for (size_t i = 0; i < op->data_dep_n; i++)
        build->edges.at[build->edges.n++] = op->data_deps[i];
    for (size_t i = 0; i < op->ctrl_dep_n; i++)
        build->edges.at[build->edges.n++] = op->ctrl_deps[i];
    return 0;
}

/* Keeps the edges as they are in the file until all ids are known: a child may stand before its
 * parent. */
static int read_all(struct asim_index_build *build, struct asim_err *err)
{
    struct asim_op op;
    int rc;
    while ((rc = asim_trace_next(build->trace, &op, err)) > 0)
        if ((rc = note_op(build, &op, err)) < 0)
            return rc;
    if (!rc && ASIM_VEC_PUSH(build->first, (uint32_t)build->edges.n))
        rc = asim_err_nomem(err, "indexing a trace");
    return rc;
}

/* For sorting: an id and its position in the file. */
struct id_at {
    uint64_t id;
    uint32_t position;
};

/* Equal ids stay in file order: the error names the earlier one first. */
ASIM_ORDER(by_id, struct id_at, ->id, ->position)

/* Brings ids, positions and flags into the order of build->order. On failure the arrays are
 * unchanged. */
static int permute(struct asim_index_build *build, const struct id_at *sorted)
{
    size_t n = build->positions.n;
    uint64_t *positions = malloc(n * sizeof *positions);
    uint8_t *flags = malloc(n);
    build->order = malloc(n * sizeof *build->order);
    int rc = positions && flags && build->order ? 0 : ASIM_ENOMEM;
    for (size_t i = 0; !rc && i < n; i++) {
        uint32_t from = sorted[i].position;
        build->order[i] = from;
        build->ids.at[i] = sorted[i].id;
        positions[i] = build->positions.at[from];
        flags[i] = build->flags.at[from];
    }
    if (rc) {
        ASIM_FREE(positions, flags);
        return rc;
    }
    ASIM_FREE(build->positions.at, build->flags.at);
    build->positions.at = positions;
    build->flags.at = flags;
    return 0;
}

/* Sorts by id. Takes 16 bytes an op for a moment. */
static int sort(struct asim_index_build *build, struct asim_err *err)
{
    size_t n = build->positions.n;
    struct id_at *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return asim_err_nomem(err, "sorting a trace");
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct id_at){build->ids.at[i], (uint32_t)i};
    qsort(sorted, n, sizeof *sorted, by_id);
    int rc = permute(build, sorted);
    free(sorted);
    return rc ? asim_err_nomem(err, "sorting a trace") : 0;
}

/* Reads the node again to get its name, for an error. buf has at least 64 bytes. */
static const char *show_op(struct asim_index_build *build, uint32_t i, char *buf, size_t size)
{
    struct asim_op op;
    char name[64] = "?";
    if (asim_trace_at(build->trace, build->index->position[i], &op, NULL) == 0)
        asim_text_safe(name, sizeof name, op.name);
    snprintf(buf, size, "%" PRIu64 " '%s'", asim_index_id(build->index, i), name);
    return buf;
}

/* Equal ids are neighbours after the sort. ASTRA-sim merges such nodes (chakra.md#damaged-traces).
 */
static int check_unique(struct asim_index_build *build, struct asim_err *err)
{
    struct asim_index *index = build->index;
    char one[96], other[96];
    for (uint32_t i = 1; i < index->n; i++) {
        if (index->ids[i] != index->ids[i - 1])
            continue;
        struct asim_where at = {build->trace->path, 0, 0};
        return asim_err_at(err, ASIM_EINVAL, at,
                           "two nodes have the same id: node %s at byte %" PRIu64
                           " and node %s at byte %" PRIu64 "; ids must be unique within a rank.",
                           show_op(build, i - 1, one, sizeof one), index->position[i - 1],
                           show_op(build, i, other, sizeof other), index->position[i]);
    }
    return 0;
}

/* Moves the final arrays from the build into the index, which owns them also after a failure. */
static int move_arrays(struct asim_index_build *build, struct asim_err *err)
{
    struct asim_index *index = build->index;
    int rc = build->unsorted ? sort(build, err) : 0;
    index->n = (uint32_t)build->positions.n;
    index->ids = build->ids.at;
    index->position = build->positions.at;
    index->flags = build->flags.at;
    build->ids.at = build->positions.at = NULL;
    build->flags.at = NULL;
    if (!rc && build->unsorted)
        rc = check_unique(build, err);
    return rc;
}

/* Returns the index of an id, or n if there is none. */
static uint32_t find_id(const struct asim_index *index, uint64_t id)
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

/* An op that waits for itself or for a missing parent could never start. */
static int refuse_parent(struct asim_index_build *build, uint32_t child, uint64_t parent,
                         const char *kind, struct asim_err *err)
{
    struct asim_where at = {build->trace->path, 0, 0};
    char name[96];
    show_op(build, child, name, sizeof name);
    if (asim_index_id(build->index, child) == parent)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "node %s has a %s dependency on itself and could never start.", name,
                           kind);
    return asim_err_at(
        err, ASIM_EINVAL, at,
        "node %s has a %s dependency on node %" PRIu64 ", which is not in the file.%s", name, kind,
        parent, build->lenient ? "" : " Missing control parents can be dropped (lenient).");
}

/* The parent is in the high bits, the type in the lowest bit: data sorts before control. */
ASIM_ORDER(by_value, uint64_t, [0])

/* Sorts n edges and keeps the first of each parent. Returns the number kept. */
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

/* Replaces the op's edges in place by parent indices, and counts the op at each parent. */
static int link_op(struct asim_index_build *build, uint32_t child, struct asim_err *err)
{
    struct asim_index *index = build->index;
    uint32_t at = ASIM_BUILD_AT(build, child);
    uint64_t *edges = build->edges.at ? build->edges.at + build->first.at[at] : NULL;
    uint32_t n = build->first.at[at + 1] - build->first.at[at], kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        int is_ctrl = i >= build->data_n.at[at];
        uint32_t parent = find_id(index, edges[i]);
        int is_missing = parent == index->n;
        if (parent == child || (is_missing && !(is_ctrl && build->lenient)))
            return refuse_parent(build, child, edges[i], is_ctrl ? "control" : "data", err);
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

/* child_first holds counts, shifted by one. Turns them into starts and fills the lists. */
static void fill_children(struct asim_index_build *build)
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
    /* Filling has moved each start to its end, which is the start of the next list. */
    for (uint32_t i = index->n; i > 0; i--)
        index->child_first[i] = index->child_first[i - 1];
    index->child_first[0] = 0;
}

/* One pass counts, the second fills; the children of an op end up ascending without a sort. */
static int link_ops(struct asim_index_build *build, struct asim_err *err)
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
    fill_children(build);
    return 0;
}

/* Names the first few ops of the cycle and the type of each edge, because control edges can often
 * be removed. */
static int refuse_cycle(struct asim_index_build *build, uint32_t start, struct asim_err *err)
{
    uint32_t length = 0, op = start;
    char text[SHOWN_MAX * 128], name[96];
    size_t used = 0;
    do {
        uint64_t edge = asim_build_parent_of(build, op);
        if (length < SHOWN_MAX)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s needs (%s) ",
                                     show_op(build, op, name, sizeof name),
                                     edge % 2 ? "control" : "data");
        length++;
        op = (uint32_t)(edge / 2);
    } while (op != start);
    struct asim_where at = {build->trace->path, 0, 0};
    return asim_err_at(err, ASIM_EINVAL, at,
                       "the dependencies of %lu nodes form a cycle, so none of them could ever "
                       "start: %s%s%s.",
                       (unsigned long)length, text, length > SHOWN_MAX ? "... needs " : "",
                       show_op(build, start, name, sizeof name));
}

/* Frees the build memory in any case; after a failure the index is empty. */
int asim_index_open(struct asim_index *index, struct asim_trace *trace,
                    const struct asim_index_options *options, struct asim_err *err)
{
    *index = (struct asim_index){0};
    struct asim_index_build build = {
        .index = index, .trace = trace, .lenient = options->lenient, .visitor = options->visitor};
    uint32_t start;
    int rc = read_all(&build, err);
    if (!rc)
        rc = move_arrays(&build, err);
    if (!rc)
        rc = link_ops(&build, err);
    if (!rc && build.backward)
        rc = asim_index_find_cycle(&build, &start, err);
    if (rc > 0)
        rc = refuse_cycle(&build, start, err);
    ASIM_FREE(build.ids.at, build.positions.at, build.flags.at, build.first.at, build.data_n.at,
              build.edges.at, build.order);
    if (!rc && asim_index_share(index, options->like))
        rc = asim_err_nomem(err, "indexing a trace");
    if (rc)
        asim_index_close(index);
    return rc;
}

uint64_t asim_index_id(const struct asim_index *index, uint32_t i)
{
    return index->ids ? index->ids[i] : index->first_id + i;
}

void asim_index_close(struct asim_index *index)
{
    if (!index->graph) { /* building has failed */
        free(index->ids);
        free(index->position);
        free(index->child_first);
        free(index->children);
    }
    asim_index_graph_release(index);
    ASIM_FREE(index->flags, index->pending_parents);
    *index = (struct asim_index){0};
}

int asim_trace_check_graph(struct asim_trace *trace, int lenient, size_t *unresolved,
                           struct asim_err *err)
{
    struct asim_index index;
    int rc = asim_index_open(&index, trace, &(struct asim_index_options){.lenient = lenient}, err);

    *unresolved = rc ? 0 : index.unresolved;
    asim_index_close(&index);
    return rc;
}
