/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Networks for the tests of topo: from text, and pseudo-random ones with parallel links, hosts with
 * several links, host-to-host links and islands.
 */
#ifndef ASIM_TESTS_NET_H
#define ASIM_TESTS_NET_H

#include "../../fuzz/replay.h"
#include "topo/topo.h"

static inline void net_link(struct asim_topo *topo, uint32_t a, uint32_t b, uint64_t gbps)
{
    struct asim_link link = {
        .a = a, .b = b, .rate_bps = gbps * 1000000000u, .delay_fs = 500000000u};
    struct asim_err err = {0};

    CHECK(asim_topo_link(topo, &link, &err) == 0);
}

static inline void net_nodes(struct asim_topo *topo, uint32_t hosts, uint32_t switches)
{
    struct asim_err err = {0};

    asim_topo_init(topo);
    CHECK(asim_topo_nodes(topo, hosts + switches, &err) == 0);
    for (uint32_t s = 0; s < switches; s++)
        topo->node_type[hosts + s] = ASIM_SWITCH;
}

static inline void net_finish(struct asim_topo *topo)
{
    struct asim_err err = {0};

    CHECK(asim_topo_finish(topo, &err) == 0);
    CHECK_STR(err.text, "");
}

/* hosts under leaves of `per_leaf`, every leaf to every spine, links from the hosts up. */
static inline void net_leaf_spine(struct asim_topo *topo, uint32_t leaves, uint32_t per_leaf,
                                  uint32_t spines)
{
    uint32_t hosts = leaves * per_leaf;

    net_nodes(topo, hosts, leaves + spines);
    for (uint32_t h = 0; h < hosts; h++)
        net_link(topo, h, hosts + h / per_leaf, 400);
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t s = 0; s < spines; s++)
            net_link(topo, hosts + l, hosts + leaves + s, 400);
    net_finish(topo);
}

static inline uint32_t net_draw(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 20) % below);
}

static inline void net_random(struct asim_topo *topo, uint64_t seed)
{
    static const uint32_t rates[] = {25, 100, 200, 400};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    uint32_t hosts = 2 + net_draw(&state, 8), switches = 1 + net_draw(&state, 9);
    uint32_t links = hosts + switches + net_draw(&state, 3 * switches);

    net_nodes(topo, hosts, switches);
    for (uint32_t h = 0; h < hosts; h++)
        net_link(topo, h, hosts + net_draw(&state, switches), rates[net_draw(&state, 4)]);
    for (uint32_t i = hosts; i < links; i++) {
        uint32_t a = net_draw(&state, hosts + switches), b = net_draw(&state, hosts + switches);

        if (a < hosts && b < hosts && net_draw(&state, 4))
            a = hosts + net_draw(&state, switches);
        if (a != b)
            net_link(topo, a, b, rates[net_draw(&state, 4)]);
    }
    net_finish(topo);
}

/* A random network as above, in which most hosts stand in servers of one to three, with a switch of
 * their own that leads nowhere else; some of these also have another such switch, and some hosts
 * have that switch only. */
static inline void net_servers(struct asim_topo *topo, uint64_t seed)
{
    static const uint32_t rates[] = {25, 100, 200, 400};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 7;
    uint32_t hosts = 4 + net_draw(&state, 10), leaves = 1 + net_draw(&state, 5),
             servers = hosts / 2;
    uint32_t local = hosts + leaves;

    net_nodes(topo, hosts, leaves + servers);
    for (uint32_t h = 0; h < hosts; h++) {
        if (net_draw(&state, 8))
            net_link(topo, h, hosts + net_draw(&state, leaves), rates[net_draw(&state, 4)]);
        else
            net_link(topo, h, local + h / 3 % servers, 400);
        if (net_draw(&state, 4))
            net_link(topo, h, local + h / 3 % servers, rates[net_draw(&state, 2)]);
        if (!net_draw(&state, 6))
            net_link(topo, h, local + net_draw(&state, servers), 400);
    }
    for (uint32_t l = 1; l < leaves; l++)
        net_link(topo, hosts + l, hosts + net_draw(&state, l), rates[net_draw(&state, 4)]);
    net_finish(topo);
}

#endif
