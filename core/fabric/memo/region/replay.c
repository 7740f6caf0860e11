/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replay: tells the ranks of a part that follows a log of their completions, and compares their
 * sends with it.
 */
#include "fabric/memo/region/replay.h"

#include <stdlib.h>

#include "fabric/clock/domains.h"
#include "fabric/clock/step.h"
#include "fabric/link/schedule.h"
#include "fabric/memo/memo.h"
#include "fabric/memo/region/part_log.h"
#include "fabric/memo/region/record.h"
#include "fabric/memo/state/counters.h"
#include "fabric/host/host.h"
#include "fabric/link/event_heap.h"

/* Arms a timer for the next completion of a host, if it is known and not armed. One timer at a time
 * keeps the event heap small; the tie key of the logged event puts it into the right order among
 * the rank's wakes. A completion that became known later may come first; the timer armed before is
 * then ignored when it is due. */
static int arm(struct asim_fabric *fabric, struct asim_part *part, uint32_t h)
{
    struct asim_host *host = &fabric->host[part->host[h]];
    struct asim_memo_host *own = &fabric->memo->host[part->host[h]];
    const struct asim_log_row *row = &part->log->row[asim_part_row(part, h)];
    const struct asim_logged_completion *next;
    uint64_t t;

    if (own->next_completion == row->completions.n)
        return 0;
    next = &row->completions.at[own->next_completion];
    t = part->begin + next->t;
    if (own->armed_t == t && own->armed_tie == next->tie)
        return 0;
    own->armed_t = t;
    own->armed_tie = next->tie;
    asim_node_schedule(fabric, host->node, t);
    return asim_event_heap_push(&host->timers,
                                (struct asim_event_entry){t, next->tie, own->next_completion,
                                                          (uint64_t)ASIM_TIMER_REPLAY << 56});
}

void asim_part_follow_more(struct asim_fabric *fabric, struct asim_part *part)
{
    for (uint32_t h = 0; h < part->n_hosts; h++)
        if (arm(fabric, part, h))
            fabric->failed = ASIM_ENOMEM;
}

/* The part of a host that follows a log; NULL: none. */
static struct asim_part *following(const struct asim_fabric *fabric, uint32_t host)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_part *part = &memo->whole;

    if (part->mode != ASIM_PART_FOLLOW && memo->parts)
        part = asim_part_of(fabric, host);
    return part && part->mode == ASIM_PART_FOLLOW ? part : NULL;
}

/* Log and callback as in qp.c for the last ACK, and in host.c for the notification. */
static void tell(struct asim_fabric *fabric, const struct asim_host *host,
                 const struct asim_part *part, const struct asim_logged_completion *completion)
{
    const struct asim_injection *injection =
        &part->log->row[completion->src].injections.at[completion->injection];
    uint32_t src = part->host[asim_part_host(part, completion->src)];
    const struct asim_memo_message *message =
        &fabric->memo->host[src].accepted.at[completion->injection];
    struct asim_msg msg = message->msg;
    struct asim_fct row = {.start = asim_to_ns(fabric, part->begin + injection->t),
                           .end = asim_to_ns(fabric, host->now),
                           .bytes = msg.bytes,
                           .id = msg.id,
                           .ideal = injection->ideal,
                           .src = msg.src,
                           .dst = msg.dst,
                           .sport = (uint16_t)message->injection.sport};

    if (completion->is_arrival) {
        fabric->set.user.arrived(fabric->set.user.self, &msg);
        return;
    }
    if (fabric->watch->fct)
        fabric->watch->fct(fabric->watch->self, &row);
    fabric->set.user.sent(fabric->set.user.self, &msg);
}

void asim_part_complete(struct asim_fabric *fabric, struct asim_host *host)
{
    struct asim_part *part = following(fabric, host->node);
    struct asim_memo_host *own = &fabric->memo->host[host->node];
    const struct asim_logged_completion *completion;
    const struct asim_log_row *row;
    uint32_t h;

    if (!part)
        return;
    h = asim_part_number(fabric, part, host->node);
    row = &part->log->row[asim_part_row(part, h)];
    if (own->next_completion == row->completions.n)
        return;
    completion = &row->completions.at[own->next_completion];
    if (part->begin + completion->t != host->now || completion->tie != host->tie)
        return;
    own->next_completion++;
    own->armed_t = ASIM_NEVER;
    if (arm(fabric, part, h))
        host->worker->failed = ASIM_ENOMEM;
    tell(fabric, host, part, completion);
}

/* --- between windows -------------------------------------------------------------------------- */

