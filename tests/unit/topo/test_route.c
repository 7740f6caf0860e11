/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compares routing and pair figures with a plain search from every host, written as
 * rdma-network.md#routing-and-ecmp describes ASTRA-sim's, on hundreds of random networks. Also: the
 * order measured in ASTRA-sim, the worked examples of rdma-network.md#base-rtt-and-bdp, and a
 * 4,096-host network in bounded time.
 */
#include "net.h"
#include "topo/pair.h"
#include "topo/route.h"

#include <time.h>

enum { MOST_NODES = 32, MOST_HOPS = 256 };

struct plain { /* of one destination */
    uint32_t dist[MOST_NODES], n[MOST_NODES], port[MOST_NODES][MOST_HOPS];
    struct asim_pair pair[MOST_NODES];
    uint32_t queue[MOST_NODES], tail;
};

/* v was first seen from u over link: its path is u's with that link. */
static void discover(struct plain *plain, uint32_t u, uint32_t v, const struct asim_link *link)
{
    struct asim_pair *pair = &plain->pair[v];

    *pair = plain->pair[u];
    pair->delay_ns += link->delay_fs / 1000000;
    pair->tx_delay_ns += 1000ull * 8000000000u / link->rate_bps;
    if (pair->rate_bps == 0 || link->rate_bps < pair->rate_bps)
        pair->rate_bps = link->rate_bps;
    pair->rtt_ns = 2 * pair->delay_ns + pair->tx_delay_ns;
    pair->bdp_bytes = pair->rtt_ns * pair->rate_bps / 1000000000u / 8;
    pair->hops++;
}

static void visit(const struct asim_topo *t, struct plain *plain, uint32_t u, uint32_t v)
{
    for (uint32_t p = t->first_port[u]; p < t->first_port[u + 1]; p++) {
        if (t->ports[p].peer != v)
            continue;
        if (plain->dist[v] == UINT32_MAX) {
            plain->dist[v] = plain->dist[u] + 1;
            discover(plain, u, v, &t->links[t->ports[p].link]);
            if (t->node_type[v] != ASIM_HOST)
                plain->queue[plain->tail++] = v;
        }
        if (plain->dist[v] == plain->dist[u] + 1)
            plain->port[v][plain->n[v]++] = t->ports[p].peer_port;
    }
}

static void search(const struct asim_topo *t, uint32_t dst, struct plain *plain)
{
    memset(plain, 0, sizeof *plain);
    memset(plain->dist, 0xff, sizeof plain->dist);
    plain->dist[dst] = 0;
    plain->queue[plain->tail++] = dst;
    for (uint32_t head = 0; head < plain->tail; head++)
        for (uint32_t v = t->nodes; v-- > 0;)
            visit(t, plain, plain->queue[head], v);
}

static void compare(const struct asim_topo *t, struct asim_route *route, uint32_t dst,
                    struct asim_pair *most)
{
    struct plain plain;
    struct asim_err err = {0};

    search(t, dst, &plain);
    for (uint32_t v = 0; v < t->nodes; v++) {
        uint32_t n;
        struct asim_host_pair hosts = {v, dst};
        const uint32_t *ports = asim_route_ports(route, v, dst, &n);
        struct asim_pair pair;

        CHECK_U64(n, v == dst ? 0 : plain.n[v]);
        CHECK((n == 0) == (ports == NULL));
        CHECK(n == 0 || memcmp(ports, plain.port[v], n * sizeof *ports) == 0);
        if (v >= t->hosts)
            continue;
        CHECK(asim_pair_get(&pair, route, hosts, 1000, &err) == 0);
        CHECK(memcmp(&pair, &plain.pair[v], sizeof pair) == 0);
        if (pair.rtt_ns > most->rtt_ns)
            most->rtt_ns = pair.rtt_ns;
        if (pair.bdp_bytes > most->bdp_bytes)
            most->bdp_bytes = pair.bdp_bytes;
    }
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 800; seed++) {
        struct asim_pair most = {0}, found;
        struct asim_route *route;
        struct asim_topo topo;
        struct asim_err err = {0};

        (seed > 400 ? net_servers : net_random)(&topo, seed);
        CHECK(asim_route_open(&route, &topo, NULL, &err) == 0);
        if (seed % 2)
            CHECK(asim_route_fill_all(route, &err) == 0);
        for (uint32_t dst = 0; dst < topo.hosts; dst++)
            compare(&topo, route, dst, &most);
        CHECK(asim_pair_max(&found, route, 1000, &err) == 0);
        CHECK_U64(found.rtt_ns, most.rtt_ns);
        CHECK_U64(found.bdp_bytes, most.bdp_bytes);
        asim_route_close(route);
        asim_topo_fini(&topo);
    }
}

/* rdma-network.md#recorded-numbers: leaves 8 and 9, spines 10 to 13 on leaf ports 5 to 8; hash
 * index 0 is port 8. */
