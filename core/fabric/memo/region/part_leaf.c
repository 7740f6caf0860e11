/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_leaf.h.
 */
#include "fabric/memo/region/part_leaf.h"

#include "fabric/memo/memo.h"

void asim_part_leaf_lose_patience(struct asim_part *part)
{
    if (part->patience > ASIM_PART_FIRST_PATIENCE)
        part->patience /= 8;
}

void asim_part_leaf_open_unused(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (fabric->run.windows % ASIM_PART_FIRST_PATIENCE || asim_parts_in(parts, ASIM_PART_LEAD) ||
        asim_parts_in(parts, ASIM_PART_FOLLOW))
        return;
    for (uint32_t i = parts->first_leaf; i < parts->n_parts; i++) {
        struct asim_part *part = &parts->at[i];

        if (part->mode != ASIM_PART_IDLE || fabric->run.windows - part->idle_since < part->patience)
            continue;
        atomic_store_explicit(&part->is_unused, 1, memory_order_relaxed);
        asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    }
}
