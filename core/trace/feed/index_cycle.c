/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Cycles in an index. Kahn's algorithm: ops without open parents are taken one after the other;
 * what is left over lies on a cycle or behind one. From any left-over op, going to a left-over
 * parent as many times as there are ops must end on a cycle, which is then walked once and
 * printed with ids, names and the kinds of its edges. ASTRA-sim and SimAI would hang
 * here, or report a finish without having run those ops.
 *
 * Cost: linear in ops and edges, and only for traces in which some parent has a higher id than its
 * child. Memory: one word an op, freed before returning. Nothing recurses, so a cycle of a million
 * ops is found as safely as one of two.
 */
#include <stdlib.h>

#include "trace/feed/index_build.h"

/* Takes ops while it can; index->pending_parents of those left over stays above 0. Returns how many
 * were taken. */
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

/* n steps from any left-over op must end on a cycle: there are only n ops. */
static uint32_t find_cycle(const struct asim_index_build *build)
{
    const struct asim_index *index = build->index;
    uint32_t op = 0;
    while (!index->pending_parents[op])
        op++;
    for (uint32_t i = 0; i < index->n; i++)
        op = (uint32_t)(asim_build_parent_of(build, op) / 2);
    /* Name it from its lowest id on, wherever the walk came in. */
    uint32_t lowest = op;
    for (uint32_t at = (uint32_t)(asim_build_parent_of(build, op) / 2); at != op;
         at = (uint32_t)(asim_build_parent_of(build, at) / 2))
        if (at < lowest)
            lowest = at;
    return lowest;
}

/* index->pending_parents is used up by the search and restored from the counts of link_op. Only
 * traces with a parent of higher id than its child come here; the others cannot have a cycle. */
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
