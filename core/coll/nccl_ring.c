/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rings, NVLS and all-to-all as SimAI 1.6 lays them out (simai.md#collectives), and the chains of
 * broadcast and reduce, which it lacks. Channel c
 * visits each server's ranks rotated by c, so the crossing to the next server leaves from local
 * rank c - 1 and enters at c: from one rail to another, unless PXN first hands the piece over
 * NVLink to the rank that shares the destination's rail. Pieces are whole divisions; remainders
 * are dropped, as there.
 */
#include "coll/nccl.h"

#include <stdlib.h>

struct asim_nccl_layout asim_nccl_layout(const struct asim_nccl *nccl)
{
    return (struct asim_nccl_layout){nccl->local, nccl->servers, nccl->spec.mesh, nccl->spec.first};
}

uint32_t asim_nccl_first(struct asim_nccl_layout at, uint32_t server)
{
    return at.first ? at.first[server] : server * at.local;
}

uint32_t asim_nccl_size(struct asim_nccl_layout at, uint32_t server)
{
    return asim_nccl_first(at, server + 1) - asim_nccl_first(at, server);
}

uint32_t asim_nccl_server(struct asim_nccl_layout at, uint32_t p)
{
    uint32_t low = 0, high = at.servers;

    if (!at.first)
        return p / at.local;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;

        *(at.first[middle] <= p ? &low : &high) = middle;
    }
    return low;
}

/* Rotated by the channel. In a mesh a zigzag, 0 1 -1 2 -2 …, whose rotations use each link once in
 * each direction (Williams, "Experimental designs balanced for the estimation of residual effects",
 * 1949): NCCL's search finds rings that share the links, too. */
uint32_t asim_nccl_place(struct asim_nccl_layout at, uint32_t server, uint32_t channel, uint32_t i)
{
    uint32_t size = asim_nccl_size(at, server);

    if (at.mesh)
        i = i % 2 ? (i + 1) / 2 : size - i / 2;
    return asim_nccl_first(at, server) + (channel + i) % size;
}

/* The i of a member in that order. */
static uint32_t position_of(struct asim_nccl_layout at, uint32_t channel, uint32_t p)
{
    uint32_t server = asim_nccl_server(at, p), size = asim_nccl_size(at, server);
    uint32_t off = (p - asim_nccl_first(at, server) + size - channel % size) % size;

    if (!at.mesh)
        return off;
    return off && off <= size / 2 ? 2 * off - 1 : 2 * ((size - off) % size);
}

/* Inside a server to the next place, from the last place to the next server's entry. In one server
 * with a mesh a ring would use few of its links: there the steps go round all of them. */
uint32_t asim_nccl_next(struct asim_nccl_layout at, uint32_t channel, uint32_t step, uint32_t p)
{
    uint32_t server = asim_nccl_server(at, p), i = position_of(at, channel, p);
    if (at.mesh && at.servers == 1 && at.local > 2)
        return (p + 1 + (step + channel) % (at.local - 1)) % at.local;
    if (i < asim_nccl_size(at, server) - 1)
        return asim_nccl_place(at, server, channel, i + 1);
    return asim_nccl_first(at, (server + 1) % at.servers) + channel;
}

/* SimAI's test for all-gather compares the addresses of two strings and so is never true.
 * PXN needs another server to cross to and another GPU to hand over to. */
int asim_nccl_hands_over(const struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    return s->pxn && nccl->servers > 1 && nccl->local > 1 &&
           (s->pxn > 1 || s->coll_type != ASIM_ALL_GATHER);
}

/* A piece from p to the next, by way of the GPU that enters servers where PXN hands over; the flow
 * that brings it. */
