/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts of a network: every node is in one, no NVLink and no link shorter than the stated window is
 * cut, leaves keep their hosts, the work is balanced, and the same topology gives the same parts.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include "topo/partition.h"
#include "topo/topo.h"

static void check_sound(const struct asim_topo *topo, const struct asim_partition *part)
{
    size_t cut_links = 0;

    for (uint32_t v = 0; v < topo->nodes; v++)
        CHECK(part->of[v] < part->n);
    for (size_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];

        if (part->of[link->a] == part->of[link->b])
            continue;
        cut_links++;
        CHECK(link->delay_fs >= part->lookahead_fs);
        CHECK(topo->node_type[link->a] != ASIM_NVSWITCH &&
              topo->node_type[link->b] != ASIM_NVSWITCH);
    }
    CHECK_U64(part->cut_links, cut_links);
}

static void check_same(const struct asim_topo *topo, const struct asim_partition *part)
{
    struct asim_partition again;

    CHECK(!asim_partition_make(&again, topo, part->n, 0, NULL));
    CHECK(!memcmp(again.of, part->of, topo->nodes * sizeof *part->of));
    asim_partition_fini(&again);
}

/* A host with one link is with the switch it is linked to. */
static void check_leaves(const struct asim_topo *topo, const struct asim_partition *part)
{
    for (uint32_t v = 0; v < topo->hosts; v++)
        if (topo->first_port[v + 1] - topo->first_port[v] == 1)
            CHECK_U64(part->of[v], part->of[topo->ports[topo->first_port[v]].peer]);
}

struct want {
    const char *spec;
    uint32_t hosts, n;
    double balance;
    uint64_t window_ns; /* 0: not checked */
    int leaves;         /* stay whole */
};

static void check_made(const struct want *want)
{
    struct asim_topo topo;
    struct asim_partition part;
    struct asim_err err = {0};

    asim_topo_init(&topo);
    CHECK(!asim_topo_make(&topo, want->spec, want->hosts, &err));
    CHECK_STR(err.text, "");
    CHECK(!asim_partition_make(&part, &topo, want->n, 0, &err));
    check_sound(&topo, &part);
    check_same(&topo, &part);
    CHECK(asim_partition_balance(&part) <= want->balance);
    CHECK_U64(asim_partition_used(&part), want->n);
    if (want->window_ns)
        CHECK_U64(part.lookahead_fs, want->window_ns * 1000000);
    if (want->leaves)
        check_leaves(&topo, &part);
    asim_partition_fini(&part);
    asim_topo_fini(&topo);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33) % below;
}

/* Random graphs, with delays of all kinds and switches without hosts. */
static void check_random(uint64_t seed)
{
    static const uint64_t delays_ns[] = {0, 25, 300, 500, 500, 500, 1000, 5000};
    uint64_t state = seed * 0x9e3779b97f4a7c15u;
    uint32_t hosts = 1 + draw(&state, 40), switches = 1 + draw(&state, 8);
    struct asim_topo topo;
    struct asim_partition part;

    asim_topo_init(&topo);
    CHECK(!asim_topo_nodes(&topo, hosts + switches, NULL));
    for (uint32_t s = 0; s < switches; s++)
        topo.node_type[hosts + s] = draw(&state, 4) ? ASIM_SWITCH : ASIM_NVSWITCH;
    for (uint32_t v = 0; v + 1 < hosts + switches; v++) {
        uint32_t first = v < hosts ? hosts : v + 1;
        struct asim_link link = {.a = v,
                                 .b = first + draw(&state, hosts + switches - first),
                                 .rate_bps = 400000000000u,
                                 .delay_fs = delays_ns[draw(&state, 8)] * 1000000};

        CHECK(!asim_topo_link(&topo, &link, NULL));
    }
    CHECK(!asim_topo_finish(&topo, NULL));
    CHECK(!asim_partition_make(&part, &topo, 1 + draw(&state, 6), 0, NULL));
    check_sound(&topo, &part);
    check_same(&topo, &part);
    CHECK(asim_partition_used(&part) >= 1);
    asim_partition_fini(&part);
    asim_topo_fini(&topo);
}

int main(void)
{
    static const struct want wants[] = {
        {"switch", 128, 1, 1.01, 0, 1},
        {"switch", 128, 2, 1.1, 500, 0},
        {"switch", 8, 4, 2.1, 500, 0},
        {"switch", 2, 3, 1.6, 500, 0},
        {"leaf_spine,npa=16,psn=4", 128, 2, 1.1, 500, 1},
        {"leaf_spine,npa=16,psn=4", 128, 3, 1.25, 500, 1},
        {"leaf_spine,npa=32,psn=8", 1024, 4, 1.1, 500, 1},
        {"fat_tree,k=8", 128, 4, 1.25, 0, 1},
    };

    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++)
        check_made(&wants[i]);
    for (uint64_t seed = 1; seed <= 200; seed++)
        check_random(seed);
    return CHECK_DONE();
}
