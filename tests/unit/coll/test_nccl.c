/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL-like flows: counts by their closed forms, every flow after what it waits for, and what the
 * flows do: with a set of contributors carried along each flow, everybody must end with everybody's
 * data (all-reduce), with whatever algorithm. ncclRing's steps are those flows.
 */
#include "check.h"
#include <stdlib.h>
#include "coll/coll.h"
#include "coll/nccl.h"

extern const struct asim_coll_algo asim_coll_algo_nccl_ring, asim_coll_algo_nccl_pxn,
    asim_coll_algo_direct;

static struct asim_nccl_spec spec_of(int coll_type, int algo, uint32_t ranks, uint32_t gps)
{
    return (struct asim_nccl_spec){.coll_type = coll_type,
                                   .algo = algo,
                                   .bytes = 1 << 24,
                                   .ranks = ranks,
                                   .gpus_per_server = gps,
                                   .nv_gbytes = 300,
                                   .net_gbytes = 25};
}

/* The chunk of a tree that a flow carries; of other algorithms all flows of a channel count. */
static uint32_t chunk_of(const struct asim_nccl *nccl, const struct asim_nccl_flow *f)
{
    if (nccl->chunks < 2)
        return 0;
    return nccl->spec.algo == ASIM_NCCL_NVLS_TREE && !nccl->spec.by_ranks ? f->chunk / 2 : f->chunk;
}

/* Sets that flow along one channel; a node's set grows by what arrives. The flows are in an order
 * that respects what they wait for, so one pass moves everything. */
static void check_all_reduced(const struct asim_nccl *nccl, uint32_t channel, uint32_t chunk)
{
    static uint64_t held[256][64]; /* [node][piece] */
    uint32_t n = nccl->spec.ranks, ring = nccl->spec.algo == ASIM_NCCL_RING;
    uint32_t pieces = ring ? n : 1;
    memset(held, 0, sizeof held);
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = 0; i < pieces; i++)
            held[p][i] = 1ull << p;
    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *f = &nccl->flows.at[i];
        if (f->channel != channel || chunk_of(nccl, f) != chunk)
            continue;
        for (uint32_t piece = 0; piece < pieces; piece++)
            held[f->dst][piece] |= held[f->src][piece];
    }
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = 0; i < pieces; i++)
            CHECK_U64(held[p][i], n == 64 ? UINT64_MAX : (1ull << n) - 1);
}

static void check_order(const struct asim_nccl *nccl)
{
    uint32_t nodes = nccl->spec.ranks + nccl->servers;
    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *f = &nccl->flows.at[i];
        CHECK(f->src < nodes && f->dst < nodes && f->src != f->dst);
        for (uint32_t p = 0; p < f->parents; p++) {
            uint32_t parent = nccl->parents.at[f->first_parent + p];
            CHECK(parent < i);
            if (nccl->flows.at[parent].src != f->src)          /* else it made way */
                CHECK_U64(nccl->flows.at[parent].dst, f->src); /* it brought what is sent on */
        }
    }
}