static int accept_deferred(struct asim_part *part, struct asim_memo_host *own)
{
    for (size_t i = 0; i < own->deferred.n; i++) {
        struct asim_memo_message message = own->deferred.at[i];

        message.injection.t -= part->begin;
        if (ASIM_VEC_PUSH(own->accepted, message))
            return ASIM_ENOMEM;
    }
    own->deferred.n = 0;
    return 0;
}

uint64_t asim_part_follow_end(const struct asim_part *part)
{
    const struct asim_part_log *log = part->log;
    uint64_t end = log->length != ASIM_NEVER ? log->length : log->defer_from;

    return end == ASIM_NEVER ? ASIM_NEVER : part->begin + end;
}

/* When the next send of a host is due in the log, ticks since the start, if before `at`. */
static uint64_t next_send(const struct asim_fabric *fabric, const struct asim_part *part,
                          uint32_t h, uint64_t at)
{
    const struct asim_log_row *row = &part->log->row[asim_part_row(part, h)];
    size_t n = fabric->memo->host[part->host[h]].accepted.n;

    return n < row->injections.n && row->injections.at[n].t < at ? row->injections.at[n].t : at;
}

/* The part is looked at again when its next send, or its end, is due. */
static void schedule_look(const struct asim_fabric *fabric, struct asim_part *part)
{
    uint64_t at = part->log->length;

    for (uint32_t i = 0; i < asim_part_log_hosts(part); i++)
        at = next_send(fabric, part, asim_part_log_host(part, i), at);
    asim_part_look_later(part, at == ASIM_NEVER ? ASIM_NEVER : part->begin + at);
}

/* From the start, or in place of another log that has begun alike. Of the whole network other
 * threads read the row of accepted sends, so it gets its full size now. */
static int use_log(struct asim_fabric *fabric, struct asim_part *part, struct asim_part_log *log)
{
    log->users++;
    asim_part_log_leave(part);
    part->log = log;
    part->n_first = log->n_first;
    part->has_more = 0;
    for (uint32_t i = 0; i < asim_part_log_hosts(part); i++) {
        uint32_t h = asim_part_log_host(part, i);
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        if ((part->is_whole && ASIM_VEC_RESERVE(own->accepted, log->row[h].injections.n)) ||
            accept_deferred(part, own))
            return ASIM_ENOMEM;
        own->n_compared = own->accepted.n;
        own->armed_t = ASIM_NEVER;
        if (arm(fabric, part, h))
            return ASIM_ENOMEM;
    }
    schedule_look(fabric, part);
    return 0;
}

/* Its hosts have accepted and been told nothing. */
static void forget(struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t i = 0; i < asim_part_log_hosts(part); i++) {
        struct asim_memo_host *own = &fabric->memo->host[part->host[asim_part_log_host(part, i)]];

        own->accepted.n = own->next_completion = 0;
    }
}

int asim_part_follow(struct asim_fabric *fabric, struct asim_part *part, struct asim_part_log *log)
{
    asim_part_set_mode(fabric, part, ASIM_PART_FOLLOW);
    if (part->is_whole)
        asim_memo_found_repeat(fabric);
    return use_log(fabric, part, log);
}

/* Puts the part into the state in which the episode ends. */
static void finish(struct asim_fabric *fabric, struct asim_part *part)
{
    const struct asim_part_log *log = part->log;

    asim_part_counters_add(fabric, part, &log->state, log->counters);
    asim_episode_state_apply(fabric, part, &log->state);
    part->of_worker->saved += log->hops;
    part->of_worker->replays++;
    part->of_worker->rotated += part->rotation != 0;
    asim_search_budget_saved(&part->of_worker->budget, log->hops);
    if (part->is_whole)
        asim_parts_gather(fabric); /* before the hops of the next episode are counted */
    forget(fabric, part);
    asim_part_log_leave(part);
    asim_part_set_mode(fabric, part, ASIM_PART_IDLE);
}

/* Whether the sends of a host since the last look are those of the log. Sends that were deferred
 * for an end that did not come belong to the episode. */
static int host_is_same(struct asim_fabric *fabric, struct asim_part *part, uint32_t h)
{
    struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

    if (part->log->length == ASIM_NEVER && accept_deferred(part, own))
        fabric->failed = ASIM_ENOMEM;
    for (; own->n_compared < own->accepted.n; own->n_compared++)
        if (!asim_part_log_has(fabric, part, part->log, &own->accepted.at[own->n_compared],
                               own->n_compared, 0))
            return 0;
    return 1;
}

/* Whether the first frames and the sends since the last look are those of the log, and no send is
 * missing before `until`. */
