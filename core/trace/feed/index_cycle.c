/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds cycles with Kahn's algorithm: it takes ops without pending parents one after the other. An
 * op that is left over is on a cycle or behind one. From such an op, n steps to left-over parents
 * end on a cycle (n: number of ops). ASTRA-sim hangs on a cycle, or reports a finish without
 * running those ops.
 *
 * Cost: linear in ops and edges, and only for traces in which a parent has a higher id than its
 * child. Memory: one word per op, freed before the return. There is no recursion, so a cycle of a
 * million ops is no problem.
 */
#include <stdlib.h>

#include "trace/feed/index_build.h"

/* Takes all ops it can; pending_parents of the others stays above 0. Returns the number taken. */
static uint32_t take_all(struct asim_index *index, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < index->n; i++)
        if (!index->pending_parents[i])
            queue[tail++] = i;
    while (head < tail) {
        uint32_t op = queue[head++];
        for (uint32_t i = index->child_first[op]; i < index->child_first[op + 1]; i++)
            if (--index->pending_parents[index->children[i]] == 0)
                queue[tail++] = index->children[i];
    }
    return tail;
}

/* After n steps from a left-over op the walk is on a cycle: there are only n ops. */
static uint32_t find_cycle(const struct asim_index_build *build)
{
    const struct asim_index *index = build->index;
    uint32_t op = 0;
    while (!index->pending_parents[op])
        op++;
    for (uint32_t i = 0; i < index->n; i++)
        op = (uint32_t)(asim_build_parent_of(build, op) / 2);
    /* The error starts at the lowest id of the cycle. */
    uint32_t lowest = op;
    for (uint32_t at = (uint32_t)(asim_build_parent_of(build, op) / 2); at != op;
         at = (uint32_t)(asim_build_parent_of(build, at) / 2))
        if (at < lowest)
            lowest = at;
    return lowest;
}

/* The search uses up pending_parents; the counts of the link step restore it. Traces in which every
 * parent has a lower id than its child have no cycle and do not come here. */
int asim_index_find_cycle(struct asim_index_build *build, uint32_t *start, struct asim_err *err)
{
    struct asim_index *index = build->index;
    uint32_t *queue = malloc(((size_t)index->n + 1) * sizeof *queue);
    if (!queue)
        return asim_err_nomem(err, "checking a trace for cycles");
    uint32_t taken = take_all(index, queue);
    free(queue);
    if (taken < index->n) {
        *start = find_cycle(build);
        return 1;
    }
    for (uint32_t i = 0; i < index->n; i++)
        index->pending_parents[i] = build->data_n.at[ASIM_BUILD_AT(build, i)];
    return 0;
}
