/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the earliest event, each worker among its own nodes. A scan of all nodes by one thread took
 * 7 % of a window of 1,024 hosts with two workers.
 */
#include "fabric/clock/next_event.h"
#include "fabric/clock/domains.h"
#include "fabric/clock/sharded_switch.h"
#include "fabric/clock/engine.h"
#include "asim/topology.h"

#include <stdlib.h>
#include <string.h>

/* The nodes of this process that other workers advance and that a link joins to one of its own
 * nodes or to a sharded switch. */
int asim_worker_list_neighbours(struct asim_fabric *fabric, struct asim_worker *worker)
{
    uint8_t *own = calloc(fabric->set.nodes + (size_t)1, 1);

    worker->neighbour = malloc((fabric->set.nodes + (size_t)1) * sizeof *worker->neighbour);
    for (uint32_t i = 0; own && i < worker->n_nodes; i++)
        own[worker->node[i]] = 1;
    for (size_t w = 0; own && worker->neighbour && w < fabric->set.topo->n_links * 2; w++) {
        const struct asim_link *link = &fabric->set.topo->links[w / 2];
        uint32_t from = w % 2 ? link->b : link->a, to = w % 2 ? link->a : link->b;

        if ((own[from] != 1 && !asim_is_sharded(fabric, from)) || own[to] ||
            !asim_fabric_owns(fabric, to))
            continue;
        own[to] = 2; /* listed */
        worker->neighbour[worker->n_neighbours++] = to;
    }
    free(own);
    return own && worker->neighbour ? 0 : ASIM_ENOMEM;
}

/* Slots of two workers share no cache line of schedule.next, nor of schedule.block_min. */
enum { PART = ASIM_BLOCK * ASIM_LINE_BYTES / 8 };

/* The first slot of the next part. */
static size_t part_from(size_t at)
{
    return (at + PART - 1) / PART * PART;
}

/* Worker by worker, in the order of the worker's nodes, so that a worker scans one range; then
 * nodes of no worker, with a part for each sharded switch. */
static void assign_node_slots(struct asim_fabric *fabric, uint64_t *next, uint32_t *slot)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    size_t at = 0;

    memset(slot, -1, fabric->set.nodes * sizeof *slot);
    for (uint32_t w = 0; w < engine->workers.n; w++) {
        struct asim_worker *worker = &engine->workers.at[w];

        worker->first_slot = (uint32_t)at;
        for (uint32_t i = 0; i < worker->n_nodes; i++)
            slot[worker->node[i]] = (uint32_t)at++;
        at = part_from(at);
    }
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        if (slot[v] != UINT32_MAX)
            continue;
        slot[v] = (uint32_t)at++;
        if (asim_is_sharded(fabric, v))
            at = part_from(at);
    }
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        next[slot[v]] = fabric->schedule.next ? *asim_next_of(fabric, v) : ASIM_NEVER;
}

/* n: slots in all. 0 or ASIM_ENOMEM. */
static int set_ranges(struct asim_fabric *fabric, struct asim_worker *worker, size_t n)
{
    free(worker->min_arrival);
    worker->min_arrival = malloc(n * sizeof *worker->min_arrival);
    if (!worker->min_arrival)
        return ASIM_ENOMEM;
    memset(worker->min_arrival, -1, n * sizeof *worker->min_arrival); /* ASIM_NEVER */
    worker->next = fabric->schedule.next + worker->first_slot;
    worker->block_min = fabric->schedule.block_min + worker->first_slot / ASIM_BLOCK;
    return 0;
}

/* Whether two threads meet on a link. A shard of a sharded switch is on the thread of its hosts. */
static int is_cross_thread(const struct asim_fabric *fabric, const struct asim_link *link)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);

    if (!engine->workers.of || asim_is_sharded(fabric, link->a) || asim_is_sharded(fabric, link->b))
        return 0;
    return asim_fabric_owns(fabric, link->a) && asim_fabric_owns(fabric, link->b) &&
           engine->workers.of[link->a] != engine->workers.of[link->b];
}

static void mark_wires(struct asim_fabric *fabric)
{
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        fabric->wires[w].to_slot = fabric->schedule.slot[fabric->wires[w].to];
        fabric->wires[w].cross_thread =
            (uint32_t)is_cross_thread(fabric, &fabric->set.topo->links[w / 2]);
    }
}

