/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads a trace into a graph. A dependency on a missing node appears as a node without a name,
 * which is easy to see in a picture.
 */
#include <string.h>
#include <stdlib.h>
#include "draw/draw.h"
#include "asim/trace_record.h"

#define MAX_NAMES_BYTES ((size_t)4 << 30)

/* Returns 1 + index of the node, made if it is new; 0 = out of memory. */
static uint32_t node_of(struct asim_picture *graph, uint64_t id)
{
    struct asim_picture_node node = {.id = id};
    uint64_t *slot = asim_map_put(&graph->by_id, 0, id);
    if (!slot || graph->nodes.n >= UINT32_MAX - 1)
        return 0;
    if (!*slot) {
        if (ASIM_VEC_PUSH(graph->nodes, node))
            return 0;
        *slot = graph->nodes.n;
    }
    return (uint32_t)*slot;
}

/* from, to: 1 + index. */
static int join(struct asim_picture *graph, uint32_t from, uint32_t to, uint8_t kind)
{
    struct asim_picture_edge edge = {.target = to - 1, .kinds = kind};
    struct asim_picture_node *source = &graph->nodes.at[from - 1];
    uint64_t *slot = asim_map_put(&graph->by_ends, from, to);
    if (!slot || graph->edges.n >= UINT32_MAX - 1)
        return ASIM_ENOMEM;
    if (*slot) {
        graph->edges.at[*slot - 1].kinds |= kind;
        return 0;
    }
    if (ASIM_VEC_PUSH(graph->edges, edge))
        return ASIM_ENOMEM;
    *slot = graph->edges.n;
    if (source->last)
        graph->edges.at[source->last - 1].next = (uint32_t)*slot;
    else
        source->first = (uint32_t)*slot;
    source->last = (uint32_t)*slot;
    return 0;
}

/* Data before control dependencies, the order of networkx. */
static int join_all(struct asim_picture *graph, uint32_t to, const uint64_t *deps, size_t n,
                    uint8_t kind)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t from = node_of(graph, deps[i]);
        if (!from || join(graph, from, to, kind))
            return ASIM_ENOMEM;
    }
    return 0;
}

/* A second record with one id renames the node, as in networkx. */
static int add(struct asim_picture *graph, const ChakraProtoMsg__Node *node)
{
    uint32_t at = node_of(graph, node->id);
    char *name = at ? asim_arena_strdup(&graph->names, node->name ? node->name : "") : NULL;
    if (!name)
        return ASIM_ENOMEM;
    graph->nodes.at[at - 1].name = name;
    if (join_all(graph, at, node->data_deps, node->n_data_deps, ASIM_PICTURE_DATA))
        return ASIM_ENOMEM;
    return join_all(graph, at, node->ctrl_deps, node->n_ctrl_deps, ASIM_PICTURE_CTRL);
}

int asim_picture_read(struct asim_picture *graph, const char *path, struct asim_err *err)
{
    struct asim_chakra *trace = NULL;
    const ChakraProtoMsg__Node *node;
    int rc, more = 0;
    memset(graph, 0, sizeof *graph);
    asim_map_init(&graph->by_id);
    asim_map_init(&graph->by_ends);
    asim_arena_init(&graph->names, MAX_NAMES_BYTES);
    rc = asim_chakra_open(&trace, path, err);
    while (!rc && (more = asim_chakra_next(trace, &node, err)) > 0)
        if (add(graph, node))
            rc = asim_err_nomem(err, "drawing a trace");
    asim_chakra_close(trace);
    return rc ? rc : more;
}

void asim_picture_fini(struct asim_picture *graph)
{
    ASIM_FREE(graph->nodes.at, graph->edges.at);
    asim_map_fini(&graph->by_id);
    asim_map_fini(&graph->by_ends);
    asim_arena_fini(&graph->names);
    memset(graph, 0, sizeof *graph);
}
