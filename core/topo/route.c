/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds next hops, one search for each class of destinations. Set-up is linear, apart from a sort
 * of the few ports of each host. Two groupings keep the tables small: hosts attached to the same
 * switches form a destination class and share a row; source hosts with equal ports share a column.
 * Switches that lead only to their own hosts do not count for either (route_state.h). The last hop
 * depends on the destination host itself: its own links answer it. They also answer for two hosts
 * that are wired to each other, because a direct link is the shortest path.
 *
 * A breadth-first search fills the row of a destination class on first use
 * (rdma-network.md#routing-and-ecmp). It starts at the switches of the class, where the search of
 * ASTRA-sim's ns-3 backend stands after its first step from a host, and visits neighbours by
 * descending id. Next hops are appended in the order in which the search expands their switches.
 * The search walks links between switches only, so its cost does not depend on the number of hosts.
 *
 * SimAI (simai.md#routing): next hops over an NVSwitch replace other next hops at equal distance.
 *
 * The handle owns the working arrays, and one search at a time uses them: several threads may read
 * filled rows but may not fill rows.
 */
#include "topo/route_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Only a very large network without shared classes reaches this limit. */
#define MAX_ROW_BYTES ((uint64_t)16 << 30)

/* The largest number of ports of one host. */
static size_t most_host_ports(const struct asim_topo *t)
{
    uint32_t most = 0;

    for (uint32_t h = 0; h < t->hosts; h++)
        if (t->first_port[h + 1] - t->first_port[h] > most)
            most = t->first_port[h + 1] - t->first_port[h];
    return most;
}

static int is_edge(const struct asim_route *r, uint32_t port)
{
    return r->topo->ports[port].peer >= r->hosts && !asim_route_is_down(r, port);
}

/* Lists the edges between switches. Visits the switches from the highest id down and appends each
 * to the lists of its neighbours, so every list is descending by neighbour and ascending by port.
 * Descending order gives the next hops of ASTRA-sim on Linux (rdma-network.md#recorded-numbers). */
static void link_switches(struct asim_route *r)
{
    const struct asim_topo *t = r->topo;
    uint32_t *mark = r->start, sum = 0;

    for (uint32_t s = 0; s < r->switches; s++) {
        uint32_t v = r->hosts + s;

        /* r->start is free before the first search. */
        mark[s] = r->edge_first[s] = sum;
        for (uint32_t p = t->first_port[v]; p < t->first_port[v + 1]; p++)
            sum += is_edge(r, p);
    }
    r->edge_first[r->switches] = sum;
    for (uint32_t s = r->switches; s-- > 0;) {
        uint32_t v = r->hosts + s;

        for (uint32_t p = t->first_port[v]; p < t->first_port[v + 1]; p++)
            if (is_edge(r, p))
                r->edges[mark[t->ports[p].peer - r->hosts]++] =
                    (struct asim_route_edge){s, p - t->first_port[v] + 1};
    }
}

/* Allocates everything before it checks, so that asim_route_close can free a partial handle. */
static int allocate(struct asim_route *r)
{
    const struct asim_topo *t = r->topo;
    size_t h = (size_t)r->hosts + 1, s = (size_t)r->switches + 1;
    size_t host_ports = (size_t)t->first_port[r->hosts] + 1;
    /* Each edge is one port of a switch. */
    size_t edges = t->first_port[t->nodes] - t->first_port[r->hosts] + (size_t)1;
    size_t most = most_host_ports(t), members = 5 * most > edges ? 5 * most : edges;

    r->attached_of = calloc(h, sizeof *r->attached_of);
    r->dest_class_of = calloc(h, sizeof *r->dest_class_of);
    r->local_of = calloc(h, sizeof *r->local_of);
    r->column_of = calloc(h, sizeof *r->column_of);
    r->column_host = calloc(h, sizeof *r->column_host);
    r->source_class_of = calloc(h, sizeof *r->source_class_of);
    r->source_classes = calloc(h, sizeof *r->source_classes);
    r->edge_first = calloc(s, sizeof *r->edge_first);
    r->edges = calloc(edges, sizeof *r->edges);
    r->last_peer = calloc(host_ports, sizeof *r->last_peer);
    r->last_port = calloc(host_ports, sizeof *r->last_port);
    r->dist = calloc(s, sizeof *r->dist);
    r->expansion = calloc(s, sizeof *r->expansion);
    r->queue = calloc(s, sizeof *r->queue);
    r->start = calloc(s, sizeof *r->start);
    r->count = calloc(s, sizeof *r->count);
    r->by_nvswitch = calloc(s, sizeof *r->by_nvswitch);
    r->member = calloc(members + 1, sizeof *r->member);
    r->key = calloc(most + 1, sizeof *r->key);
    return r->attached_of && r->dest_class_of && r->local_of && r->column_of && r->column_host &&
                   r->source_class_of && r->source_classes && r->edge_first && r->edges &&
                   r->last_peer && r->last_port && r->dist && r->expansion && r->queue &&
                   r->start && r->count && r->by_nvswitch && r->member && r->key
               ? 0
               : ASIM_ENOMEM;
}

/* Set 0 is the empty list: a zeroed row means "unreachable". */
static int set_up(struct asim_route *r)
{
    uint32_t empty;

    if (allocate(r) || asim_list_store_keep(&r->sets, r->member, 0, &empty))
        return ASIM_ENOMEM;
    link_switches(r);
    if (asim_route_classify(r))
        return ASIM_ENOMEM;
    r->rows = calloc(r->dest_classes.n + 1, sizeof *r->rows);
    return r->rows ? 0 : ASIM_ENOMEM;
}

int asim_route_open(struct asim_route **route, const struct asim_topo *topo, const uint8_t *down,
                    struct asim_err *err)
{
    struct asim_route *r = calloc(1, sizeof *r);

    *route = NULL;
    if (!r)
        return asim_err_nomem(err, "setting up routes");
    r->topo = topo;
    r->down = down;
    r->hosts = topo->hosts;
    r->switches = topo->switches;
    asim_list_store_init(&r->attached);
    asim_list_store_init(&r->dest_classes);
    asim_list_store_init(&r->locals);
    asim_list_store_init(&r->columns);
    asim_map_init(&r->local_sets);
    asim_list_store_init(&r->source_ports);
    asim_list_store_init(&r->sets);
    if (set_up(r)) {
        asim_route_close(r);
        return asim_err_nomem(err, "setting up routes");
    }
    *route = r;
    return 0;
}

/* Also frees a handle whose set-up failed. */
void asim_route_close(struct asim_route *r)
{
    if (!r)
        return;
    for (size_t c = 0; r->rows && c < r->dest_classes.n; c++)
        free(r->rows[c]);
    asim_list_store_fini(&r->attached);
    asim_list_store_fini(&r->dest_classes);
    asim_list_store_fini(&r->locals);
    asim_list_store_fini(&r->columns);
    asim_map_fini(&r->local_sets);
    asim_list_store_fini(&r->source_ports);
    asim_list_store_fini(&r->sets);
    ASIM_FREE(r->rows, r->attached_of, r->dest_class_of, r->local_of, r->column_of, r->column_host,
              r->source_class_of, r->source_classes, r->edge_first, r->edges, r->last_peer,
              r->last_port, r->dist, r->expansion, r->queue, r->start, r->count, r->by_nvswitch,
              r->member, r->key, r);
}

/* Computes the distance of each switch (1 = attached to the destination, 0 = unreachable), the
 * order of expansion and an upper bound of its number of next hops. Returns the number of reachable
 * switches, which r->queue lists. */
static uint32_t search(struct asim_route *r, uint32_t c)
{
    const struct asim_list *leaves = &r->dest_classes.lists[c];
    uint32_t tail = 0;

    for (uint32_t i = 0; i < leaves->n; i++) {
        r->dist[leaves->at[i]] = 1;
        r->queue[tail++] = leaves->at[i];
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t v = r->queue[head];

        r->expansion[v] = head;
        for (uint32_t e = r->edge_first[v]; e < r->edge_first[v + 1]; e++) {
            uint32_t w = r->edges[e].to;

            if (!r->dist[w]) {
                r->dist[w] = r->dist[v] + 1;
                r->queue[tail++] = w;
            }
            if (r->dist[w] != r->dist[v] + 1)
                continue;
            r->count[w]++;
            r->by_nvswitch[w] |= (uint8_t)asim_route_is_nvswitch(r, v);
        }
    }
    return tail;
}

/* Writes the next hops: the first pass has counted them, so each switch has a slice of `member`.
 * The order within a slice is the order of expansion, which ECMP hashes into. */
static void collect(struct asim_route *r, uint32_t reached)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < reached; i++) {
        uint32_t v = r->queue[i];

        r->start[v] = sum;
        sum += r->count[v];
        r->count[v] = 0;
    }
    for (uint32_t i = 0; i < reached; i++) {
        uint32_t v = r->queue[i];

        for (uint32_t e = r->edge_first[v]; e < r->edge_first[v + 1]; e++) {
            uint32_t w = r->edges[e].to;

            if (r->dist[w] == r->dist[v] + 1 &&
                (!r->by_nvswitch[w] || asim_route_is_nvswitch(r, v)))
                r->member[r->start[w] + r->count[w]++] = r->edges[e].port_back;
        }
    }
}

