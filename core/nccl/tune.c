/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL's own cost model (src/graph/tuning.cc of NCCL 2.29, ncclTopoTuneModel and
 * ncclTopoGetAlgoTime; where versions since 2.18 differ, by the version): for each algorithm and
 * protocol a latency and a bandwidth, and the smallest sum wins. It decides what runs, not how long
 * that takes: where it errs, so does NCCL. CollNet and PAT are left out, and so is any tuner
 * plug-in. RCCL's is in rccl.c.
 */
#include "nccl/case.h"

#include <math.h>

/* Simple, LL, LL128, as everywhere in asim. us. */
struct by_proto {
    double of[3];
};
static const struct by_proto base_tree = {{8.4, 6.8, 14}}, base_ring = {{8.4, 6.6, 14}};
static const struct by_proto nvlink_tree = {{4, .6, 1.25}}, nvlink_ring = {{3.4, .6, 1.9}};
static const struct by_proto pcie_tree = {{4, 1, 1.9}}, pcie_ring = {{5.7, 1, 2.5}};
static const struct by_proto net_tree = {{14, 5, 8.5}}, net_ring = {{14, 2.7, 4}};

/* By generation; columns are 1, 2 and more nodes. GB/s a channel, but for the first GB/s in all. */
struct by_nodes {
    double of[3];
};
static const struct by_nodes ll_gpu[4] = {
    {{39, 39, 20.4}}, {{87.7, 22.5, 19}}, {{141, 45, 35}}, {{282, 90, 70}}};
struct limits {
    struct by_nodes ring_ll128, tree_simple, tree_ll128, nvls_tree;
};
static const struct limits limits[3] = {
    {{{20, 20, 20}}, {{26.5, 18.5, 10}}, {{20, 20, 20}}, {{0, 0, 0}}},
    {{{20, 20, 20}}, {{24, 23.6, 17.8}}, {{20, 20, 20}}, {{0, 0, 0}}},
    {{{36.7, 36.7, 36.7}}, {{38.7, 41.4, 36}}, {{36.7, 36.7, 29}}, {{0, 57.7, 45.5}}}};
/* Blackwell, in versions before `until`. */
static const struct {
    uint32_t until;
    struct limits of;
} blackwell[] = {
    {22803, {{{73.4, 73.4, 73.4}}, {{77.4, 82.8, 72}}, {{73.4, 73.4, 58}}, {{0, 0, 0}}}},
    {22807, {{{73.4, 73.4, 73.4}}, {{70, 42.8, 24}}, {{55.6, 31.67, 20}}, {{0, 96, 43.1}}}},
    {22809, {{{73.4, 34.6, 73.4}}, {{70, 42.8, 24}}, {{55.6, 31.67, 20}}, {{0, 96, 43.1}}}},
    {22902, {{{73.4, 34.6, 73.4}}, {{70, 42.8, 24}}, {{55.6, 31.67, 20}}, {{0, 96, 43.8}}}},
    {22907, {{{34.5, 34.6, 34.5}}, {{70, 42.8, 24}}, {{55.6, 31.67, 20}}, {{0, 96, 43.8}}}},
    {23003, {{{40, 40, 40}}, {{70, 42.8, 24}}, {{55.6, 31.67, 20}}, {{0, 96, 43.8}}}},
    {0, {{{40, 40, 40}}, {{70, 42.8, 24}}, {{55.6, 31.67, 20}}, {{0, 96, 80}}}}};
static const double nvls_efficiency[4] = {0, 0, .85, .74};
/* Share of a tree's bandwidth for 64 B, 128 B, … 512 MiB. */
static const double tree_share[3][24] = {
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1}};

static int column(const struct asim_nccl_case *c)
{
    return c->domains > 2 ? 2 : (int)c->domains - 1;
}

static int generation(const struct asim_nccl_case *c)
{
    return c->m->generation > ASIM_GENERATION_BLACKWELL ? ASIM_GENERATION_HOPPER : c->m->generation;
}

static const struct limits *limits_of(const struct asim_nccl_case *c)
{
    size_t i = 0;

    if (generation(c) != ASIM_GENERATION_BLACKWELL)
        return &limits[generation(c)];
    while (blackwell[i].until && c->m->nccl >= blackwell[i].until)
        i++;
    return &blackwell[i].of;
}

