/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The nodes of each domain (domains.h).
 */
#include "fabric/clock/domains.h"
#include "asim/topology.h"
#include "fabric/clock/engine.h"
#include "fabric/clock/ways.h"
#include "net/ways.h"

#include <stdlib.h>
#include <string.h>

/* How many times longer links between domains must be. */
enum { MUCH_LONGER = 4 };

void asim_domains_close(struct asim_worker *worker)
{
    if (!worker->domains)
        return;
    ASIM_FREE(worker->domains->at, worker->domains->memory, worker->domains->turn, worker->domains);
    worker->domains = NULL;
}

static uint32_t find(uint32_t *root, uint32_t v)
{
    while (root[v] != v)
        v = root[v] = root[root[v]];
    return v;
}

static uint64_t delay_of(const struct asim_fabric *fabric, size_t l)
{
    return asim_fs_to_ticks(fabric, fabric->set.topo->links[l].delay_fs);
}

/* Joins the nodes of links shorter than `lookahead`: root[v] is the lowest node of v's domain. */
static void join(const struct asim_fabric *fabric, uint64_t lookahead, uint32_t *root)
{
    const struct asim_topo *topo = fabric->set.topo;

    for (uint32_t v = 0; v < topo->nodes; v++)
        root[v] = v;
    for (size_t l = 0; l < topo->n_links; l++) {
        uint32_t a = find(root, topo->links[l].a), b = find(root, topo->links[l].b);

        if (delay_of(fabric, l) < lookahead)
            root[a < b ? b : a] = a < b ? a : b;
    }
    for (uint32_t v = 0; v < topo->nodes; v++)
        root[v] = find(root, v);
}

/* Whether each domain has at most half of the hosts, one worker of this process, and no link out
 * but of hosts: the destination of a message hears of its completion only as long ahead as the last
 * link to its source takes. */
static int is_fit(const struct asim_fabric *fabric, const uint32_t *root, uint32_t *hosts)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    const struct asim_topo *topo = fabric->set.topo;

    memset(hosts, 0, fabric->set.nodes * sizeof *hosts);
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        uint32_t r = root[v];

        hosts[r] += v < fabric->set.hosts;
        if (hosts[r] > fabric->set.hosts / 2 ||
            asim_fabric_owns(fabric, v) != asim_fabric_owns(fabric, r) ||
            (engine->workers.of && engine->workers.of[v] != engine->workers.of[r]))
            return 0;
    }
    for (size_t l = 0; l < topo->n_links; l++) {
        uint32_t a = topo->links[l].a, b = topo->links[l].b;

        if (root[a] != root[b] &&
            ((a >= topo->hosts && hosts[root[a]]) || (b >= topo->hosts && hosts[root[b]])))
            return 0;
    }
    return 1;
}

/* The longest delay below `limit` that some link has. */
static uint64_t next_delay(const struct asim_fabric *fabric, uint64_t limit)
{
    uint64_t found = 0;

    for (size_t l = 0; l < fabric->set.topo->n_links; l++)
        if (delay_of(fabric, l) < limit && delay_of(fabric, l) > found)
            found = delay_of(fabric, l);
    return found;
}

/* The longest window, with the domains it needs in root. 0: none longer than the links allow. */
static uint64_t choose(const struct asim_fabric *fabric, uint32_t *root, uint32_t *hosts)
{
    uint64_t lookahead = ASIM_NEVER;

    while ((lookahead = next_delay(fabric, lookahead)) >= MUCH_LONGER * fabric->set.lookahead) {
        join(fabric, lookahead, root);
        if (is_fit(fabric, root, hosts))
            return lookahead;
    }
    return 0;
}

static int is_bipartite(const struct asim_fabric *fabric, const uint32_t *root)
{
    const struct asim_topo *topo = fabric->set.topo;

    for (size_t l = 0; l < topo->n_links; l++) {
        uint32_t a = topo->links[l].a, b = topo->links[l].b;

        if (root[a] == root[b] && (a < topo->hosts) == (b < topo->hosts))
            return 0;
    }
    return 1;
}

/* The domains of one worker: `number` is scratch, [nodes]. */
static int list(struct asim_fabric *fabric, struct asim_worker *worker, const uint32_t *root,
                uint32_t *number)
{
    struct asim_domains *domains = calloc(1, sizeof *domains);
    uint32_t *at;

    worker->domains = domains;
    if (!domains)
        return ASIM_ENOMEM;
    domains->is_bipartite = is_bipartite(fabric, root);
    memset(number, 0, fabric->set.nodes * sizeof *number);
    for (uint32_t i = 0; i < worker->n_nodes; i++)
        number[root[worker->node[i]]]++;
    domains->at = calloc(worker->n_nodes + (size_t)1, sizeof *domains->at);
    at = domains->memory = malloc((worker->n_nodes + (size_t)1) * sizeof *at);
    domains->turn = malloc((worker->n_nodes + (size_t)1) * sizeof *domains->turn);
    if (!domains->at || !at || !domains->turn)
        return ASIM_ENOMEM;
    for (uint32_t v = 0; v < fabric->set.nodes; v++) {
        uint32_t n = number[v];

        number[v] = domains->n;
        if (n < 2) {
            number[v] = UINT32_MAX;
            continue;
        }
        domains->at[domains->n++].index = at;
        at += n;
    }
    domains->others = at;
    for (uint32_t i = 0; i < worker->n_nodes; i++) {
        uint32_t d = number[root[worker->node[i]]];
        struct asim_domain *domain = &domains->at[d];

        if (d == UINT32_MAX) {
            domains->others[domains->n_others++] = i;
            continue;
        }
        domain->index[domain->n++] = i;
        domain->n_hosts += worker->node[i] < fabric->set.hosts;
    }
    return 0;
}

int asim_domains_open(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    size_t n = fabric->set.nodes + (size_t)1;
    uint32_t *root = malloc(n * sizeof *root), *scratch = malloc(n * sizeof *scratch);
    int code = root && scratch ? 0 : ASIM_ENOMEM;
    uint64_t lookahead = 0;

    for (uint32_t w = 0; w < engine->workers.n; w++)
        asim_domains_close(&engine->workers.at[w]);
    asim_ways_find(fabric);
    if (!code && fabric->ways & ASIM_WAY_DOMAINS)
        lookahead = choose(fabric, root, scratch);
    if (fabric->set.rto && fabric->set.rto < lookahead)
        lookahead = 0;
    engine->workers.domain_lookahead = lookahead ? lookahead : fabric->set.lookahead;
    free(engine->workers.domain_of);
    engine->workers.domain_of = lookahead ? root : NULL;
    for (uint32_t w = 0; w < engine->workers.n && !code && lookahead; w++)
        code = list(fabric, &engine->workers.at[w], root, scratch);
    if (!lookahead)
        free(root);
    free(scratch);
    asim_ways_find(fabric);
    return code;
}
