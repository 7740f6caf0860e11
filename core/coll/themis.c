/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Each dimension carries a load: MiB that have crossed it, divided by its relative bandwidth. A
 * chunk goes first where the load is least, because that is where it is largest (a reduce-scatter
 * shrinks it by the size of each dimension it has passed; an all-gather grows it, so there the
 * order is the other way round). An all-reduce counts as a reduce-scatter. Formulas: spec
 * astra-system.md, section 4.5; loads begin at zero with each collective (see dims.h).
 */
#include "coll/themis.h"

static const double MIB = 1048576;

int asim_themis_does(int kind)
{
    return kind == ASIM_ALL_REDUCE || kind == ASIM_REDUCE_SCATTER || kind == ASIM_ALL_GATHER;
}

/* Dimensions of one member, or not involved, cost nothing and are left out of the loads. */
static int is_active(const struct asim_dims_view *view, uint32_t dim)
{
    return view->active >> dim & 1;
}

/* The stable sort matters: with equal loads, as at the start of every collective, the order is
 * ascending. view->n is at most ASIM_DIMS. */
void asim_themis_sort(const struct asim_dims_view *view, const struct asim_dims_state *state,
                      struct asim_dims_pick *pick)
{
    for (uint32_t i = 0; i < view->n; i++) { /* insertion: at most 16, and stable */
        uint32_t at = i;

        for (; at && state->load[pick->order[at - 1]] > state->load[i]; at--)
            pick->order[at] = pick->order[at - 1];
        pick->order[at] = i;
    }
    for (uint32_t i = 0; view->kind == ASIM_ALL_GATHER && i < view->n / 2; i++) {
        uint32_t other = pick->order[view->n - 1 - i];

        pick->order[view->n - 1 - i] = pick->order[i];
        pick->order[i] = other;
    }
}

/* Positions in the order of the first and the last active dimension. */
static int ends_of(const struct asim_dims_view *view, const struct asim_dims_pick *pick,
                   uint32_t ends[2])
{
    int found = 0;

    for (uint32_t i = 0; i < view->n; i++)
        if (is_active(view, pick->order[i])) {
            ends[0] = found ? ends[0] : i;
            ends[1] = i;
            found = 1;
        }
    return found;
}

/* The load difference between the ends of the order, turned back into bytes of a whole chunk by the
 * formula that charges them (below), so that charging that many bytes closes the gap. */
double asim_themis_gap_bytes(const struct asim_dims_view *view, const struct asim_dims_state *state,
                             const struct asim_dims_pick *pick)
{
    uint32_t ends[2] = {0, 0}, first, last;
    double gap, n;

    if (!ends_of(view, pick, ends))
        return 0;
    first = pick->order[ends[0]];
    last = pick->order[ends[1]];
    if (view->kind != ASIM_ALL_GATHER) {
        n = view->size[first];
        gap = state->load[last] - state->load[first];
        return gap * view->bw[first] / ((n - 1) / n) * MIB;
    }
    n = view->size[last];
    gap = (state->load[first] - state->load[last]) * view->bw[last] / (n - 1) * MIB;
    for (uint32_t i = ends[0]; i < ends[1]; i++) /* it has grown by these when it gets there */
        if (is_active(view, pick->order[i]))
            gap /= view->size[pick->order[i]];
    return gap;
}

/* In the order of the visit, because the chunk shrinks (or grows) by each dimension it passes. */
void asim_themis_charge(const struct asim_dims_view *view, struct asim_dims_state *state,
                        const struct asim_dims_pick *pick)
{
    double bytes = (double)pick->bytes;

    for (uint32_t i = 0; i < view->n; i++) {
        uint32_t d = pick->order[i];
        double n = view->size[d];

        if (!is_active(view, d))
            continue;
        if (view->kind == ASIM_ALL_GATHER) {
            state->load[d] += bytes / MIB * (n - 1) / view->bw[d];
            bytes *= n;
        } else {
            state->load[d] += bytes / MIB * (n - 1) / n / view->bw[d];
            bytes /= n;
        }
    }
}
