/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replaces hosts of several ranks by nodes (rdma-network.md#several-ranks-a-host). Two shapes of a
 * host h with k places:
 *
 *   shared NICs   a node for each rank, joined over PCIe to a PCIe switch, which has the links of h
 *   own NICs      a node for each place, with its part of the links of h, no faster than PCIe, and
 *                 joined over PCIe to a PCIe switch for messages inside the host
 *
 * A PCIe switch is a node of type ASIM_NVSWITCH: it pauses and never marks, and paths inside the
 * host go over it where others are as short. Hosts without ranks stay one node where NICs are
 * shared.
 *
 * Nodes that were there keep the number that users see: h is the PCIe switch where NICs are shared,
 * for its links are those of h, else the first place. The others have numbers behind the last node.
 */
#include "topo/servers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

#define NONE UINT32_MAX

struct plan {
    struct asim_topo *topo;
    const struct asim_topo_servers *servers;
    const uint32_t *host; /* of each rank */
    uint32_t ranks, old_hosts, old_nodes, hosts, nodes;
    uint32_t *place; /* own NICs: [old_hosts x per_host] node of each place; else [old_hosts] */
    uint32_t *used;  /* [old_hosts] places with a rank; then: links passed */
    uint32_t *pcie;  /* [old_hosts] its PCIe switch, or NONE */
    uint32_t n_pcie;
};

/* Own NICs: ranks take the places of their host in order, then the free places get numbers. */
static void number_places(struct plan *plan)
{
    uint32_t per_host = plan->servers->per_host;
    size_t places = (size_t)plan->old_hosts * per_host;

    memset(plan->place, 0xff, places * sizeof *plan->place);
    for (uint32_t r = 0; r < plan->ranks; r++) {
        uint32_t h = plan->host[r];

        plan->place[(size_t)h * per_host + plan->used[h]++] = r;
    }
    plan->hosts = plan->ranks;
    for (size_t p = 0; p < places; p++)
        if (plan->place[p] == NONE)
            plan->place[p] = plan->hosts++;
}

/* Shared NICs: hosts without ranks stay. */
static void number_hosts(struct plan *plan)
{
    for (uint32_t r = 0; r < plan->ranks; r++)
        plan->used[plan->host[r]]++;
    plan->hosts = plan->ranks;
    for (uint32_t h = 0; h < plan->old_hosts; h++)
        plan->place[h] = plan->used[h] ? NONE : plan->hosts++;
}

static void number_pcie(struct plan *plan)
{
    uint32_t next = plan->hosts + plan->old_nodes - plan->old_hosts;

    for (uint32_t h = 0; h < plan->old_hosts; h++) {
        int has = plan->servers->own_nic ? plan->servers->per_host > 1 : plan->used[h] > 0;

        plan->pcie[h] = has ? next++ : NONE;
        plan->n_pcie += has != 0;
    }
    plan->nodes = next;
    memset(plan->used, 0, plan->old_hosts * sizeof *plan->used);
}

/* The node that has the next link of an old node. */
static uint32_t end_of(struct plan *plan, uint32_t node)
{
    uint32_t per_host = plan->servers->per_host;

    if (node >= plan->old_hosts)
        return node - plan->old_hosts + plan->hosts;
    if (plan->servers->own_nic)
        return plan->place[(size_t)node * per_host + plan->used[node]++ % per_host];
    return plan->pcie[node] == NONE ? plan->place[node] : plan->pcie[node];
}

static void move_links(struct plan *plan)
{
    for (size_t l = 0; l < plan->topo->n_links; l++) {
        struct asim_link *link = &plan->topo->links[l];
        int is_nic = link->a < plan->old_hosts || link->b < plan->old_hosts;

        link->a = end_of(plan, link->a);
        link->b = end_of(plan, link->b);
        if (plan->servers->own_nic && is_nic && link->rate_bps > plan->servers->pcie_bps)
            link->rate_bps = plan->servers->pcie_bps;
    }
}

static int add_link(struct plan *plan, uint32_t node, uint32_t h, struct asim_err *err)
{
    const struct asim_link link = {.a = node,
                                   .b = plan->pcie[h],
                                   .rate_bps = plan->servers->pcie_bps,
                                   .delay_fs = plan->servers->pcie_fs};

    return plan->pcie[h] == NONE ? 0 : asim_topo_link(plan->topo, &link, err);
}

static int add_links(struct plan *plan, struct asim_err *err)
{
    uint32_t per_host = plan->servers->per_host;
    int code = 0;

    for (uint32_t r = 0; !plan->servers->own_nic && r < plan->ranks && !code; r++)
        code = add_link(plan, r, plan->host[r], err);
    for (uint32_t h = 0; plan->servers->own_nic && h < plan->old_hosts; h++)
        for (uint32_t i = 0; i < per_host && !code; i++)
            code = add_link(plan, plan->place[(size_t)h * per_host + i], h, err);
    return code;
}

static void show(struct plan *plan, uint32_t node, uint32_t number)
{
    plan->topo->shown[node] = number;
    plan->topo->internal[number] = node;
}

/* New numbers follow behind the old ones: of nodes in the order of ranks or places, then of PCIe
 * switches. */
static void show_numbers(struct plan *plan)
{
    uint32_t per_host = plan->servers->per_host, next = plan->old_nodes;

    for (uint32_t s = plan->old_hosts; s < plan->old_nodes; s++)
        show(plan, s - plan->old_hosts + plan->hosts, s);
    for (uint32_t r = 0; !plan->servers->own_nic && r < plan->ranks; r++)
        show(plan, r, next++);
    for (uint32_t h = 0; h < plan->old_hosts; h++) {
        if (!plan->servers->own_nic) {
            show(plan, plan->pcie[h] == NONE ? plan->place[h] : plan->pcie[h], h);
            continue;
        }
        for (uint32_t i = 0; i < per_host; i++)
            show(plan, plan->place[(size_t)h * per_host + i], i ? next++ : h);
    }
    for (uint32_t h = 0; plan->servers->own_nic && h < plan->old_hosts; h++)
        if (plan->pcie[h] != NONE)
            show(plan, plan->pcie[h], next++);
}

/* Each place needs a link of its own. */
static int check_nics(const struct plan *plan, struct asim_err *err)
{
    const struct asim_topo *topo = plan->topo;
    uint32_t h = 0;

    while (plan->servers->own_nic && h < plan->old_hosts &&
           topo->first_port[h + 1] - topo->first_port[h] >= plan->servers->per_host)
        h++;
    if (!plan->servers->own_nic || h == plan->old_hosts)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "host %" PRIu32 " of %s has %" PRIu32 " links, but each of its %" PRIu32
                        " ranks needs one of its own (\"nic\": \"own\").",
                        h, topo->source, topo->first_port[h + 1] - topo->first_port[h],
                        plan->servers->per_host);
}

