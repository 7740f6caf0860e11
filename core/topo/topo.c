/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Builds the graph: nodes, links, and the ports of each node in the order of the links, which is
 * the order of ASTRA-sim's interface numbers (rdma-network.md#ports-and-latency). All steps are
 * linear; a link takes 48 bytes and two port references of 12. asim_topo_finish checks once what
 * later stages rely on; ASTRA-sim checks nothing and reads past the end of its tables.
 */
#include "topo/topo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

#define MAX_LINKS ((size_t)1 << 30) /* two ports each must fit 32 bits */

void asim_topo_init(struct asim_topo *topo)
{
    memset(topo, 0, sizeof *topo);
}

/* One byte per node; the caller sets the types of switches afterwards. */
int asim_topo_nodes(struct asim_topo *topo, uint32_t nodes, struct asim_err *err)
{
    topo->node_type = calloc((size_t)nodes + 1, sizeof *topo->node_type);
    if (!topo->node_type)
        return asim_err_nomem(err, "building a topology");
    topo->nodes = topo->hosts = nodes;
    topo->switches = 0;
    return 0;
}

/* Copies the link. asim_topo_finish checks the ids and numbers the ports. */
int asim_topo_link(struct asim_topo *topo, const struct asim_link *link, struct asim_err *err)
{
    if (topo->n_links >= MAX_LINKS)
        return asim_err_set(err, ASIM_ENOMEM, "a topology can have at most %zu links.", MAX_LINKS);
    if (topo->n_links == topo->cap_links &&
        asim_grow(&topo->links, &topo->cap_links, topo->n_links + 1, sizeof *topo->links))
        return asim_err_nomem(err, "building a topology");
    topo->links[topo->n_links++] = *link;
    return 0;
}

/* For errors about the whole graph, which have no line. */
static struct asim_where whole_graph(const struct asim_topo *topo)
{
    return (struct asim_where){topo->source ? topo->source : "topology", 0, 0};
}

/* Counts hosts and switches. Hosts come first, so that a rank is an index of hosts; ASTRA-sim's
 * files are numbered in this way. */
static int check_kinds(struct asim_topo *topo, struct asim_err *err)
{
    uint32_t hosts = 0;

    while (hosts < topo->nodes && topo->node_type[hosts] == ASIM_HOST)
        hosts++;
    for (uint32_t v = hosts; v < topo->nodes; v++)
        if (topo->node_type[v] == ASIM_HOST)
            return asim_err_at(err, ASIM_EINVAL, whole_graph(topo),
                               "node %" PRIu32 " is a host behind switch %" PRIu32
                               ": hosts must be numbered 0 to k-1 and switches after them, because "
                               "rank r runs on node r.",
                               v, hosts);
    topo->hosts = hosts;
    topo->switches = topo->nodes - hosts;
    if (hosts == 0)
        return asim_err_at(err, ASIM_EINVAL, whole_graph(topo), "the topology has no host.");
    return 0;
}

/* A NaN error rate fails the comparison, too. Links are counted from 1 in errors. */
static int check_link(const struct asim_topo *topo, size_t i, struct asim_err *err)
{
    const struct asim_link *link = &topo->links[i];

    if (link->a >= topo->nodes || link->b >= topo->nodes)
        return asim_err_at(err, ASIM_EINVAL, whole_graph(topo),
                           "link %zu joins nodes %" PRIu32 " and %" PRIu32
                           ", but nodes are numbered 0 to %" PRIu32 ".",
                           i + 1, link->a, link->b, topo->nodes - 1);
    if (link->a == link->b)
        return asim_err_at(err, ASIM_EINVAL, whole_graph(topo),
                           "link %zu joins node %" PRIu32 " to itself.", i + 1, link->a);
    if (link->rate_bps == 0)
        return asim_err_at(err, ASIM_EINVAL, whole_graph(topo),
                           "link %zu has rate 0; a rate above 0 is needed.", i + 1);
    if (!(link->error_rate >= 0 && link->error_rate <= 1))
        return asim_err_at(err, ASIM_EINVAL, whole_graph(topo),
                           "link %zu has error rate %g; a number from 0 to 1 is expected.", i + 1,
                           link->error_rate);
    return 0;
}

