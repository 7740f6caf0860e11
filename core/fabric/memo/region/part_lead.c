/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_lead.h.
 */
#include "fabric/memo/region/part_lead.h"

#include <stdlib.h>

#include "fabric/memo/memo.h"
#include "fabric/memo/region/part_leaf.h"
#include "fabric/memo/region/part_logs.h"
#include "fabric/memo/state/part_state.h"
#include "fabric/memo/region/record.h"

/* A longer log takes more memory than the part, and seldom fits again. */
enum { MOST_MESSAGES = 1 << 20 };

void asim_part_release(struct asim_fabric *fabric, struct asim_part *part)
{
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        for (size_t i = 0; i < own->deferred.n; i++)
            if (asim_record_start(fabric, &fabric->host[part->host[h]], &own->deferred.at[i]))
                fabric->run.failed = ASIM_ENOMEM;
        own->deferred.n = 0;
    }
}

static int allocate(struct asim_part *part)
{
    if (!part->counts)
        part->counts = malloc(asim_part_counters_size(part) * sizeof *part->counts);
    if (!part->before)
        part->before = malloc(asim_part_after_size(part) * sizeof *part->before);
    return part->counts && part->before && !ASIM_VEC_RESERVE(part->first.list, part->n_hosts)
               ? 0
               : ASIM_ENOMEM;
}

int asim_part_lead(struct asim_fabric *fabric, struct asim_part *part,
                   const struct asim_part_opening *opening)
{
    struct asim_part_log *log = asim_part_log_new(part, opening);

    if (!log || allocate(part))
        return ASIM_ENOMEM;
    log->users = 1;
    log->leader = part;
    part->log = log;
    part->rotation = 0;
    part->first.since = fabric->sw[part->sw - fabric->set.hosts].seq;
    part->first.list.n = 0;
    part->last_completion = 0;
    part->known = 0;
    part->defer_from = ASIM_NEVER;
    part->unreplayable = asim_part_unreplayable(fabric, part);
    part->skipped = fabric->memo->steady.saved;
    asim_part_before_save(fabric, part, part->before);
    asim_part_counters_save(fabric, part, part->counts);
    asim_part_set_mode(fabric, part, ASIM_PART_LEAD);
    return 0;
}

void asim_part_lead_window(struct asim_part *part, uint64_t until)
{
    part->defer_from = ASIM_NEVER;
    if (part->open && part->open == part->known && part->last_completion < until)
        part->defer_from = part->last_completion;
    part->log->defer_from =
        part->defer_from == ASIM_NEVER ? ASIM_NEVER : part->defer_from - part->begin;
}

static void finish(struct asim_fabric *fabric, struct asim_part *part)
{
    struct asim_part_log *log = part->log;

    log->length = part->last_completion - part->begin;
    log->defer_from = ASIM_NEVER;
    asim_part_after_save(fabric, part, part->before, log->after);
    asim_part_counters_save(fabric, part, log->deltas);
    for (size_t i = 0; i < asim_part_counters_size(part); i++)
        log->deltas[i] -= part->counts[i];
    asim_part_counters_of_log(fabric, part, log->row, log->deltas);
    log->hops = asim_part_hops_in(part, log->deltas);
    part->of_worker->recorded += log->hops;
    part->of_worker->episodes++;
    part->of_worker->skips_in_logs |= fabric->memo->steady.saved != part->skipped;
    log->has_grown = 1; /* its followers learn of its length */
    asim_part_log_leave(part);
    asim_part_set_mode(fabric, part, ASIM_PART_IDLE);
    asim_part_logs_limit(part->of_worker, fabric->memo->parts->n_workers);
}

void asim_part_give_up(struct asim_fabric *fabric, struct asim_part *part)
{
    if (part->mode == ASIM_PART_LEAD) {
        part->log->is_dead = 1;
        asim_part_before_drop(fabric, part);
        asim_part_log_leave(part);
    }
    asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    asim_part_touch(fabric, part);
    asim_part_release(fabric, part);
}

static uint64_t messages(const struct asim_part *part)
{
    uint64_t n = 0;

    for (uint32_t h = 0; h < part->n_hosts; h++)
        n += part->log->row[h].injections.n;
    return n;
}

void asim_part_lead_check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    asim_part_log_arrived(fabric, part);
    if (part->log->is_dead || asim_part_unreplayable(fabric, part) != part->unreplayable ||
        messages(part) > MOST_MESSAGES) {
        asim_part_give_up(fabric, part);
    } else if (!part->open && part->last_completion < until && asim_part_is_idle(fabric, part)) {
        finish(fabric, part);
    } else if (asim_part_leaf_is_crossed(part)) {
        asim_part_give_up(fabric, part);
    } else {
        part->log->defer_from = ASIM_NEVER;
        asim_part_release(fabric, part);
    }
}

/* On the worker of the destination, or between windows. */
void asim_parts_notified(struct asim_fabric *fabric, const struct asim_notification *notification)
{
    struct asim_part *part;

    if (!fabric->memo->parts)
        return;
    part = asim_part_of(fabric, notification->msg.dst);
    if (!part || part->mode != ASIM_PART_LEAD ||
        !asim_part_is_inside(fabric, notification->msg.src, notification->msg.dst))
        return;
    part->known++;
    if (notification->t > part->last_completion)
        part->last_completion = notification->t;
    if (!part->log->is_dead &&
        ASIM_VEC_PUSH(fabric->host[part->host[0]].worker->logged, *notification))
        fabric->host[part->host[0]].worker->failed = ASIM_ENOMEM;
}

void asim_parts_log_worker(struct asim_worker *worker)
{
    struct asim_fabric *fabric = worker->fabric;

    for (size_t i = 0; i < worker->logged.n; i++)
        if (asim_part_log_completes(fabric, asim_part_of(fabric, worker->logged.at[i].msg.src),
                                    &worker->logged.at[i]))
            worker->failed = ASIM_ENOMEM;
    if (worker->logged.n)
        worker->logged.n = 0;
}

void asim_parts_log(struct asim_fabric *fabric)
{
    for (uint32_t w = 0; fabric->memo->parts && w < fabric->workers.n; w++)
        asim_parts_log_worker(&fabric->workers.at[w]);
}
