/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_follow.h.
 */
#include "fabric/memo/region/part_follow.h"

#include <stdlib.h>

#include "fabric/link/schedule.h"
#include "fabric/memo/memo.h"
#include "fabric/clock/step.h"
#include "fabric/memo/region/part_leaf.h"
#include "fabric/memo/region/part_lead.h"
#include "fabric/memo/region/part_logs.h"
#include "fabric/memo/state/part_state.h"
#include "fabric/memo/region/record.h"
#include "fabric/memo/region/timers.h"
#include "fabric/clock/domains.h"

/* Arms a timer for the next completion of a host, if it is known and not armed. A completion that
 * became known later may come first; the timer armed before is then ignored when it is due. */
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
            fabric->run.failed = ASIM_ENOMEM;
}

/* Log and callback as in qp.c for the last ACK, and in host.c for the notification. */
void asim_part_complete(struct asim_fabric *fabric, struct asim_host *host)
{
    struct asim_part *part = asim_part_of(fabric, host->node);
    struct asim_memo_host *own = &fabric->memo->host[host->node];
    struct asim_logged_completion completion;
    const struct asim_logged_injection *injection;
    const struct asim_memo_message *message;
    const struct asim_log_row *logged;
    struct asim_fct row;
    struct asim_msg msg;
    uint32_t h, src;

    if (!part || part->mode != ASIM_PART_FOLLOW)
        return;
    h = fabric->memo->parts->number[host->node];
    logged = &part->log->row[asim_part_row(part, h)];
    if (own->next_completion == logged->completions.n)
        return;
    completion = logged->completions.at[own->next_completion];
    if (part->begin + completion.t != host->now || completion.tie != host->tie)
        return;
    injection = &part->log->row[completion.src].injections.at[completion.injection];
    src = part->host[asim_part_host(part, completion.src)];
    message = &fabric->memo->host[src].accepted.at[completion.injection];
    msg = message->msg;
    row = (struct asim_fct){.start = asim_to_ns(fabric, part->begin + injection->t),
                            .end = asim_to_ns(fabric, host->now),
                            .bytes = msg.bytes,
                            .id = msg.id,
                            .ideal = injection->ideal,
                            .src = msg.src,
                            .dst = msg.dst,
                            .sport = (uint16_t)message->injection.sport};
    own->next_completion++;
    own->armed_t = ASIM_NEVER;
    if (arm(fabric, part, h))
        host->worker->failed = ASIM_ENOMEM;
    if (completion.is_arrival) {
        fabric->set.user.arrived(fabric->set.user.self, &msg);
        return;
    }
    if (fabric->watch.fct)
        fabric->watch.fct(fabric->watch.self, &row);
    fabric->set.user.sent(fabric->set.user.self, &msg);
}

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

/* Looks at the part again when its next send, or its end, is due. */
static void schedule_look(struct asim_fabric *fabric, const struct asim_part *part)
{
    struct asim_parts *parts = fabric->memo->parts;
    uint64_t at = part->log->length != ASIM_NEVER ? part->log->length : ASIM_NEVER;

    for (uint32_t h = 0; h < part->n_hosts; h++) {
        const struct asim_memo_host *own = &fabric->memo->host[part->host[h]];
        const struct asim_log_row *row = &part->log->row[asim_part_row(part, h)];

        if (own->accepted.n < row->injections.n && row->injections.at[own->accepted.n].t < at)
            at = row->injections.at[own->accepted.n].t;
    }
    atomic_store_explicit(&parts->look_at[part - parts->at],
                          at == ASIM_NEVER ? ASIM_NEVER : part->begin + at, memory_order_relaxed);
}

/* From the begin, or in place of another log that has begun alike. */
static int use_log(struct asim_fabric *fabric, struct asim_part *part, struct asim_part_log *log)
{
    asim_part_log_leave(part);
    part->log = log;
    part->n_first = log->n_first;
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        if (accept_deferred(part, own))
            return ASIM_ENOMEM;
        own->n_compared = own->accepted.n;
        own->armed_t = ASIM_NEVER;
        if (arm(fabric, part, h))
            return ASIM_ENOMEM;
    }
    schedule_look(fabric, part);
    return 0;
}

int asim_part_follow(struct asim_fabric *fabric, struct asim_part *part, struct asim_part_log *log)
{
    log->users++;
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        own->accepted.n = own->next_completion = 0;
    }
    asim_part_set_mode(fabric, part, ASIM_PART_FOLLOW);
    return use_log(fabric, part, log);
}

static void finish(struct asim_fabric *fabric, struct asim_part *part)
{
    struct asim_memo *memo = fabric->memo;
    const struct asim_part_log *log = part->log;

    asim_part_counters_add(fabric, part, log->deltas);
    asim_part_after_apply(fabric, part, log->after, part->begin);
    part->of_worker->saved += log->hops;
    asim_part_logs_saved(fabric, log->length);
    part->of_worker->replays++;
    part->of_worker->rotated += part->rotation != 0;
    asim_search_budget_saved(&part->of_worker->budget, log->hops);
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_memo_host *own = &memo->host[part->host[h]];

        own->accepted.n = own->next_completion = 0;
    }
    asim_part_log_leave(part);
    asim_part_set_mode(fabric, part, ASIM_PART_IDLE);
}

