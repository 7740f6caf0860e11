/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See renaming.h.
 */
#include "fabric/memo/region/renaming.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/region/alike.h"
#include "fabric/memo/memo.h"
#include "fabric/memo/state/mix.h"

static uint32_t *none_of(size_t n)
{
    uint32_t *at = malloc((n + 1) * sizeof *at);

    if (at)
        memset(at, 0xff, (n + 1) * sizeof *at);
    return at;
}

int asim_renaming_open(struct asim_renaming *renaming, const struct asim_fabric *fabric)
{
    size_t wires = fabric->set.topo->n_links * 2, nodes = fabric->set.nodes;

    renaming->wire = none_of(wires);
    renaming->wire_of = none_of(wires);
    renaming->wires = none_of(wires);
    renaming->node = none_of(nodes);
    renaming->node_of = none_of(nodes);
    renaming->nodes = none_of(nodes);
    return renaming->wire && renaming->wire_of && renaming->wires && renaming->node &&
                   renaming->node_of && renaming->nodes
               ? 0
               : ASIM_ENOMEM;
}

void asim_renaming_close(struct asim_renaming *renaming)
{
    free(renaming->wire);
    free(renaming->wire_of);
    free(renaming->wires);
    free(renaming->node);
    free(renaming->node_of);
    free(renaming->nodes);
}

void asim_renaming_clear(struct asim_renaming *renaming)
{
    while (renaming->n_wires) {
        uint32_t w = renaming->wires[--renaming->n_wires];

        renaming->wire_of[renaming->wire[w]] = ASIM_NOT_RENAMED;
        renaming->wire[w] = ASIM_NOT_RENAMED;
    }
    while (renaming->n_nodes) {
        uint32_t v = renaming->nodes[--renaming->n_nodes];

        renaming->node_of[renaming->node[v]] = ASIM_NOT_RENAMED;
        renaming->node[v] = ASIM_NOT_RENAMED;
    }
}

static int nodes_are_alike(const struct asim_fabric *fabric, uint32_t a, uint32_t b)
{
    uint32_t hosts = fabric->set.hosts;

    return a == b ||
           (a >= hosts && b >= hosts &&
            asim_switches_are_alike(fabric, &fabric->sw[a - hosts], &fabric->sw[b - hosts]));
}

static int add_node(const struct asim_fabric *fabric, struct asim_renaming *renaming, uint32_t a,
                    uint32_t b)
{
    if (renaming->node[a] == b)
        return 1;
    if (renaming->node[a] != ASIM_NOT_RENAMED || renaming->node_of[b] != ASIM_NOT_RENAMED ||
        !nodes_are_alike(fabric, a, b))
        return 0;
    renaming->node[a] = b;
    renaming->node_of[b] = a;
    renaming->nodes[renaming->n_nodes++] = a;
    return 1;
}

/* Both ports of the link; a host keeps its wires. */
static int wires_are_alike(const struct asim_fabric *fabric, uint32_t a, uint32_t b)
{
    const struct asim_wire *x = &fabric->wires[a], *y = &fabric->wires[b];
    uint32_t hosts = fabric->set.hosts;

    if (a == b)
        return 1;
    if (x->from < hosts || x->to < hosts || y->from < hosts || y->to < hosts)
        return 0;
    return asim_ports_are_alike(asim_wire_sender(fabric, a), asim_wire_sender(fabric, b)) &&
           asim_ports_are_alike(asim_wire_sender(fabric, a ^ 1), asim_wire_sender(fabric, b ^ 1));
}

static int add_wire(const struct asim_fabric *fabric, struct asim_renaming *renaming, uint32_t a,
                    uint32_t b)
{
    if (renaming->wire[a] == b)
        return 1;
    if (renaming->wire[a] != ASIM_NOT_RENAMED || renaming->wire_of[b] != ASIM_NOT_RENAMED ||
        !wires_are_alike(fabric, a, b) ||
        !add_node(fabric, renaming, fabric->wires[a].from, fabric->wires[b].from) ||
        !add_node(fabric, renaming, fabric->wires[a].to, fabric->wires[b].to))
        return 0;
    renaming->wire[a] = b;
    renaming->wire_of[b] = a;
    renaming->wires[renaming->n_wires++] = a;
    return 1;
}

