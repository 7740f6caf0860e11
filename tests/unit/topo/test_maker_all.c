/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Every maker: connected, node and link counts and degrees by its closed form, and the file in
 * SimAI's format reads back as the same graph. The numbers of the SimAI rows were recorded from
 * SimAI's generator.
 */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "topo/build.h"

struct row {
    const char *maker;
    uint32_t asked; /* ranks */
    uint32_t hosts, nvsw, switches;
    uint64_t links;
    uint32_t host_degree;
};

static const struct row rows[] = {
    {"Spectrum-X,psn=64", 8, 8, 1, 72, 528, 2},
    {"Spectrum-X", 16, 16, 2, 72, 544, 2},
    {"Spectrum-X", 32, 32, 4, 72, 576, 2},
    {"Spectrum-X", 64, 64, 8, 72, 640, 2},
    {"Spectrum-X", 128, 128, 16, 72, 768, 2},
    {"Spectrum-X", 121, 128, 16, 72, 768, 2},
    {"Spectrum-X,gps=36", 72, 72, 2, 100, 2448, 2},
    {"Spectrum-X", 0, 4096, 512, 128, 12288, 2},
    {"Spectrum-X,g=16,ro=0,dt=1,dp=1", 0, 16, 2, 72, 544, 2},
    {"AlibabaHPN,g=64,asn=16,psn=16", 0, 64, 8, 32, 448, 3},
    {"AlibabaHPN,g=64,asn=16,psn=16,dp=1", 0, 64, 8, 32, 320, 3},
    {"AlibabaHPN", 0, 15360, 1920, 360, 74880, 3},
    {"AlibabaHPN,dp=1", 0, 15360, 1920, 360, 60480, 3},
    {"DCN+,dt=1", 128, 128, 16, 10, 400, 3},
    {"DCN+", 32, 32, 4, 9, 72, 2},
    {"DCN+", 0, 512, 64, 16, 1088, 2},
    {"DCN+,dt=1", 0, 512, 64, 16, 1600, 3},
    {"rail,ro=1", 32, 32, 4, 72, 576, 2},
    {"rail,ro=0,gps=36", 72, 72, 2, 66, 272, 2},
    {"rail,dt=1,dp=1,psn=8", 16, 16, 2, 24, 112, 3},
    {"rail,nsps=4", 16, 16, 8, 72, 592, 5},
    {"nvl", 72, 72, 1, 20, 208, 2},
    {"nvl,gps=36", 0, 36, 1, 20, 136, 2},
    {"nvl36", 0, 36, 1, 20, 136, 2},
    {"leaf_spine,leaves=4", 64, 64, 0, 12, 96, 1},
    {"nvl,nsps=18,nvbw=400Gbps", 100, 144, 36, 20, 2800, 19},
    {"ring", 8, 8, 0, 8, 16, 1},
    {"ring", 2, 2, 0, 2, 3, 1},
    {"ring", 1, 1, 0, 1, 1, 1},
    {"1d", 5, 5, 0, 5, 10, 1},
    {"mesh", 12, 12, 0, 12, 12 + 17, 1},
    {"2d", 16, 16, 0, 16, 16 + 24, 1},
    {"2d", 7, 7, 0, 7, 7 + 6, 1},
    {"mesh,ndims=3", 27, 27, 0, 27, 27 + 54, 1},
    {"torus", 16, 16, 0, 16, 16 + 32, 1},
    {"torus,ndims=3", 27, 27, 0, 27, 27 + 81, 1},
    {"torus,dims=4x2", 0, 8, 0, 8, 8 + 8 + 4, 1},
    {"torus,dims=4x4x4", 60, 64, 0, 64, 64 + 192, 1},
    {"fully_connected", 9, 9, 0, 0, 36, 8},
    {"leaf_spine", 128, 128, 0, 16, 192, 1},
    {"leaf_spine,npa=4,psn=1", 16, 16, 0, 5, 20, 1},
    {"leaf_spine,npa=4,psn=2", 17, 17, 0, 7, 27, 1},
    {"fat_tree,k=4", 0, 16, 0, 20, 48, 1},
    {"fat_tree,k=8", 0, 128, 0, 80, 128 + 256, 1},
    {"fat_tree", 17, 17, 0, 45, 17 + 108, 1},
    {"dragonfly,h=2", 0, 72, 0, 36, 72 + 54 + 36, 1},
    {"dragonfly", 6, 6, 0, 6, 6 + 3 + 3, 1},
    {"dragonfly", 7, 7, 0, 36, 7 + 54 + 36, 1},
    {"dragonfly,p=1,a=4,h=2,groups=5", 0, 20, 0, 20, 20 + 30 + 20, 1},
    /* NVSwitch and NIC; one leaf a rail and a spine */
    {"machine:h100-ndr", 32, 32, 4, 8 + 4, 32 + 32 + 8 * 4, 2},
    {"machine:h100-ndr,nodes=2,gpus=1,fabric=star", 0, 2, 0, 1, 2, 1},
    {"machine,nodes=8,fabric=leaf_spine,per_leaf=2,spines=2", 0, 64, 8, 6, 128 + 8, 2},
    /* one NVLink domain of 18 hosts */
    {"machine:gb200-nvl72,fabric=star", 72, 72, 1, 1, 144, 2},
    /* 6 links of a mesh a node; two GPUs at a NIC */
    {"machine:a100-slingshot,nodes=2,fabric=star", 0, 8, 0, 5, 12 + 8 + 4, 4},
    /* no link between the GPUs of a node */
    {"machine:rtx6000d-roce,nodes=2,fabric=star", 0, 16, 0, 1, 16, 1},
};

