/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The parts of a network, their modes, and counts of their messages.
 */
#include "fabric/memo/region/part.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/memo/region/part_log.h"
#include "asim/topology.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "fabric/switch/switch.h"

/* Logs that the budget allows each part from the start. */
enum { FIRST_LOGS = 16 };

void asim_part_touch(struct asim_fabric *fabric, struct asim_part *part)
{
    if (asim_part_look_at(part))
        asim_part_look_later(part, 0);
    if (!part->is_whole)
        atomic_store_explicit(&fabric->memo->parts->touched, 1, memory_order_relaxed);
}

static void set_mode_of_part(struct asim_fabric *fabric, struct asim_part *part,
                             enum asim_part_mode mode)
{
    if (mode == ASIM_PART_OPEN)
        part->leaves = 0;
    fabric->sw[part->sw - fabric->set.hosts].first = mode == ASIM_PART_LEAD ? &part->first : NULL;
}

void asim_part_set_mode(struct asim_fabric *fabric, struct asim_part *part,
                        enum asim_part_mode mode)
{
    part->of_worker->n[part->mode]--;
    part->of_worker->n[mode]++;
    part->mode = mode;
    if (!part->is_whole)
        set_mode_of_part(fabric, part, mode);
    asim_part_look_later(part, ASIM_NEVER);
}

static struct asim_parts *allocate(const struct asim_fabric *fabric)
{
    struct asim_parts *parts = calloc(1, sizeof *parts);
    size_t hosts = fabric->set.hosts + (size_t)1, switches = fabric->set.nodes - hosts + 2;

    if (!parts)
        return NULL;
    parts->at = calloc(switches, sizeof *parts->at);
    parts->part_of = malloc(hosts * sizeof *parts->part_of);
    parts->number = malloc(hosts * sizeof *parts->number);
    parts->due = malloc(switches * sizeof *parts->due);
    parts->n_workers = asim_engine_of(fabric)->workers.n;
    parts->of_worker = calloc(parts->n_workers, sizeof *parts->of_worker);
    if (parts->part_of)
        memset(parts->part_of, -1, hosts * sizeof *parts->part_of); /* ASIM_NO_PART */
    return parts;
}

int asim_part_open_whole(struct asim_fabric *fabric)
{
    struct asim_part *whole = &fabric->memo->whole;

    whole->is_whole = 1;
    whole->n_hosts = fabric->set.hosts;
    whole->of_worker = &fabric->memo->of_whole;
    whole->mode = ASIM_PART_IDLE;
    whole->of_worker->n[whole->mode] = 1;
    whole->defer_from = ASIM_NEVER;
    atomic_init(&whole->look_at, ASIM_NEVER);
    whole->host = malloc((whole->n_hosts + (size_t)1) * sizeof *whole->host);
    for (uint32_t v = 0; whole->host && v < whole->n_hosts; v++)
        whole->host[v] = v;
    return whole->host ? 0 : ASIM_ENOMEM;
}

static void close_part(struct asim_part *part)
{
    ASIM_FREE(part->host, part->port, part->nic, part->first.list.at);
}

static void close_parts(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (!parts)
        return;
    for (uint32_t i = 0; parts->of_worker && i < parts->n_workers; i++)
        asim_part_logs_free(&parts->of_worker[i]);
    for (uint32_t i = 0; parts->at && i < parts->n_parts; i++)
        close_part(&parts->at[i]);
    ASIM_FREE(parts->at, parts->part_of, parts->number, parts->of_worker, parts->due, parts);
    fabric->memo->parts = NULL;
}

void asim_parts_close(struct asim_fabric *fabric)
{
    asim_part_logs_free(&fabric->memo->of_whole);
    close_part(&fabric->memo->whole);
    close_parts(fabric);
}

