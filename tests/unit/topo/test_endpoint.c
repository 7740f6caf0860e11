/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NVSwitches with endpoints (core/topo/endpoint.c): numbers of nodes, links and ports before and
 * after, the path from GPUs to their NVSwitch and back, unchanged routes between GPUs, and errors.
 */
#include "../check.h"
#include "net.h"
#include "topo/pair.h"
#include "topo/route.h"

#include <string.h>

/* Four GPUs, two to an NVSwitch (5 and 6), all on leaf 4: the switches are out of order on
 * purpose. Port 1 of a GPU is NVLink. */
static void pods(struct asim_topo *topo)
{
    net_nodes(topo, 4, 3);
    topo->node_type[5] = topo->node_type[6] = ASIM_NVSWITCH;
    for (uint32_t h = 0; h < 4; h++)
        net_link(topo, h, 5 + h / 2, 100 * (h + 1));
    for (uint32_t h = 0; h < 4; h++)
        net_link(topo, h, 4, 400);
    topo->links[2].delay_fs = 25000000;
    net_finish(topo);
}

static void test_graph(void)
{
    struct asim_topo topo;
    struct asim_err err = {0};

    pods(&topo);
    CHECK_U64(asim_topo_endpoint_of(&topo, 5), UINT32_MAX);
    for (int twice = 0; twice < 2; twice++)
        CHECK(asim_topo_endpoints(&topo, &err) == 0);
    CHECK_U64(topo.nodes, 9);
    CHECK_U64(topo.hosts, 6);
    CHECK_U64(topo.switches, 3);
    CHECK_U64(topo.endpoints, 2);
    CHECK_U64(topo.n_links, 10);
    CHECK_U64(topo.node_type[6], ASIM_SWITCH);
    CHECK_U64(topo.node_type[8], ASIM_NVSWITCH);
    CHECK_U64(asim_topo_endpoint_of(&topo, 7), 4);
    CHECK_U64(asim_topo_endpoint_of(&topo, 8), 5);
    CHECK_U64(asim_topo_endpoint_of(&topo, 6), UINT32_MAX);
    CHECK_U64(asim_topo_endpoint_of(&topo, 4), UINT32_MAX);
    CHECK_U64(asim_topo_endpoint_of(&topo, 99), UINT32_MAX);
    CHECK_U64(topo.links[8].rate_bps, 600000000000u);
    CHECK_U64(topo.links[8].delay_fs, 500000000);
    CHECK_U64(topo.links[9].rate_bps, 1400000000000u);
    CHECK_U64(topo.links[9].delay_fs, 25000000); /* the shorter of its two */
    CHECK(!asim_topo_is_virtual(&topo, 7) && asim_topo_is_virtual(&topo, 8));
    CHECK(!asim_topo_is_endpoint(&topo, 3) && asim_topo_is_endpoint(&topo, 4) &&
          !asim_topo_is_endpoint(&topo, 6));
    CHECK_U64(topo.links[2].port_b, 1); /* as before */
    CHECK_U64(topo.links[9].port_b, 3);
    asim_topo_fini(&topo);
}

static void test_numbers(void)
{
    static const uint32_t shown[] = {0, 1, 2, 3, 5, 6, 4, 5, 6};
    struct asim_topo topo;

    pods(&topo);
    for (uint32_t v = 0; v < 7; v++) {
        CHECK_U64(asim_topo_external_id(&topo, v), v);
        CHECK_U64(asim_topo_internal_id(&topo, v), v);
    }
    CHECK(asim_topo_endpoints(&topo, NULL) == 0);
    for (uint32_t v = 0; v < 9; v++) {
        CHECK_U64(asim_topo_external_id(&topo, v), shown[v]);
        if (!asim_topo_is_endpoint(&topo, v))
            CHECK_U64(asim_topo_internal_id(&topo, shown[v]), v);
    }
    asim_topo_fini(&topo);
}

/* Between GPUs every list of ports stays the same; GPUs and their endpoint reach each other over
 * NVLink only. */
static void test_routes(void)
{
    struct asim_topo plain, wide;
    struct asim_route *before, *after;
    struct asim_pair a, b;
    uint32_t n, m;

    pods(&plain);
    pods(&wide);
    CHECK(asim_topo_endpoints(&wide, NULL) == 0);
    CHECK(asim_route_open(&before, &plain, NULL, NULL) == 0 &&
          asim_route_open(&after, &wide, NULL, NULL) == 0);
    for (uint32_t v = 0; v < plain.nodes; v++)
        for (uint32_t h = 0; h < 4; h++) {
            const uint32_t *was = asim_route_ports(before, v, h, &n);
            const uint32_t *is = asim_route_ports(after, asim_topo_internal_id(&wide, v), h, &m);

            CHECK_U64(m, n);
            CHECK(!n || (m == n && !memcmp(was, is, n * sizeof *is)));
        }
    for (uint32_t h = 0; h < 4; h++) {
        const uint32_t *out = asim_route_ports(after, h, 4 + h / 2, &n);
        const uint32_t *back = asim_route_ports(after, 4 + h / 2, h, &m);

        CHECK(n == 1 && out && out[0] == 1);
        CHECK(m == 1 && back && back[0] == 1);
    }
    CHECK(asim_pair_max(&a, before, 1000, NULL) == 0 && asim_pair_max(&b, after, 1000, NULL) == 0);
    CHECK_U64(b.rtt_ns, a.rtt_ns);
    CHECK_U64(b.bdp_bytes, a.bdp_bytes);
    asim_route_close(before);
    asim_route_close(after);
    asim_topo_fini(&plain);
    asim_topo_fini(&wide);
}

static void test_edges(void)
{
    struct asim_topo topo;
    struct asim_err err = {0};

    net_nodes(&topo, 2, 1); /* no NVSwitch: nothing to do */
    net_link(&topo, 0, 2, 100);
    net_link(&topo, 1, 2, 100);
    net_finish(&topo);
    CHECK(asim_topo_endpoints(&topo, &err) == 0);
    CHECK_U64(topo.nodes, 3);
    CHECK_U64(topo.endpoints, 0);
    asim_topo_fini(&topo);

    net_nodes(&topo, 1, 2);
    topo.node_type[1] = topo.node_type[2] = ASIM_NVSWITCH;
    net_link(&topo, 0, 1, 100);
    net_finish(&topo);
    CHECK(asim_topo_endpoints(&topo, &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "NVSwitch 2 has no link") != NULL);
    asim_topo_fini(&topo);

    net_nodes(&topo, 2, 1); /* rates beyond 64 bits */
    topo.node_type[2] = ASIM_NVSWITCH;
    net_link(&topo, 0, 2, 100);
    net_link(&topo, 1, 2, 100);
    topo.links[1].rate_bps = UINT64_MAX;
    net_finish(&topo);
    CHECK(asim_topo_endpoints(&topo, NULL) == 0);
    CHECK_U64(topo.links[2].rate_bps, UINT64_MAX);
    asim_topo_fini(&topo);
}

int main(void)
{
    test_graph();
    test_numbers();
    test_routes();
    test_edges();
    return CHECK_DONE();
}