static int is_same(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    const struct asim_part_log *log = part->log;
    uint64_t next = log->length;

    if (part->has_more || ((log->n_first != part->n_first || log->is_rigid) &&
                           !asim_part_log_keeps_order(fabric, part, log)))
        return 0;
    part->n_first = log->n_first;
    for (uint32_t i = 0; i < asim_part_log_hosts(part); i++) {
        uint32_t h = asim_part_log_host(part, i);

        if (!host_is_same(fabric, part, h))
            return 0;
        next = next_send(fabric, part, h, next);
    }
    asim_part_look_later(part, next == ASIM_NEVER ? ASIM_NEVER : part->begin + next);
    return next == log->length || part->begin + next >= until;
}

/* Another log, or the part leads itself, or it is open. */
static void deviate(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    struct asim_part_log *other = NULL;
    int is_crossed = asim_part_is_crossed(part);

    if (!is_crossed)
        other = asim_part_log_find(fabric, part, part->log->hash, until);
    if (!other)
        asim_part_abandon(fabric, part, !is_crossed, until);
    else if (use_log(fabric, part, other))
        fabric->failed = ASIM_ENOMEM;
}

void asim_part_follow_check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    int ends = part->log->length != ASIM_NEVER && until > part->begin + part->log->length;

    if (part->log->is_dead || !is_same(fabric, part, until) ||
        (!ends && asim_part_is_crossed(part))) {
        deviate(fabric, part, until);
        return;
    }
    if (ends)
        finish(fabric, part);
}

/* --- back to simulation ----------------------------------------------------------------------- */

/* Removes the timers of completions, and moves all others into *kept. */
static int cancel_completions(struct asim_host *host, struct asim_event_heap *kept)
{
    for (size_t i = 0; i < host->timers.n; i++)
        if (host->timers.at[i].value >> 56 != ASIM_TIMER_REPLAY &&
            asim_event_heap_push(kept, host->timers.at[i]))
            return ASIM_ENOMEM;
    host->timers.n = 0;
    return 0;
}

/* Moves them back; the clock learns their times again. */
static int restore_timers(struct asim_fabric *fabric, struct asim_host *host,
                          struct asim_event_heap *kept)
{
    for (size_t i = 0; i < kept->n; i++) {
        asim_node_schedule(fabric, host->node, kept->at[i].t);
        if (asim_event_heap_push(&host->timers, kept->at[i]))
            return ASIM_ENOMEM;
    }
    return 0;
}

/* Starts all sends so far at their times, including those deferred past the end of the log. All
 * other timers wait in kept[h]. */
static int start_again(struct asim_fabric *fabric, struct asim_part *part,
                       struct asim_event_heap *kept)
{
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_host *host = &fabric->host[part->host[h]];
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        if (cancel_completions(host, &kept[h]))
            return ASIM_ENOMEM;
        for (size_t i = 0; i < own->accepted.n; i++) {
            own->accepted.at[i].injection.t += part->begin;
            if (asim_record_start(fabric, host, &own->accepted.at[i]))
                return ASIM_ENOMEM;
        }
        own->accepted.n = own->next_completion = 0;
    }
    asim_part_release(fabric, part);
    return fabric->failed;
}

/* Other nodes have no events before `until`, or go on by themselves: only the part advances. */
static void advance(struct asim_fabric *fabric, const struct asim_part *part, uint64_t until)
{
    if (!part->is_whole && fabric->memo->parts->in_domains)
        asim_domain_advance_again(fabric->host[part->host[0]].worker, part->domain, until);
    else
        asim_fabric_advance_silently(fabric, until);
}

static int simulate(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    struct asim_event_heap *kept = calloc(part->n_hosts + (size_t)1, sizeof *kept);
    int code = kept ? start_again(fabric, part, kept) : ASIM_ENOMEM;

    if (!code)
        advance(fabric, part, until);
    if (part->mode == ASIM_PART_LEAD && !part->is_whole)
        asim_part_log_arrived(fabric, part);
    for (uint32_t h = 0; kept && h < part->n_hosts; h++) {
        if (!code && restore_timers(fabric, &fabric->host[part->host[h]], &kept[h]))
            code = ASIM_ENOMEM;
        asim_event_heap_fini(&kept[h]);
    }
    free(kept);
    return code;
}

void asim_part_abandon(struct asim_fabric *fabric, struct asim_part *part, int leads,
                       uint64_t until)
{
    uint64_t before = asim_part_hops(fabric, part), hash = part->log->hash;

    asim_part_log_leave(part);
    asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    if ((leads && asim_part_lead(fabric, part, hash)) || simulate(fabric, part, until))
        fabric->failed = ASIM_ENOMEM;
    part->of_worker->wasted += asim_part_hops(fabric, part) - before;
    part->of_worker->deviations++;
    if (part->is_whole)
        asim_memo_carried_for(fabric, ASIM_CARRIED_DEVIATED);
    else
        asim_part_touch(fabric, part);
}
