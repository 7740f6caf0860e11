/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What is kept of an episode beside its sends and cues: counters, the residue, paths.
 *
 * The residue is all that a network at rest remembers and that may decide anything later: where
 * each round robin stands, how many finished queue pairs wait to be swept, and in which order ports
 * came last, which is the last tie-break (order.h). Absolute times and counts are not part of it:
 * they decide nothing where the features that look at them (INT, PINT, random losses) are not in
 * use.
 */
#include "fabric/episode.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/node.h"
#include "fabric/runs.h"

int asim_feed_is_same(const struct asim_feed *a, const struct asim_feed *b)
{
    return a->t == b->t && a->tie == b->tie && a->bytes == b->bytes && a->path == b->path &&
           a->dst == b->dst;
}

/* Walks every counter in one order; counters are all 64 bits wide. */
struct walk {
    uint64_t *kept; /* next place of the list */
    int sign;       /* -1: kept = counter; 0: kept = counter - kept; 1: counter += times x kept */
    uint64_t times;
};

/* n counters in a row; the walk's place moves on with them. */
static void visit(struct walk *walk, uint64_t *counters, size_t n)
{
    for (size_t i = 0; i < n; i++, walk->kept++) {
        if (walk->sign < 0)
            *walk->kept = counters[i];
        else if (!walk->sign)
            *walk->kept = counters[i] - *walk->kept;
        else
            counters[i] += walk->times * *walk->kept;
    }
}

/* How many of each there are. Peaks are no counts: what is played has been simulated once, and then
 * the queue was as long as it will be. */
enum {
    WIRE_COUNTS = 4,
    HOST_COUNTS = 1 + (int)(sizeof(struct asim_host_counts) / sizeof(uint64_t)),
    SWITCH_COUNTS = 6,
    PORT_COUNTS = 3
};

/* Those of the switch, then those of its ports. */
static void visit_switch(struct walk *walk, struct asim_switch *sw)
{
    uint64_t *const of[SWITCH_COUNTS] = {&sw->drops,      &sw->marks,    &sw->pauses,
                                         &sw->drop_bytes, &sw->pfc_made, &sw->pfc_got};

    for (size_t i = 0; i < SWITCH_COUNTS; i++)
        visit(walk, of[i], 1);
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        struct asim_switch_port *port = &sw->ports[p];
        uint64_t *const at[PORT_COUNTS] = {&port->marks, &port->pauses, &port->drops};

        for (size_t i = 0; i < PORT_COUNTS; i++)
            visit(walk, at[i], 1);
    }
}

/* Wires, hosts, switches: the order of the list, and nothing else, depends on it. */
static void visit_all(struct asim_fabric *fabric, struct walk *walk)
{
    for (size_t w = 0; w < fabric->topo->n_links * 2; w++) {
        struct asim_wire *wire = &fabric->wires[w];
        uint64_t *const of[WIRE_COUNTS] = {&wire->frames, &wire->bytes, &wire->got,
                                           &wire->got_bytes};

        for (size_t i = 0; i < WIRE_COUNTS; i++)
            visit(walk, of[i], 1);
    }
    for (uint32_t v = 0; v < fabric->hosts; v++) {
        visit(walk, &fabric->host[v].messages, 1);
        visit(walk, (uint64_t *)&fabric->host[v].counts, HOST_COUNTS - 1);
    }
    for (uint32_t v = fabric->hosts; v < fabric->nodes; v++)
        visit_switch(walk, &fabric->sw[v - fabric->hosts]);
}

/* Words that visit_all walks over. */
size_t asim_counts_size(const struct asim_fabric *fabric)
{
    size_t n = fabric->topo->n_links * 2 * WIRE_COUNTS + (size_t)fabric->hosts * HOST_COUNTS;

    for (uint32_t v = fabric->hosts; v < fabric->nodes; v++)
        n += SWITCH_COUNTS + (size_t)fabric->sw[v - fabric->hosts].n_ports * PORT_COUNTS;
    return n;
}

void asim_counts_take(struct asim_fabric *fabric, uint64_t *counts)
{
    visit_all(fabric, &(struct walk){counts, -1, 0});
}

void asim_counts_difference(struct asim_fabric *fabric, uint64_t *counts)
{
    visit_all(fabric, &(struct walk){counts, 0, 0});
}

void asim_counts_add(struct asim_fabric *fabric, uint64_t *counts, uint64_t times)
{
    visit_all(fabric, &(struct walk){counts, 1, times});
}

uint64_t asim_counts_hops(const struct asim_fabric *fabric)
{
    uint64_t hops = 0;

    for (size_t w = 0; w < fabric->topo->n_links * 2; w++)
        hops += fabric->wires[w].frames;
    return hops;
}

