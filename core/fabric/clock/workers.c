/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Assigns nodes to workers. The assignment is fixed before the run: a node that moved to another
 * thread would leave its state in the wrong core's cache, which costs more than an uneven
 * assignment. Nodes of different workers meet only in receive rings and in the constants of flows
 * (host/flow.h), so a window may advance them worker by worker or side by side with the same
 * result.
 */
#include "asim/topology.h"
#include "fabric/clock/workers.h"
#include "fabric/clock/step.h"
#include "fabric/clock/domains.h"
#include "fabric/clock/next_event.h"
#include "topo/partition.h"
#include "fabric/clock/sharded_switch.h"
#include "fabric/host/host.h"
#include "topo/route.h"

#include <stdlib.h>
#include <string.h>

/* Nodes with events in a window below which one thread does all: a node takes some 200 ns, and an
 * epoch of the team as much as two nodes. */
enum { PARALLEL_THRESHOLD = 8 };

/* Adjacent nodes that the processor may prefetch. */
enum { PREFETCHED_NODES = 8 };

void asim_workers_close(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    for (uint32_t w = 0; engine->workers.at && w < engine->workers.n; w++) {
        struct asim_worker *worker = &engine->workers.at[w];

        for (size_t i = 0; i < worker->deferred_frees.n; i++)
            free(worker->deferred_frees.at[i]);
        free(worker->deferred_frees.at);
        asim_domains_close(worker);
        ASIM_FREE(worker->node, worker->active, worker->cross, worker->min_arrival,
                  worker->neighbour, worker->outbox.at, worker->overflowed.at,
                  worker->pending_releases.at, worker->logged.at);
    }
    ASIM_FREE(engine->workers.at, engine->workers.of, engine->workers.domain_of);
    engine->workers.domain_of = NULL;
    engine->workers.at = NULL;
    engine->workers.of = NULL;
    engine->workers.n = 0;
}

/* Each list has room for the whole network: with `min_arrival` 16 bytes a node and worker. */
static int open_worker(struct asim_fabric *fabric, struct asim_worker *worker)
{
    worker->fabric = fabric;
    worker->is_alone = asim_engine_of(fabric)->workers.n == 1;
    worker->node = malloc((fabric->set.nodes + 1) * sizeof *worker->node);
    worker->active = malloc((fabric->set.nodes + 1) * sizeof *worker->active);
    return worker->node && worker->active ? 0 : ASIM_ENOMEM;
}

/* Moves the last few nodes of each ascending run to its front, in an order without a steady stride.
 * A thread that goes through adjacent nodes makes the processor prefetch the memory behind the last
 * one. That memory is another worker's, whose core would have to fetch it back: with leaves
 * assigned in turn this was a tenth of all traffic between cores. */
static void break_strides(uint32_t *node, uint32_t n)
{
    uint32_t from = 0, last[PREFETCHED_NODES];

    for (uint32_t to = 1; to <= n; to++) {
        uint32_t len = to - from;
        uint32_t few = len / 2 < PREFETCHED_NODES ? len / 4 * 2 : PREFETCHED_NODES;

        if (to < n && node[to] == node[to - 1] + 1)
            continue;
        for (uint32_t i = 0; i < few; i++)
            last[i] = node[to - 1 - (i ^ 1)];
        memmove(node + from + few, node + from, (len - few) * sizeof *node);
        memcpy(node + from, last, few * sizeof *node);
        from = to;
    }
}

/* In ascending order: nodes adjacent in memory advance one after the other. */
static void assign(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        struct asim_worker *worker =
            &engine->workers.at[engine->workers.of ? engine->workers.of[v] : 0];

        if (!asim_fabric_owns(fabric, v))
            continue;
        if (v < fabric->set.hosts) {
            fabric->host[v].worker = worker;
            worker->n_hosts++;
        } else {
            fabric->sw[v - fabric->set.hosts].worker = worker;
            if (fabric->sw[v - fabric->set.hosts].shard)
                fabric->sw[v - fabric->set.hosts].shard->worker = worker;
        }
        worker->node[worker->n_nodes++] = v;
    }
    for (uint32_t w = 0; engine->workers.n > 1 && w < engine->workers.n; w++) {
        struct asim_worker *worker = &engine->workers.at[w];

        if (worker->n_hosts &&
            worker->node[worker->n_hosts - 1] - worker->node[0] >= worker->n_hosts)
            break_strides(worker->node, worker->n_hosts);
        break_strides(worker->node + worker->n_hosts, worker->n_nodes - worker->n_hosts);
    }
}