int asim_renaming_add(struct asim_fabric *fabric, struct asim_renaming *renaming, uint32_t src,
                      const struct asim_injection *recorded, const struct asim_injection *now)
{
    uint32_t from[ASIM_MOST_WIRES], to[ASIM_MOST_WIRES];
    uint32_t n = asim_injection_wires(fabric, src, recorded, from);

    if (!n || asim_injection_wires(fabric, src, now, to) != n)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        if (!add_wire(fabric, renaming, from[i], to[i]))
            return 0;
    return 1;
}

uint64_t asim_renaming_shape(struct asim_fabric *fabric, struct asim_renaming *renaming,
                             uint32_t src, const struct asim_injection *injection)
{
    uint32_t at[ASIM_MOST_WIRES], n = asim_injection_wires(fabric, src, injection, at);
    uint64_t hash = n;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = fabric->wires[at[i]].to;

        if (renaming->wire[at[i]] == ASIM_NOT_RENAMED) {
            renaming->wire[at[i]] = renaming->n_wires;
            renaming->wires[renaming->n_wires++] = at[i];
        }
        if (renaming->node[to] == ASIM_NOT_RENAMED) {
            renaming->node[to] = renaming->n_nodes;
            renaming->nodes[renaming->n_nodes++] = to;
        }
        hash = asim_mix_word(asim_mix_word(hash, renaming->wire[at[i]]), renaming->node[to]);
    }
    return hash;
}

int asim_renaming_fits(const struct asim_fabric *fabric, const struct asim_renaming *renaming,
                       const struct asim_episode *episode)
{
    const struct asim_episode_state *state = &episode->state;

    for (size_t i = 0; i < state->wires.n; i++) {
        uint32_t now = renaming->wire[state->wires.at[i].id];

        if (now != ASIM_NOT_RENAMED && asim_wire_rr(fabric, now) != state->wires.at[i].rr_before)
            return 0;
    }
    for (size_t i = 0; i < state->ties.n; i++) {
        uint32_t x = renaming->wire[state->ties.at[i].first];
        uint32_t y = renaming->wire[state->ties.at[i].second];

        if (x != ASIM_NOT_RENAMED && y != ASIM_NOT_RENAMED &&
            !asim_wire_used_before(&fabric->wires[x], &fabric->wires[y]))
            return 0;
    }
    return 1;
}

int asim_renaming_is_whole(const struct asim_renaming *renaming, const struct asim_episode *episode)
{
    const struct asim_episode_state *state = &episode->state;

    for (size_t i = 0; i < state->wires.n; i++)
        if (renaming->wire[state->wires.at[i].id] == ASIM_NOT_RENAMED)
            return 0;
    for (size_t i = 0; i < state->nodes.n; i++)
        if (renaming->node[state->nodes.at[i].node] == ASIM_NOT_RENAMED)
            return 0;
    return 1;
}

/* Of switches only marks change: other events are never replayed (episode_state.c). */
void asim_renaming_count(struct asim_fabric *fabric, const struct asim_renaming *renaming,
                         const struct asim_episode *episode)
{
    for (size_t i = 0; i < episode->state.wires.n; i++) {
        const struct asim_episode_wire *left = &episode->state.wires.at[i];
        uint32_t w = renaming->wire[left->id];
        struct asim_wire *wire = &fabric->wires[w];

        wire->frames += left->frames;
        wire->bytes += left->bytes;
        wire->received += left->frames;
        wire->received_bytes += left->bytes;
        if (left->marks)
            asim_wire_sender(fabric, w)->marks += left->marks;
    }
    asim_counter_deltas_add_hosts(&episode->deltas);
}
