/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs the events of the list (link/insertion.h) one by one. Notifications are delivered after each
 * event.
 */
#include "fabric/clock/insertion_order.h"

#include <stdlib.h>

#include "fabric/link/schedule.h"
#include "fabric/clock/window.h"
#include "fabric/switch/queue.h"
#include "fabric/clock/engine.h"
#include "fabric/host/host.h"
#include "fabric/host/advance.h"
#include "fabric/host/qp.h"
#include "fabric/link/insertion.h"
#include "fabric/switch/advance.h"
#include "asim/topology.h"
#include "base/heap.h"
#include "fabric/clock/ways.h"
#include "net/ways.h"

/* Behind the numbers a timer's seq is its number. Notifications come behind all events that the
 * host counts itself, as link.c has it. */
#define NOTIFICATION_SEQ (1ull << 62)

/* The list, and its heap of events that come later. */
struct insertion_order {
    struct asim_insertion list;
    struct asim_heap far;
};

int asim_insertion_open(struct asim_fabric *fabric, uint64_t events)
{
    struct insertion_order *order;

    asim_ways_find(fabric);
    if (!events || !(fabric->ways & ASIM_WAY_EVENT_LIST))
        return 0;
    order = calloc(1, sizeof *order);
    if (!order)
        return ASIM_ENOMEM;
    fabric->insertion = &order->list;
    order->list.far = &order->far;
    asim_heap_init(&order->far);
    order->list.last = events;
    order->list.end_at = ASIM_NEVER;
    asim_ways_find(fabric);
    return 0;
}

void asim_insertion_close(struct asim_fabric *fabric)
{
    struct asim_insertion *insertion = fabric->insertion;

    if (!insertion)
        return;
    free(insertion->at);
    asim_heap_fini(insertion->far);
    free(insertion);
    fabric->insertion = NULL;
}

/* A host's event. A wake that was replaced since has another number. */
static void run_host(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                     const struct asim_inserted *event)
{
    switch (event->what & 3) {
    case ASIM_INSERTED_ARRIVAL:
        asim_nic_open_ring(nic);
        asim_host_begin(host, nic->arrival_at, asim_nic_arrival_tie_key(nic));
        asim_host_handle_frame(fabric, host, nic);
        break;
    case ASIM_INSERTED_END:
        asim_host_begin(host, nic->port.busy_until, asim_port_tie_key(&nic->port));
        nic->port.busy = 0;
        asim_nic_kick(fabric, host, nic, host->now);
        break;
    case ASIM_INSERTED_WAKE:
        if (nic->wake_at == ASIM_NEVER || nic->wake_seq != event->number)
            break;
        asim_host_begin(host, nic->wake_at, nic->wake_tie);
        nic->wake_at = ASIM_NEVER;
        asim_nic_kick(fabric, host, nic, host->now);
        break;
    default:
        if (!host->timers.n || host->timers.at->t > (*host->insertion)->now) /* dropped */
            break;
        asim_host_begin(host, host->timers.at->t, host->timers.at->seq);
        asim_host_handle_timer(fabric, host);
    }
}

static void run_event(struct asim_fabric *fabric, const struct asim_inserted *event)
{
    uint32_t index = event->what >> 2;
    const struct asim_wire *wire = &fabric->wires[index];
    struct asim_worker *worker;
    uint32_t v, p;

    if ((event->what & 3) == ASIM_INSERTED_TIMER)
        v = index, p = 0;
    else if ((event->what & 3) == ASIM_INSERTED_ARRIVAL)
        v = wire->to, p = wire->to_port;
    else
        v = wire->from, p = fabric->wires[index ^ 1].to_port;
    if (v < fabric->set.hosts) {
        worker = fabric->host[v].worker;
        run_host(fabric, &fabric->host[v], &fabric->host[v].nics[p], event);
    } else {
        worker = fabric->sw[v - fabric->set.hosts].worker;
        asim_switch_handle_one(fabric, &fabric->sw[v - fabric->set.hosts], p,
                               (event->what & 3) == ASIM_INSERTED_END);
    }
    if (worker->outbox.n | worker->overflowed.n)
        asim_window_merge(fabric);
}

static int has_failed(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    int failed = fabric->failed;

    if (fabric->insertion->failed)
        engine->workers.at->failed = ASIM_ENOMEM;
    for (uint32_t w = 0; w < engine->workers.n; w++)
        failed |= engine->workers.at[w].failed;
    return failed;
}

uint64_t asim_insertion_next(struct asim_fabric *fabric)
{
    return asim_insertion_first(fabric->insertion);
}

void asim_insertion_run(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_insertion *insertion = fabric->insertion;
    struct asim_inserted event;
    uint64_t t;

    while (!has_failed(fabric) && (t = asim_insertion_first(insertion)) < until &&
           t < insertion->end_at) {
        while (asim_insertion_take(insertion, t, &event))
            run_event(fabric, &event);
        if (insertion->next >= insertion->last)
            insertion->end_at = t + 1;
    }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        if (fabric->sw[v].samples)
            asim_queue_flush_samples(fabric, &fabric->sw[v]);
}

/* Gives the entries of a heap their tie keys back; the numbers keep the order of equal ones. */
static void restore_timers(struct asim_host *host)
{
    struct asim_event_entry *at = host->timers.at;

    for (size_t n = host->timers.n, i = host->timers.n = 0; i < n; i++) {
        struct asim_event_entry entry = at[i];
        uint64_t number = entry.tie;

        entry.tie = entry.seq;
        entry.seq = number;
        if (entry.value >> 56 == ASIM_TIMER_ARRIVED || entry.value >> 56 == ASIM_TIMER_NOTIFICATION)
            entry.seq |= NOTIFICATION_SEQ;
        asim_event_heap_push(&host->timers, entry); /* into its own memory, behind entry i */
    }
}

/* From now on the network runs in windows, or node by node in per-event mode. Each node looks for
 * its next event at the time of the first of all. */
static void end(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t next = fabric->insertion->next, t = asim_insertion_next(fabric);

    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        for (uint32_t w = 0; w < engine->workers.n; w++)
            engine->workers.at[w].min_arrival[fabric->schedule.slot[v]] = ASIM_NEVER;
        *asim_next_of(fabric, v) = t;
        fabric->schedule.block_min[fabric->schedule.slot[v] / ASIM_BLOCK] = 0;
        if (fabric->schedule.per_event)
            asim_node_push_due(fabric, v, t);
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        restore_timers(&fabric->host[v]);
        fabric->host[v].timer_seq = next + 1;
    }
    fabric->schedule.half_next_valid = 0;
    fabric->listed_until = fabric->insertion->end_at;
    asim_insertion_close(fabric);
}

int asim_insertion_goes_on(struct asim_fabric *fabric)
{
    if (!fabric->insertion)
        return 0;
    if (fabric->insertion->end_at == ASIM_NEVER || has_failed(fabric) ||
        asim_insertion_next(fabric) < fabric->insertion->end_at)
        return 1;
    end(fabric);
    return 0;
}