/* Of what depends on, or is shown with, more than an episode holds: drops, pauses, random marks. */
static uint64_t odd_events(const struct asim_fabric *fabric)
{
    uint64_t odd = 0;

    for (uint32_t v = 0; v < fabric->hosts; v++) {
        const struct asim_host_counts *n = &fabric->host[v].counts;

        odd += n->pfc_made + n->pfc_got + n->again + n->discarded + n->duplicates;
    }
    for (uint32_t v = 0; v < fabric->nodes - fabric->hosts; v++) {
        const struct asim_switch *sw = &fabric->sw[v];

        odd += sw->drops + sw->pfc_made + sw->pfc_got + sw->told;
        for (uint32_t p = 0; p < sw->n_ports; p++)
            odd += sw->ports[p].draws;
    }
    return odd;
}

struct asim_episode *asim_episode_new(const struct asim_fabric *fabric)
{
    struct asim_episode *episode = calloc(1, sizeof *episode);

    if (!episode)
        return NULL;
    episode->part = calloc(fabric->hosts + 1, sizeof *episode->part);
    episode->counts = malloc((asim_counts_size(fabric) + 1) * sizeof *episode->counts);
    if (episode->part && episode->counts)
        return episode;
    asim_episode_free(episode, fabric->hosts);
    return NULL;
}

void asim_episode_begin(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin)
{
    episode->begin = begin;
    episode->odd = odd_events(fabric);
    episode->spoiled = 0;
    for (uint32_t v = 0; v < fabric->hosts; v++)
        episode->part[v].feeds.n = episode->part[v].cues.n = 0;
    asim_counts_take(fabric, episode->counts);
}

/* Takes one whose allocation failed half-way, too. */
void asim_episode_free(struct asim_episode *episode, uint32_t hosts)
{
    for (uint32_t v = 0; episode->part && v < hosts; v++) {
        free(episode->part[v].feeds.at);
        free(episode->part[v].cues.at);
    }
    free(episode->part);
    free(episode->counts);
    free(episode);
}

void asim_episode_end(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t end)
{
    asim_counts_difference(fabric, episode->counts);
    episode->spoiled |= episode->odd != odd_events(fabric);
    episode->length = end - episode->begin;
    episode->bytes = sizeof *episode + asim_counts_size(fabric) * sizeof *episode->counts;
    for (uint32_t v = 0; v < fabric->hosts; v++)
        episode->bytes += sizeof *episode->part +
                          episode->part[v].feeds.cap * sizeof(struct asim_feed) +
                          episode->part[v].cues.cap * sizeof(struct asim_cue);
}

/* A port with the count at which it was last used. */
struct ranked {
    uint64_t seq;
    uint32_t port;
};