int asim_workers_assign_slots(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    size_t n =
        fabric->set.nodes + PART * (engine->workers.n + engine->workers.n_sharded + (size_t)1);
    uint64_t *next = asim_calloc_lines(n, sizeof *next);
    uint64_t *block_min = asim_calloc_lines(n / ASIM_BLOCK + 1, sizeof *block_min);
    uint32_t *slot = malloc((fabric->set.nodes + (size_t)1) * sizeof *slot);
    int code = next && block_min && slot ? 0 : ASIM_ENOMEM;

    if (!code) {
        assign_node_slots(fabric, next, slot);
        ASIM_FREE(fabric->schedule.next, fabric->schedule.block_min, fabric->schedule.slot);
        fabric->schedule.next = next;
        fabric->schedule.block_min = block_min;
        fabric->schedule.slot = slot;
    } else {
        ASIM_FREE(next, block_min, slot);
    }
    for (uint32_t w = 0; w < engine->workers.n && !code; w++)
        code = set_ranges(fabric, &engine->workers.at[w], n);
    if (!code)
        mark_wires(fabric);
    return code ? code : asim_domains_open(fabric);
}

/* Merges min_arrival of a node into its next event. */
static inline uint64_t merge(uint64_t *next, uint64_t *min_arrival)
{
    uint64_t t = *min_arrival < *next ? *min_arrival : *next;

    *next = t;
    *min_arrival = ASIM_NEVER;
    return t;
}

/* The same for n nodes; returns the minimum. */
static uint64_t merge_all(uint64_t *next, uint64_t *min_arrival, uint32_t n)
{
    uint64_t first = ASIM_NEVER;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t t = merge(&next[i], &min_arrival[i]);

        first = t < first ? t : first;
    }
    return first;
}

/* Whether no frame has been sent to any of n nodes. */
static int is_none(const uint64_t *min_arrival, uint32_t n)
{
    uint64_t all = ASIM_NEVER;

    for (uint32_t i = 0; i < n; i++)
        all &= min_arrival[i];
    return all == ASIM_NEVER;
}

/* Hosts are of the hosts' half; a mask chooses the half of a switch without a branch. A block of
 * hosts needs no scan where none of its hosts advanced and no frame was sent to it. */
void asim_worker_find_next(struct asim_fabric *fabric, struct asim_worker *worker)
{
    uint64_t first[2] = {ASIM_NEVER, ASIM_NEVER},
             *min_arrival = worker->min_arrival + worker->first_slot;

    for (uint32_t i = 0; i < worker->n_hosts; i += ASIM_BLOCK) {
        uint32_t n = asim_block_hosts(worker, i);
        uint64_t *block_min = &worker->block_min[i / ASIM_BLOCK];

        if (!*block_min || !is_none(min_arrival + i, n))
            *block_min = merge_all(worker->next + i, min_arrival + i, n);
        first[0] = *block_min < first[0] ? *block_min : first[0];
    }
    for (uint32_t i = worker->n_hosts; i < worker->n_nodes; i++) {
        uint64_t one =
            0 - (uint64_t)(fabric->set.half_of ? fabric->set.half_of[worker->node[i]] : 0);
        uint64_t t = merge(&worker->next[i], &min_arrival[i]), of[2] = {t | one, t | ~one};

        first[0] = of[0] < first[0] ? of[0] : first[0];
        first[1] = of[1] < first[1] ? of[1] : first[1];
    }
    worker->half_next[0] = first[0];
    worker->half_next[1] = first[1];
}

uint64_t asim_worker_next(struct asim_fabric *fabric, struct asim_worker *worker)
{
    asim_worker_find_next(fabric, worker);
    return worker->half_next[worker->half_next[1] < worker->half_next[0]];
}

/* Adds what the workers have not seen: sharded switches, which no worker has, and frames that a
 * worker has sent to nodes of others. */
void asim_workers_find_next(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    fabric->schedule.half_next[0] = fabric->schedule.half_next[1] = ASIM_NEVER;
    fabric->schedule.half_next_valid = 1;
    for (uint32_t i = 0; i < engine->workers.n_sharded; i++) {
        uint32_t v = engine->workers.sharded[i]->node;
        uint64_t t = *asim_next_of(fabric, v);

        *asim_next_of(fabric, v) = ASIM_NEVER;
        asim_node_schedule(fabric, v, t);
    }
    for (uint32_t w = 0; w < engine->workers.n; w++) {
        struct asim_worker *worker = &engine->workers.at[w];

        for (int half = 0; half < 2; half++)
            if (worker->half_next[half] < fabric->schedule.half_next[half])
                fabric->schedule.half_next[half] = worker->half_next[half];
        for (uint32_t i = 0; i < worker->n_neighbours; i++) {
            uint64_t *t = &worker->min_arrival[fabric->schedule.slot[worker->neighbour[i]]];

            if (*t == ASIM_NEVER) /* saves a look at the node */
                continue;
            asim_node_schedule(fabric, worker->neighbour[i], *t);
            *t = ASIM_NEVER;
        }
    }
}
