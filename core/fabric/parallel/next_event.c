/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What comes next: each worker finds it for its own nodes, which are in its core's cache, and the
 * caller asks the workers and no nodes but those where they meet. With two workers, to go through
 * all nodes on one thread was 7 % of a window of 1,024 hosts.
 */
#include "fabric/parallel/workers.h"
#include "fabric/parallel/sharded_switch.h"

#include <stdlib.h>
#include <string.h>

/* Nodes of this process that the worker does not advance and one of its nodes, or of its shards, is
 * next to. Linear in links for each worker. */
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

/* No cache line of `least`, nor of `next`, is of two workers. */
enum { PART = ASIM_BLOCK * ASIM_LINE_BYTES / 8 };

/* Where the next worker's part begins. */
static size_t part_from(size_t at)
{
    return (at + PART - 1) / PART * PART;
}

/* One worker after the other, each in the order of its nodes, so that it looks through its own in
 * one go; then the nodes that no worker has, those of shared switches apart from each other. */
static void place_nodes(struct asim_fabric *fabric, uint64_t *next, uint32_t *place)
{
    size_t at = 0;

    memset(place, -1, fabric->set.nodes * sizeof *place);
    for (uint32_t l = 0; l < fabric->workers.n; l++) {
        struct asim_worker *worker = &fabric->workers.at[l];

        worker->first_slot = (uint32_t)at;
        for (uint32_t i = 0; i < worker->n_nodes; i++)
            place[worker->node[i]] = (uint32_t)at++;
        at = part_from(at);
    }
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        if (place[v] != UINT32_MAX)
            continue;
        place[v] = (uint32_t)at++;
        if (asim_is_sharded(fabric, v))
            at = part_from(at);
    }
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        next[place[v]] = fabric->run.next ? *asim_next_of(fabric, v) : ASIM_NEVER;
}

/* n places. 0 or ASIM_ENOMEM. */
static int place_lane(struct asim_fabric *fabric, struct asim_worker *worker, size_t n)
{
    free(worker->min_arrival);
    worker->min_arrival = malloc(n * sizeof *worker->min_arrival);
    if (!worker->min_arrival)
        return ASIM_ENOMEM;
    memset(worker->min_arrival, -1, n * sizeof *worker->min_arrival); /* ASIM_NEVER */
    worker->next = fabric->run.next + worker->first_slot;
    worker->block_min = fabric->run.block_min + worker->first_slot / ASIM_BLOCK;
    return 0;
}

/* Whether threads meet on a link: the shards of a shared switch are where their hosts are. */
static int is_apart(const struct asim_fabric *fabric, const struct asim_link *link)
{
    if (!fabric->workers.of || asim_is_sharded(fabric, link->a) || asim_is_sharded(fabric, link->b))
        return 0;
    return asim_fabric_owns(fabric, link->a) && asim_fabric_owns(fabric, link->b) &&
           fabric->workers.of[link->a] != fabric->workers.of[link->b];
}

static void place_wires(struct asim_fabric *fabric)
{
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        fabric->wires[w].to_slot = fabric->run.slot[fabric->wires[w].to];
        fabric->wires[w].cross_thread = (uint32_t)is_apart(fabric, &fabric->set.topo->links[w / 2]);
    }
}

int asim_workers_assign_slots(struct asim_fabric *fabric)
{
    size_t n =
        fabric->set.nodes + PART * (fabric->workers.n + fabric->workers.n_sharded + (size_t)1);
    uint64_t *next = asim_calloc_lines(n, sizeof *next);
    uint64_t *least = asim_calloc_lines(n / ASIM_BLOCK + 1, sizeof *least);
    uint32_t *place = malloc((fabric->set.nodes + (size_t)1) * sizeof *place);
    int code = next && least && place ? 0 : ASIM_ENOMEM;

    if (!code) {
        place_nodes(fabric, next, place);
        free(fabric->run.next);
        free(fabric->run.block_min);
        free(fabric->run.slot);
        fabric->run.next = next;
        fabric->run.block_min = least;
        fabric->run.slot = place;
    } else {
        free(next);
        free(least);
        free(place);
    }
    for (uint32_t l = 0; l < fabric->workers.n && !code; l++)
        code = place_lane(fabric, &fabric->workers.at[l], n);
    if (!code)
        place_wires(fabric);
    return code;
}

/* The earliest event of a node, with what its worker has sent it. */
static inline uint64_t take(uint64_t *next, uint64_t *min_arrival)
{
    uint64_t t = *min_arrival < *next ? *min_arrival : *next;

    *next = t;
    *min_arrival = ASIM_NEVER;
    return t;
}

/* The least of n nodes. */
static uint64_t take_all(uint64_t *next, uint64_t *min_arrival, uint32_t n)
{
    uint64_t first = ASIM_NEVER;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t t = take(&next[i], &min_arrival[i]);

        first = t < first ? t : first;
    }
    return first;
}

/* Whether nothing has been sent to any of n nodes. */
static int is_none(const uint64_t *min_arrival, uint32_t n)
{
    uint64_t all = ASIM_NEVER;

    for (uint32_t i = 0; i < n; i++)
        all &= min_arrival[i];
    return all == ASIM_NEVER;
}

/* Hosts are of the first side; of switches without a branch on it. Where nobody in a block of hosts
 * had a turn, and nothing was sent to any, what is next there is known. */
void asim_worker_find_next(struct asim_fabric *fabric, struct asim_worker *worker)
{
    uint64_t first[2] = {ASIM_NEVER, ASIM_NEVER},
             *min_arrival = worker->min_arrival + worker->first_slot;

    for (uint32_t i = 0; i < worker->n_hosts; i += ASIM_BLOCK) {
        uint32_t n = asim_block_hosts(worker, i);
        uint64_t *least = &worker->block_min[i / ASIM_BLOCK];

        if (!*least || !is_none(min_arrival + i, n))
            *least = take_all(worker->next + i, min_arrival + i, n);
        first[0] = *least < first[0] ? *least : first[0];
    }
    for (uint32_t i = worker->n_hosts; i < worker->n_nodes; i++) {
        uint64_t one =
            0 - (uint64_t)(fabric->set.half_of ? fabric->set.half_of[worker->node[i]] : 0);
        uint64_t t = take(&worker->next[i], &min_arrival[i]), of[2] = {t | one, t | ~one};

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

/* Shared switches are no worker's, and what was sent to others' nodes is nowhere yet. */
void asim_workers_find_next(struct asim_fabric *fabric)
{
    fabric->run.half_next[0] = fabric->run.half_next[1] = ASIM_NEVER;
    fabric->run.half_next_valid = 1;
    for (uint32_t i = 0; i < fabric->workers.n_sharded; i++) {
        uint32_t v = fabric->workers.sharded[i]->node;
        uint64_t t = *asim_next_of(fabric, v);

        *asim_next_of(fabric, v) = ASIM_NEVER;
        asim_node_schedule(fabric, v, t);
    }
    for (uint32_t l = 0; l < fabric->workers.n; l++) {
        struct asim_worker *worker = &fabric->workers.at[l];

        for (int side = 0; side < 2; side++)
            if (worker->half_next[side] < fabric->run.half_next[side])
                fabric->run.half_next[side] = worker->half_next[side];
        for (uint32_t i = 0; i < worker->n_neighbours; i++) {
            uint64_t *t = &worker->min_arrival[fabric->run.slot[worker->neighbour[i]]];

            if (*t == ASIM_NEVER) /* without a look at the node */
                continue;
            asim_node_schedule(fabric, worker->neighbour[i], *t);
            *t = ASIM_NEVER;
        }
    }
}
