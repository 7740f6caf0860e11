/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One worker in one window, on its own thread: prefetch, advance the nodes, deliver their
 * notifications for nodes of the same worker. window.c calls these steps and delivers the
 * notifications for other workers.
 */
#include "fabric/host/completion.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/next_event.h"
#include "fabric/clock/worker.h"
#include "fabric/host/advance.h"
#include "fabric/host/host.h"
#include "fabric/link/notification.h"
#include "fabric/switch/advance.h"
#include "fabric/switch/switch.h"

/* Lets the compiler prefetch a line for writing; a processor without the instruction ignores it. */
#if defined(__x86_64__) && defined(__GNUC__)
#define FOR_WRITING __attribute__((target("prfchw")))
#else
#define FOR_WRITING
#endif

/* Frames of one wire to prefetch, and cross-thread wires from which on prefetching is left out: few
 * of so many wires carry frames, and a look at each takes a tenth of a window (1,024 wires between
 * 1,024 hosts). */
enum { MAX_PREFETCH = 32, MAX_CROSS = 512, FRAMES_A_LINE = 2 };

/* Frames written by another core lie in that core's cache, and so do the ring places this worker
 * will write to, since the other core read them last. Each line takes some 50 ns to move, so all
 * lines this window is likely to need are requested at once, ahead of their use. */
FOR_WRITING void asim_worker_prefetch(struct asim_worker *worker)
{
    if (worker->n_cross > MAX_CROSS)
        return;
    for (uint32_t i = 0; i < worker->n_inbound; i++) {
        struct asim_wire *wire = worker->cross[i];
        uint32_t head = atomic_load_explicit(&wire->head, memory_order_relaxed);
        uint32_t n = atomic_load_explicit(&wire->tail, memory_order_relaxed) - head;

        for (uint32_t f = 0; f < n && f < MAX_PREFETCH; f += FRAMES_A_LINE)
            __builtin_prefetch(&wire->at[(head + f) & wire->mask], 0);
    }
    for (uint32_t i = worker->n_inbound; i < worker->n_cross; i++) {
        struct asim_wire *wire = worker->cross[i];
        uint32_t tail = atomic_load_explicit(&wire->tail, memory_order_relaxed);
        uint32_t n = tail - wire->fetched;

        wire->fetched = tail;
        for (uint32_t f = 0; wire->at && f < n && f < MAX_PREFETCH; f += FRAMES_A_LINE)
            __builtin_prefetch(&wire->at[(tail + f) & wire->mask], 1);
    }
}

uint64_t asim_node_advance(struct asim_fabric *fabric, uint32_t v, uint64_t until)
{
    if (v < fabric->set.hosts)
        return asim_host_advance(fabric, &fabric->host[v], until);
    return asim_switch_advance(fabric, &fabric->sw[v - fabric->set.hosts], until);
}

/* The set of active nodes does not change inside a window, because frames sent in it are due behind
 * it. So active nodes are listed first, without branches that no processor can predict. The
 * time that a node returns replaces its min_arrival, because the node has seen the frames in its
 * receive rings. Prefetching the node three places ahead brings nothing: the cache misses of one
 * node overlap. */
void asim_worker_advance(struct asim_worker *worker, uint64_t until)
{
    struct asim_fabric *fabric = worker->fabric;
    uint32_t *active = worker->active, n = 0, hosts = worker->n_hosts;
    uint64_t *next = worker->next;

    for (uint32_t from = 0; asim_engine_of(fabric)->run.half != ASIM_HALF_SWITCHES && from < hosts;
         from += ASIM_BLOCK) {
        uint32_t end = from + asim_block_hosts(worker, from);

        if (worker->block_min[from / ASIM_BLOCK] >= until)
            continue;
        worker->block_min[from / ASIM_BLOCK] = 0;
        for (uint32_t i = from; i < end; i++) {
            active[n] = i;
            n += next[i] < until;
        }
    }
    for (uint32_t i = hosts; i < worker->n_nodes; i++) {
        active[n] = i;
        n += (next[i] < until) & asim_half_steps_includes(fabric, worker->node[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        next[active[i]] = asim_node_advance(fabric, worker->node[active[i]], until);
}

static int has(const struct asim_worker *worker, uint32_t v)
{
    const struct asim_fabric *fabric = worker->fabric;
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    return asim_fabric_owns(fabric, v) &&
           (!engine->workers.of || &engine->workers.at[engine->workers.of[v]] == worker);
}

/* At the end of each of the worker's own windows. What it made for others waits for the end of the
 * common window (window.c). */
void asim_worker_deliver(struct asim_worker *worker)
{
    size_t kept = 0;

    for (size_t i = 0; i < worker->overflowed.n; i++) {
        if (!has(worker, worker->overflowed.at[i]->to))
            worker->overflowed.at[kept++] = worker->overflowed.at[i];
        else if (asim_link_ring_merge_overflow(worker->overflowed.at[i]))
            worker->failed = ASIM_ENOMEM;
    }
    worker->overflowed.n = kept;
    kept = 0;
    for (size_t i = 0; i < worker->outbox.n; i++) {
        const struct asim_notification *note = &worker->outbox.at[i];

        if (!has(worker, note->lost ? note->msg.src : note->msg.dst))
            worker->outbox.at[kept++] = *note;
        else if (asim_notification_deliver(worker->fabric, note))
            worker->failed = ASIM_ENOMEM;
        worker->last_notified = note->t > worker->last_notified ? note->t : worker->last_notified;
    }
    worker->outbox.n = kept;
}

void asim_worker_end(struct asim_worker *worker)
{
    asim_worker_deliver(worker);
    asim_worker_find_next(worker->fabric, worker);
}
