/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a user should know of a network before it runs: settings that act differently from what
 * they look like. One note each, however many switches it concerns.
 */
#include "fabric/node.h"

/* Links of one node between two to the same peer: such links stand near each other in files. */
enum { MOST_BESIDE = 64 };

static int has_rate(const struct asim_rate_map *map, uint64_t bps)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i].rate_bps == bps)
            return 1;
    return 0;
}

/* Rate of some switch port the ECN maps do not know, 0 if there is none. */
static uint64_t unmapped_rate(const struct asim_fabric *fabric)
{
    const struct asim_netconf *net = fabric->net;

    for (uint32_t v = 0; v < fabric->nodes - fabric->hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++) {
            const struct asim_port *port = &fabric->sw[v].ports[p].port;
            uint64_t bps = port->out->rate_bps;

            if (asim_topo_is_inner(fabric->topo, port->out->id / 2))
                continue;
            if (!has_rate(&net->kmin, bps) || !has_rate(&net->kmax, bps))
                return bps;
        }
    return 0;
}

/* Whether port p of node v has the peer of one before it. */
static int is_second(const struct asim_topo *topo, uint32_t v, uint32_t p)
{
    for (uint32_t q = topo->first_port[v]; q < p; q++)
        if (q + MOST_BESIDE > p && topo->ports[q].peer == topo->ports[p].peer)
            return 1;
    return 0;
}

/* A node with more than one link to one peer, the peer in *peer; UINT32_MAX if there is none. */
static uint32_t joined_twice(const struct asim_topo *topo, uint32_t *peer)
{
    for (uint32_t v = 0; v < topo->nodes; v++)
        for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1]; p++) {
            *peer = topo->ports[p].peer;
            if (is_second(topo, v, p))
                return v;
        }
    return UINT32_MAX;
}

void asim_fabric_remarks(const struct asim_fabric *fabric, const struct asim_notes *notes)
{
    uint64_t bps = unmapped_rate(fabric);
    uint32_t full = 0, peer, twice = joined_twice(fabric->topo, &peer);

    for (uint32_t v = 0; v < fabric->nodes - fabric->hosts; v++)
        full += fabric->sw[v].shareable == UINT64_MAX;
    if (full)
        asim_notes_say(notes,
                       "on %u switches headroom and reserve alone exceed the buffer, so PFC never "
                       "triggers there (as in the reference); raise BUFFER_SIZE or lower "
                       "HEADROOM_FACTOR",
                       full);
    if (twice != UINT32_MAX)
        asim_notes_say(notes,
                       "nodes %u and %u are joined by several links, which messages share by their "
                       "hash; in ASTRA-sim the last of them in the file is the only one",
                       asim_topo_shown(fabric->topo, twice), asim_topo_shown(fabric->topo, peer));
    /* Where nobody reacts to marks this changes no time. */
    if (bps && fabric->net->enable_qcn && fabric->cc->number != 12)
        asim_notes_say(notes,
                       "KMIN_MAP and KMAX_MAP have no entry for links of %llu bit/s: every frame "
                       "that leaves others queued behind it there is ECN-marked (as in the "
                       "reference); add the rate to the maps",
                       (unsigned long long)bps);
}
