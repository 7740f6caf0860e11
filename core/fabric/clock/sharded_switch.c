/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Advances switches whose ports several workers handle. Costs: two epochs of the team and, on the
 * caller's thread, the order of the busy ports' ties: 1 to 2 us a window for 128 ports.
 */
#include "fabric/clock/sharded_switch.h"
#include "fabric/switch/bulk/bulk.h"
#include "fabric/clock/next_event.h"
#include "fabric/clock/workers.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/worker.h"
#include "fabric/switch/advance.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "topo/topo.h"
#include "net/ways.h"

#include <stdlib.h>

enum { MAX_WORKERS = UINT8_MAX };

/* Whether the hosts of a switch have several workers; of[p] becomes the worker of port p's host. */
static int is_shardable(const struct asim_fabric *fabric, const struct asim_switch *sw, uint8_t *of)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const struct asim_topo *topo = fabric->set.topo;
    uint32_t differ = 0;

    if (!asim_topo_is_star(topo, sw->node, engine->workers.min_ports))
        return 0;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        of[p] = (uint8_t)engine->workers.of[topo->ports[topo->first_port[sw->node] + p].peer];
        differ += of[p] != of[0];
    }
    return differ > 0;
}

/* One shard for each worker of of[]; shard 0 is that of the worker that has the switch. */
static int shard_switch(struct asim_fabric *fabric, struct asim_switch *sw, uint8_t *of)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint8_t shard_of[MAX_WORKERS + 1] = {0};
    struct asim_worker *worker[MAX_WORKERS + 1] = {sw->worker};
    uint32_t n = 1;

    shard_of[sw->worker - engine->workers.at] = 1; /* 1 + the shard */
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        if (!shard_of[of[p]]) {
            worker[n++] = &engine->workers.at[of[p]];
            shard_of[of[p]] = (uint8_t)n;
        }
        of[p] = (uint8_t)(shard_of[of[p]] - 1);
    }
    if (asim_switch_shards_open(sw, n, of))
        return ASIM_ENOMEM;
    for (uint32_t d = 0; d < n; d++)
        sw->shard[d].worker = worker[d];
    engine->workers.sharded[engine->workers.n_sharded++] = sw;
    return 0;
}

/* A sharded switch is no longer among the nodes of its worker. */
static void drop_sharded(const struct asim_fabric *fabric, struct asim_worker *worker)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < worker->n_nodes; i++)
        if (!asim_is_sharded(fabric, worker->node[i]))
            worker->node[kept++] = worker->node[i];
    worker->n_nodes = kept;
}

int asim_sharded_switches_open(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint32_t switches = fabric->set.nodes - fabric->set.hosts, most = 1;
    uint8_t *of;
    int code = 0;

    if (engine->workers.n > MAX_WORKERS || !(fabric->ways & ASIM_WAY_SHARDS) ||
        engine->workers.lookahead > fabric->set.lookahead)
        return 0;
    for (uint32_t v = 0; v < switches; v++)
        most = fabric->sw[v].n_ports > most ? fabric->sw[v].n_ports : most;
    of = malloc(most);
    engine->workers.sharded = malloc((switches + (size_t)1) * sizeof *engine->workers.sharded);
    if (!of || !engine->workers.sharded)
        code = ASIM_ENOMEM;
    for (uint32_t v = 0; v < switches && !code; v++)
        if (is_shardable(fabric, &fabric->sw[v], of))
            code = shard_switch(fabric, &fabric->sw[v], of);
    for (uint32_t w = 0; w < engine->workers.n && !code; w++)
        drop_sharded(fabric, &engine->workers.at[w]);
    free(of);
    return code;
}

int asim_sharded_switches_close(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    for (; engine->workers.n_sharded; engine->workers.n_sharded--) {
        struct asim_switch *sw = engine->workers.sharded[engine->workers.n_sharded - 1];

        if (asim_switch_shards_open(sw, 1, NULL))
            return ASIM_ENOMEM;
        sw->shard->worker = sw->worker;
        sw->worker->node[sw->worker->n_nodes++] = sw->node;
    }
    return asim_workers_assign_slots(fabric);
}

