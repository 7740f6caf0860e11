/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The windows that all processes go through together, and the steps of this one inside them.
 */
#include "fabric/processes/grid.h"
#include "fabric/events/events.h"
#include "fabric/clock/hooks.h"
#include "fabric/processes/exchange.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/step.h"
#include "fabric/processes/peers.h"

/* Links shorter than those between processes would need more than two halves. */
int asim_grid_may_use_half_steps(const struct asim_fabric *fabric)
{
    return asim_half_steps_allowed(fabric) &&
           !(fabric->window_hooks && fabric->window_hooks->has_parts(fabric)) &&
           asim_to_ticks(fabric, asim_exchange_lookahead(fabric)) <= fabric->set.lookahead;
}

void asim_grid_use_half_steps(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    engine->exchange->half_steps = engine->exchange->wants_half_steps = 1;
}

/* All processes come to the time of a look together. In half-steps one half would pass it: so the
 * half that is behind comes to `now` first, in a window without length, and full windows follow. */
static uint64_t end_near_look(struct asim_fabric *fabric, uint64_t now, uint64_t look_at)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    if (engine->exchange->half_steps) {
        engine->exchange->half_steps = 0;
        return now;
    }
    engine->livelock.is_closing = 1;
    return look_at;
}

/* A window ends before a link event, so that the processes may find the run over before it. */
static uint64_t end_before_link_event(const struct asim_fabric *fabric, uint64_t now, uint64_t end)
{
    const struct asim_fabric_events *events = fabric->events;
    size_t i = events ? events->next : 0;

    while (events && i < events->n && asim_to_ns(fabric, events->at[i].t) <= now)
        i++;
    if (!events || i == events->n || asim_to_ns(fabric, events->at[i].t) > end)
        return end;
    return asim_to_ns(fabric, events->at[i].t);
}

/* Every process calls it with the same times, so all take the same decisions. */
uint64_t asim_grid_window_end(struct asim_fabric *fabric, uint64_t now)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t lookahead = asim_exchange_lookahead(fabric), end = now - now % lookahead + lookahead;
    uint64_t look_at;

    if (engine->livelock.is_closing && now >= asim_to_ns(fabric, engine->livelock.look_at))
        asim_livelock_look(fabric, ASIM_NEVER);
    end = end_before_link_event(fabric, now, end);
    look_at = asim_to_ns(fabric, engine->livelock.look_at);
    if (!engine->livelock.is_found && look_at <= end)
        return end_near_look(fabric, now, look_at);
    if (now % lookahead == 0)
        engine->exchange->half_steps = engine->exchange->wants_half_steps;
    return end;
}

/* No window jumps over a look, so that every process looks at the same times. */
static uint64_t without_skip(const struct asim_fabric *fabric, uint64_t end, uint64_t next)
{
    const struct asim_livelock *livelock = &asim_engine_of(fabric)->livelock;
    uint64_t lookahead = asim_exchange_lookahead(fabric), look_at = livelock->look_at;

    if (next == ASIM_NEVER)
        return next;
    if (livelock->is_closing && look_at != ASIM_NEVER)
        look_at += livelock->interval;
    look_at = asim_to_ns(fabric, look_at);
    if (!livelock->is_found && next >= look_at)
        next = (look_at - 1) - (look_at - 1) % lookahead;
    return next > end ? next : end;
}

uint64_t asim_grid_window_begin(struct asim_fabric *fabric, uint64_t end, uint64_t next)
{
    const struct asim_window_hooks *memo = fabric->window_hooks;
    uint64_t skipped = memo ? memo->skip(fabric, asim_to_ticks(fabric, end)) : 0;

    next = without_skip(fabric, end, next);
    return next == ASIM_NEVER ? next : next + asim_to_ns(fabric, skipped);
}

/* The memo may have a look at a part before the next event. For each half the first of its windows
 * that ends behind its first event. That window is not over: the half's events lie behind its last
 * window, and behind the start of the other half's. */
uint64_t asim_grid_next(struct asim_fabric *fabric)
{
    const struct asim_window_hooks *memo = fabric->window_hooks;
    uint64_t t = asim_fabric_next(fabric), lookahead = asim_exchange_lookahead(fabric);
    uint64_t next = ASIM_NEVER;
    uint64_t due = memo ? asim_to_ns(fabric, memo->look_due(fabric)) : ASIM_NEVER;

    t = due < t ? due : t;

    if (t == ASIM_NEVER || !asim_engine_of(fabric)->exchange->half_steps)
        return t == ASIM_NEVER ? t : t - t % lookahead;
    for (uint64_t half = 0; half < 2; half++) {
        uint64_t k = asim_to_ns(fabric, fabric->schedule.half_next[half]) / lookahead;

        k += k % 2 != half;
        if (fabric->schedule.half_next[half] != ASIM_NEVER && k * lookahead < next)
            next = k * lookahead;
    }
    return next;
}

static void advance_both_halves(struct asim_fabric *fabric, uint64_t until, struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const struct asim_window_hooks *memo = fabric->window_hooks;

    engine->limit = until;
    do
        while (!fabric->failed && asim_fabric_next_tick(fabric) < until)
            asim_fabric_step(fabric, err);
    while (!fabric->failed && memo && memo->look_before(fabric, until));
    if (engine->livelock.is_closing)
        asim_livelock_sum(fabric);
}

int asim_grid_advance(struct asim_fabric *fabric, uint64_t until_ns, struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t until = asim_to_ticks(fabric, until_ns);

    if (engine->livelock.is_found) /* the run has ended */
        return fabric->failed;
    if (engine->exchange->half_steps)
        asim_fabric_advance_half(fabric, until_ns / asim_exchange_lookahead(fabric) % 2 == 0, until,
                                 err);
    else
        advance_both_halves(fabric, until, err);
    if (fabric->window_hooks)
        fabric->window_hooks->vote(fabric);
    return fabric->failed;
}