struct row {
    int coll_type, algo;
    uint32_t ranks, gps, pxn; /* pxn 2: no flow at an NVSwitch */
    uint64_t flows, bytes;    /* bytes of one flow */
    uint32_t channels;        /* at most; 0: one a GPU */
};
static const struct row rows[] = {
    {ASIM_ALL_REDUCE, ASIM_NCCL_AUTO, 8, 8, 0, 896, 262144},
    {ASIM_ALL_REDUCE, ASIM_NCCL_RING, 16, 8, 0, 3840, 131072},
    {ASIM_ALL_REDUCE, ASIM_NCCL_RING, 16, 8, 1, 4320, 131072},
    {ASIM_ALL_REDUCE, ASIM_NCCL_RING, 32, 8, 0, 15872, 65536},
    {ASIM_ALL_REDUCE, ASIM_NCCL_RING, 3, 1, 0, 12, 5592405},
    {ASIM_ALL_GATHER, ASIM_NCCL_AUTO, 16, 8, 1, 1920, 131072},
    {ASIM_REDUCE_SCATTER, ASIM_NCCL_AUTO, 16, 8, 0, 1920, 131072},
    {ASIM_ALL_TO_ALL, ASIM_NCCL_AUTO, 16, 8, 0, 240, 1048576},
    {ASIM_ALL_REDUCE, ASIM_NCCL_NVLS, 8, 8, 0, 64, 4194304},
    {ASIM_ALL_REDUCE, ASIM_NCCL_TREE, 16, 8, 0, 16 * 16 * 2 * 15, 65536},
    {ASIM_ALL_REDUCE, ASIM_NCCL_TREE, 8, 8, 0, 16 * 16 * 2 * 7, 65536},
    {ASIM_ALL_REDUCE, ASIM_NCCL_TREE, 7, 1, 0, 2 * 32 * 2 * 6, 262144},
    {ASIM_ALL_REDUCE, ASIM_NCCL_TREE, 56, 8, 0, 16 * 16 * 2 * 55, 65536},
    {ASIM_ALL_REDUCE, ASIM_NCCL_NVLS_TREE, 32, 8, 0, 16 * 8 * (4 * (8 + 1 + 1 + 7) + 2 * 3),
     131072},
    {ASIM_ALL_REDUCE, ASIM_NCCL_NVLS_TREE, 32, 8, 2, 16 * 8 * 2 * 31, 131072},
    {ASIM_ALL_REDUCE, ASIM_NCCL_NVLS_TREE, 7, 1, 2, 2 * 16 * 2 * 6, 524288},
    {ASIM_ALL_REDUCE, ASIM_NCCL_NVLS, 8, 8, 2, 32, 4194304},
    {ASIM_ALL_REDUCE, ASIM_NCCL_RING, 16, 8, 0, 1440, 349525, 3},
    {ASIM_ALL_REDUCE, ASIM_NCCL_RING, 16, 8, 1, 1620, 349525, 3},
    {ASIM_ALL_REDUCE, ASIM_NCCL_TREE, 16, 8, 0, 6 * 64 * 2 * 15, 43690, 3},
    {ASIM_ALL_REDUCE, ASIM_NCCL_NVLS_TREE, 32, 8, 0, 6 * 8 * (4 * (8 + 1 + 1 + 7) + 2 * 3), 349525,
     3},
    {ASIM_ALL_REDUCE, ASIM_NCCL_NVLS_TREE, 32, 8, 2, 6 * 8 * 2 * 31, 349525, 3},
};

static uint32_t channels_of(const struct asim_nccl *nccl)
{
    int is_tree = nccl->spec.algo == ASIM_NCCL_TREE || nccl->spec.algo == ASIM_NCCL_NVLS_TREE;

    return is_tree ? 2 * nccl->channels : nccl->channels;
}

/* Servers of 3, 5, 1 and 4 members, and the same without the one of 1. */
static const uint32_t uneven[] = {0, 3, 8, 9, 13}, some[] = {0, 3, 8, 12};

static void check_uneven(int algo, int pxn, int by_ranks, uint32_t channels)
{
    struct asim_nccl_spec spec = spec_of(ASIM_ALL_REDUCE, algo, channels == 1 ? 13 : 12, 4);
    struct asim_nccl nccl;
    struct asim_err err = {0};

    spec.first = channels == 1 ? uneven : some;
    spec.servers = channels == 1 ? 4 : 3;
    spec.pxn = pxn;
    spec.by_ranks = by_ranks;
    CHECK_U64(asim_nccl_make(&nccl, &spec, &err), 0);
    CHECK_U64(nccl.channels, channels);
    check_order(&nccl);
    if (algo == ASIM_NCCL_RING)
        CHECK_U64(asim_nccl_ring_flows(&nccl), nccl.flows.n);
    for (uint32_t c = 0; c < channels_of(&nccl); c++)
        for (uint32_t k = 0; k < nccl.chunks; k++)
            check_all_reduced(&nccl, c, k);
    asim_nccl_fini(&nccl);
}

static void check_row(const struct row *row)
{
    struct asim_nccl_spec spec = spec_of(row->coll_type, row->algo, row->ranks, row->gps);
    struct asim_nccl nccl;
    struct asim_err err = {0};
    spec.pxn = row->pxn == 1;
    spec.by_ranks = row->pxn == 2;
    spec.channels = row->channels;
    CHECK_U64(asim_nccl_make(&nccl, &spec, &err), 0);
    CHECK_STR(err.text, "");
    CHECK_U64(nccl.flows.n, row->flows);
    CHECK_U64(nccl.flows.n ? nccl.flows.at[0].bytes : 0, row->bytes);
    check_order(&nccl);
    if (nccl.spec.algo == ASIM_NCCL_RING)
        CHECK_U64(asim_nccl_ring_flows(&nccl), row->flows);
    for (uint32_t i = 0; i < nccl.flows.n;
         i++) /* one size: sim/collective/nccl_graph.c relies on it */
        CHECK_U64(nccl.flows.at[i].bytes, asim_nccl_piece(&nccl));
    if (row->pxn == 2 && nccl.spec.algo == ASIM_NCCL_NVLS) { /* stands for the switch's flows */
        asim_nccl_fini(&nccl);
        return;
    }
    for (uint32_t c = 0; c < channels_of(&nccl) && row->coll_type == ASIM_ALL_REDUCE; c++)
        for (uint32_t k = 0; k < nccl.chunks && (nccl.spec.algo != ASIM_NCCL_NVLS || c == 0); k++)
            check_all_reduced(&nccl, c, k);
    asim_nccl_fini(&nccl);
}

