/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The breadth-first search for one class of destinations (spec rdma-network 4.3). It starts with
 * the switches the class is attached to, which is where the reference's search from a host stands
 * after its first step, and visits neighbours by descending id. Next hops are appended in the
 * order in which the search expands their switches. It walks links between switches only, so its
 * cost does not depend on how many hosts there are; source hosts are answered once per kind.
 *
 * SimAI (spec simai.md a.2): next hops over an NVSwitch drop the others at equal distance.
 *
 * Scratch arrays belong to the handle and are used by one search at a time: filling rows from
 * several threads is not allowed, reading filled ones is.
 */
#include "topo/route_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a very large network without shared classes; a run that gets here wants another way. */
#define MAX_ROW_BYTES ((uint64_t)16 << 30)

/* s counts switches from 0. */
static int is_nvswitch(const struct asim_route *r, uint32_t s)
{
    return r->topo->node_type[r->hosts + s] == ASIM_NVSWITCH;
}

/* Distances (1 = attached to the destination, 0 = unreachable), the order of expansion, and how
 * many next hops each switch has at most. Returns how many switches are reachable.
 * Every switch is expanded once; the queue afterwards lists all that are reachable. */
static uint32_t search(struct asim_route *r, uint32_t c)
{
    const struct asim_list *legs = &r->legs.lists[c];
    uint32_t tail = 0;

    for (uint32_t i = 0; i < legs->n; i++) {
        r->dist[legs->at[i]] = 1;
        r->queue[tail++] = legs->at[i];
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t v = r->queue[head];

        r->place[v] = head;
        for (uint32_t e = r->edge_first[v]; e < r->edge_first[v + 1]; e++) {
            uint32_t w = r->edges[e].to;

            if (!r->dist[w]) {
                r->dist[w] = r->dist[v] + 1;
                r->queue[tail++] = w;
            }
            if (r->dist[w] != r->dist[v] + 1)
                continue;
            r->count[w]++;
            r->by_nvswitch[w] |= (uint8_t)is_nvswitch(r, v);
        }
    }
    return tail;
}

/* Two passes instead of growing lists: the first has counted, so each switch has its slice of
 * `member`. The order within a slice is the order of expansion, which is what ECMP hashes into. */
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

            if (r->dist[w] == r->dist[v] + 1 && (!r->by_nvswitch[w] || is_nvswitch(r, v)))
                r->member[r->start[w] + r->count[w]++] = r->edges[e].port_back;
        }
    }
}

/* Order of expansion in the high half, interface in the low: one comparison sorts by both. */
static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Next hops of a source host: its ports to the nearest switches, in order of their expansion.
 * Left in r->member; the number of them is returned. */
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
        nv |= is_nvswitch(r, s);
        r->key[n++] = (uint64_t)r->place[s] << 32 | (p - t->first_port[host] + 1);
    }
    if (n > 1)
        qsort(r->key, n, sizeof *r->key, by_key);
    for (uint32_t i = 0; i < n; i++)
        if (!nv || is_nvswitch(r, r->queue[r->key[i] >> 32]))
            r->member[kept++] = (uint32_t)r->key[i];
    return kept;
}

/* Unreachable switches keep set 0 from calloc. */
static int store(struct asim_route *r, uint32_t *row, uint32_t reached)
{
    int rc = 0;

    for (uint32_t i = 0; !rc && i < reached; i++) {
        uint32_t v = r->queue[i];

        rc = asim_list_store_keep(&r->sets, r->member + r->start[v], r->count[v], &row[v]);
    }
    for (uint32_t k = 0; !rc && k < r->shapes.n; k++) {
        uint32_t n = host_ports(r, r->kinds[k].first);

        rc = asim_list_store_keep(&r->sets, r->member, n, &row[r->switches + k]);
    }
    return rc;
}

/* dist doubles as the mark of a visit; place and start are written before they are read. */
static void forget(struct asim_route *r)
{
    size_t words = r->switches * sizeof *r->dist;

    memset(r->dist, 0, words);
    memset(r->count, 0, words);
    memset(r->by_nvswitch, 0, r->switches);
}

/* A row is published only when whole, so that running out of memory leaves the handle usable. */
int asim_route_fill(struct asim_route *r, uint32_t c, struct asim_err *err)
{
    uint64_t bytes = ((uint64_t)r->switches + r->shapes.n) * sizeof(uint32_t);
    uint32_t *row, reached;

    if (r->rows[c])
        return 0;
    if (r->row_bytes + bytes > MAX_ROW_BYTES)
        return asim_err_set(err, ASIM_ENOMEM,
                            "routing tables pass %" PRIu64 " GiB (%zu classes of destinations, "
                            "%" PRIu64 " bytes each).",
                            MAX_ROW_BYTES >> 30, r->legs.n, bytes);
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