/* 2.19 raised the latencies of trees with Simple, 2.21 doubled the bandwidth of LL in rings, 2.23
 * lowered the latencies again, 2.28 has another bandwidth of NVLS, 2.28.9 a higher latency of
 * NVLS trees, 2.29 the shares of a tree for an NVLS tree on Blackwell with x86. */
enum {
    SLOW_TREE = 21900,
    NEW_LL = 22100,
    NEW_TREE = 22300,
    NEW_NVLS = 22800,
    SLOW_NVLS = 22809,
    NVLS_SHARE = 22900
};
static const double slow_tree_simple = 28; /* us a hop, inside and across */

static int is_old(const struct asim_nccl_case *c)
{
    return c->m->nccl < NEW_TREE;
}

static int is_one_way(const struct asim_nccl_case *c)
{
    return c->op == ASIM_NCCL_ALL_GATHER || c->op == ASIM_NCCL_REDUCE_SCATTER;
}

/* --- latency ------------------------------------------------------------------------------------
 */

/* The latency of the plug-in counts twice for Simple: the flush of a received slice. */
static double across_latency(const struct asim_nccl_case *c, const struct by_proto *net, int proto)
{
    return net->of[proto] + (proto == ASIM_NCCL_SIMPLE ? 2 : 1) * c->m->plugin_us;
}

/* Before 2.23 an all-reduce was charged two crossings a node, its first node too. */
static uint32_t crossings(const struct asim_nccl_case *c)
{
    if (c->domains == 1)
        return 0;
    if (c->op == ASIM_NCCL_ALL_REDUCE)
        return 2 * (is_old(c) ? c->domains : c->domains - 1);
    return c->domains - 1;
}

static double ring_latency(const struct asim_nccl_case *c, int proto)
{
    double inside = (asim_nccl_case_is_pcie(c) ? pcie_ring : nvlink_ring).of[proto];
    double across = across_latency(c, c->local == 1 && !is_old(c) ? &net_tree : &net_ring, proto);
    double post = c->domains == 1 ? 0 : c->m->cpu == ASIM_CPU_AMD ? 2 : 1;
    double steps = asim_nccl_case_steps(c), crossing = crossings(c);

    if (c->op == ASIM_NCCL_BROADCAST || c->op == ASIM_NCCL_REDUCE)
        return base_ring.of[proto] + steps * (c->domains > 1 ? across : inside);
    if (proto == ASIM_NCCL_SIMPLE)
        post *= 3;
    return base_ring.of[proto] + (steps - crossing) * (post > inside ? post : inside) +
           crossing * across;
}

static double tree_latency(const struct asim_nccl_case *c, int proto)
{
    int is_slow = is_old(c) && c->m->nccl >= SLOW_TREE && proto == ASIM_NCCL_SIMPLE;
    double inside = is_slow ? slow_tree_simple
                            : (asim_nccl_case_is_pcie(c) ? pcie_tree : nvlink_tree).of[proto];
    double across =
        is_slow ? slow_tree_simple + 2 * c->m->plugin_us : across_latency(c, &net_tree, proto);

    return (is_old(c) && proto == ASIM_NCCL_SIMPLE ? 0 : base_tree.of[proto]) +
           2 * ((c->local - 1) * inside + floor(log2(c->domains)) * across);
}

static double latency(const struct asim_nccl_case *c, int algo, int proto)
{
    switch (algo) {
    case ASIM_NCCL_RING:
        return ring_latency(c, proto);
    case ASIM_NCCL_TREE:
        return tree_latency(c, proto);
    case ASIM_NCCL_NVLS:
        return 25;
    default:
        return 25 + 2 * floor(log2(c->domains)) *
                        ((c->m->nccl < SLOW_NVLS ? 14 : 20.9) + 2 * c->m->plugin_us);
    }
}

/* --- bandwidth ----------------------------------------------------------------------------------
 */

