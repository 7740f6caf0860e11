/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What is kept of an episode beside its sends and cues: counters and paths.
 */
#include "fabric/memo/episode.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/node.h"
#include "fabric/memo/memo.h"

int asim_injection_is_same(const struct asim_injection *a, const struct asim_injection *b)
{
    return a->t == b->t && a->tie == b->tie && a->bytes == b->bytes && a->path == b->path &&
           a->dst == b->dst;
}

enum act {
    TAKE,     /* kept = counter */
    SUBTRACT, /* kept = counter - kept */
    ADD,      /* counter += times x kept */
    GAIN      /* the episode lists what the counter is more than kept */
};

/* Walks every counter in one order; counters are all 64 bits wide. */
struct walk {
    uint64_t *kept; /* next place of the list */
    enum act act;
    uint64_t times;
    struct asim_episode *episode;
    int failed; /* out of memory */
};

static void list_gain(struct walk *walk, uint64_t *counter)
{
    struct asim_counter_delta gain = {counter, *counter - *walk->kept};

    if (gain.by && ASIM_VEC_PUSH(walk->episode->deltas, gain))
        walk->failed = 1;
}

/* n counters in a row; the walk's place moves on with them. */
static inline void visit(struct walk *walk, uint64_t *counters, size_t n)
{
    for (size_t i = 0; i < n; i++, walk->kept++) {
        if (walk->act == TAKE)
            *walk->kept = counters[i];
        else if (walk->act == SUBTRACT)
            *walk->kept = counters[i] - *walk->kept;
        else if (walk->act == GAIN)
            list_gain(walk, &counters[i]);
        else
            counters[i] += walk->times * *walk->kept;
    }
}

/* How many of each there are. Peaks are no counts: what is played has been simulated once, and then
 * the queue was as long as it will be. */
enum {
    WIRE_COUNTS = 4,
    HOST_COUNTS = 1 + (int)(sizeof(struct asim_host_counts) / sizeof(uint64_t)),
    SWITCH_COUNTS = 5,
    PORT_COUNTS = 3
};

/* Those of the switch, then those of its ports. */
static void visit_switch(struct walk *walk, struct asim_switch *sw)
{
    uint64_t *const of[SWITCH_COUNTS] = {&sw->drops, &sw->pauses, &sw->drop_bytes,
                                         &sw->pfc_generated, &sw->pfc_received};

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
    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++) {
        struct asim_wire *wire = &fabric->wires[w];
        visit(walk, &wire->frames, 2); /* and bytes */
        visit(walk, &wire->received, 2);
    }
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        visit(walk, &fabric->host[v].messages, 1);
        visit(walk, (uint64_t *)&fabric->host[v].counts, HOST_COUNTS - 1);
    }
    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++)
        visit_switch(walk, &fabric->sw[v - fabric->set.hosts]);
}

/* Words that visit_all walks over. */
size_t asim_counters_size(const struct asim_fabric *fabric)
{
    size_t n =
        fabric->set.topo->n_links * 2 * WIRE_COUNTS + (size_t)fabric->set.hosts * HOST_COUNTS;

    for (uint32_t v = fabric->set.hosts; v < fabric->set.nodes; v++)
        n += SWITCH_COUNTS + (size_t)fabric->sw[v - fabric->set.hosts].n_ports * PORT_COUNTS;
    return n;
}

void asim_counters_save(struct asim_fabric *fabric, uint64_t *counts)
{
    visit_all(fabric, &(struct walk){.kept = counts, .act = TAKE});
}

void asim_counters_subtract(struct asim_fabric *fabric, uint64_t *counts)
{
    visit_all(fabric, &(struct walk){.kept = counts, .act = SUBTRACT});
}

void asim_counters_add(struct asim_fabric *fabric, uint64_t *counts, uint64_t times)
{
    visit_all(fabric, &(struct walk){.kept = counts, .act = ADD, .times = times});
}

void asim_episode_add_deltas(const struct asim_episode *episode)
{
    for (size_t i = 0; i < episode->deltas.n; i++)
        *episode->deltas.at[i].counter += episode->deltas.at[i].by;
}

uint64_t asim_counters_hops(const struct asim_fabric *fabric)
{
    uint64_t hops = 0;

    for (size_t w = 0; w < fabric->set.topo->n_links * 2; w++)
        hops += fabric->wires[w].frames;
    return hops;
}