static void test_astra_order(void)
{
    static const uint32_t up[] = {8, 7, 6, 5};
    struct asim_route *route;
    struct asim_topo topo;
    struct asim_err err = {0};
    const uint32_t *ports;
    uint32_t n;

    net_leaf_spine(&topo, 2, 4, 4);
    CHECK(asim_route_open(&route, &topo, NULL, &err) == 0);
    CHECK_U64(asim_route_dest_classes(route), 2);
    CHECK(asim_route_dest_class(route, 0) == asim_route_dest_class(route, 3));
    CHECK(asim_route_dest_class(route, 0) != asim_route_dest_class(route, 4));
    ports = asim_route_ports(route, 8, 5, &n);
    CHECK(n == 4 && memcmp(ports, up, sizeof up) == 0);
    ports = asim_route_ports(route, 9, 5, &n);
    CHECK(n == 1 && ports[0] == 2);
    ports = asim_route_ports(route, 12, 5, &n);
    CHECK(n == 1 && ports[0] == 2);
    ports = asim_route_ports(route, 0, 5, &n);
    CHECK(n == 1 && ports[0] == 1);
    CHECK(asim_route_ports(route, 5, 5, &n) == NULL && n == 0);
    CHECK(asim_route_ports(route, 99, 5, &n) == NULL && n == 0);
    asim_route_close(route);
    asim_topo_fini(&topo);
}

/* rdma-network.md#base-rtt-and-bdp: 200G 500 ns two hops: 2080 ns, 52,000 bytes; 400G: 2040 ns,
 * 102,000 bytes. */
static void test_pair_examples(void)
{
    static const uint64_t rows[][3] = {{200, 2080, 52000}, {400, 2040, 102000}};

    for (size_t i = 0; i < 2; i++) {
        struct asim_route *route;
        struct asim_topo topo;
        struct asim_pair pair;
        struct asim_err err = {0};

        net_nodes(&topo, 2, 1);
        net_link(&topo, 2, 0, rows[i][0]);
        net_link(&topo, 2, 1, rows[i][0]);
        net_finish(&topo);
        CHECK(asim_route_open(&route, &topo, NULL, &err) == 0);
        CHECK(asim_pair_get(&pair, route, (struct asim_host_pair){0, 1}, 1000, &err) == 0);
        CHECK_U64(pair.delay_ns, 1000);
        CHECK_U64(pair.rtt_ns, rows[i][1]);
        CHECK_U64(pair.bdp_bytes, rows[i][2]);
        CHECK_U64(pair.hops, 2);
        CHECK(asim_pair_get(&pair, route, (struct asim_host_pair){1, 1}, 1000, &err) == 0);
        CHECK_U64(pair.rtt_ns, 0);
        asim_route_close(route);
        asim_topo_fini(&topo);
    }
}

/* SimAI: at equal distance the path over an NVSwitch (node 4) hides the others. */
static void test_nvswitch(void)
{
    struct asim_route *route;
    struct asim_topo topo;
    struct asim_err err = {0};
    const uint32_t *ports;
    uint32_t n;

    net_nodes(&topo, 4, 2);
    topo.node_type[4] = ASIM_NVSWITCH;
    for (uint32_t h = 0; h < 4; h++)
        net_link(&topo, h, 5, 100);
    net_link(&topo, 0, 4, 400);
    net_link(&topo, 1, 4, 400);
    net_finish(&topo);
    CHECK(asim_route_open(&route, &topo, NULL, &err) == 0);
    ports = asim_route_ports(route, 0, 1, &n);
    CHECK(n == 1 && ports[0] == 2);
    ports = asim_route_ports(route, 0, 2, &n);
    CHECK(n == 1 && ports[0] == 1);
    asim_route_close(route);
    asim_topo_fini(&topo);
}

static void test_large(void)
{
    struct asim_route *route;
    struct asim_topo topo;
    struct asim_pair pair;
    struct asim_err err = {0};
    clock_t start;
    double seconds;

    net_leaf_spine(&topo, 128, 32, 32);
    start = clock();
    CHECK(asim_route_open(&route, &topo, NULL, &err) == 0);
    CHECK(asim_route_fill_all(route, &err) == 0);
    CHECK(asim_pair_max(&pair, route, 1000, &err) == 0);
    seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("4096 hosts: routes of %u classes and the greatest RTT in %.3f s\n",
           asim_route_dest_classes(route), seconds);
    CHECK_U64(asim_route_dest_classes(route), 128);
    CHECK_U64(pair.rtt_ns, 2 * 4 * 500 + 4 * 20);
    /* Generous: the sanitizers' build runs it too, on a loaded machine. */
    CHECK(seconds < 20);
    asim_route_close(route);
    asim_topo_fini(&topo);
}

int main(void)
{
    test_astra_order();
    test_pair_examples();
    test_nvswitch();
    test_random();
    test_large();
    return CHECK_DONE();
}
