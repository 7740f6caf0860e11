/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks that all hosts reach each other. Only switches forward, so a connected graph is not
 * enough: a host with links to two islands of switches does not connect the islands. If all hosts
 * have a link to one common island, all reach each other. Otherwise the check tries host after host
 * and names the first pair without a common island or a direct link. Linear in links, except for
 * networks without a common island in which all pairs are joined, such as a full mesh of hosts.
 *
 * Memory: three words per node, freed before the return. Islands are numbered from 1; 0 means "not
 * labelled".
 */
#include "topo/topo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

/* An island is a set of switches that reach each other over switches. asim_topo_check_connected
 * owns the arrays. */
struct islands {
    const struct asim_topo *topo;
    uint32_t hosts;   /* hosts to check */
    uint32_t *island; /* [nodes]: island of a switch from 1, 0 = not labelled */
    uint32_t *queue;  /* [nodes] */
    uint32_t *stamp;  /* [nodes + 1] */
    uint32_t n;
};

/* All calls together queue each switch once, so labelling is linear in links. */
static void flood(struct islands *s, uint32_t start)
{
    const struct asim_topo *t = s->topo;
    uint32_t head = 0, tail = 0;

    s->island[start] = ++s->n;
    s->queue[tail++] = start;
    while (head < tail) {
        uint32_t v = s->queue[head++];

        for (uint32_t p = t->first_port[v]; p < t->first_port[v + 1]; p++) {
            uint32_t peer = t->ports[p].peer;

            if (t->node_type[peer] == ASIM_HOST || s->island[peer])
                continue;
            s->island[peer] = s->n;
            s->queue[tail++] = peer;
        }
    }
}

/* 1 if one island has a link to every host, the usual case. stamp[i] counts the hosts 0, 1, 2 …
 * with a link to island i. */
static int have_common(struct islands *s)
{
    const struct asim_topo *t = s->topo;

    memset(s->stamp, 0, ((size_t)t->nodes + 1) * sizeof *s->stamp);
    for (uint32_t h = 0; h < s->hosts; h++) {
        for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++) {
            uint32_t i = s->island[t->ports[p].peer];

            if (i && s->stamp[i] == h)
                s->stamp[i] = h + 1;
        }
    }
    for (uint32_t i = 1; i <= s->n; i++)
        if (s->stamp[i] == s->hosts)
            return 1;
    return 0;
}

/* Stamps the hosts at the islands of h and the hosts with a link to h. */
static void reach(struct islands *s, uint32_t h, const uint32_t *by_island, const uint32_t *first)
{
    const struct asim_topo *t = s->topo;

    s->stamp[h] = h + 1;
    for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++) {
        uint32_t peer = t->ports[p].peer, i = s->island[peer];

        s->stamp[peer] = h + 1;
        for (uint32_t k = i ? first[i] : 0; i && k < first[i + 1]; k++)
            s->stamp[by_island[k]] = h + 1;
    }
}

/* stamp[v] = h + 1 means that h reaches v, so the stamps of one host need no clearing. */
static int name_pair(struct islands *s, const uint32_t *by_island, const uint32_t *first,
                     struct asim_err *err)
{
    memset(s->stamp, 0, ((size_t)s->topo->nodes + 1) * sizeof *s->stamp);
    for (uint32_t h = 0; h < s->hosts; h++) {
        reach(s, h, by_island, first);
        for (uint32_t other = 0; other < s->hosts; other++) {
            struct asim_where at = {s->topo->source ? s->topo->source : "topology", 0, 0};

            if (s->stamp[other] != h + 1)
                return asim_err_at(err, ASIM_EINVAL, at,
                                   "host %" PRIu32 " cannot reach host %" PRIu32
                                   " over switches (hosts do not forward).",
                                   h, other);
        }
    }
    return 0;
}

/* Lists the hosts of each island (a host twice if it has two links there) and looks for a pair. One
 * pass counts, the second fills. */
static int search(struct islands *s, struct asim_err *err)
{
    const struct asim_topo *t = s->topo;
    uint32_t *first = calloc((size_t)s->n + 3, sizeof *first);
    uint32_t *by_island = calloc((size_t)t->first_port[s->hosts] + 1, sizeof *by_island);
    int rc;

    if (!first || !by_island) {
        ASIM_FREE(first, by_island);
        return asim_err_nomem(err, "checking that hosts reach each other");
    }
    for (uint32_t p = 0; p < t->first_port[s->hosts]; p++)
        if (s->island[t->ports[p].peer])
            first[s->island[t->ports[p].peer] + 2]++;
    for (uint32_t i = 2; i <= s->n + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t h = 0; h < s->hosts; h++)
        for (uint32_t p = t->first_port[h]; p < t->first_port[h + 1]; p++)
            if (s->island[t->ports[p].peer])
                by_island[first[s->island[t->ports[p].peer] + 1]++] = h;
    rc = name_pair(s, by_island, first, err);
    ASIM_FREE(first, by_island);
    return rc;
}

/* hosts: the ranks of the run; other hosts may be unreachable. */
int asim_topo_check_connected(const struct asim_topo *topo, uint32_t hosts, struct asim_err *err)
{
    struct islands s = {topo, hosts, NULL, NULL, NULL, 0};
    struct asim_where at = {topo->source ? topo->source : "topology", 0, 0};
    int rc = 0;

    if (hosts > topo->hosts)
        return asim_err_at(err, ASIM_EINVAL, at,
                           "the run has %" PRIu32 " ranks, but the topology has %" PRIu32 " hosts.",
                           hosts, topo->hosts);
    s.island = calloc((size_t)topo->nodes + 1, sizeof *s.island);
    s.queue = calloc((size_t)topo->nodes + 1, sizeof *s.queue);
    s.stamp = calloc((size_t)topo->nodes + 1, sizeof *s.stamp);
    if (s.island && s.queue && s.stamp) {
        for (uint32_t v = topo->hosts; v < topo->nodes; v++)
            if (!s.island[v])
                flood(&s, v);
        if (hosts > 1 && !have_common(&s))
            rc = search(&s, err);
    } else {
        rc = asim_err_nomem(err, "checking that hosts reach each other");
    }
    ASIM_FREE(s.island, s.queue, s.stamp);
    return rc;
}