static int rebuild(struct plan *plan, struct asim_err *err)
{
    struct asim_topo *topo = plan->topo;
    uint8_t *type = calloc((size_t)plan->nodes + 1, 1);

    topo->shown = calloc((size_t)plan->nodes + 1, sizeof *topo->shown);
    topo->internal = calloc((size_t)plan->nodes + 1, sizeof *topo->internal);
    if (!type || !topo->shown || !topo->internal) {
        free(type);
        return asim_err_nomem(err, "placing ranks on hosts");
    }
    memcpy(type + plan->hosts, topo->node_type + plan->old_hosts, topo->switches);
    memset(type + plan->nodes - plan->n_pcie, ASIM_NVSWITCH, plan->n_pcie);
    free(topo->node_type);
    topo->node_type = type;
    move_links(plan);
    topo->nodes = plan->nodes;
    topo->pcie += plan->n_pcie;
    if (add_links(plan, err))
        return ASIM_ENOMEM;
    show_numbers(plan);
    return asim_topo_finish(topo, err);
}

int asim_topo_place_servers(struct asim_topo *topo, const uint32_t *host, uint32_t ranks,
                            const struct asim_topo_servers *servers, struct asim_err *err)
{
    struct plan plan = {.topo = topo,
                        .servers = servers,
                        .host = host,
                        .ranks = ranks,
                        .old_hosts = topo->hosts,
                        .old_nodes = topo->nodes};
    size_t places = (size_t)topo->hosts * (servers->own_nic ? servers->per_host : 1);
    int code = check_nics(&plan, err);

    if (code)
        return code;
    plan.place = malloc((places + 1) * sizeof *plan.place);
    plan.used = calloc((size_t)topo->hosts + 1, sizeof *plan.used);
    plan.pcie = malloc(((size_t)topo->hosts + 1) * sizeof *plan.pcie);
    if (!plan.place || !plan.used || !plan.pcie) {
        code = asim_err_nomem(err, "placing ranks on hosts");
    } else {
        if (servers->own_nic)
            number_places(&plan);
        else
            number_hosts(&plan);
        number_pcie(&plan);
        code = rebuild(&plan, err);
    }
    ASIM_FREE(plan.place, plan.used, plan.pcie);
    return code;
}