static void check_refused(struct asim_nccl_spec spec, const char *words)
{
    struct asim_nccl nccl;
    struct asim_err err = {0};
    CHECK(asim_nccl_make(&nccl, &spec, &err) < 0);
    CHECK(strstr(err.text, words));
}

/* Small messages take LL, large ones Simple; NVLS only where it is switched on. */
static void check_tuned(uint64_t bytes, int proto)
{
    struct asim_nccl_spec spec = spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_TUNED, 16, 8);
    struct asim_nccl nccl;
    struct asim_err err = {0};
    spec.bytes = bytes;
    CHECK_U64(asim_nccl_make(&nccl, &spec, &err), 0);
    CHECK_U64(nccl.spec.proto, proto);
    CHECK(nccl.spec.algo == ASIM_NCCL_RING || nccl.spec.algo == ASIM_NCCL_TREE);
    asim_nccl_fini(&nccl);
}

/* 8 H100 with NVLS: the switch starts 13,200 ns later than a ring and carries 1.125 times the
 * buffer at 300 GB/s where the ring carries 1.75 times, so it is quicker from 6.34 MB. */
static void check_nvls_from(uint64_t bytes, int algo)
{
    struct asim_nccl_spec spec = spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_TUNED, 8, 8);
    struct asim_nccl nccl;
    struct asim_err err = {0};
    spec.bytes = bytes;
    spec.nvls = spec.hopper = 1;
    CHECK_U64(asim_nccl_choose(&nccl, &spec, &err), 0);
    CHECK_U64(nccl.spec.algo, algo);
}

/* PXN's plan sends as often between the same two as its flows do. */
static void check_pxn(uint32_t n, uint32_t gps, uint32_t channels, const uint32_t *first)
{
    static int count[64][64];
    struct asim_nccl_spec spec = spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_RING, n, gps);
    struct asim_nccl nccl;
    struct asim_err err = {0};
    spec.pxn = 1;
    spec.channels = channels;
    spec.first = first;
    spec.servers = first ? 3 : 0;
    memset(count, 0, sizeof count);
    CHECK_U64(asim_nccl_make(&nccl, &spec, &err), 0);
    for (size_t i = 0; i < nccl.flows.n; i++)
        count[nccl.flows.at[i].src][nccl.flows.at[i].dst]++;
    for (uint32_t p = 0; p < n; p++) {
        struct asim_coll coll = {.coll_type = ASIM_ALL_REDUCE,
                                 .n = n,
                                 .index = p,
                                 .step = 1,
                                 .window = gps,
                                 .channels = channels,
                                 .first = first,
                                 .servers = first ? 3 : 0,
                                 .bytes = 1 << 24};
        struct asim_plan plan;
        CHECK_U64(asim_coll_plan(&plan, &asim_coll_algo_nccl_pxn, &coll, &err), 0);
        for (uint64_t k = 0; k < plan.steps; k++) {
            struct asim_coll_step step;
            plan.algo->step(&plan, k, &step);
            count[p][step.to]--;
            CHECK_U64(step.send_bytes, nccl.flows.at[0].bytes);
        }
    }
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++)
            CHECK_U64(count[p][q], 0);
    asim_nccl_fini(&nccl);
}

/* With PXN every member gets from each other what that sends it, and what crosses servers stays at
 * one place of them: pxn messages for each pair of such places. */
