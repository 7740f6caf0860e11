/* SPDX-License-Identifier: GPL-2.0-only
 *
 * RCCL's choice of algorithm and protocol (src/graph/tuning.cc and src/misc/rccl_wrap.cc of RCCL
 * 2.26): NCCL's cost model with constants and corrections of its own for each kind of node, here
 * the two of 8 GPUs that xGMI joins (tuning models 5 and 6: gfx942 and gfx950). Between nodes the
 * model chooses the algorithm only; the protocol follows from the bytes that a rank has. MSCCL,
 * which takes small buffers of one node in some versions, is left out.
 */
#include "nccl/case.h"

#include <math.h>

/* Simple, LL, LL128, as everywhere in asim. us. */
struct by_proto {
    double of[3];
};
static const struct by_proto base = {{17, 12, 12}};
static const struct by_proto tree_link = {{2.3, .9, .9}}, ring_link = {{2.1, .8, .8}};
static const struct by_proto tree_net = {{25, 10.5, 10.5}}, ring_net = {{320, 9.5, 9.5}};
/* Shares of what a GPU's links carry: of a tree up to two nodes and beyond, and of a ring. */
static const struct by_proto tree_few = {{.11, .06, .06}}, tree_many = {{.59, .06, .06}};
static const struct by_proto ring_share = {{1, .08, .08}};

/* Of these again for 64 B, 128 B, … 4 GiB and more; a ring has them between nodes only. */
enum { SIZES = 27 };
static const double tree_flags[SIZES] = {.1, .1, .1, .1, .1, .1, 1,  1,  1,  1,  1,  .6, 1, .9,
                                         1,  1,  .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1};
/* gfx950, LL128, from 4 MiB on. */
static const double tree_ll128_more[4] = {1, 1, 1, 2};
static const double tree_simple[2][SIZES] = {
    {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
     .1, .7, 1,  1,  1,  1,  1,  .7, .7, .5, .6, .6, .6},
    {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1,
     .1, .7, 1,  .1, .1, .1, .9, .9, .7, .8, .6, .6, .6}};
static const double ring_flags[SIZES] = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 1,  .2, 1,
                                         .4, .4, .1, .2, .2, .1, .1, .1, .1, .1, .1, .1, .1};
enum { RING_SIMPLE_FROM = 22 }; /* 256 MiB; before, a tenth */

/* Most bytes of a rank with LL and with LL128 between nodes; 0: as the model chooses. */
struct range {
    double ll, ll128;
};
static struct range range_of(const struct asim_nccl_case *c, int is_gfx950)
{
    switch (c->op) {
    case ASIM_NCCL_ALL_REDUCE: /* beyond two nodes LL128 for longer */
        return (struct range){is_gfx950 ? 131071 : 1048576,
                              (is_gfx950 ? 17660227 : 9437184) * (c->domains > 2 ? 3.8 : 1)};
    case ASIM_NCCL_ALL_GATHER:
        return is_gfx950 ? (struct range){7, 8388608} : (struct range){98304, 5046272};
    case ASIM_NCCL_REDUCE_SCATTER:
        return is_gfx950 ? (struct range){131071, 4194304} : (struct range){131072, 3211264};
    default:
        return (struct range){0, 0};
    }
}

static double share_of(const struct asim_nccl_case *c, int algo, int proto, int is_gfx950)
{
    int size = c->bytes >= 64 ? (int)fmin(SIZES - 1, floor(log2((double)c->bytes / 64))) : 0;

    if (algo == ASIM_NCCL_TREE) {
        double share = (c->domains > 2 ? tree_many : tree_few).of[proto];

        if (proto == ASIM_NCCL_SIMPLE)
            return share * tree_simple[is_gfx950][size];
        if (proto == ASIM_NCCL_LL128 && is_gfx950 && size >= 16 && size < 20)
            return share * tree_ll128_more[size - 16];
        return share * tree_flags[size];
    }
    if (c->domains == 1)
        return ring_share.of[proto];
    if (proto == ASIM_NCCL_SIMPLE)
        return size < RING_SIMPLE_FROM ? .1 : size == RING_SIMPLE_FROM + 1 ? .8 : 1;
    return ring_share.of[proto] * ring_flags[size];
}

/* us */
static double cost(const struct asim_nccl_case *c, int algo, int proto, int is_gfx950)
{
    double steps = asim_nccl_case_steps(c), us = base.of[proto];
    double crossings =
        c->domains > 1 ? (c->op == ASIM_NCCL_ALL_REDUCE ? 2 : 1) * (c->domains - 1.) : 0;
    double post = c->domains > 1 ? (c->m->cpu == ASIM_CPU_AMD ? 2 : 1) : 0;
    double gbytes = c->m->graph_gbytes * share_of(c, algo, proto, is_gfx950);

    if (algo == ASIM_NCCL_TREE) {
        us += 2 *
              ((c->local - 1) * tree_link.of[proto] + floor(log2(c->domains)) * tree_net.of[proto]);
        gbytes /= 2;
    } else {
        us += (steps - crossings) *
                  fmax(post * (proto == ASIM_NCCL_SIMPLE ? 3 : 1), ring_link.of[proto]) +
              crossings * ring_net.of[proto];
        gbytes *= c->ranks / steps;
    }
    return us + (double)c->bytes / (gbytes * ASIM_BYTES_PER_US_OF_GBYTES);
}

/* On one node RCCL has no tree with Simple; where that is asked for it is what there is. */
double asim_nccl_rccl_cost(const struct asim_nccl_case *c, int algo, int proto)
{
    if (algo == ASIM_NCCL_TREE && proto == ASIM_NCCL_SIMPLE && c->domains == 1)
        return 1e300;
    return cost(c, algo, proto, c->m->generation == ASIM_GENERATION_CDNA4);
}

int asim_nccl_rccl_protocol(const struct asim_nccl_case *c)
{
    struct range range = range_of(c, c->m->generation == ASIM_GENERATION_CDNA4);
    double bytes = c->op == ASIM_NCCL_ALL_REDUCE ? (double)c->bytes : (double)c->bytes / c->ranks;

    if (c->domains == 1 || range.ll128 <= 0)
        return -1;
    if (bytes <= range.ll)
        return ASIM_NCCL_LL;
    return bytes <= range.ll128 && c->m->ll128_net ? ASIM_NCCL_LL128 : ASIM_NCCL_SIMPLE;
}