/* Of what depends on, or is shown with, more than an episode holds: drops, pauses, random marks. */
static uint64_t count_unreplayable(const struct asim_fabric *fabric)
{
    uint64_t odd = 0;

    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_host_counts *n = &fabric->host[v].counts;

        odd += n->pfc_generated + n->pfc_received + n->retransmits + n->discarded + n->duplicates;
    }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++) {
        const struct asim_switch *sw = &fabric->sw[v];

        odd += sw->drops + sw->pfc_generated + sw->pfc_received + sw->reported;
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
    episode->part = calloc(fabric->set.hosts + 1, sizeof *episode->part);
    if (episode->part)
        return episode;
    asim_episode_free(episode, fabric->set.hosts);
    return NULL;
}

int asim_episode_begin(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin)
{
    if (!episode->counts)
        episode->counts = malloc((asim_counters_size(fabric) + 1) * sizeof *episode->counts);
    if (!episode->counts)
        return ASIM_ENOMEM;
    episode->hops = asim_counters_hops(fabric);
    episode->who.n = episode->deltas.n = 0;
    episode->begin = begin;
    episode->unreplayable = count_unreplayable(fabric);
    episode->not_replayable = 0;
    episode->bytes = 0;
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        episode->part[v].injections.n = episode->part[v].completions.n = 0;
    asim_counters_save(fabric, episode->counts);
    return 0;
}

/* Takes one whose allocation failed half-way, too. */
void asim_episode_free(struct asim_episode *episode, uint32_t hosts)
{
    for (uint32_t v = 0; episode->part && v < hosts; v++) {
        free(episode->part[v].injections.at);
        free(episode->part[v].completions.at);
    }
    free(episode->part);
    free(episode->counts);
    free(episode->who.at);
    free(episode->deltas.at);
    free(episode);
}

int asim_episode_end(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t end)
{
    struct walk walk = {.kept = episode->counts, .act = GAIN, .episode = episode};

    visit_all(fabric, &walk);
    free(episode->counts);
    episode->counts = NULL;
    episode->hops = asim_counters_hops(fabric) - episode->hops;
    episode->not_replayable |= episode->unreplayable != count_unreplayable(fabric);
    episode->length = end - episode->begin;
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_episode_part *part = &episode->part[v];

        if ((part->injections.n || part->completions.n) && ASIM_VEC_PUSH(episode->who, v))
            walk.failed = 1;
        episode->bytes += part->injections.cap * sizeof(struct asim_injection) +
                          part->completions.cap * sizeof(struct asim_recorded_completion);
    }
    episode->bytes += sizeof *episode + fabric->set.hosts * sizeof *episode->part +
                      episode->who.cap * sizeof *episode->who.at +
                      episode->deltas.cap * sizeof *episode->deltas.at;
    return walk.failed ? ASIM_ENOMEM : 0;
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
    while (node >= fabric->set.hosts) {
        uint32_t pick = 0;
        const uint32_t *ways = asim_route_ports(fabric->route, node, hosts[1], &n);

        if (!n || *path > UINT64_MAX / 2 / n)
            return NO_WAY;
        if (n > 1) {
            pick = asim_tuple_hash(fabric, hosts, ports,
                                   asim_topo_external_id(fabric->set.topo, node)) %
                   n;
            end = HASHED;
        }
        *path = *path * n + pick;
        node = fabric->sw[node - fabric->set.hosts].ports[ways[pick] - 1].port.out->to;
    }
    return end;
}

void asim_injection_route(struct asim_fabric *fabric, uint32_t src,
                          struct asim_injection *injection)
{
    struct asim_fixed_path *fixed =
        &fabric->memo->host[src].fixed[injection->dst % ASIM_FIXED_PATHS];
    const uint32_t there[2] = {src, injection->dst}, back[2] = {injection->dst, src};
    const uint16_t out[2] = {(uint16_t)injection->sport, ASIM_DPORT},
                   in[2] = {ASIM_DPORT, (uint16_t)injection->sport};
    enum walk_end first, second;

    injection->path = 0;
    if (fabric->memo->is_tree)
        return;
    if (fixed->is_known && fixed->dst == injection->dst) {
        injection->path = fixed->path;
        return;
    }
    if (!fabric->host[src].n_nics || !fabric->host[injection->dst].n_nics) {
        injection->path = UINT64_MAX;
        return;
    }
    first = walk_path(fabric, there, out, &injection->path);
    second = first == NO_WAY ? NO_WAY : walk_path(fabric, back, in, &injection->path);
    if (second == NO_WAY)
        injection->path = UINT64_MAX;
    else if (first == FIXED && second == FIXED)
        *fixed = (struct asim_fixed_path){injection->path, injection->dst, 1};
}
