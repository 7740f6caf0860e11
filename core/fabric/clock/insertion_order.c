/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See insertion_order.h. A heap holds the first event of every node. An event changes the first
 * event of its own node, and of the nodes that it touches: those that it sends a frame, a
 * notification or a wake. Notifications are delivered after each event.
 */
#include "fabric/clock/insertion_order.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/link/schedule.h"
#include "fabric/clock/window.h"
#include "fabric/switch/queue_watch.h"
#include "fabric/clock/engine.h"
#include "fabric/host/host.h"
#include "net/packets.h"
#include "fabric/host/advance.h"
#include "fabric/switch/advance.h"
#include "asim/topology.h"

/* Behind the numbers a timer's seq is its number. Notifications come behind all events that the
 * host counts itself, as link.c has it. */
#define NOTIFICATION_SEQ (1ull << 62)

static int is_for(const struct asim_fabric *fabric, uint64_t events)
{
    return events && fabric->set.hosts <= ASIM_EXACT_HOSTS && !fabric->set.process_of &&
           !fabric->losses && !fabric->events;
}

int asim_insertion_open(struct asim_fabric *fabric, uint64_t events)
{
    size_t wires = fabric->set.topo->n_links * 2, nodes = fabric->set.nodes;
    struct asim_insertion *insertion;

    if (!is_for(fabric, events))
        return 0;
    fabric->insertion = insertion = calloc(1, sizeof *insertion);
    if (!insertion)
        return ASIM_ENOMEM;
    asim_heap_init(&insertion->due);
    insertion->last = events < UINT64_MAX / 4 ? 2 * events : UINT64_MAX;
    insertion->end_at = ASIM_NEVER;
    insertion->wires = wires;
    insertion->end = calloc(wires + 1, sizeof *insertion->end);
    insertion->wire = calloc(wires + 1, sizeof *insertion->wire);
    insertion->touched = calloc(nodes + 1, sizeof *insertion->touched);
    insertion->is_touched = calloc(nodes + 1, 1);
    insertion->first = malloc((nodes + 1) * sizeof *insertion->first);
    if (!insertion->end || !insertion->wire || !insertion->touched || !insertion->is_touched ||
        !insertion->first)
        return ASIM_ENOMEM;
    memset(insertion->first, -1, (nodes + 1) * sizeof *insertion->first); /* ASIM_NEVER */
    return 0;
}

void asim_insertion_close(struct asim_fabric *fabric)
{
    struct asim_insertion *insertion = fabric->insertion;

    if (!insertion)
        return;
    for (size_t w = 0; insertion->wire && w < insertion->wires; w++)
        free(insertion->wire[w].at);
    free(insertion->end);
    free(insertion->wire);
    free(insertion->touched);
    free(insertion->is_touched);
    free(insertion->first);
    asim_heap_fini(&insertion->due);
    free(insertion);
    fabric->insertion = NULL;
}

/* Lets the node see the frames in its receive rings. */
static void open_rings(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_switch *sw = v < fabric->set.hosts ? NULL : &fabric->sw[v - fabric->set.hosts];

    for (uint32_t i = 0; !sw && i < fabric->host[v].n_nics; i++)
        asim_nic_open_ring(&fabric->host[v].nics[i]);
    for (uint32_t p = 0; sw && p < sw->n_ports; p++)
        asim_link_ring_open(sw->ports[p].port.in);
}

static struct asim_numbered_event first_of(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_numbered_event first = {ASIM_NEVER, UINT64_MAX, 0};

    open_rings(fabric, v);
    if (v < fabric->set.hosts)
        first.t = asim_host_next_numbered(&fabric->host[v], &first.number);
    else
        first.t = asim_switch_next_numbered(&fabric->sw[v - fabric->set.hosts], fabric->insertion,
                                            &first.number, &first.value);
    return first;
}

/* Looks at the first event of a node anew. */
static void refresh(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_insertion *insertion = fabric->insertion;
    struct asim_numbered_event first = first_of(fabric, v), old = insertion->first[v];

    insertion->first[v] = first;
    if (first.t == ASIM_NEVER || (first.t == old.t && first.number == old.number))
        return;
    if (asim_heap_push(&insertion->due, (struct asim_heap_entry){first.t, first.number, v}))
        asim_engine_of(fabric)->workers.at->failed = ASIM_ENOMEM;
}