/* The worker's shard, NULL if it has none or the switch has nothing to do in this window. */
static struct asim_switch_shard *shard_due(struct asim_switch *sw, const struct asim_worker *worker)
{
    for (uint32_t d = 0; sw->due && d < sw->n_shards; d++)
        if (sw->shard[d].worker == worker)
            return &sw->shard[d];
    return NULL;
}

/* A lower bound of the window's events; a half-step is two lookaheads long. */
static uint64_t begin_of(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    return engine->run.until > 2 * fabric->set.lookahead
               ? engine->run.until - 2 * fabric->set.lookahead
               : 0;
}

void asim_sharded_switches_begin(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    engine->run.shards_due = 0;
    for (uint32_t i = 0; i < engine->workers.n_sharded; i++) {
        struct asim_switch *sw = engine->workers.sharded[i];

        sw->due = *asim_next_of(fabric, sw->node) < engine->run.until &&
                  asim_half_steps_includes(fabric, sw->node);
        engine->run.shards_due |= sw->due;
    }
}

void asim_sharded_switches_distribute(struct asim_fabric *fabric, struct asim_worker *worker)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    for (uint32_t i = 0; i < engine->workers.n_sharded; i++) {
        struct asim_switch_shard *shard = shard_due(engine->workers.sharded[i], worker);

        if (!shard)
            continue;
        asim_switch_shard_open_rings(shard, engine->run.until);
        asim_switch_shard_bucket(fabric, shard, begin_of(fabric), engine->run.until);
    }
}

/* Second epoch: the shards serve their egress ports. Where the switch may pause, the worker that
 * has it advances the whole switch event by event. */
static void serve(void *self, uint32_t w)
{
    struct asim_fabric *fabric = self;
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_worker *worker = &engine->workers.at[w];

    for (uint32_t i = 0; i < engine->workers.n_sharded; i++) {
        struct asim_switch *sw = engine->workers.sharded[i];
        struct asim_switch_shard *shard = shard_due(sw, worker);

        if (!shard)
            continue;
        if (sw->bulk)
            asim_switch_shard_serve(fabric, shard, begin_of(fabric), engine->run.until);
        else if (shard == sw->shard)
            asim_switch_events(fabric, sw, begin_of(fabric), engine->run.until);
    }
}

/* Third epoch: the shards update their ingress ports. */
static void finish(void *self, uint32_t w)
{
    struct asim_fabric *fabric = self;
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    for (uint32_t i = 0; i < engine->workers.n_sharded; i++) {
        struct asim_switch_shard *shard =
            shard_due(engine->workers.sharded[i], &engine->workers.at[w]);

        if (!shard)
            continue;
        if (engine->workers.sharded[i]->bulk)
            asim_switch_shard_settle(shard);
        shard->next_event = asim_switch_shard_next(shard);
    }
    asim_worker_end(&engine->workers.at[w]);
}

/* The next event among frames the shards have seen. */
static uint64_t next_of_shards(const struct asim_switch *sw)
{
    uint64_t next = ASIM_NEVER;

    for (uint32_t d = 0; d < sw->n_shards; d++)
        next = sw->shard[d].next_event < next ? sw->shard[d].next_event : next;
    return next;
}

void asim_sharded_switches_end(struct asim_fabric *fabric, int together)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    if (!engine->run.shards_due)
        return;
    for (uint32_t i = 0; i < engine->workers.n_sharded; i++)
        if (engine->workers.sharded[i]->due)
            asim_switch_decide_bulk(engine->workers.sharded[i], fabric->set.data_queue);
    asim_workers_run(fabric, serve, together);
    for (uint32_t i = 0; i < engine->workers.n_sharded; i++)
        if (engine->workers.sharded[i]->due && engine->workers.sharded[i]->bulk)
            asim_order_ties(engine->workers.sharded[i]);
    asim_workers_run(fabric, finish, together);
    for (uint32_t i = 0; i < engine->workers.n_sharded; i++) {
        struct asim_switch *sw = engine->workers.sharded[i];

        if (!sw->due)
            continue;
        if (sw->bulk)
            asim_bulk_window_end(sw, 2 * fabric->set.lookahead);
        *asim_next_of(fabric, sw->node) = next_of_shards(sw);
    }
}
