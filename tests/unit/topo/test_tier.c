/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Tiers, names and classes (core/topo/tier.c): a leaf-spine network, a pod of GPUs with an
 * NVSwitch, two hosts joined directly, and a switch without hosts.
 */
#include "../check.h"
#include "net.h"
#include "topo/tier.h"

#include <stdlib.h>

static void expect_link(const struct asim_topo *topo, const uint8_t *tier, size_t link,
                        const char *want)
{
    char class[24];

    CHECK_STR(asim_topo_link_class(class, sizeof class, topo, tier, &topo->links[link]), want);
}

static void expect_node(const struct asim_topo *topo, const uint8_t *tier, uint32_t node,
                        const char *want)
{
    char name[24];

    CHECK_STR(asim_topo_node_name(name, sizeof name, topo, tier, node), want);
}

static void test_leaf_spine(void)
{
    struct asim_topo topo;
    uint8_t *tier;

    net_leaf_spine(&topo, 2, 2, 2);
    CHECK(asim_topo_tiers(&tier, &topo, NULL) == 0);
    CHECK_U64(tier[0], 0);
    CHECK_U64(tier[4], 1);
    CHECK_U64(tier[7], 2);
    expect_node(&topo, tier, 3, "host 3");
    expect_node(&topo, tier, 5, "leaf 5");
    expect_node(&topo, tier, 6, "spine 6");
    expect_link(&topo, tier, 0, "host-leaf");
    expect_link(&topo, tier, 4, "leaf-spine");
    free(tier);
    asim_topo_fini(&topo);
}

/* GPUs 0 and 1 share NVSwitch 2 and leaf 3; the leaf has a neighbour 4. */
static void test_pod(void)
{
    struct asim_topo topo;
    uint8_t *tier;

    net_nodes(&topo, 2, 3);
    topo.node_type[2] = ASIM_NVSWITCH;
    net_link(&topo, 2, 0, 900);
    net_link(&topo, 1, 2, 900);
    net_link(&topo, 0, 1, 100);
    net_link(&topo, 0, 3, 400);
    net_link(&topo, 4, 3, 400);
    net_finish(&topo);
    CHECK(asim_topo_endpoints(&topo, NULL) == 0);
    CHECK(asim_topo_tiers(&tier, &topo, NULL) == 0);
    expect_node(&topo, tier, 3, "nvswitch 2");
    expect_node(&topo, tier, 5, "spine 4");
    expect_link(&topo, tier, 0, "nvlink");
    expect_link(&topo, tier, 1, "nvlink");
    expect_link(&topo, tier, 2, "host-host");
    expect_link(&topo, tier, 3, "host-leaf");
    expect_link(&topo, tier, 4, "leaf-spine");
    free(tier);
    asim_topo_fini(&topo);
}

/* Switch 1 has the only host; 2, 3, 4 are a chain behind it; 5 and 6 lead to no host. */
static void test_far(void)
{
    struct asim_topo topo;
    uint8_t *tier;

    net_nodes(&topo, 1, 6);
    for (uint32_t v = 0; v < 4; v++)
        net_link(&topo, v, v + 1, 100);
    net_link(&topo, 6, 5, 100);
    net_finish(&topo);
    CHECK(asim_topo_tiers(&tier, &topo, NULL) == 0);
    CHECK_U64(tier[4], 4);
    CHECK_U64(tier[5], UINT8_MAX);
    expect_link(&topo, tier, 2, "spine-core");
    expect_link(&topo, tier, 3, "core-switch");
    expect_link(&topo, tier, 4, "switch-switch");
    free(tier);
    asim_topo_fini(&topo);
}

int main(void)
{
    test_leaf_spine();
    test_pod();
    test_far();
    return CHECK_DONE();
}