static void refresh_touched(struct asim_fabric *fabric)
{
    struct asim_insertion *insertion = fabric->insertion;

    for (uint32_t i = 0; i < insertion->n_touched; i++) {
        insertion->is_touched[insertion->touched[i]] = 0;
        refresh(fabric, insertion->touched[i]);
    }
    insertion->n_touched = 0;
}

/* The node of the next event; UINT32_MAX: there is none. */
static uint32_t next_node(struct asim_fabric *fabric)
{
    struct asim_insertion *insertion = fabric->insertion;
    struct asim_heap *due = &insertion->due;

    for (uint32_t v = 0; !insertion->is_open && v < fabric->set.nodes; v++)
        asim_insertion_touch(insertion, v);
    insertion->is_open = 1;
    refresh_touched(fabric);
    while (due->n && (due->at[0].key != insertion->first[due->at[0].value].t ||
                      due->at[0].tie != insertion->first[due->at[0].value].number))
        asim_heap_pop(due);
    return due->n ? (uint32_t)due->at[0].value : UINT32_MAX;
}

uint64_t asim_insertion_next(struct asim_fabric *fabric)
{
    uint32_t v = next_node(fabric);

    return v == UINT32_MAX ? ASIM_NEVER : fabric->insertion->first[v].t;
}

/* Runs the first event of a node. */
static void run_event(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_insertion *insertion = fabric->insertion;
    struct asim_numbered_event event = insertion->first[v];
    struct asim_worker *worker;
    uint64_t t;

    asim_heap_pop(&insertion->due);
    insertion->first[v].t = ASIM_NEVER;
    asim_insertion_touch(insertion, v);
    if (v < fabric->set.hosts) {
        worker = fabric->host[v].worker;
        worker->fast_ok = 0;
        asim_host_handle_first(fabric, &fabric->host[v], event.t + 1, &t);
    } else {
        worker = fabric->sw[v - fabric->set.hosts].worker;
        asim_switch_handle_numbered(fabric, &fabric->sw[v - fabric->set.hosts], event.number,
                                    event.value);
    }
    if (worker->outbox.n | worker->overflowed.n)
        asim_window_merge(fabric);
    if (insertion->next >= insertion->last && insertion->end_at == ASIM_NEVER)
        insertion->end_at = event.t + 1;
}

static int has_failed(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    int failed = fabric->failed;

    for (uint32_t w = 0; w < engine->workers.n; w++)
        failed |= engine->workers.at[w].failed;
    return failed;
}

void asim_insertion_run(struct asim_fabric *fabric, uint64_t until)
{
    uint32_t v;

    while (!has_failed(fabric) && (v = next_node(fabric)) != UINT32_MAX &&
           fabric->insertion->first[v].t < until &&
           fabric->insertion->first[v].t < fabric->insertion->end_at)
        run_event(fabric, v);
    for (v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
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

/* From now on the network runs in windows, or node by node in per-event mode. */
static void end(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t next = fabric->insertion->next;

    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        uint64_t t = fabric->insertion->first[v].t;

        for (uint32_t w = 0; w < engine->workers.n; w++)
            engine->workers.at[w].min_arrival[fabric->schedule.slot[v]] = ASIM_NEVER;
        *asim_next_of(fabric, v) = t;
        fabric->schedule.block_min[fabric->schedule.slot[v] / ASIM_BLOCK] = 0;
        if (fabric->schedule.per_event)
            asim_node_push_due(fabric, v, t);
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        restore_timers(&fabric->host[v]);
        fabric->host[v].timer_seq = next + 2;
    }
    fabric->schedule.half_next_valid = 0;
    asim_insertion_close(fabric);
}

int asim_insertion_goes_on(struct asim_fabric *fabric)
{
    if (!fabric->insertion)
        return 0;
    if (asim_insertion_next(fabric) < fabric->insertion->end_at || has_failed(fabric))
        return 1;
    end(fabric);
    return 0;
}