int asim_parts_open(struct asim_fabric *fabric)
{
    struct asim_parts *parts = allocate(fabric);
    int code;

    fabric->memo->parts = parts;
    if (!parts || !parts->at || !parts->part_of || !parts->number || !parts->due ||
        !parts->of_worker)
        return ASIM_ENOMEM;
    code = asim_part_find_all(fabric, parts);
    if (code)
        return code;
    if (parts->n_parts < 2) {
        close_parts(fabric);
        return 0;
    }
    for (uint32_t i = 0; i < parts->n_workers; i++)
        asim_search_budget_raise(&parts->of_worker[i].budget,
                                 (uint64_t)FIRST_LOGS * fabric->set.hosts * ASIM_PART_LOG_WORDS);
    for (uint32_t i = 0; i < parts->n_parts; i++) {
        struct asim_part *part = &parts->at[i];

        atomic_init(&part->look_at, ASIM_NEVER);
        part->of_worker = &parts->of_worker[fabric->sw[part->sw - fabric->set.hosts].worker -
                                            asim_engine_of(fabric)->workers.at];
        part->of_worker->n[ASIM_PART_OPEN]++;
    }
    parts->suspended = 1;
    parts->due_at = ASIM_NEVER;
    return 0;
}

/* Packet-hops of finished logs belong to those that were recorded for replays, but for those that
 * periods have skipped meanwhile, which belong to no part: at most what is carried and not counted.
 */
static void gather_recorded(struct asim_fabric *fabric, struct asim_worker_parts *own)
{
    struct asim_memo_tally *tally = &fabric->memo->tally;
    uint64_t hops = own->recorded, carried;

    if (hops && tally->skips_in_logs) {
        carried = asim_memo_carried(fabric);
        if (carried < tally->counted + hops)
            hops = carried > tally->counted ? carried - tally->counted : 0;
    }
    tally->hops[ASIM_CARRIED_RECORDED] += hops;
    tally->counted += hops;
    tally->episodes += own->episodes;
    own->recorded = own->episodes = 0;
}

static void gather(struct asim_memo *memo, struct asim_worker_parts *own)
{
    memo->saved += own->saved;
    memo->wasted += own->wasted;
    memo->tally.skips_in_logs |= own->skips_in_logs;
    memo->tally.replays += own->replays;
    memo->tally.rotated += own->rotated;
    memo->tally.deviations += own->deviations;
    own->saved = own->wasted = own->replays = own->rotated = own->deviations = 0;
}

void asim_parts_gather(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    uint32_t n = memo->parts ? memo->parts->n_workers : 0;

    gather(memo, &memo->of_whole);
    gather_recorded(fabric, &memo->of_whole);
    for (uint32_t i = 0; i < n; i++)
        gather(memo, &memo->parts->of_worker[i]);
    for (uint32_t i = 0; i < n; i++) {
        gather_recorded(fabric, &memo->parts->of_worker[i]);
        asim_search_budget_has(fabric, &memo->parts->of_worker[i].budget,
                               1); /* earns if it is empty */
    }
}

/* --- messages --------------------------------------------------------------------------------- */

static struct asim_part *with_uplinks(const struct asim_fabric *fabric, uint32_t host)
{
    struct asim_part *part = asim_part_of(fabric, host);

    return part && part->has_uplinks ? part : NULL;
}

static void begin_to_cross(struct asim_fabric *fabric, struct asim_part *part)
{
    if (!part)
        return;
    atomic_fetch_add_explicit(&part->crossing, 1, memory_order_relaxed);
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

    part = asim_part_of(fabric, host->node);
    if (!asim_part_is_inside(fabric, host->node, flow->dst))
        end_to_cross(fabric, with_uplinks(fabric, host->node));
    else if (!--part->open && !asim_part_is_crossed(part))
        asim_part_touch(fabric, part);
}

void asim_part_arrived(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    struct asim_part *part;

    part = asim_part_of(fabric, dst);
    if (!asim_part_is_inside(fabric, src, dst))
        end_to_cross(fabric, with_uplinks(fabric, dst));
    else if (part->mode == ASIM_PART_LEAD)
        part->known--;
}