/* first_port[v + 1] is the fill position of v. peer_port is an index into ports until relate_ports
 * makes it a port number. Goes in the order of the links, as ASTRA-sim attaches devices. */
static void number_ports(struct asim_topo *topo)
{
    uint32_t *mark = topo->first_port + 1;

    for (size_t i = 0; i < topo->n_links; i++) {
        const struct asim_link *link = &topo->links[i];
        uint32_t at_a = mark[link->a]++, at_b = mark[link->b]++;

        topo->ports[at_a] = (struct asim_port_ref){(uint32_t)i, link->b, at_b};
        topo->ports[at_b] = (struct asim_port_ref){(uint32_t)i, link->a, at_a};
    }
}

/* The second pass knows the first port of every node: it turns indices into 1-based numbers and
 * writes the two port numbers of each link. */
static void relate_ports(struct asim_topo *topo)
{
    for (uint32_t v = 0; v < topo->nodes; v++) {
        for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1]; p++) {
            struct asim_port_ref *ref = &topo->ports[p];
            struct asim_link *link = &topo->links[ref->link];

            ref->peer_port = ref->peer_port - topo->first_port[ref->peer] + 1;
            if (link->a == v)
                link->port_a = p - topo->first_port[v] + 1;
            else
                link->port_b = p - topo->first_port[v] + 1;
        }
    }
}

/* Also numbers all ports anew after more links were added. */
static int make_ports(struct asim_topo *topo, struct asim_err *err)
{
    uint32_t sum = 0;

    ASIM_FREE(topo->first_port, topo->ports);
    topo->first_port = calloc((size_t)topo->nodes + 2, sizeof *topo->first_port);
    topo->ports = calloc(2 * topo->n_links + 1, sizeof *topo->ports);
    if (!topo->first_port || !topo->ports)
        return asim_err_nomem(err, "numbering the ports of a topology");
    /* [v + 2] holds the number of ports of v, then [v + 1] the start of v; filling moves the start
     * to the end of v, which belongs at [v + 1]. */
    for (size_t i = 0; i < topo->n_links; i++) {
        topo->first_port[topo->links[i].a + 2]++;
        topo->first_port[topo->links[i].b + 2]++;
    }
    for (uint32_t v = 0; v < topo->nodes; v++) {
        sum += topo->first_port[v + 1];
        topo->first_port[v + 1] = sum;
    }
    number_ports(topo);
    relate_ports(topo);
    return 0;
}

/* The topology is const afterwards. File readers have checked their links already, with the line;
 * this check is for makers and callers of the C interface. */
int asim_topo_finish(struct asim_topo *topo, struct asim_err *err)
{
    int rc = check_kinds(topo, err);

    for (size_t i = 0; !rc && i < topo->n_links; i++)
        rc = check_link(topo, i, err);
    return rc ? rc : make_ports(topo, err);
}

/* seen[b]: 1 + the last node with a port to b. */
int asim_topo_duplicate_links(const struct asim_topo *topo,
                              int (*found)(void *self, uint32_t a, uint32_t b), void *self)
{
    uint32_t *seen = calloc((size_t)topo->nodes + 1, sizeof *seen);
    int over = 0;

    for (uint32_t a = 0; seen && !over && a < topo->nodes; a++)
        for (uint32_t p = topo->first_port[a]; !over && p < topo->first_port[a + 1]; p++) {
            uint32_t b = topo->ports[p].peer;

            if (seen[b] == a + 1 && a < b)
                over = found(self, a, b);
            seen[b] = a + 1;
        }
    free(seen);
    return seen ? 0 : ASIM_ENOMEM;
}

void asim_topo_fini(struct asim_topo *topo)
{
    ASIM_FREE(topo->source, topo->machine, topo->node_type, topo->links, topo->first_port,
              topo->ports, topo->shown, topo->internal);
    memset(topo, 0, sizeof *topo);
}

int asim_topo_is_star(const struct asim_topo *topo, uint32_t v, uint32_t ports)
{
    uint32_t first = topo->first_port[v], end = topo->first_port[v + 1];

    if (v < topo->hosts || end - first < ports)
        return 0;
    for (uint32_t i = first; i < end; i++)
        if (topo->ports[i].peer >= topo->hosts ||
            (i > first && topo->ports[i].peer <= topo->ports[i - 1].peer))
            return 0;
    return 1;
}