static uint32_t pass_on(struct asim_nccl *nccl, struct asim_nccl_flow flow, uint32_t next,
                        uint32_t parent)
{
    struct asim_nccl_layout at = asim_nccl_layout(nccl);
    uint32_t server = asim_nccl_server(at, flow.src);

    if (asim_nccl_hands_over(nccl) && asim_nccl_server(at, next) != server) {
        flow.dst = asim_nccl_first(at, server) + flow.channel;
        parent = asim_nccl_add(nccl, &flow, parent);
        if (parent == ASIM_NCCL_NONE)
            return ASIM_NCCL_NONE;
        flow.src = flow.dst;
    }
    flow.dst = next;
    return asim_nccl_add(nccl, &flow, parent);
}

/* Chunk k of channel c from every member to the next; arrived[p]: the flow that brought p its
 * piece. */
static int ring_step(struct asim_nccl *nccl, struct asim_nccl_flow flow, const uint32_t *before,
                     uint32_t *arrived)
{
    struct asim_nccl_layout at = asim_nccl_layout(nccl);
    for (uint32_t p = 0; p < nccl->spec.ranks; p++) {
        uint32_t next = asim_nccl_next(at, flow.channel, flow.chunk, p);
        flow.src = p;
        arrived[next] = pass_on(nccl, flow, next, flow.chunk ? before[p] : ASIM_NCCL_NONE);
        if (arrived[next] == ASIM_NCCL_NONE)
            return ASIM_ENOMEM;
    }
    return 0;
}

/* All chunks have the same flows, so that the one that must have left before, CHAIN_WINDOW chunks
 * ago, is as many flows back: the steps of NCCL's FIFO. */
enum { CHAIN_WINDOW = 8 };

/* In one server with a mesh, too, always the same order. */
static uint32_t chain_next(const struct asim_nccl *nccl, uint32_t channel, uint32_t p)
{
    struct asim_nccl_layout at = asim_nccl_layout(nccl);
    if (at.servers > 1)
        return asim_nccl_next(at, channel, 0, p);
    return asim_nccl_place(at, 0, channel, (position_of(at, channel, p) + 1) % at.local);
}

/* One chunk from `first` on through all other members. */
static int chain_chunk(struct asim_nccl *nccl, struct asim_nccl_flow flow, uint32_t first,
                       uint32_t *per_chunk)
{
    uint32_t parent = ASIM_NCCL_NONE, begin = (uint32_t)nccl->flows.n;
    flow.src = first;
    for (uint32_t i = 1; i < nccl->spec.ranks; i++) {
        uint32_t next = chain_next(nccl, flow.channel, flow.src);
        parent = pass_on(nccl, flow, next, parent);
        if (parent == ASIM_NCCL_NONE || (flow.chunk >= CHAIN_WINDOW &&
                                         asim_nccl_wait(nccl, parent - CHAIN_WINDOW * *per_chunk)))
            return ASIM_ENOMEM;
        flow.src = next;
    }
    *per_chunk = (uint32_t)nccl->flows.n - begin;
    return 0;
}

/* A reduction ends at its root, so it begins with the member behind the root. */
int asim_nccl_chain(struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    struct asim_nccl_flow flow = {.bytes = asim_nccl_piece(nccl)};
    int rc = 0;
    for (flow.channel = 0; flow.channel < nccl->channels && !rc; flow.channel++) {
        uint32_t per_chunk = 0, first = s->root;
        if (s->coll_type == ASIM_REDUCE)
            first = chain_next(nccl, flow.channel, s->root);
        for (flow.chunk = 0; flow.chunk < nccl->chunks && !rc; flow.chunk++)
            rc = chain_chunk(nccl, flow, first, &per_chunk);
    }
    return rc;
}

/* PXN adds a flow for each server boundary of a step. All pairs have one each in an all-to-all. */
uint64_t asim_nccl_ring_flows(const struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    uint64_t steps = (s->coll_type == ASIM_ALL_REDUCE ? 2ull : 1ull) * (s->ranks - 1);
    if (asim_nccl_is_chain(s))
        return steps * nccl->channels * nccl->chunks;
    if (s->algo == ASIM_NCCL_DIRECT)
        return steps * s->ranks;
    return steps * nccl->channels *
           ((uint64_t)s->ranks + (asim_nccl_hands_over(nccl) ? nccl->servers : 0));
}