static uint32_t count(const struct asim_topo *topo, int kind)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < topo->nodes; v++)
        n += topo->node_type[v] == kind;
    return n;
}

static void check_row(const struct row *row)
{
    struct asim_topo topo;
    struct asim_err err = {0};
    int rc = asim_topo_make(&topo, row->maker, row->asked, &err);
    CHECK_STR(err.text, "");
    if (rc) {
        fprintf(stderr, "  (maker %s)\n", row->maker);
        return;
    }
    int before = check_failures;
    CHECK_U64(topo.hosts, row->hosts);
    CHECK_U64(count(&topo, ASIM_NVSWITCH), row->nvsw);
    CHECK_U64(topo.switches, row->nvsw + row->switches);
    CHECK_U64(topo.n_links, row->links);
    CHECK_U64(asim_topo_check_connected(&topo, topo.hosts, &err), 0);
    for (uint32_t h = 0; h < topo.hosts; h++)
        if (topo.first_port[h + 1] - topo.first_port[h] != row->host_degree)
            CHECK_U64(topo.first_port[h + 1] - topo.first_port[h], row->host_degree);
    if (check_failures != before)
        fprintf(stderr, "  (maker %s)\n", row->maker);
    asim_topo_fini(&topo);
}

/* All routers of a closed torus, all switches of a full fat-tree and of a balanced dragonfly have
 * one degree. */
static void check_degrees(const char *maker, uint32_t want)
{
    struct asim_topo topo;
    struct asim_err err = {0};
    CHECK_U64(asim_topo_make(&topo, maker, 0, &err), 0);
    for (uint32_t v = topo.hosts; v < topo.nodes; v++)
        CHECK_U64(topo.first_port[v + 1] - topo.first_port[v], want);
    asim_topo_fini(&topo);
}

static void check_refused(const char *maker, uint32_t asked, const char *words)
{
    struct asim_topo topo;
    struct asim_err err = {0};
    CHECK_U64(asim_topo_make(&topo, maker, asked, &err) < 0, 1);
    if (!strstr(err.text, words)) {
        fprintf(stderr, "%s gave \"%s\", want \"%s\"\n", maker, err.text, words);
        CHECK(0);
    }
}

static void check_refusals(void)
{
    check_refused("Spectrum-X,g=12", 0, "g=12 GPUs are no whole number of servers");
    check_refused("Spectrum-X,g=8", 9, "has 8 hosts but 9 ranks");
    check_refused("Spectrum-X,g=8192", 0, "one pod has room for 8");
    check_refused("AlibabaHPN,g=64,psn=15,dp=1", 0, "psn=15 spines cannot be split");
    check_refused("AlibabaHPN,g=15360,dp=1,app=100", 0, "raise app or npa");
    check_refused("DCN+,dp=1", 0, "dual plane (dp) needs rails and two ToRs");
    check_refused("DCN+,g=8192", 0, "one pod has room for 8");
    check_refused("rail,dp=1", 0, "dual plane (dp) needs rails and two ToRs");
    check_refused("nvl,tray=5", 0, "no whole number of trays");
    check_refused("torus,dims=4xx4", 0, "dims '4xx4'");
    check_refused("torus,dims=99999x99999", 0, "more than");
    check_refused("torus,dims=4x4,g=17", 0, "have 16 hosts but g says 17");
    check_refused("mesh,dims=4x4", 17, "17 ranks");
    check_refused("fat_tree,k=5", 0, "even number");
    check_refused("fat_tree,k=4,g=17", 0, "give k=6");
    check_refused("dragonfly,h=1,a=2,groups=9", 0, "cannot all be joined");
    check_refused("dragonfly,h=1,groups=3,g=100", 0, "do not fit");
    check_refused("fully_connected,g=100000", 0, "links");
    check_refused("leaf_spine,g=16777216,npa=1,psn=1000", 0, "at most");
    check_refused("ring,bandwith=4", 0, "Did you mean 'bandwidth'?");
    check_refused("Spectrum-X,bw=400", 0, "rate with its unit");
}

static void check_find(const char *name, const char *want)
{
    struct asim_err err = {0};
    const struct asim_topo_maker *maker = asim_topo_maker_find(name, &err);
    CHECK_STR(maker ? maker->member.name : NULL, want);
}

int main(void)
{
    struct asim_err err = {0};
    CHECK_U64(asim_family_check(asim_topo_maker_table, "topology maker", &err), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
    check_degrees("torus,dims=4x4x4", 7);
    check_degrees("torus,dims=3x5", 5);
    check_degrees("ring,g=9", 3);
    check_degrees("fat_tree,k=6", 6);
    check_degrees("dragonfly,h=2", 7);
    check_degrees("dragonfly,h=3", 11);
    check_refusals();
    check_find("spectrum_x", "Spectrum-X");
    check_find("dcn", "DCN+");
    check_find("hpn", "AlibabaHPN");
    check_find("FatTree", "fat_tree");
    CHECK(!asim_topo_maker_find("spectrum-y-y", &err));
    return CHECK_DONE();
}