/* Ports that were never used have 0 and stand in their own order. */
static int by_seq(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* Appends the ports in the order of their seq: only the order counts. */
static uint32_t *put_order(uint32_t *at, struct ranked *ports, uint32_t n)
{
    qsort(ports, n, sizeof *ports, by_seq);
    for (uint32_t i = 0; i < n; i++)
        *at++ = ports[i].port;
    return at;
}

/* Twice: by what came in last, and by what was sent last. */
static uint32_t *put_orders(uint32_t *at, const struct asim_fabric *fabric, uint32_t node,
                            struct ranked *ports)
{
    uint32_t first = fabric->topo->first_port[node], n = fabric->topo->first_port[node + 1] - first;

    for (uint32_t i = 0; i < n; i++)
        ports[i] = (struct ranked){fabric->ports[first + i]->in_seq, i};
    at = put_order(at, ports, n);
    for (uint32_t i = 0; i < n; i++)
        ports[i] = (struct ranked){fabric->ports[first + i]->start_seq, i};
    return put_order(at, ports, n);
}

int asim_orders_take(const struct asim_fabric *fabric, uint64_t *at)
{
    uint32_t total = fabric->topo->first_port[fabric->nodes];
    struct ranked *ports = malloc((total + 1) * sizeof *ports);
    uint32_t *order = malloc((2 * (size_t)total + 1) * sizeof *order), *end = order;

    for (uint32_t v = 0; ports && order && v < fabric->nodes; v++)
        end = put_orders(end, fabric, v, ports);
    for (size_t i = 0; ports && order && i < 2 * (size_t)total; i++)
        at[i] = order[i];
    free(ports);
    free(order);
    return ports && order ? 0 : ASIM_ENOMEM;
}

/* Four numbers a host's port, three a switch's. */
static uint32_t *put_residue(uint32_t *at, const struct asim_fabric *fabric, struct ranked *ports)
{
    for (uint32_t v = 0; v < fabric->nodes; v++) {
        uint32_t n = fabric->topo->first_port[v + 1] - fabric->topo->first_port[v];

        at = put_orders(at, fabric, v, ports);
        for (uint32_t i = 0; v < fabric->hosts && i < n; i++) {
            *at++ = (uint32_t)fabric->host[v].nics[i].qps.n;
            *at++ = asim_qplist_position(&fabric->host[v].nics[i].qps);
        }
        for (uint32_t i = 0; v >= fabric->hosts && i < n; i++)
            *at++ = fabric->sw[v - fabric->hosts].ports[i].rr;
    }
    return at;
}

/* Index of the residue in the list, *n where it is new. */
static size_t find_residue(const struct asim_residue *list, size_t n, const uint32_t *at,
                           size_t bytes)
{
    size_t id = 0;

    while (id < n && (id >= ASIM_RESIDUES || memcmp(list[id].at, at, bytes) != 0))
        id++;
    return id;
}

/* Beyond ASIM_RESIDUES different ones a network does not come back to any; then each gets a new id,
 * and is not kept. */
uint64_t asim_residue_id(const struct asim_fabric *fabric, struct asim_residue **list, size_t *n)
{
    uint32_t total = fabric->topo->first_port[fabric->nodes];
    struct ranked *ports = malloc((total + 1) * sizeof *ports);
    uint32_t *at = malloc((4 * (size_t)total + 1) * sizeof *at);
    struct asim_residue *grown = *list;
    size_t id = 0, bytes;

    if (!ports || !at)
        goto out;
    bytes = (size_t)(put_residue(at, fabric, ports) - at) * sizeof *at;
    id = find_residue(*list, *n, at, bytes);
    if (id == *n && id < ASIM_RESIDUES) {
        grown = realloc(*list, (id + 1) * sizeof **list);
        if (!grown) {
            id = 0;
            goto out;
        }
        *list = grown;
        grown[id] = (struct asim_residue){at, bytes};
        at = NULL;
    }
    *n += id == *n;
    id++;
out:
    free(ports);
    free(at);
    return id;
}

/* What a walk has found. */
enum walk_end { NO_WAY, HASHED, FIXED };

/* One way: the NIC, then a digit for every switch with a choice. NO_WAY also where the digits do
 * not fit; FIXED where the source port made no difference. */
static enum walk_end walk_path(struct asim_fabric *fabric, const uint32_t hosts[2],
                               const uint16_t ports[2], uint64_t *path)
{
    const struct asim_host *host = &fabric->host[hosts[0]];
    uint32_t nic = host->n_nics > 1 ? asim_flow_nic(fabric, hosts[0], hosts[1], ports) : 0, n = 0;
    uint32_t node = host->nics[nic].port.out->to;
    enum walk_end end;

    asim_route_ports(fabric->route, hosts[0], hosts[1], &n);
    end = n > 1 ? HASHED : FIXED;
    *path = *path * host->n_nics + nic;
    while (node >= fabric->hosts) {
        uint32_t pick = 0;
        const uint32_t *ways = asim_route_ports(fabric->route, node, hosts[1], &n);

        if (!n || *path > UINT64_MAX / 2 / n)
            return NO_WAY;
        if (n > 1) {
            pick = asim_tuple_hash(fabric, hosts, ports, asim_topo_shown(fabric->topo, node)) % n;
            end = HASHED;
        }
        *path = *path * n + pick;
        node = fabric->sw[node - fabric->hosts].ports[ways[pick] - 1].port.out->to;
    }
    return end;
}

void asim_feed_route(struct asim_fabric *fabric, uint32_t src, struct asim_feed *feed)
{
    struct asim_fixed_way *fixed = &fabric->runs->host[src].fixed[feed->dst % ASIM_FIXED_WAYS];
    const uint32_t there[2] = {src, feed->dst}, back[2] = {feed->dst, src};
    const uint16_t out[2] = {(uint16_t)feed->sport, 100}, in[2] = {100, (uint16_t)feed->sport};
    enum walk_end first, second;

    feed->path = 0;
    if (fabric->runs->one_way)
        return;
    if (fixed->is_known && fixed->dst == feed->dst) {
        feed->path = fixed->path;
        return;
    }
    if (!fabric->host[src].n_nics || !fabric->host[feed->dst].n_nics) {
        feed->path = UINT64_MAX;
        return;
    }
    first = walk_path(fabric, there, out, &feed->path);
    second = first == NO_WAY ? NO_WAY : walk_path(fabric, back, in, &feed->path);
    if (second == NO_WAY)
        feed->path = UINT64_MAX;
    else if (first == FIXED && second == FIXED)
        *fixed = (struct asim_fixed_way){feed->path, feed->dst, 1};
}