static void check_pxn_exchange(uint32_t n, uint32_t pxn)
{
    static int sent[64][64], taken[64][64];

    memset(sent, 0, sizeof sent);
    memset(taken, 0, sizeof taken);
    for (uint32_t p = 0; p < n; p++) {
        struct asim_coll coll = {.coll_type = ASIM_ALL_TO_ALL,
                                 .n = n,
                                 .index = p,
                                 .step = 1,
                                 .pxn = pxn,
                                 .bytes = 1 << 20};
        struct asim_plan plan;
        struct asim_err err = {0};

        CHECK_U64(asim_coll_plan(&plan, &asim_coll_algo_direct, &coll, &err), 0);
        CHECK_U64(plan.steps, plan.arrivals);
        for (uint64_t k = 0; k < plan.steps; k++) {
            struct asim_coll_step step;

            plan.algo->step(&plan, k, &step);
            CHECK(step.to < n && step.to != p && step.from < n && step.from != p);
            sent[p][step.to]++;
            taken[step.from][p]++;
        }
    }
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++) {
            int is_near = p / pxn == q / pxn, is_rail = p % pxn == q % pxn;

            CHECK_U64(sent[p][q], taken[p][q]);
            CHECK_U64(sent[p][q], p == q ? 0 : is_near ? n / pxn : is_rail ? pxn : 0);
        }
}

static void check_member(uint32_t n, uint32_t gps)
{
    struct asim_nccl_spec spec = spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_RING, n, gps);
    struct asim_nccl nccl;
    struct asim_err err = {0};
    CHECK_U64(asim_nccl_make(&nccl, &spec, &err), 0);
    for (uint32_t p = 0; p < n; p++) {
        struct asim_coll coll = {.coll_type = ASIM_ALL_REDUCE,
                                 .n = n,
                                 .index = p,
                                 .step = 1,
                                 .window = gps,
                                 .bytes = 1 << 24};
        struct asim_plan plan;
        CHECK_U64(asim_coll_plan(&plan, &asim_coll_algo_nccl_ring, &coll, &err), 0);
        CHECK_U64(plan.steps * n, nccl.flows.n);
        for (uint64_t k = 0; k < plan.steps; k++) {
            struct asim_coll_step step;
            plan.algo->step(&plan, k, &step);
            size_t flow = (k % gps * (2 * (n - 1)) + k / gps) * n + p;
            CHECK_U64(step.to, nccl.flows.at[flow].dst);
            CHECK_U64(step.send_bytes, nccl.flows.at[flow].bytes);
        }
    }
    asim_nccl_fini(&nccl);
}

/* Their product is 2^32 for a chunk. */
static void test_many_ranks(void)
{
    const struct asim_nccl nccl = {.spec = {.coll_type = ASIM_ALL_REDUCE,
                                            .algo = ASIM_NCCL_TREE,
                                            .bytes = 1ull << 40,
                                            .ranks = 1u << 24},
                                   .local = 64,
                                   .channels = 64,
                                   .servers = 1u << 18};

    CHECK_U64(asim_nccl_chunks(&nccl), 1);
}

int main(void)
{
    test_many_ranks();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
    check_refused(spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_RING, 12, 8), "do not lie evenly");
    check_refused(spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_RING, 1, 8), "at least 2 ranks");
    check_refused(spec_of(ASIM_ALL_GATHER, ASIM_NCCL_TREE, 16, 8), "cannot do ALL_GATHER");
    check_refused(spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_NVLS, 16, 8), "cannot do ALL_REDUCE");
    check_refused(spec_of(ASIM_ALL_TO_ALL, ASIM_NCCL_RING, 16, 8), "all-to-all is direct");
    check_refused(spec_of(ASIM_ALL_REDUCE, ASIM_NCCL_RING, 4096, 8), "ceiling of 2^24");
    check_tuned(4096, ASIM_NCCL_LL);
    check_tuned(1 << 30, ASIM_NCCL_SIMPLE);
    check_nvls_from(6330000, ASIM_NCCL_RING);
    check_nvls_from(6340000, ASIM_NCCL_NVLS);
    check_pxn(16, 8, 0, NULL);
    check_pxn(12, 4, 0, NULL);
    check_pxn(8, 8, 0, NULL);
    check_pxn(6, 1, 0, NULL);
    check_pxn(16, 8, 3, NULL);
    check_pxn(12, 3, 0, some);
    check_pxn(12, 3, 2, some);
    check_pxn_exchange(12, 4);
    check_pxn_exchange(16, 8);
    check_pxn_exchange(6, 2);
    for (uint32_t channels = 1; channels <= 3; channels += 2)
        for (int by_ranks = 0; by_ranks < 2; by_ranks++) {
            check_uneven(ASIM_NCCL_RING, by_ranks, 0, channels);
            check_uneven(ASIM_NCCL_TREE, 0, by_ranks, channels);
            check_uneven(ASIM_NCCL_NVLS_TREE, 0, by_ranks, channels);
        }
    check_member(16, 8);
    check_member(12, 4);
    check_member(6, 1);
    check_member(8, 8);
    return CHECK_DONE();
}
