/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Counts the messages of each piece of a run that stay inside a part, and those that cross its
 * border.
 */
#include "fabric/memo/region/part_messages.h"

#include "fabric/memo/memo.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"

/* Calls of ranks and messages in a piece in which messages are counted, for each host; so many
 * times as long is one in which they are not. */
enum { CALLS_OF_HOST = 128, UNCOUNTED = 7 };

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
    if (!part->open && !asim_part_is_crossed(part))
        asim_part_touch(fabric, part);
}

static void lose(struct asim_part *part)
{
    if (part)
        atomic_store_explicit(&part->has_lost, 1, memory_order_relaxed);
}

void asim_part_lost(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    if (!fabric->memo->parts || asim_part_is_inside(fabric, src, dst))
        return;
    lose(with_uplinks(fabric, src));
    lose(with_uplinks(fabric, dst));
}

/* A part's worker alone counts its messages. */
void asim_part_started(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    if (!fabric->memo->parts->counts)
        return;
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
    struct asim_part *part;

    if (!fabric->memo->parts->counts)
        return;
    part = asim_part_of(fabric, host->node);
    if (!asim_part_is_inside(fabric, host->node, flow->dst))
        end_to_cross(fabric, with_uplinks(fabric, host->node));
    else if (!--part->open && !asim_part_is_crossed(part))
        asim_part_touch(fabric, part);
}

void asim_part_arrived(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    struct asim_part *part;

    if (!fabric->memo->parts->counts)
        return;
    part = asim_part_of(fabric, dst);
    if (!asim_part_is_inside(fabric, src, dst))
        end_to_cross(fabric, with_uplinks(fabric, dst));
    else if (part->mode == ASIM_PART_LEAD)
        part->known--;
}

/* --- pieces of the run ------------------------------------------------------------------------ */

/* As if all messages of the host that are under way started now. */
static void count_host(struct asim_fabric *fabric, uint32_t v)
{
    const struct asim_host *host = &fabric->host[v];

    for (uint32_t s = 0; s < host->n_chunks * ASIM_FLOW_CHUNK; s++) {
        const struct asim_flow *flow = asim_own_flow(host, s);

        if (flow->live || flow->aborted)
            asim_part_started(fabric, v, flow->dst);
    }
}

void asim_part_messages_open(struct asim_fabric *fabric)
{
    fabric->memo->parts->piece = (uint64_t)CALLS_OF_HOST * fabric->set.hosts;
    asim_parts_count(fabric);
}

void asim_parts_count(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (parts->counts)
        return;
    parts->counts = 1;
    asim_memo_listen(fabric);
    parts->piece_until = asim_memo_calls(fabric) + parts->piece;
    for (uint32_t i = 0; i < parts->n_parts; i++) {
        parts->at[i].open = 0;
        atomic_store_explicit(&parts->at[i].crossing, 0, memory_order_relaxed);
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        count_host(fabric, v);
    /* Only parts that may be idle, since a look ends the half-steps. */
    for (uint32_t i = 0; i < parts->n_parts; i++)
        if (!parts->at[i].open && !asim_part_is_crossed(&parts->at[i]))
            asim_part_touch(fabric, &parts->at[i]);
}

/* Whether a part is not open, or has followed in this piece. */
static int are_used(struct asim_parts *parts)
{
    int used = asim_parts_in(parts, ASIM_PART_OPEN) < parts->n_parts;

    for (uint32_t i = 0; i < parts->n_workers; i++) {
        used |= parts->of_worker[i].has_followed;
        parts->of_worker[i].has_followed = 0;
    }
    return used;
}

void asim_parts_next_piece(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (!parts->counts) {
        asim_parts_count(fabric);
        return;
    }
    parts->counts = parts->suspended || are_used(parts);
    parts->piece_until = asim_memo_calls(fabric) + (parts->counts ? 1 : UNCOUNTED) * parts->piece;
}
