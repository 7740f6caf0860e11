/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One lookahead window from its start to its end. Why it is exact: a frame that starts at t arrives
 * at t + serialization + delay, and no delay is below W; so no frame sent inside a window of W is
 * due inside it, and all nodes advance to the window's end in any order, on any thread, with the
 * same result. Notifications of completed messages are made one link delay ahead, so they are due
 * behind the window too. In windows longer than NVLinks the same holds for whole servers
 * (domains.h).
 *
 *     asim_window_run      begin: which sharded switches have work; is there enough for the team?
 *       advance            each worker, on the team or one after the other: its nodes (worker.c)
 *       ..._switches_end   sharded switches, in two more epochs (sharded_switch.c)
 *     asim_window_merge    the caller: what workers made for each other and for other processes
 */
#include "fabric/clock/window.h"
#include "fabric/host/completion.h"
#include "fabric/clock/domains.h"
#include "fabric/clock/hooks.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/next_event.h"
#include "fabric/clock/sharded_switch.h"
#include "fabric/clock/workers.h"
#include "fabric/clock/worker.h"
#include "fabric/link/notification.h"

#include <stdlib.h>

/* In windows the earliest event is found by a scan, of hosts by blocks: it costs less than a heap,
 * since most nodes of a busy network are active in most windows. */
uint64_t asim_window_next_event(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const uint64_t *next = fabric->schedule.half_next;

    if (!fabric->schedule.half_next_valid) {
        for (uint32_t w = 0; w < engine->workers.n; w++)
            asim_worker_find_next(fabric, &engine->workers.at[w]);
        asim_workers_find_next(fabric);
    }
    return next[next[ASIM_HALF_SWITCHES] < next[ASIM_HALF_HOSTS]];
}

/* The work of a switch: the ports by which frames arrived in its last window. */
static uint32_t load_of(const struct asim_fabric *fabric, uint32_t v)
{
    uint32_t ports = v < fabric->set.hosts ? 1 : fabric->sw[v - fabric->set.hosts].n_last_arrivals;

    return ports ? ports : 1;
}

/* Whether this window has enough work for the team. Stops counting at the threshold; begins with
 * sharded switches and the ends of the lists, where switches are, since these have most work. */
static int is_worth_the_team(const struct asim_fabric *fabric, uint64_t until)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint32_t load = 0;

    for (uint32_t i = 0; i < engine->workers.n_sharded; i++)
        load +=
            engine->workers.sharded[i]->due ? load_of(fabric, engine->workers.sharded[i]->node) : 0;
    for (uint32_t w = 0; w < engine->workers.n; w++) {
        const struct asim_worker *worker = &engine->workers.at[w];

        for (uint32_t i = worker->n_nodes; i-- > 0 && load < engine->workers.parallel_threshold;) {
            if (i < worker->n_hosts && worker->block_min[i / ASIM_BLOCK] >= until)
                i = i / ASIM_BLOCK * ASIM_BLOCK; /* no host of the block has an event */
            else if (worker->next[i] < until && asim_half_steps_includes(fabric, worker->node[i]))
                load += load_of(fabric, worker->node[i]);
        }
    }
    return load >= engine->workers.parallel_threshold;
}

/* The job of one worker. Where its lookahead is longer than a link inside it (NVLinks), it goes
 * through windows of its own. */
static void advance(void *self, uint32_t w)
{
    struct asim_fabric *fabric = self;
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_worker *worker = &engine->workers.at[w];
    uint64_t until = engine->run.until, t;

    if (engine->workers.team)
        asim_worker_prefetch(worker);
    asim_sharded_switches_distribute(fabric, worker);
    if (worker->domains && engine->run.is_long) {
        asim_domains_advance(worker, until);
    } else if (!worker->domains && asim_workers_lookahead(fabric) > fabric->set.lookahead) {
        while ((t = asim_worker_next(fabric, worker)) < until && !worker->failed) {
            asim_worker_advance(
                worker, until - t > fabric->set.lookahead ? t + fabric->set.lookahead : until);
            asim_worker_deliver(worker);
        }
        return;
    } else {
        asim_worker_advance(worker, until);
    }
    if (!engine->run.shards_due && engine->workers.n > 1)
        asim_worker_end(worker);
}

void asim_window_run(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    int together;

    engine->run.windows++;
    engine->run.is_long = engine->workers.domain_lookahead > fabric->set.lookahead &&
                          until - asim_window_next_event(fabric) > fabric->set.lookahead;
    fabric->schedule.half_next_valid = 0;
    engine->run.until = until;
    asim_sharded_switches_begin(fabric);
    together = engine->workers.team && is_worth_the_team(fabric, until);
    asim_workers_run(fabric, advance, together);
    asim_sharded_switches_end(fabric, together);
    if (engine->workers.n > 1)
        asim_workers_find_next(fabric);
}

static int deliver(struct asim_fabric *fabric, const struct asim_notification *note)
{
    if (asim_fabric_owns(fabric, note->lost ? note->msg.src : note->msg.dst))
        return asim_notification_deliver(fabric, note);
    return fabric->process_hooks->notification(fabric, note);
}

/* After a window, on the caller's thread. Returns the time of the worker's latest notification. */
static uint64_t merge(struct asim_fabric *fabric, struct asim_worker *worker)
{
    uint64_t last = worker->last_notified;

    for (size_t i = 0; i < worker->overflowed.n; i++)
        if (asim_link_ring_merge_overflow(worker->overflowed.at[i]))
            worker->failed = ASIM_ENOMEM;
    for (size_t i = 0; i < worker->outbox.n; i++) {
        if (deliver(fabric, &worker->outbox.at[i]))
            worker->failed = ASIM_ENOMEM;
        last = worker->outbox.at[i].t > last ? worker->outbox.at[i].t : last;
    }
    if (worker->pending_releases.n && fabric->process_hooks->releases(fabric, worker))
        worker->failed = ASIM_ENOMEM;
    for (size_t i = 0; i < worker->deferred_frees.n; i++)
        free(worker->deferred_frees.at[i]);
    /* Without a write the cache line stays with the worker's core. */
    if (worker->overflowed.n | worker->outbox.n | worker->deferred_frees.n)
        worker->overflowed.n = worker->outbox.n = worker->deferred_frees.n = 0;
    if (worker->failed && !fabric->failed) {
        fabric->failed = worker->failed;
        fabric->failure = worker->failure;
    }
    return last;
}

void asim_window_merge(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t last = 0;

    for (uint32_t w = 0; w < engine->workers.n; w++) {
        uint64_t t = merge(fabric, &engine->workers.at[w]);

        last = t > last ? t : last;
    }
    if (fabric->window_hooks)
        fabric->window_hooks->completions_known(fabric, last);
}
