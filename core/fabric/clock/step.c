/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Steps of the packet network's clock. A step is one lookahead window of all nodes, or in per-event
 * mode one node at one instant; node logic and results are the same. Link events happen between
 * steps, and the memo may skip time before a step.
 */
#include "fabric/clock/step.h"
#include "fabric/clock/hooks.h"
#include "fabric/clock/insertion_order.h"
#include "fabric/events/events.h"
#include "fabric/link/insertion.h"
#include "fabric/link/schedule.h"
#include "fabric/clock/domains.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/window.h"
#include "fabric/clock/workers.h"
#include "fabric/clock/worker.h"
#include "base/heap.h"

uint64_t asim_fabric_window(const struct asim_fabric *fabric)
{
    return asim_to_ns(fabric, fabric->set.lookahead);
}

/* Per-event mode: the earliest entry of the heap that still agrees with schedule.next. */
static uint64_t next_due(struct asim_fabric *fabric)
{
    struct asim_heap *due = fabric->schedule.due_nodes;

    while (due->n && due->at[0].key != *asim_next_of(fabric, (uint32_t)due->at[0].value))
        asim_heap_pop(due);
    return due->n ? due->at[0].key : ASIM_NEVER;
}

static inline uint64_t next_of_nodes(struct asim_fabric *fabric)
{
    if (fabric->insertion)
        return asim_insertion_next(fabric);
    return fabric->schedule.per_event ? next_due(fabric) : asim_window_next_event(fabric);
}

int asim_fabric_is_quiet(struct asim_fabric *fabric)
{
    return next_of_nodes(fabric) == ASIM_NEVER;
}

/* Link events belong to no node; they precede all events of their time. */
uint64_t asim_fabric_next_tick(struct asim_fabric *fabric)
{
    uint64_t nodes = next_of_nodes(fabric), link = fabric->event_next;

    if (asim_engine_of(fabric)->livelock.is_found)
        return ASIM_NEVER;
    return link < nodes ? link : nodes;
}

uint64_t asim_fabric_next(struct asim_fabric *fabric)
{
    return asim_to_ns(fabric, asim_fabric_next_tick(fabric));
}

/* The end of a step: merges the workers' output, and tells the user up to which time all is final.
 * Turns a recorded failure into an error. */
static int commit(struct asim_fabric *fabric, uint64_t until, struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const struct asim_window_hooks *memo = fabric->window_hooks;

    asim_window_merge(fabric);
    if (memo && !fabric->failed)
        memo->after_window(fabric, until);
    if (engine->run.half != ASIM_BOTH_HALVES) /* the other half may be behind */
        until = next_of_nodes(fabric) < until ? next_of_nodes(fabric) : until;
    until = asim_to_ns(fabric, until);
    if (fabric->failure.code)
        return asim_err_set(err, fabric->failed, "%s", fabric->failure.text);
    if (fabric->failed)
        return asim_err_nomem(err, "carrying packets");
    if (until > engine->run.committed) {
        engine->run.committed = until;
        fabric->set.user.settled(fabric->set.user.self, until);
    }
    return 0;
}

/* Per-event mode: the node with the earliest event, for one instant. */
static uint64_t step_event(struct asim_fabric *fabric, struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t t = next_due(fabric);
    uint32_t node = (uint32_t)asim_heap_pop(fabric->schedule.due_nodes).value;

    engine->run.windows++;
    *asim_next_of(fabric, node) = asim_node_advance(fabric, node, t + 1);
    asim_node_push_due(fabric, node, *asim_next_of(fabric, node));
    /* The last node at t settles it, so the reports see all events of t together, in the order of
     * nodes. Where a ns is several ticks, the ns is not over yet. */
    t += fabric->set.tick == 1 && next_due(fabric) > t;
    return commit(fabric, t, err) ? ASIM_NEVER : asim_fabric_next(fabric);
}

void asim_fabric_advance_silently(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t t, lookahead = fabric->set.lookahead;

    engine->run.half = ASIM_BOTH_HALVES;
    for (uint32_t w = 0; w < engine->workers.n; w++)
        engine->workers.at[w].silent = 1;
    while (!fabric->failed && (t = next_of_nodes(fabric)) < until) {
        asim_window_run(fabric, until - t > lookahead ? t + lookahead : until);
        asim_window_merge(fabric);
    }
    for (uint32_t w = 0; w < engine->workers.n; w++)
        engine->workers.at[w].silent = 0;
}

int asim_fabric_advance_half(struct asim_fabric *fabric, int half, uint64_t until,
                             struct asim_err *err)
{
    next_of_nodes(fabric); /* makes run.half_next valid */
    asim_engine_of(fabric)->run.half = half;
    if (fabric->schedule.half_next[half] >= until)
        return fabric->failed;
    asim_window_run(fabric, until);
    return commit(fabric, until > fabric->set.lookahead ? until - fabric->set.lookahead : 0, err);
}