/* Writes the next hops of a source host to r->member: its ports to the nearest switches, in order
 * of their expansion. Returns their number. */
static uint32_t host_ports(struct asim_route *r, uint32_t host)
{
    const struct asim_topo *t = r->topo;
    uint32_t best = UINT32_MAX, n = 0, kept = 0;
    int nv = 0;

    for (uint32_t p = t->first_port[host]; p < t->first_port[host + 1]; p++) {
        uint32_t s = t->ports[p].peer - r->hosts;

        if (t->ports[p].peer < r->hosts || asim_route_is_down(r, p) || !r->dist[s] ||
            r->dist[s] > best)
            continue;
        if (r->dist[s] < best)
            n = 0, nv = 0;
        best = r->dist[s];
        nv |= asim_route_is_nvswitch(r, s);
        r->key[n++] = (uint64_t)r->expansion[s] << 32 | (p - t->first_port[host] + 1);
    }
    if (n > 1)
        qsort(r->key, n, sizeof *r->key, asim_route_by_number);
    for (uint32_t i = 0; i < n; i++)
        if (!nv || asim_route_is_nvswitch(r, r->queue[r->key[i] >> 32]))
            r->member[kept++] = (uint32_t)r->key[i];
    return kept;
}

/* Unreachable switches keep set 0. */
static int store(struct asim_route *r, uint32_t *row, uint32_t reached)
{
    int rc = 0;

    for (uint32_t i = 0; !rc && i < reached; i++) {
        uint32_t v = r->queue[i];

        rc = asim_list_store_keep(&r->sets, r->member + r->start[v], r->count[v], &row[v]);
    }
    for (uint32_t k = 0; !rc && k < r->columns.n; k++) {
        uint32_t n = host_ports(r, r->column_host[k]);

        rc = asim_list_store_keep(&r->sets, r->member, n, &row[r->switches + k]);
    }
    return rc;
}

