/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recording: starts messages frame by frame, and writes the logs of parts that lead.
 *
 * Others may follow the log of a small part while it is written, so it gets a completion when it is
 * known, at least one window before it is due. The log of the whole network gets it when it
 * happens, since completions on several NICs of a host have no other order.
 */
#include "fabric/memo/region/record.h"

#include <stdlib.h>

#include "fabric/link/schedule.h"
#include "fabric/memo/memo.h"
#include "fabric/memo/region/part_log.h"
#include "fabric/memo/state/counters.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "fabric/link/event_heap.h"
#include "fabric/switch/switch.h"

/* A longer log takes more memory than the part, and seldom fits again. */
enum { MOST_MESSAGES = 1 << 20 };

/* The part that logs a message between a host that runs now and another one; NULL: none. */
static struct asim_part *logs(struct asim_fabric *fabric, uint32_t host, uint32_t other)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_part *part;

    if (memo->whole.mode == ASIM_PART_LEAD)
        return &memo->whole;
    part = memo->parts ? asim_part_of(fabric, host) : NULL;
    return part && part->mode == ASIM_PART_LEAD && asim_part_is_inside(fabric, host, other) ? part
                                                                                            : NULL;
}

/* The START timer creates the queue pair, as without the memo. */
int asim_record_start(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_memo_message *message)
{
    const struct asim_injection *injection = &message->injection;
    uint64_t slot = asim_flow_alloc(host, &message->msg, (uint16_t)injection->sport);
    struct asim_part *part;

    if (slot == ASIM_NEVER)
        return ASIM_ENOMEM;
    if (fabric->memo->parts)
        asim_part_started(fabric, host->node, injection->dst);
    part = logs(fabric, host->node, injection->dst);
    if (part) {
        uint32_t index =
            (uint32_t)part->log->row[asim_part_number(fabric, part, host->node)].injections.n;

        asim_flow_of(fabric, host->node, (uint32_t)slot)->message_index = index;
        asim_rx_of(fabric, host->node, (uint32_t)slot)->message_index = index;
        if (asim_part_log_sent(fabric, part, injection, host->node))
            return ASIM_ENOMEM;
    }
    asim_node_schedule(fabric, host->node, injection->t);
    return asim_event_heap_push(
        &host->timers, (struct asim_event_entry){injection->t, injection->tie, host->timer_seq++,
                                                 (uint64_t)ASIM_TIMER_START << 56 | slot});
}

/* The messages keep their times. Their hosts are past these times, but did nothing else there. */
void asim_part_release(struct asim_fabric *fabric, struct asim_part *part)
{
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        for (size_t i = 0; i < own->deferred.n; i++)
            if (asim_record_start(fabric, &fabric->host[part->host[h]], &own->deferred.at[i]))
                fabric->failed = ASIM_ENOMEM;
        own->deferred.n = 0;
    }
}

/* --- leading ---------------------------------------------------------------------------------- */

/* What the log is relative to. */
static int keep(struct asim_fabric *fabric, struct asim_part *part)
{
    if (part->is_whole)
        asim_memo_carry_for(fabric, ASIM_CARRIED_RECORDED);
    else if (ASIM_VEC_RESERVE(part->first.list, part->n_hosts))
        return ASIM_ENOMEM;
    else
        part->first.since = fabric->sw[part->sw - fabric->set.hosts].seq;
    part->first.list.n = 0;
    part->skipped = fabric->memo->steady.saved;
    part->unreplayable = asim_part_unreplayable(fabric, part);
    part->log->hops = asim_part_hops(fabric, part);
    return asim_episode_state_begin(fabric, part, &part->log->state);
}

int asim_part_lead(struct asim_fabric *fabric, struct asim_part *part, uint64_t hash)
{
    struct asim_part_log *log;

    part->rotation = 0; /* also of the rows of the log's counters */
    log = asim_part_log_new(fabric, part, hash);
    if (!log)
        return ASIM_ENOMEM;
    log->users = 1;
    log->leader = part;
    part->log = log;
    part->last_completion = 0;
    part->known = 0;
    part->defer_from = ASIM_NEVER;
    asim_part_set_mode(fabric, part, ASIM_PART_LEAD);
    return keep(fabric, part);
}

void asim_part_lead_window(struct asim_part *part, uint64_t until)
{
    part->defer_from = ASIM_NEVER;
    if (part->open && part->open == part->known && part->last_completion < until)
        part->defer_from = part->last_completion;
    part->log->defer_from =
        part->defer_from == ASIM_NEVER ? ASIM_NEVER : part->defer_from - part->begin;
}

/* Its followers learn of its length. */
static void end_small(struct asim_fabric *fabric, struct asim_part *part)
{
    struct asim_part_log *log = part->log;

    part->of_worker->recorded += log->hops;
    part->of_worker->skips_in_logs |= fabric->memo->steady.saved != part->skipped;
    log->has_grown = 1;
}

/* Lists the hosts that took part. Its times go into the index now, since hosts of all threads
 * wrote it. */
static int list_rows(struct asim_part *whole)
{
    struct asim_part_log *log = whole->log;

    for (uint32_t v = 0; v < log->n_hosts; v++) {
        const struct asim_log_row *row = &log->row[v];

        if ((row->injections.n || row->completions.n) && ASIM_VEC_PUSH(log->senders, v))
            return ASIM_ENOMEM;
        if (row->injections.n &&
            asim_part_logs_begins(whole->of_worker, log, row->injections.at->t))
            return ASIM_ENOMEM;
    }
    return 0;
}

