/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds tiers of switches, names of nodes and classes of links by one breadth-first search from all
 * hosts. One breadth-first search from all hosts.
 */
#include "topo/tier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FARTHEST = UINT8_MAX - 1 };

/* The tier of switches behind v is one more, but at most FARTHEST. */
static uint32_t see_peers(const struct asim_topo *topo, uint8_t *tier, uint32_t v, uint32_t *queue)
{
    uint8_t next = tier[v] < FARTHEST ? (uint8_t)(tier[v] + 1) : FARTHEST;
    uint32_t found = 0;

    for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1]; p++) {
        uint32_t peer = topo->ports[p].peer;

        if (tier[peer] != UINT8_MAX)
            continue;
        tier[peer] = topo->node_type[peer] == ASIM_NVSWITCH ? 1 : next;
        if (topo->node_type[peer] != ASIM_NVSWITCH)
            queue[found++] = peer;
    }
    return found;
}

int asim_topo_tiers(uint8_t **tier, const struct asim_topo *topo, struct asim_err *err)
{
    uint32_t *queue = malloc(((size_t)topo->nodes + 1) * sizeof *queue), head = 0, tail = 0;

    *tier = malloc((size_t)topo->nodes + 1);
    if (!queue || !*tier) {
        free(queue);
        free(*tier);
        *tier = NULL;
        return asim_err_nomem(err, "finding the tiers of switches");
    }
    memset(*tier, UINT8_MAX, topo->nodes);
    for (uint32_t v = 0; v < topo->nodes; v++)
        if (topo->node_type[v] == ASIM_HOST || asim_topo_is_pcie(topo, v)) {
            (*tier)[v] = 0;
            queue[tail++] = v;
        }
    while (head < tail) {
        uint32_t v = queue[head++];

        tail += see_peers(topo, *tier, v, queue + tail);
    }
    free(queue);
    return 0;
}

/* Of one node, without its number. */
static const char *kind(const struct asim_topo *topo, const uint8_t *tier, uint32_t node)
{
    static const char *const names[] = {"host", "leaf", "spine", "core"};

    if (asim_topo_is_pcie(topo, node))
        return "pcie";
    if (topo->node_type[node] == ASIM_NVSWITCH)
        return "nvswitch";
    return tier[node] < 4 ? names[tier[node]] : "switch";
}

const char *asim_topo_node_name(char *buf, size_t size, const struct asim_topo *topo,
                                const uint8_t *tier, uint32_t node)
{
    snprintf(buf, size, "%s %u", kind(topo, tier, node), asim_topo_external_id(topo, node));
    return buf;
}

const char *asim_topo_link_class(char *buf, size_t size, const struct asim_topo *topo,
                                 const uint8_t *tier, const struct asim_link *link)
{
    int in_order = tier[link->a] <= tier[link->b];
    uint32_t low = in_order ? link->a : link->b, high = in_order ? link->b : link->a;

    if ((asim_topo_is_pcie(topo, low) && topo->node_type[high] == ASIM_HOST) ||
        (asim_topo_is_pcie(topo, high) && topo->node_type[low] == ASIM_HOST))
        snprintf(buf, size, "pcie");
    else if (asim_topo_is_pcie(topo, low))
        snprintf(buf, size, "host-%s", kind(topo, tier, high));
    else if (topo->node_type[low] == ASIM_NVSWITCH || topo->node_type[high] == ASIM_NVSWITCH)
        snprintf(buf, size, "nvlink");
    else
        snprintf(buf, size, "%s-%s", kind(topo, tier, low), kind(topo, tier, high));
    return buf;
}