/* dist also marks visited switches; expansion and start are written before they are read. */
static void forget(struct asim_route *r)
{
    size_t words = r->switches * sizeof *r->dist;

    memset(r->dist, 0, words);
    memset(r->count, 0, words);
    memset(r->by_nvswitch, 0, r->switches);
}

/* Publishes complete rows only: the handle stays usable if memory runs out. */
static int fill_row(struct asim_route *r, uint32_t c, struct asim_err *err)
{
    uint64_t bytes = ((uint64_t)r->switches + r->columns.n) * sizeof(uint32_t);
    uint32_t *row, reached;

    if (r->rows[c])
        return 0;
    if (r->row_bytes + bytes > MAX_ROW_BYTES)
        return asim_err_set(err, ASIM_ENOMEM,
                            "routing tables pass %" PRIu64 " GiB (%zu classes of destinations, "
                            "%" PRIu64 " bytes each).",
                            MAX_ROW_BYTES >> 30, r->dest_classes.n, bytes);
    row = calloc(1, (size_t)bytes + 1);
    if (!row)
        return asim_err_nomem(err, "searching for routes");
    forget(r);
    reached = search(r, c);
    collect(r, reached);
    if (store(r, row, reached)) {
        free(row);
        return asim_err_nomem(err, "searching for routes");
    }
    r->rows[c] = row;
    r->row_bytes += bytes;
    return 0;
}

uint32_t asim_route_dest_classes(const struct asim_route *route)
{
    return (uint32_t)route->dest_classes.n;
}

uint32_t asim_route_dest_class(const struct asim_route *route, uint32_t host)
{
    return route->dest_class_of[host];
}

const struct asim_topo *asim_route_topo(const struct asim_route *route)
{
    return route->topo;
}

/* The last hop goes first: it depends on the host itself, and a direct link beats every path over
 * switches. */
const uint32_t *asim_route_ports(struct asim_route *r, uint32_t node, uint32_t dst_host,
                                 uint32_t *n)
{
    const uint32_t *direct;
    uint32_t c, set;

    *n = 0;
    if (node == dst_host || node >= r->topo->nodes || dst_host >= r->hosts)
        return NULL;
    direct = asim_route_last_hop(r, node, dst_host, n);
    if (direct)
        return direct;
    c = r->dest_class_of[dst_host];
    if (node < r->hosts && asim_route_shares_local(r, node, dst_host)) {
        if (asim_route_local_set(r, node, dst_host, &set)) {
            asim_err_nomem(&r->failure, "searching for routes");
            return NULL;
        }
    } else {
        if (!r->rows[c] && fill_row(r, c, &r->failure))
            return NULL;
        set = r->rows[c][node < r->hosts ? r->switches + r->column_of[node] : node - r->hosts];
    }
    *n = r->sets.lists[set].n;
    return *n ? r->sets.lists[set].at : NULL;
}

/* *err gets a copy of the recorded failure. */
int asim_route_error(const struct asim_route *route, struct asim_err *err)
{
    if (!route->failure.code)
        return 0;
    return asim_err_set(err, route->failure.code, "%s", route->failure.text);
}

int asim_route_fill_all(struct asim_route *route, struct asim_err *err)
{
    int rc = asim_route_fill_local(route) ? asim_err_nomem(err, "searching for routes") : 0;

    for (uint32_t c = 0; !rc && c < route->dest_classes.n; c++)
        rc = fill_row(route, c, err);
    return rc;
}