static double ring_bus(const struct asim_nccl_case *c, int proto)
{
    double bus = c->rings * c->ring_gbytes;
    /* LL: by the GPU inside one node, by the processor between nodes. */
    int row = c->domains == 1 ? generation(c) : c->m->cpu == ASIM_CPU_AMD;

    if (proto == ASIM_NCCL_LL)
        return fmin(ll_gpu[row].of[column(c)], bus / (c->m->nccl < NEW_LL ? 4 : 2));
    if (proto == ASIM_NCCL_LL128)
        return fmin(bus * (is_old(c) && c->local == 1 ? .7 : .92),
                    c->rings * limits_of(c)->ring_ll128.of[column(c)]);
    return bus;
}

/* All traffic of a node goes through one GPU of the tree (search.cc: NCCL_TOPO_PATTERN_TREE): with
 * one GPU a node, and from Hopper on where the search of a balanced tree fails, as the choices in
 * the tables of gh200-slingshot and rtx6000d-roce show it does without NVSwitches. */
static int is_plain_tree(const struct asim_nccl_case *c)
{
    return c->local == 1 ||
           (generation(c) >= ASIM_GENERATION_HOPPER && c->m->scale_up != ASIM_SCALE_UP_NVSWITCH);
}

static double tree_bus(const struct asim_nccl_case *c, int proto)
{
    int g = generation(c), row = c->domains == 1 ? g : c->m->cpu == ASIM_CPU_AMD;
    double bus = c->rings * c->ring_gbytes;

    /* With two nodes a tree sends each byte once over a NIC and twice over NVLink. */
    if (c->domains == 2)
        bus = fmin(2 * bus, c->m->graph_gbytes);
    bus = fmin(bus * .92, c->rings * limits_of(c)->tree_simple.of[column(c)]) *
          (is_plain_tree(c) ? .85 : 1);
    if (proto == ASIM_NCCL_LL)
        return fmin(bus / 3.8, ll_gpu[row].of[column(c)]);
    if (proto == ASIM_NCCL_LL128)
        return fmin(bus * (c->domains == 1 ? 7. / 9 : 120. / 128),
                    c->rings * limits_of(c)->tree_ll128.of[column(c)]);
    return bus;
}

/* Of NVLS between nodes, each NIC's GPU a head: what the search finds over NVLinks, where the head
 * sends and gets its part and the result of its own, and over a NIC. GB/s. */
static double head_inside(const struct asim_nccl_case *c, double heads)
{
    return asim_nccl_case_step(c, c->m->graph_gbytes / (heads + ceil(heads / c->local)));
}

static double head_across(const struct asim_nccl_case *c)
{
    return asim_nccl_case_step(c, c->m->nic_gbytes);
}

static double nvls_bus(const struct asim_nccl_case *c, int algo)
{
    int g = generation(c);
    double n = c->local, share = (n - 1) / n * nvls_efficiency[g];
    /* Inside a node each GPU is the head of a channel, at the highest rate of the search at most.
     */
    double heads = fmin(n * (g == ASIM_GENERATION_BLACKWELL ? 90 : 60), c->m->graph_gbytes);

    if (c->m->nccl < NEW_NVLS && algo == ASIM_NCCL_NVLS)
        return heads * (is_one_way(c) ? (n - 1) / n : 5. / 6);
    if (c->m->nccl < NEW_NVLS)
        return c->heads * 5 / 6 *
               fmin(head_inside(c, c->heads), head_across(c) / (c->domains == 2 ? 1 : 2));
    if (algo == ASIM_NCCL_NVLS)
        return heads * share * (c->op == ASIM_NCCL_ALL_REDUCE ? 2 : (n - 1) / n);
    return c->heads *
           fmin(fmin(head_inside(c, c->heads) * 2 * (c->heads - 1) / c->heads * nvls_efficiency[g],
                     head_across(c) * (c->domains == 2 ? 2 : 1)),
                limits_of(c)->nvls_tree.of[column(c)]);
}

static double bandwidth(const struct asim_nccl_case *c, int algo, int proto)
{
    double n = c->ranks, steps = asim_nccl_case_steps(c);

    if (algo == ASIM_NCCL_TREE)
        return tree_bus(c, proto) / 2;
    if (algo == ASIM_NCCL_RING)
        return ring_bus(c, proto) * n / steps;
    return is_one_way(c) || c->m->nccl < NEW_NVLS ? nvls_bus(c, algo)
                                                  : nvls_bus(c, algo) * n / steps;
}

