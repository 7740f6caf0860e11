/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lets ranks share the equal part of their indices. The ranks of one program (SPMD) run the same
 * graph: 16 of the 21 bytes of an op with one dependency are the same in all of them, and one copy
 * serves them. Ranks whose traces are files of their own are compared after they were read; their
 * positions may differ, because the lists of their groups have different lengths.
 */
#include "trace/feed/index_share.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

/* Of no ops, either may be NULL. */
static int is_same(const void *a, const void *b, size_t bytes)
{
    return (!a && !b) || !bytes || (a && b && !memcmp(a, b, bytes));
}

static int is_same_graph(const struct asim_index *a, const struct asim_index *b)
{
    size_t n = a->n;
    return a->n == b->n && a->first_id == b->first_id &&
           is_same(a->ids, b->ids, n * sizeof *a->ids) &&
           is_same(a->child_first, b->child_first, (n + 1) * sizeof *a->child_first) &&
           is_same(a->children, b->children, a->child_first[n] * sizeof *a->children);
}

static void free_arrays(struct asim_index_graph *graph)
{
    ASIM_FREE(graph->ids, graph->position, graph->child_first, graph->children, graph);
}

void asim_index_graph_release(struct asim_index *index)
{
    if (index->position && index->graph && index->position != index->graph->position)
        free(index->position);
    if (index->graph && !--index->graph->users)
        free_arrays(index->graph);
    index->graph = NULL;
    index->position = NULL;
}

static void point_at(struct asim_index *index, struct asim_index_graph *graph)
{
    index->graph = graph;
    index->ids = graph->ids;
    index->child_first = graph->child_first;
    index->children = graph->children;
    graph->users++;
}

/* A new graph takes the arrays of the index. */
static int own(struct asim_index *index)
{
    struct asim_index_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return ASIM_ENOMEM;
    graph->ids = index->ids;
    graph->position = index->position;
    graph->child_first = index->child_first;
    graph->children = index->children;
    point_at(index, graph);
    return 0;
}

int asim_index_share(struct asim_index *index, const struct asim_index *like)
{
    if (!like || !is_same_graph(index, like))
        return own(index);
    ASIM_FREE(index->ids, index->child_first, index->children);
    point_at(index, like->graph);
    if (is_same(index->position, like->graph->position, index->n * sizeof *index->position)) {
        free(index->position);
        index->position = like->graph->position;
    }
    return 0;
}

/* An op has as many parents as it stands in lists of children. */
int asim_index_copy(struct asim_index *index, const struct asim_index *like)
{
    size_t n = like->n;
    *index = (struct asim_index){.n = like->n,
                                 .first_id = like->first_id,
                                 .position = like->graph->position,
                                 .unresolved = like->unresolved,
                                 .flags = malloc(n + 1),
                                 .pending_parents = calloc(n + 1, sizeof(uint32_t))};
    point_at(index, like->graph);
    if (!index->flags || !index->pending_parents)
        return ASIM_ENOMEM;
    for (size_t i = 0; i < n; i++)
        index->flags[i] = like->flags[i] & ASIM_INDEX_UNIT_MASK;
    for (uint32_t i = 0; i < index->child_first[n]; i++)
        index->pending_parents[index->children[i]]++;
    return 0;
}
