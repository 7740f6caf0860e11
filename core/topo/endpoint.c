/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVSwitches that flows can begin and end at, as SimAI's NVLS needs them (spec rdma-network 4.3,
 * "S specifics"): each NVSwitch gets a host of its own, which hangs on it by an inner link. All of
 * routing, queue pairs and congestion control then holds for it without a case of its own.
 *
 * Where it differs: the reference delivers inside the switch, without a hop. The inner link takes
 * the least delay of the NVSwitch's links, so that no safe window becomes shorter, and twice the
 * sum of their rates, so that all ports together can reach the end point at once; the sum alone
 * would not do where frames take so few ns that rounding up an eighth of them (8 GPUs) shows: 7 ns
 * for each of eight, 53 ns on a port. Flows from there are paced at the slowest link of their path
 * (fabric/host/flow.c), as if each left by its own port.
 *
 * Hosts are numbered before switches, so switches move up by the number of end points. Users, hash
 * seeds and files keep the numbers of the topology as it was read: asim_topo_external_id.
 */
#include "topo/topo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* NVSwitches may stand anywhere among the switches: SimAI's files have them first, others need
 * not. */
static uint32_t count_nvswitches(const struct asim_topo *topo)
{
    uint32_t n = 0;

    for (uint32_t v = topo->hosts; v < topo->nodes; v++)
        n += topo->node_type[v] == ASIM_NVSWITCH;
    return n;
}

/* The ports of v must still be those of before. A sum beyond 64 bits stays at the greatest number:
 * frames take no time on such a link either way. */
static int inner_link(const struct asim_topo *topo, uint32_t v, struct asim_link *inner,
                      struct asim_err *err)
{
    if (topo->first_port[v] == topo->first_port[v + 1])
        return asim_err_set(err, ASIM_EINVAL,
                            "NVSwitch %" PRIu32 " has no link, so nothing can end there; give it "
                            "links or take NVSWITCH_ENDPOINTS out.",
                            v);
    inner->delay_fs = UINT64_MAX;
    for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1]; p++) {
        const struct asim_link *link = &topo->links[topo->ports[p].link];
        uint64_t left = (UINT64_MAX - inner->rate_bps) / 2;

        if (link->delay_fs < inner->delay_fs)
            inner->delay_fs = link->delay_fs;
        inner->rate_bps = link->rate_bps > left ? UINT64_MAX : inner->rate_bps + 2 * link->rate_bps;
    }
    return 0;
}

/* Appended behind all others, so that no link and no port changes its number. */
static int add_links(struct asim_topo *topo, uint32_t n, struct asim_err *err)
{
    uint32_t host = topo->hosts;
    int rc = 0;

    for (uint32_t v = topo->hosts; !rc && v < topo->nodes; v++) {
        struct asim_link inner = {.a = host, .b = v + n};

        if (topo->node_type[v] != ASIM_NVSWITCH)
            continue;
        rc = inner_link(topo, v, &inner, err);
        if (!rc)
            rc = asim_topo_link(topo, &inner, err);
        host++;
    }
    return rc;
}

/* Links that were there before; the inner ones are made with the new numbers. */
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

/* In place, because what refers to a topology keeps a pointer to it; linear in nodes and links.
 * asim_topo_finish then numbers the ports anew, with the inner ones last at each NVSwitch, and
 * counts the end points as hosts. After a failure the topology is good for asim_topo_fini only. */
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

/* Its inner link is its last one. NVSwitches without links never had end points made for them, and
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