static double cost(const struct asim_nccl_case *c, int algo, int proto)
{
    double bytes = (double)c->bytes, gbytes = bandwidth(c, algo, proto);
    double us = latency(c, algo, proto);
    int doublings = bytes >= 64 ? (int)floor(log2(bytes / 64)) : -1;

    int is_shared = algo == ASIM_NCCL_TREE ||
                    (algo == ASIM_NCCL_NVLS_TREE && c->m->nccl >= NVLS_SHARE &&
                     generation(c) == ASIM_GENERATION_BLACKWELL && c->m->cpu != ASIM_CPU_ARM);

    if (is_shared && doublings >= 0 && doublings < 23)
        gbytes *= tree_share[proto][doublings];
    if (algo == ASIM_NCCL_RING && proto == ASIM_NCCL_SIMPLE && c->domains > 1 &&
        c->op == ASIM_NCCL_ALL_REDUCE && bytes / ((double)c->channels * c->ranks) >= 64)
        us *= 1.4;
    return us + bytes / (gbytes * ASIM_BYTES_PER_US_OF_GBYTES);
}

/* --- the choice ---------------------------------------------------------------------------------
 */

/* Since 2.25 gathers and scatters have NVLS up to 32 GPUs of a domain (enqueue.cc:
 * NCCL_MAX_NVLS_ARITY). */
enum { HAS_ARITY = 22500, ARITY = 32 };

static int can_nvls(const struct asim_nccl_case *c, int algo)
{
    if (!c->m->nvls || c->local < 4 || (c->env && !c->env->nvls))
        return 0;
    if (algo == ASIM_NCCL_NVLS)
        return c->domains == 1 &&
               (c->op == ASIM_NCCL_ALL_REDUCE ||
                (is_one_way(c) && (c->local <= ARITY || c->m->nccl < HAS_ARITY)));
    return c->domains > 1 && c->op == ASIM_NCCL_ALL_REDUCE;
}

static int is_forbidden(const struct asim_nccl_case *c, int algo, int proto)
{
    return c->env && (!(c->env->algos[c->op] >> algo & 1) || !(c->env->protos[c->op] >> proto & 1));
}

int asim_nccl_can(const struct asim_nccl_case *c, int algo, int proto)
{
    if (is_forbidden(c, algo, proto))
        return 0;
    /* LL128 needs NVLink inside a node, and a network that keeps the order of stores. */
    if (proto == ASIM_NCCL_LL128 &&
        ((c->local > 1 && asim_nccl_case_is_pcie(c)) || (c->domains > 1 && !c->m->ll128_net)))
        return 0;
    if (algo == ASIM_NCCL_NVLS || algo == ASIM_NCCL_NVLS_TREE)
        return proto == ASIM_NCCL_SIMPLE && can_nvls(c, algo);
    if (algo == ASIM_NCCL_TREE)
        return c->op == ASIM_NCCL_ALL_REDUCE;
    return algo == ASIM_NCCL_RING;
}

void asim_nccl_tune(const struct asim_nccl_case *c, int *algo, int *proto)
{
    static const int algos[] = {ASIM_NCCL_TREE, ASIM_NCCL_RING, ASIM_NCCL_NVLS_TREE,
                                ASIM_NCCL_NVLS};
    double best = INFINITY;
    int only_algo = *algo, only_proto = *proto, by_size;

    *algo = ASIM_NCCL_RING;
    *proto = ASIM_NCCL_SIMPLE;
    for (size_t i = 0; i < sizeof algos / sizeof *algos; i++)
        for (int p = 0; p < 3; p++) {
            double us;

            if ((only_algo > ASIM_NCCL_TUNED && only_algo != algos[i]) ||
                (only_proto >= 0 && only_proto != p) || !asim_nccl_can(c, algos[i], p))
                continue;
            us = asim_nccl_is_rccl(c) ? asim_nccl_rccl_cost(c, algos[i], p) : cost(c, algos[i], p);
            if (us >= best)
                continue;
            best = us;
            *algo = algos[i];
            *proto = p;
        }
    by_size = asim_nccl_is_rccl(c) && only_proto < 0 ? asim_nccl_rccl_protocol(c) : -1;
    if (by_size >= 0 && asim_nccl_can(c, *algo, by_size))
        *proto = by_size;
}
