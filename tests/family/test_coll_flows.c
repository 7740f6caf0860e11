/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The contract of collective algorithms that are lists of flows (coll/nccl.h): over every row that
 * has them, every kind it does, servers and GPUs of many numbers, with NVSwitches and without.
 * Every flow comes after what it waits for, which ended or left where it starts; all have one size;
 * carried along the flows, everybody's contribution reaches everybody; no flow touches an NVSwitch
 * where there is none, and where there is one it has what the NVSwitch (sim/collective/nvswitch.c)
 * goes by: as many in as the server has GPUs, and nothing out before the last of them.
 */
#include "check.h"
#include <stdlib.h>
#include "coll/coll.h"
#include "coll/nccl.h"

enum { MOST = 64 };

static void check_waits(const struct asim_nccl *nccl)
{
    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *f = &nccl->flows.at[i];

        CHECK(f->src < nccl->spec.ranks + nccl->servers && f->src != f->dst);
        CHECK(f->dst < nccl->spec.ranks + nccl->servers);
        CHECK_U64(f->bytes, asim_nccl_piece(nccl));
        CHECK_U64(f->wire_bytes, asim_nccl_wire(nccl->spec.proto, f->bytes));
        for (uint32_t p = 0; p < f->parents; p++) {
            uint32_t parent = nccl->parents.at[f->first_parent + p];

            CHECK(parent < i);
            CHECK(parent < i &&
                  (nccl->flows.at[parent].dst == f->src || nccl->flows.at[parent].src == f->src));
        }
    }
}

/* Flows are in an order that respects what they wait for, so one pass moves everything. Channels
 * have their own parts of the data; what a rank of its own gives is enough to follow. */
static void check_reached(const struct asim_nccl *nccl, uint32_t channel)
{
    static uint64_t held[2 * MOST];
    uint32_t n = nccl->spec.ranks, flows = 0;

    memset(held, 0, sizeof held);
    for (uint32_t p = 0; p < n; p++)
        held[p] = 1ull << p;
    for (size_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *f = &nccl->flows.at[i];

        if (f->channel != channel)
            continue;
        held[f->dst] |= held[f->src];
        flows++;
    }
    for (uint32_t p = 0; p < n && flows; p++)
        if (nccl->spec.coll_type == ASIM_BROADCAST)
            CHECK(held[p] >> nccl->spec.root & 1);
        else if (nccl->spec.coll_type != ASIM_REDUCE || p == nccl->spec.root)
            CHECK_U64(held[p], n == 64 ? UINT64_MAX : (1ull << n) - 1);
}

/* 1 if a is among what b waits for, at one remove or several. */
static int is_before(const struct asim_nccl *nccl, uint32_t a, uint32_t b)
{
    const struct asim_nccl_flow *f = &nccl->flows.at[b];

    for (uint32_t p = 0; p < f->parents; p++) {
        uint32_t parent = nccl->parents.at[f->first_parent + p];

        if (parent == a || (parent > a && is_before(nccl, a, parent)))
            return 1;
    }
    return 0;
}

/* The flows of an NVSwitch in one slot: channel, and quarter, or chunk and way (up even). */
static void check_slot(const struct asim_nccl *nccl, uint32_t nvswitch, uint32_t channel,
                       uint32_t chunk)
{
    uint32_t in[MOST], out[MOST], n_in = 0, n_out = 0, local = nccl->local;
    int down = nccl->spec.algo == ASIM_NCCL_NVLS_TREE && chunk % 2;
    int whole = nccl->spec.algo == ASIM_NCCL_NVLS;

    for (uint32_t i = 0; i < nccl->flows.n; i++) {
        const struct asim_nccl_flow *f = &nccl->flows.at[i];

        if (f->channel != channel || f->chunk != chunk)
            continue;
        if (f->dst == nvswitch && n_in < MOST)
            in[n_in++] = i;
        if (f->src == nvswitch && n_out < MOST)
            out[n_out++] = i;
    }
    if (!n_in && !n_out)
        return;
    CHECK_U64(n_in, down ? 1 : local);
    CHECK_U64(n_out, whole ? local : down ? local - 1 : 1);
    for (uint32_t a = 0; a < n_in; a++)
        for (uint32_t b = 0; b < n_out; b++)
            CHECK(is_before(nccl, in[a], out[b]));
}