/* The end of a window of both halves that begins at t. */
static uint64_t end_of_window(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t link = fabric->event_next, until;
    uint64_t lookahead = fabric->insertion ? fabric->set.lookahead : asim_workers_lookahead(fabric);

    if (lookahead > ASIM_NEVER - t || engine->workers.domain_lookahead > ASIM_NEVER - t)
        until = ASIM_NEVER;
    else if (fabric->window_hooks && !fabric->insertion)
        until = fabric->window_hooks->window_end(fabric, t);
    else
        until = t + lookahead;
    if (until > link)
        until = link;
    if (until > engine->livelock.look_at && t < engine->livelock.look_at)
        until = engine->livelock.look_at;
    return until > engine->limit ? engine->limit : until;
}

/* Whether the memo has changed the next event. In half-steps it only detects steady states, and a
 * window in which the switches catch up ends nothing. */
static int ask_memo(struct asim_fabric *fabric, enum asim_half_step step, uint64_t t,
                    uint64_t until)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const struct asim_window_hooks *memo = fabric->window_hooks;

    if (!memo || fabric->failed || t == ASIM_NEVER || step == ASIM_STEP_SWITCHES)
        return 0;
    if (!(step == ASIM_STEP_ALONE ? memo->before_half_step(fabric, t)
                                  : memo->before_window(fabric, t, until)))
        return 0;
    if (!fabric->process_hooks) /* with several processes parts only, which skip no time */
        engine->livelock.skipped_to = next_of_nodes(fabric);
    return 1;
}

/* Begins the next window, at *begin, and returns its end; *begin is ASIM_NEVER where nothing is
 * left. */
static uint64_t next_window(struct asim_fabric *fabric, uint64_t *begin)
{
    enum asim_half_step step;
    uint64_t until;

    do {
        *begin = next_of_nodes(fabric);
        step = asim_half_steps_next(fabric);
        until = step == ASIM_STEP_HOSTS ? asim_engine_of(fabric)->run.horizon[ASIM_HALF_SWITCHES]
                                        : end_of_window(fabric, *begin);
    } while (ask_memo(fabric, step, *begin, until));
    return asim_half_steps_begin(fabric, step, until);
}

/* A step with insertion numbers: a window, or one ns in per-event mode. */
static uint64_t step_in_order(struct asim_fabric *fabric, uint64_t begin, struct asim_err *err)
{
    uint64_t until = fabric->schedule.per_event ? begin + 1 : end_of_window(fabric, begin);

    asim_engine_of(fabric)->run.windows++;
    asim_insertion_run(fabric, until);
    if (until > fabric->insertion->end_at) /* what follows in this window has not run */
        until = fabric->insertion->end_at;
    return commit(fabric, until, err) ? ASIM_NEVER : asim_fabric_next(fabric);
}

/* One process: looks for a livelock as soon as no node has an event before the time of the look. 1:
 * the run ends there. Several processes look between windows of the grid. */
static int look(struct asim_fabric *fabric, uint64_t first, struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t at = engine->livelock.look_at;

    if (first < at || first == ASIM_NEVER || fabric->process_hooks)
        return 0;
    asim_livelock_look(fabric, first);
    return engine->livelock.is_found && (commit(fabric, at, err), 1);
}

uint64_t asim_fabric_step(struct asim_fabric *fabric, struct asim_err *err)
{
    uint64_t begin, link = fabric->event_next, until;

    if (asim_insertion_goes_on(fabric)) {
        begin = asim_insertion_next(fabric);
        if (begin == ASIM_NEVER || look(fabric, begin, err))
            return ASIM_NEVER;
        return step_in_order(fabric, begin, err);
    }
    if (look(fabric, asim_fabric_next_tick(fabric), err))
        return ASIM_NEVER;
    if (link != ASIM_NEVER && link <= next_of_nodes(fabric)) {
        fabric->schedule.half_next_valid = 0;
        asim_fabric_events_apply(fabric);
        asim_domains_forget(fabric);
        return commit(fabric, link, err) ? ASIM_NEVER : asim_fabric_next(fabric);
    }
    if (fabric->schedule.per_event && next_of_nodes(fabric) != ASIM_NEVER)
        return step_event(fabric, err);
    until = next_window(fabric, &begin);
    if (begin == ASIM_NEVER)
        return ASIM_NEVER;
    asim_window_run(fabric, until);
    return commit(fabric, until, err) ? ASIM_NEVER : asim_fabric_next(fabric);
}

/* For callers without a clock of their own; ends early when the user's done() says so. */
int asim_fabric_run(struct asim_fabric *fabric, struct asim_err *err)
{
    while (asim_fabric_next(fabric) != ASIM_NEVER &&
           !fabric->set.user.done(fabric->set.user.self)) {
        asim_fabric_step(fabric, err);
        if (fabric->failed)
            return fabric->failed;
    }
    return fabric->failed;
}
