/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The insertion numbers of frames on wires and of ends of transmissions (insertion.h).
 */
#include "fabric/link/insertion.h"
#include "fabric/link/link.h"

#include <stdlib.h>

enum { FIRST_CAP = 64 };

static int grow(struct asim_insertion_ring *ring)
{
    uint32_t cap = ring->cap ? 2 * ring->cap : FIRST_CAP;
    uint64_t *at = malloc(cap * sizeof *at);

    if (!at)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < ring->n; i++)
        at[(ring->head + i) & (cap - 1)] = ring->at[(ring->head + i) & (ring->cap - 1)];
    free(ring->at);
    ring->at = at;
    ring->cap = cap;
    return 0;
}

int asim_insertion_push(struct asim_insertion *insertion, uint32_t wire, uint64_t number)
{
    struct asim_insertion_ring *ring = &insertion->wire[wire];

    if (ring->n == ring->cap && grow(ring))
        return ASIM_ENOMEM;
    ring->at[(ring->head + ring->n++) & (ring->cap - 1)] = number;
    return 0;
}

/* parity: ns-3 schedules the end of a transmission before the arrival. */
int asim_insertion_start(struct asim_insertion *insertion, const struct asim_wire *wire)
{
    insertion->end[wire->id] = asim_insertion_take(insertion);
    asim_insertion_touch(insertion, wire->to);
    return asim_insertion_push(insertion, wire->id, asim_insertion_take(insertion));
}

uint64_t asim_insertion_of_notification(const struct asim_insertion *insertion, uint32_t wire)
{
    const struct asim_insertion_ring *ring = &insertion->wire[wire];

    return ring->at[(ring->head + ring->n - 1) & (ring->cap - 1)] + 1;
}