/* Two arrays of arrivals, used alternately: step k waits for step k - 1 only. */
int asim_nccl_ring(struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    uint32_t chunks = (s->coll_type == ASIM_ALL_REDUCE ? 2 : 1) * (s->ranks - 1);
    uint32_t *arrived = malloc(2 * (size_t)s->ranks * sizeof *arrived);
    struct asim_nccl_flow flow = {.bytes = asim_nccl_piece(nccl)};
    int rc = arrived ? 0 : ASIM_ENOMEM;
    for (flow.channel = 0; flow.channel < nccl->channels && !rc; flow.channel++)
        for (flow.chunk = 0; flow.chunk < chunks && !rc; flow.chunk++) {
            uint32_t odd = flow.chunk % 2 * s->ranks, even = s->ranks - odd;
            rc = ring_step(nccl, flow, arrived + even, arrived + odd);
        }
    free(arrived);
    return rc;
}

/* NVLS where no flow may end at the NVSwitch: what a rank sends up and what its neighbour gets back
 * become one flow through the switch. Every NVLink carries the same bytes each way; the switch
 * hands on at once instead of waiting for all, as the hardware does and SimAI's does not. */
static int nvls_by_ranks(struct asim_nccl *nccl)
{
    uint32_t n = nccl->spec.ranks;
    struct asim_nccl_flow flow = {.bytes = asim_nccl_piece(nccl)};
    for (flow.chunk = 0; flow.chunk < 4; flow.chunk++)
        for (flow.src = 0; flow.src < n; flow.src++) {
            flow.dst = (flow.src + 1) % n;
            if (asim_nccl_add(nccl, &flow, ASIM_NCCL_NONE) == ASIM_NCCL_NONE)
                return ASIM_ENOMEM;
        }
    return 0;
}

/* Four chunks; each goes up from every rank when the one before has left it, and down to every rank
 * when all have come. SimAI starts it as the last packet leaves; ours at its ACK, an RTT later. */
int asim_nccl_nvls(struct asim_nccl *nccl)
{
    if (nccl->spec.by_ranks)
        return nvls_by_ranks(nccl);
    uint32_t n = nccl->spec.ranks, nvswitch = n;
    struct asim_nccl_flow flow = {.bytes = asim_nccl_piece(nccl)};
    for (flow.chunk = 0; flow.chunk < 4; flow.chunk++) {
        uint32_t first = (uint32_t)nccl->flows.n;
        for (uint32_t p = 0; p < n; p++) {
            flow.src = p;
            flow.dst = nvswitch;
            if (asim_nccl_add(nccl, &flow, flow.chunk ? first - 2 * n + p : ASIM_NCCL_NONE) ==
                ASIM_NCCL_NONE)
                return ASIM_ENOMEM;
        }
        for (uint32_t p = 0; p < n; p++) {
            flow.src = nvswitch;
            flow.dst = p;
            int rc = asim_nccl_add(nccl, &flow, ASIM_NCCL_NONE) == ASIM_NCCL_NONE;
            for (uint32_t q = 0; q < n && !rc; q++)
                rc = asim_nccl_wait(nccl, first + q);
            if (rc)
                return ASIM_ENOMEM;
        }
    }
    return 0;
}

/* n (n-1) flows: what SimAI's whole buffer of S bytes leaves for each pair is S / n. The order is
 * that in which a rank's flows start, lowest peer first. Nothing waits for anything. */
int asim_nccl_direct(struct asim_nccl *nccl)
{
    uint32_t n = nccl->spec.ranks;
    struct asim_nccl_flow flow = {.bytes = asim_nccl_piece(nccl)};
    for (flow.src = 0; flow.src < n; flow.src++)
        for (flow.dst = 0; flow.dst < n; flow.dst++)
            if (flow.src != flow.dst &&
                asim_nccl_add(nccl, &flow, ASIM_NCCL_NONE) == ASIM_NCCL_NONE)
                return ASIM_ENOMEM;
    return 0;
}