/* Whether the first frames and the sends since the last look are those of the log, and no send is
 * missing before `until`.
 * Sends that were deferred for an end that did not come belong to the episode. */
static int is_same(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    const struct asim_part_log *log = part->log;

    if ((log->n_first != part->n_first || log->is_rigid) &&
        !asim_part_log_keeps_order(fabric, part, log))
        return 0;
    part->n_first = log->n_first;
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];
        const struct asim_log_row *row = &log->row[asim_part_row(part, h)];

        if (log->length == ASIM_NEVER && accept_deferred(part, own))
            fabric->run.failed = ASIM_ENOMEM;
        for (; own->n_compared < own->accepted.n; own->n_compared++)
            if (!asim_part_log_has(fabric, log, &own->accepted.at[own->n_compared],
                                   own->n_compared))
                return 0;
        if (own->accepted.n < row->injections.n &&
            part->begin + row->injections.at[own->accepted.n].t < until)
            return 0;
    }
    return 1;
}

/* Another log, or the part leads itself, or it is open. */
static void deviate(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    size_t words = asim_part_state_size(part);
    uint64_t *state = malloc(words * sizeof *state);
    struct asim_part_opening opening = {state, part->log->hash};
    struct asim_part_log *other = NULL;
    int stays_open = asim_part_leaf_is_crossed(part);

    if (!state) {
        fabric->run.failed = ASIM_ENOMEM;
        return;
    }
    asim_part_state_save(fabric, part, state);
    if (!stays_open)
        other = asim_part_log_find(fabric, part, &opening, until);
    stays_open |= asim_part_logs_are_paused(fabric);
    if (other) {
        other->users++;
        if (use_log(fabric, part, other))
            fabric->run.failed = ASIM_ENOMEM;
    } else {
        asim_part_abandon(fabric, part, stays_open ? NULL : &opening, until);
    }
    free(state);
}

void asim_part_follow_check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    int ends = part->log->length != ASIM_NEVER && until > part->begin + part->log->length;

    part->must_check = 0;
    if (part->log->is_dead || !is_same(fabric, part, until) ||
        (!ends && asim_part_leaf_is_crossed(part))) {
        deviate(fabric, part, until);
        return;
    }
    if (ends)
        finish(fabric, part);
    else
        schedule_look(fabric, part);
}

/* Starts all sends so far at their times. */
static int start_again(struct asim_fabric *fabric, struct asim_part *part,
                       struct asim_event_heap *kept)
{
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        struct asim_host *host = &fabric->host[part->host[h]];
        struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        if (asim_memo_cancel_completions(host, &kept[h]))
            return ASIM_ENOMEM;
        for (size_t i = 0; i < own->accepted.n; i++) {
            own->accepted.at[i].injection.t += part->begin;
            if (asim_record_start(fabric, host, &own->accepted.at[i]))
                return ASIM_ENOMEM;
        }
        own->accepted.n = own->next_completion = 0;
    }
    asim_part_release(fabric, part);
    return fabric->run.failed;
}

/* Other nodes have no events before `until`, or go on by themselves: only the part advances. */
static void advance(struct asim_fabric *fabric, const struct asim_part *part, uint64_t until)
{
    if (fabric->memo->parts->in_domains)
        asim_domain_advance_again(fabric->host[part->host[0]].worker, part->domain, until);
    else
        asim_fabric_advance_silently(fabric, until);
}

static int simulate(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    struct asim_event_heap *kept = calloc(part->n_hosts, sizeof *kept);
    int code = kept ? start_again(fabric, part, kept) : ASIM_ENOMEM;

    if (!code)
        advance(fabric, part, until);
    if (part->mode == ASIM_PART_LEAD)
        asim_part_log_arrived(fabric, part);
    for (uint32_t h = 0; kept && h < part->n_hosts; h++) {
        if (!code && asim_memo_restore_timers(fabric, &fabric->host[part->host[h]], &kept[h]))
            code = ASIM_ENOMEM;
        asim_event_heap_fini(&kept[h]);
    }
    free(kept);
    return code;
}

void asim_part_abandon(struct asim_fabric *fabric, struct asim_part *part,
                       const struct asim_part_opening *opening, uint64_t until)
{
    uint64_t before = asim_part_hops(fabric, part);

    asim_part_log_leave(part);
    asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    if ((opening && asim_part_lead(fabric, part, opening)) || simulate(fabric, part, until))
        fabric->run.failed = ASIM_ENOMEM;
    asim_part_touch(fabric, part);
    part->of_worker->wasted += asim_part_hops(fabric, part) - before;
    part->of_worker->deviations++;
}
