/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Routes over the links that are up: next hops avoid the others, port numbers stay, a host without
 * links is unreachable, and hosts with equal neighbours but different links up are distinguished.
 */
#include "asim/topology.h"
#include "check.h"
#include "topo/route.h"

enum { HOSTS = 4, LEAF = 4, SPINE = 6, NODES = 8 };

static void link_nodes(struct asim_topo *topo, uint32_t a, uint32_t b)
{
    struct asim_link link = {.a = a, .b = b, .rate_bps = 100000000000u, .delay_fs = 500000000u};

    CHECK(asim_topo_link(topo, &link, NULL) == 0);
}

/* Two leaves, two spines; hosts are on both leaves. Links 0-7: hosts, 8-11: leaves to spines. */
static void build(struct asim_topo *topo)
{
    asim_topo_init(topo);
    CHECK(asim_topo_nodes(topo, NODES, NULL) == 0);
    for (uint32_t v = HOSTS; v < NODES; v++)
        topo->node_type[v] = ASIM_SWITCH;
    for (uint32_t h = 0; h < HOSTS; h++)
        for (uint32_t l = 0; l < 2; l++)
            link_nodes(topo, h, LEAF + l);
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t s = 0; s < 2; s++)
            link_nodes(topo, LEAF + l, SPINE + s);
    CHECK(asim_topo_finish(topo, NULL) == 0);
}

/* Ports from node to dst: their number, and the last of them. */
static uint32_t ports(struct asim_route *route, uint32_t node, uint32_t dst, uint32_t *last)
{
    uint32_t n;
    const uint32_t *list = asim_route_ports(route, node, dst, &n);

    *last = n ? list[n - 1] : 0;
    return n;
}

int main(void)
{
    struct asim_topo topo;
    struct asim_route *route;
    uint8_t down[12] = {0};
    uint32_t last;

    build(&topo);
    CHECK(asim_route_open(&route, &topo, down, NULL) == 0);
    CHECK_U64(ports(route, 0, 1, &last), 2);
    asim_route_close(route);

    down[0] = 1; /* host 0 to leaf 4 */
    CHECK(asim_route_open(&route, &topo, down, NULL) == 0);
    CHECK_U64(ports(route, 0, 1, &last), 1);
    CHECK_U64(last, 2); /* still its second interface */
    CHECK_U64(ports(route, 2, 1, &last), 2);
    CHECK_U64(ports(route, 2, 0, &last), 1);
    CHECK_U64(last, 2);
    CHECK_U64(ports(route, LEAF, 0, &last), 2); /* over either spine */
    CHECK(asim_route_dest_class(route, 0) != asim_route_dest_class(route, 1));
    asim_route_close(route);

    down[8] = 1; /* leaf 4 to spine 6 */
    CHECK(asim_route_open(&route, &topo, down, NULL) == 0);
    CHECK_U64(ports(route, LEAF, 0, &last), 1);
    CHECK_U64(last, 6); /* four hosts, then spines 6 and 7 */
    CHECK_U64(ports(route, SPINE, 0, &last), 1);
    asim_route_close(route);

    down[1] = 1; /* host 0 has no link left */
    CHECK(asim_route_open(&route, &topo, down, NULL) == 0);
    CHECK_U64(ports(route, 1, 0, &last), 0);
    CHECK_U64(ports(route, 0, 1, &last), 0);
    CHECK_U64(ports(route, LEAF + 1, 0, &last), 0);
    CHECK_U64(ports(route, 3, 2, &last), 2);
    CHECK(asim_route_error(route, NULL) == 0);
    asim_route_close(route);
    asim_topo_fini(&topo);
    return CHECK_DONE();
}
