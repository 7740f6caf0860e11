/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Cycles in an index. Kahn's algorithm: ops without open parents are taken one after the other;
 * what is left over lies on a cycle or behind one. From any left-over op, going to a left-over
 * parent as many times as there are ops must end on a cycle, which is then walked once and
 * printed with ids, names and the kinds of its edges. Both the reference simulators would hang
 * here, or report a finish without having run those ops.
 *
 * Cost: linear in ops and edges, and only for traces in which some parent has a higher id than its
 * child. Memory: one word an op, freed before returning. Nothing recurses, so a cycle of a million
 * ops is found as safely as one of two.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/feed/index_build.h"

#define SHOWN_MAX 6u /* ops of a longer cycle that are named */

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

/* A parent of that op that is left over too, as parent * 2 + is control. */
static uint64_t parent_of(const struct asim_index_build *build, uint32_t op)
{
    uint32_t at = ASIM_BUILD_AT(build, op);
    const uint64_t *edges = build->edges.at + build->first.at[at];
    for (uint32_t i = 0; i < build->data_n.at[at]; i++)
        if (build->index->pending_parents[edges[i] / 2])
            return edges[i];
    return (uint64_t)op * 2; /* cannot be: an open op has an open parent */
}

/* n steps from any left-over op must end on a cycle: there are only n ops. */
static uint32_t find_cycle(const struct asim_index_build *build)
{
    const struct asim_index *index = build->index;
    uint32_t op = 0;
    while (!index->pending_parents[op])
        op++;
    for (uint32_t i = 0; i < index->n; i++)
        op = (uint32_t)(parent_of(build, op) / 2);
    /* Name it from its lowest id on, wherever the walk came in. */
    uint32_t lowest = op;
    for (uint32_t at = (uint32_t)(parent_of(build, op) / 2); at != op;
         at = (uint32_t)(parent_of(build, at) / 2))
        if (at < lowest)
            lowest = at;
    return lowest;
}

/* Names the first few ops of the cycle; edges are told data or control, because control ones can
 * often be dropped. */
static int refuse(struct asim_index_build *build, struct asim_err *err)
{
    uint32_t start = find_cycle(build), length = 0, op = start;
    char text[SHOWN_MAX * 128], name[96];
    size_t used = 0;
    do {
        uint64_t edge = parent_of(build, op);
        if (length < SHOWN_MAX)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s needs (%s) ",
                                     asim_index_name(build, op, name, sizeof name),
                                     edge % 2 ? "control" : "data");
        length++;
        op = (uint32_t)(edge / 2);
    } while (op != start);
    struct asim_where at = {build->trace->path, 0, 0};
    return asim_err_at(err, ASIM_EINVAL, at,
                       "the dependencies of %lu nodes form a cycle, so none of them could ever "
                       "start: %s%s%s.",
                       (unsigned long)length, text, length > SHOWN_MAX ? "... needs " : "",
                       asim_index_name(build, start, name, sizeof name));
}

/* index->pending_parents is used up by the search and restored from the counts of link_op. Only
 * traces with a parent of higher id than its child come here; the others cannot have a cycle. */
int asim_index_check_cycles(struct asim_index_build *build, struct asim_err *err)
{
    struct asim_index *index = build->index;
    uint32_t *queue = malloc(((size_t)index->n + 1) * sizeof *queue);
    if (!queue)
        return asim_err_nomem(err, "checking a trace for cycles");
    uint32_t taken = take_all(index, queue);
    free(queue);
    if (taken < index->n)
        return refuse(build, err);
    for (uint32_t i = 0; i < index->n; i++)
        index->pending_parents[i] = build->data_n.at[ASIM_BUILD_AT(build, i)];
    return 0;
}
