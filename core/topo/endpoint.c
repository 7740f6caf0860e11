/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Endpoints of NVSwitches, where messages begin and end, as SimAI's NVLS needs them
 * (rdma-network.md#routing-and-ecmp): each NVSwitch gets its own host, joined to it by a virtual
 * link. Routing, queue pairs and congestion control need no special case.
 *
 * Difference: SimAI delivers inside the switch, without a hop. The virtual link has the smallest
 * delay of the NVSwitch's links, so that the lookahead window does not become shorter, and twice
 * the sum of their rates, so that all ports together can send to the endpoint at once. The sum
 * alone is too low where frames take only a few ns: rounding up an eighth of a frame (8 GPUs) gives
 * 7 ns for each of eight frames, 53 ns on a port. Flows from an endpoint are paced at the slowest
 * link of their path (fabric/host/flow_open.c), as if each left by its own port.
 *
 * Hosts are numbered before switches, so switch ids move up by the number of endpoints. Users, hash
 * seeds and files keep the numbers of the topology as it was read: asim_topo_external_id.
 */
#include "topo/topo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* NVSwitches may have any ids among the switches; in SimAI's files they come first. */
static uint32_t count_nvswitches(const struct asim_topo *topo)
{
    uint32_t n = 0;

    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        n += topo->node_type[v] == ASIM_NVSWITCH;
    return n;
}

/* v must still have its ports of before. A sum above 64 bits becomes the greatest number: frames
 * take no time on such a link. */
static int virtual_link(const struct asim_topo *topo, uint32_t v, struct asim_link *virtual,
                        struct asim_err *err)
{
    if (topo->first_port[v] == topo->first_port[v + 1])
        return asim_err_set(err, ASIM_EINVAL,
                            "NVSwitch %" PRIu32 " has no link, so nothing can end there; give it "
                            "links or take NVSWITCH_ENDPOINTS out.",
                            v);
    virtual->delay_fs = UINT64_MAX;
    for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1]; p++) {
        const struct asim_link *link = &topo->links[topo->ports[p].link];
        uint64_t left = (UINT64_MAX - virtual->rate_bps) / 2;

        if (link->delay_fs < virtual->delay_fs)
            virtual->delay_fs = link->delay_fs;
        virtual->rate_bps = link->rate_bps > left ? UINT64_MAX
                                                  : virtual->rate_bps + 2 * link->rate_bps;
    }
    return 0;
}

/* Appends the virtual links after all others, so that no link and no port changes its number. */
static int add_links(struct asim_topo *topo, uint32_t n, struct asim_err *err)
{
    uint32_t host = topo->hosts;
    int rc = 0;

    for (uint32_t v = topo->hosts; !rc && v < topo->nodes; v++) {
        struct asim_link virtual = {.a = host, .b = v + n};

        if (topo->node_type[v] != ASIM_NVSWITCH)
            continue;
        rc = virtual_link(topo, v, &virtual, err);
        if (!rc)
            rc = asim_topo_link(topo, &virtual, err);
        host++;
    }
    return rc;
}

/* Renumbers the original links; the virtual links have the new numbers already. */
static void move_switches(struct asim_topo *topo, size_t links, uint32_t n)
{
    for (size_t l = 0; l < links; l++) {
        struct asim_link *link = &topo->links[l];

        link->a += link->a >= topo->hosts ? n : 0;
        link->b += link->b >= topo->hosts ? n : 0;
    }
    memmove(topo->node_type + topo->hosts + n, topo->node_type + topo->hosts, topo->switches);
    memset(topo->node_type + topo->hosts, ASIM_HOST, n);
}

/* Changes the topology in place, because others hold pointers to it; linear in nodes and links.
 * asim_topo_finish then numbers the ports anew, with the virtual link last at each NVSwitch, and
 * counts the endpoints as hosts. After a failure the topology is only good for asim_topo_fini. */
int asim_topo_endpoints(struct asim_topo *topo, struct asim_err *err)
{
    uint32_t n = topo->endpoints ? 0 : count_nvswitches(topo);
    size_t links = topo->n_links;
    uint8_t *kind;
    int rc;

    if (!n)
        return 0;
    if (n > UINT32_MAX - 1 - topo->nodes)
        return asim_err_set(err, ASIM_ENOMEM,
                            "%" PRIu32 " nodes and %" PRIu32 " end points of NVSwitches are more "
                            "than %" PRIu32 ".",
                            topo->nodes, n, UINT32_MAX - 1);
    kind = realloc(topo->node_type, (size_t)topo->nodes + n + 1);
    if (!kind)
        return asim_err_nomem(err, "giving NVSwitches end points");
    topo->node_type = kind;
    if ((rc = add_links(topo, n, err)))
        return rc;
    move_switches(topo, links, n);
    topo->nodes += n;
    topo->endpoints = n;
    return asim_topo_finish(topo, err);
}

/* The virtual link is the last link of the NVSwitch. NVSwitches without links have no endpoint, and
 * before asim_topo_endpoints the last link is one of the file's. */
uint32_t asim_topo_endpoint_of(const struct asim_topo *topo, uint32_t v)
{
    const struct asim_port_ref *last;

    if (v < topo->hosts || v >= topo->nodes || topo->node_type[v] != ASIM_NVSWITCH)
        return UINT32_MAX;
    if (topo->first_port[v] == topo->first_port[v + 1])
        return UINT32_MAX;
    last = &topo->ports[topo->first_port[v + 1] - 1];
    return asim_topo_is_virtual(topo, last->link) ? last->peer : UINT32_MAX;
}