static void check_nvswitches(const struct asim_nccl *nccl, const struct asim_coll_algo *algo)
{
    uint32_t touched = 0;

    for (size_t i = 0; i < nccl->flows.n; i++)
        touched +=
            nccl->flows.at[i].src >= nccl->spec.ranks || nccl->flows.at[i].dst >= nccl->spec.ranks;
    if (!algo->nvswitch || nccl->spec.by_ranks)
        CHECK_U64(touched, 0);
    if (algo->nvswitch > 1 && !nccl->spec.by_ranks && nccl->spec.coll_type == ASIM_ALL_REDUCE)
        CHECK(touched > 0);
    for (uint32_t s = 0; s < nccl->servers && touched; s++)
        for (uint32_t c = 0; c < 2 * nccl->local; c++)
            for (uint32_t chunk = 0; chunk < 2 * nccl->chunks + 2; chunk++)
                check_slot(nccl, nccl->spec.ranks + s, c, chunk);
}

/* Only NVLS alone may refuse, and only several servers. */
static void try_spec(const struct asim_coll_algo *algo, struct asim_nccl_spec spec)
{
    int before = check_failures;
    struct asim_nccl nccl;
    struct asim_err err = {0};

    algo->flows(&spec);
    spec.root = spec.ranks / 2;
    if (asim_nccl_make(&nccl, &spec, &err)) {
        CHECK(spec.algo == ASIM_NCCL_NVLS && spec.ranks > spec.gpus_per_server);
        CHECK(strstr(err.text, "NVLS in one server") != NULL);
        return;
    }
    CHECK(nccl.flows.n > 0);
    check_waits(&nccl);
    check_nvswitches(&nccl, algo);
    for (uint32_t c = 0; c < nccl.local; c++)
        if (nccl.spec.algo != ASIM_NCCL_NVLS || !spec.by_ranks) /* stands for the switch's flows */
            check_reached(&nccl, c);
    if (check_failures != before)
        fprintf(stderr, "  so in %s %s of %u, %u a server, %llu bytes%s\n", algo->member.name,
                asim_coll_type_name(spec.coll_type), spec.ranks, spec.gpus_per_server,
                (unsigned long long)spec.bytes, spec.by_ranks ? ", by ranks" : "");
    asim_nccl_fini(&nccl);
}

static void try_sizes(const struct asim_coll_algo *algo, int kind, uint32_t servers, uint32_t local)
{
    static const uint64_t sizes[] = {1 << 12, 1 << 20, 1 << 30};

    for (int at = 0; at < 3 * 2; at++) {
        struct asim_nccl_spec spec = {.coll_type = kind,
                                      .bytes = sizes[at % 3],
                                      .ranks = servers * local,
                                      .gpus_per_server = local,
                                      .hopper = 1,
                                      .by_ranks = at / 3 || local == 1,
                                      .nv_gbytes = 360,
                                      .net_gbytes = 50};

        if (check_failures < 20)
            try_spec(algo, spec);
    }
}

int main(void)
{
    static const uint32_t locals[] = {1, 2, 3, 4, 8, 16};
    int rows = 0;

    for (const struct asim_member *const *row = asim_coll_algo_table; *row; row++) {
        const struct asim_coll_algo *algo = (const struct asim_coll_algo *)*row;

        rows += algo->flows != NULL;
        for (int at = 0; algo->flows && at < ASIM_COLL_TYPES * 6 * 6; at++) {
            int kind = at / 36;
            uint32_t servers = 1 + at / 6 % 6, local = locals[at % 6], n = servers * local;

            if (algo->coll_types >> kind & 1 && n > 1 && n <= MOST && check_takes((uint64_t)at))
                try_sizes(algo, kind, servers, local);
        }
    }
    CHECK(rows >= 6);
    return CHECK_DONE();
}
