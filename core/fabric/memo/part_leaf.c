/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_leaf.h.
 */
#include "fabric/memo/part_leaf.h"

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

static struct asim_part *with_uplinks(const struct asim_fabric *fabric, uint32_t host)
{
    struct asim_part *part = asim_part_of(fabric, host);

    return part && part->n_uplinks ? part : NULL;
}

static void begin_to_cross(struct asim_fabric *fabric, struct asim_part *part)
{
    if (!part)
        return;
    atomic_fetch_add_explicit(&part->crossing, 1, memory_order_relaxed);
    if (atomic_load_explicit(&part->is_unused, memory_order_relaxed))
        atomic_store_explicit(&part->is_unused, 0, memory_order_relaxed);
    if (part->mode == ASIM_PART_OPEN)
        return;
    asim_part_touch(fabric, part);
    atomic_store_explicit(&fabric->memo->parts->is_crossed, 1, memory_order_relaxed);
}

/* On the worker of the part, which alone counts its open messages. */
static void end_to_cross(struct asim_fabric *fabric, struct asim_part *part)
{
    if (!part)
        return;
    atomic_fetch_sub_explicit(&part->crossing, 1, memory_order_relaxed);
    if (!part->open && !asim_part_leaf_is_crossed(part))
        asim_part_touch(fabric, part);
}

static void lose(struct asim_part *part)
{
    if (part)
        atomic_store_explicit(&part->has_lost, 1, memory_order_relaxed);
}

/* At the source. */
static void cross_ends(struct asim_fabric *fabric, const struct asim_host *host,
                       const struct asim_flow *flow)
{
    if (flow->had_loss || flow->sack) {
        lose(with_uplinks(fabric, host->node));
        lose(with_uplinks(fabric, flow->dst));
    }
    end_to_cross(fabric, with_uplinks(fabric, host->node));
}

/* A part's worker alone counts its messages. */
void asim_part_started(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    if (asim_part_is_inside(fabric, src, dst)) {
        asim_part_of(fabric, src)->open++;
        return;
    }
    begin_to_cross(fabric, with_uplinks(fabric, src));
    begin_to_cross(fabric, with_uplinks(fabric, dst));
}

void asim_part_sent(struct asim_fabric *fabric, const struct asim_host *host,
                    const struct asim_flow *flow)
{
    struct asim_part *part = asim_part_of(fabric, host->node);

    if (!asim_part_is_inside(fabric, host->node, flow->dst))
        cross_ends(fabric, host, flow);
    else if (!--part->open && !asim_part_leaf_is_crossed(part))
        asim_part_touch(fabric, part);
}

void asim_part_arrived(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    if (asim_part_is_inside(fabric, src, dst))
        asim_part_of(fabric, src)->known--;
    else
        end_to_cross(fabric, with_uplinks(fabric, dst));
}