static void end_whole(struct asim_fabric *fabric, struct asim_part *whole, int leaves_other_qps)
{
    if (list_rows(whole))
        fabric->failed = ASIM_ENOMEM;
    asim_memo_carried_for(fabric, !whole->log->is_dead ? ASIM_CARRIED_RECORDED
                                  : leaves_other_qps   ? ASIM_CARRIED_ORDER
                                                       : ASIM_CARRIED_PAUSES);
    fabric->memo->tally.reason = ASIM_CARRIED_FIRST;
}

void asim_part_lead_end(struct asim_fabric *fabric, struct asim_part *part)
{
    struct asim_part_log *log = part->log;
    int leaves_other_qps = asim_episode_state_end(fabric, part, &log->state);

    log->length = part->last_completion - part->begin;
    log->defer_from = ASIM_NEVER;
    log->hops = asim_part_hops(fabric, part) - log->hops;
    log->is_dead = leaves_other_qps || part->unreplayable != asim_part_unreplayable(fabric, part);
    asim_part_counters_end(fabric, part, log->row, log->counters);
    if (part->is_whole)
        end_whole(fabric, part, leaves_other_qps);
    else
        end_small(fabric, part);
    part->of_worker->episodes += !log->is_dead;
    asim_part_logs_finished(part->of_worker, log, asim_part_counters_bytes(fabric, part));
    asim_part_log_leave(part);
    asim_part_set_mode(fabric, part, ASIM_PART_IDLE);
    asim_part_logs_limit(part->of_worker, part->is_whole ? 1 : fabric->memo->parts->n_workers);
}

void asim_part_give_up(struct asim_fabric *fabric, struct asim_part *part)
{
    if (part->mode == ASIM_PART_LEAD) {
        part->log->is_dead = 1;
        asim_episode_state_join_peaks(fabric, part);
        asim_part_log_leave(part);
    }
    asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    asim_part_touch(fabric, part);
    asim_part_release(fabric, part);
}

static int is_long(const struct asim_part *part)
{
    uint64_t messages = 0;

    for (uint32_t h = 0; h < part->n_hosts; h++)
        messages += part->log->row[h].injections.n;
    return messages > MOST_MESSAGES;
}

void asim_part_lead_limit(struct asim_fabric *fabric, struct asim_part *part)
{
    if (part->mode != ASIM_PART_LEAD || !is_long(part))
        return;
    asim_memo_carry_for(fabric, ASIM_CARRIED_LONG);
    asim_part_give_up(fabric, part);
}

void asim_part_lead_check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    asim_part_log_arrived(fabric, part);
    if (asim_part_unreplayable(fabric, part) != part->unreplayable || is_long(part)) {
        asim_part_give_up(fabric, part);
    } else if (!part->open && part->last_completion < until && asim_part_is_idle(fabric, part)) {
        asim_part_lead_end(fabric, part);
    } else if (asim_part_is_crossed(part)) {
        asim_part_give_up(fabric, part);
    } else {
        part->log->defer_from = ASIM_NEVER;
        asim_part_release(fabric, part);
    }
}

/* --- completions ------------------------------------------------------------------------------ */

/* On the worker of the destination, or between windows. */
void asim_record_notified(struct asim_fabric *fabric, const struct asim_notification *notification)
{
    struct asim_part *part = logs(fabric, notification->msg.dst, notification->msg.src);

    if (!part || part->is_whole)
        return;
    part->known++;
    if (notification->t > part->last_completion)
        part->last_completion = notification->t;
    if (ASIM_VEC_PUSH(fabric->host[part->host[0]].worker->logged, *notification))
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
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    for (uint32_t w = 0; fabric->memo->parts && w < engine->workers.n; w++)
        asim_parts_log_worker(&engine->workers.at[w]);
}

/* Into the row of the host that runs now. */
static void log_now(const struct asim_fabric *fabric, struct asim_host *host,
                    struct asim_logged_completion *completion)
{
    const struct asim_part *whole = &fabric->memo->whole;

    completion->t = host->now - whole->begin;
    completion->tie = host->tie;
    if (ASIM_VEC_PUSH(whole->log->row[host->node].completions, *completion))
        host->worker->failed = ASIM_ENOMEM;
}

void asim_record_sent(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_flow *flow)
{
    const struct asim_part *whole = &fabric->memo->whole;
    struct asim_logged_completion completion = {.src = host->node,
                                                .injection = flow->message_index & INT32_MAX};

    if (fabric->memo->parts)
        asim_part_sent(fabric, host, flow);
    if (whole->mode != ASIM_PART_LEAD)
        return;
    whole->log->row[host->node].injections.at[flow->message_index].ideal = flow->ideal;
    log_now(fabric, host, &completion);
}

void asim_record_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                         uint32_t slot)
{
    struct asim_logged_completion completion = {.src = src, .is_arrival = 1};

    if (fabric->memo->parts)
        asim_part_arrived(fabric, src, host->node);
    if (fabric->memo->whole.mode != ASIM_PART_LEAD)
        return;
    completion.injection = asim_rx_of(fabric, src, slot)->message_index & INT32_MAX;
    log_now(fabric, host, &completion);
}