int asim_workers_open(struct asim_fabric *fabric, uint32_t n, const uint32_t *of)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    asim_workers_close(fabric);
    engine->workers.at = asim_calloc_lines(n, sizeof *engine->workers.at);
    if (!engine->workers.at)
        return ASIM_ENOMEM;
    engine->workers.n = fabric->set.threads = n;
    if (!engine->workers.min_ports)
        engine->workers.min_ports = ASIM_MIN_SHARDED_PORTS;
    fabric->caller = engine->workers.at;
    for (uint32_t w = 0; w < n; w++)
        if (open_worker(fabric, &engine->workers.at[w]))
            return ASIM_ENOMEM;
    if (of) {
        engine->workers.of = malloc((fabric->set.nodes + 1) * sizeof *engine->workers.of);
        if (!engine->workers.of)
            return ASIM_ENOMEM;
        for (uint32_t v = 0; v < fabric->set.nodes; v++)
            engine->workers.of[v] = (uint16_t)(of[v] % n);
    }
    assign(fabric);
    return asim_workers_assign_slots(fabric);
}

/* The cross-thread wires of worker w, inbound ones first. Linear in links for each worker. */
static int list_cross_wires(struct asim_fabric *fabric, uint32_t w)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_worker *worker = &engine->workers.at[w];
    size_t wires = fabric->set.topo->n_links * 2;

    worker->cross = malloc((wires + 1) * sizeof(*worker->cross));
    if (!worker->cross)
        return ASIM_ENOMEM;
    for (int inbound = 1; inbound >= 0; inbound--) {
        for (size_t i = 0; i < wires; i++) {
            struct asim_wire *wire = &fabric->wires[i];

            if (wire->cross_thread && engine->workers.of[inbound ? wire->to : wire->from] == w)
                worker->cross[worker->n_cross++] = wire;
        }
        worker->n_inbound = inbound ? worker->n_cross : worker->n_inbound;
    }
    return 0;
}

/* The time in which one worker can act on another: a link delay, or a timeout. */
static uint64_t lookahead_of(const struct asim_fabric *fabric, const uint32_t *of)
{
    struct asim_partition workers = {.of = (uint32_t *)of};
    uint64_t lookahead;

    asim_partition_measure(&workers, fabric->set.topo);
    lookahead = asim_fs_to_ticks(fabric, workers.lookahead_fs);
    return fabric->set.rto && fabric->set.rto < lookahead ? fabric->set.rto : lookahead;
}

/* Searches all routes now, because a look-up by a thread must not change anything. */
static int use_threads(struct asim_fabric *fabric, uint32_t n, const uint32_t *of,
                       struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    int code = asim_route_fill_all(fabric->route, err);

    if (code)
        return code;
    if (asim_workers_open(fabric, n, of))
        return asim_err_nomem(err, "dividing the network among threads");
    engine->workers.lookahead = lookahead_of(fabric, of);
    if (asim_sharded_switches_open(fabric) || asim_workers_assign_slots(fabric))
        return asim_err_nomem(err, "dividing the network among threads");
    for (uint32_t w = 0; w < n; w++)
        if (list_cross_wires(fabric, w) ||
            asim_worker_list_neighbours(fabric, &engine->workers.at[w]))
            return asim_err_nomem(err, "dividing the network among threads");
    engine->workers.parallel_threshold = PARALLEL_THRESHOLD;
    return asim_thread_team_open(&engine->workers.team, n, err);
}

int asim_fabric_threads(struct asim_fabric *fabric, uint32_t n, const uint32_t *of,
                        struct asim_err *err)
{
    struct asim_partition threads = {.n = 0};
    int code = 0;

    if (n < 2 || fabric->schedule.per_event)
        return 0;
    if (!of)
        code = asim_partition_make(&threads, fabric->set.topo, n, 1, err);
    if (!code)
        code = use_threads(fabric, n, of ? of : threads.of, err);
    asim_partition_fini(&threads);
    return code;
}

const uint16_t *asim_fabric_worker_of(const struct asim_fabric *fabric, uint32_t *n)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    *n = engine->workers.n;
    return engine->workers.of;
}
