/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Each dimension carries a load: MiB that have crossed it, divided by its relative bandwidth. A
 * chunk goes first where the load is least, because that is where it is largest (a reduce-scatter
 * shrinks it by the size of each dimension it has passed; an all-gather grows it, so there the
 * order is the other way round). An all-reduce counts as a reduce-scatter. Formulas:
 * system-layer.md#dimension-orders; loads begin at zero with each collective (see dims.h).
 */
#include "coll/themis.h"

static const double MIB = 1048576;

int asim_themis_does(int coll_type)
{
    return coll_type == ASIM_ALL_REDUCE || coll_type == ASIM_REDUCE_SCATTER ||
           coll_type == ASIM_ALL_GATHER;
}

/* Dimensions of one member, or not involved, cost nothing and are left out of the loads. */
static int is_active(const struct asim_dims_context *context, uint32_t dim)
{
    return context->active >> dim & 1;
}

/* The stable sort matters: with equal loads, as at the start of every collective, the order is
 * ascending. context->n is at most ASIM_DIMS. */
void asim_themis_sort(const struct asim_dims_context *context,
                      const struct asim_dims_cursor *cursor, struct asim_dims_choice *choice)
{
    for (uint32_t i = 0; i < context->n; i++) { /* insertion: at most 16, and stable */
        uint32_t at = i;

        for (; at && cursor->load[choice->order[at - 1]] > cursor->load[i]; at--)
            choice->order[at] = choice->order[at - 1];
        choice->order[at] = i;
    }
    for (uint32_t i = 0; context->coll_type == ASIM_ALL_GATHER && i < context->n / 2; i++) {
        uint32_t other = choice->order[context->n - 1 - i];

        choice->order[context->n - 1 - i] = choice->order[i];
        choice->order[i] = other;
    }
}

/* Positions in the order of the first and the last active dimension. */
struct ends {
    uint32_t first, last;
};

/* 0 where no dimension is active. */
static int find_ends(const struct asim_dims_context *context, const struct asim_dims_choice *choice,
                     struct ends *ends)
{
    int found = 0;

    for (uint32_t i = 0; i < context->n; i++)
        if (is_active(context, choice->order[i])) {
            ends->first = found ? ends->first : i;
            ends->last = i;
            found = 1;
        }
    return found;
}

/* The load difference between the ends of the order, turned back into bytes of a whole chunk by the
 * formula that charges them (below), so that charging that many bytes closes the gap. */
double asim_themis_gap_bytes(const struct asim_dims_context *context,
                             const struct asim_dims_cursor *cursor,
                             const struct asim_dims_choice *choice)
{
    struct ends ends = {0, 0};
    uint32_t first, last;
    double gap, n;

    if (!find_ends(context, choice, &ends))
        return 0;
    first = choice->order[ends.first];
    last = choice->order[ends.last];
    if (context->coll_type != ASIM_ALL_GATHER) {
        n = context->size[first];
        gap = cursor->load[last] - cursor->load[first];
        return gap * context->bw[first] / ((n - 1) / n) * MIB;
    }
    n = context->size[last];
    gap = (cursor->load[first] - cursor->load[last]) * context->bw[last] / (n - 1) * MIB;
    for (uint32_t i = ends.first; i < ends.last; i++) /* it has grown by these when it gets there */
        if (is_active(context, choice->order[i]))
            gap /= context->size[choice->order[i]];
    return gap;
}

/* In the order of the visit, because the chunk shrinks (or grows) by each dimension it passes. */
void asim_themis_charge(const struct asim_dims_context *context, struct asim_dims_cursor *cursor,
                        const struct asim_dims_choice *choice)
{
    double bytes = (double)choice->bytes;

    for (uint32_t i = 0; i < context->n; i++) {
        uint32_t d = choice->order[i];
        double n = context->size[d];

        if (!is_active(context, d))
            continue;
        if (context->coll_type == ASIM_ALL_GATHER) {
            cursor->load[d] += bytes / MIB * (n - 1) / context->bw[d];
            bytes *= n;
        } else {
            cursor->load[d] += bytes / MIB * (n - 1) / n / context->bw[d];
            bytes /= n;
        }
    }
}
