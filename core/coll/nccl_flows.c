/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The list of flows of a collective: adding flows and the flows they wait for, and sizes. Protocols
 * cost wire bytes: LL sends 8 bytes of flags with 8 of data, LL128 8 with every 120.
 */
#include "coll/nccl.h"

enum {
    MAX_FLOWS = 1 << 24,
    MOST_CHAIN_FLOWS = 1 << 21,
    MOST_TREE_FLOWS = 1 << 20,
    CHUNK_BYTES = 512 << 10,
    LL_CHUNK_BYTES = 32 << 10,
    LEAST_CHUNK_BYTES = 64 << 10,
    NVSWITCH_SLOTS = 1 << 13 /* sim/collective/nvswitch.h */
};

uint64_t asim_nccl_wire(int proto, uint64_t bytes)
{
    if (proto == ASIM_NCCL_LL)
        return 2 * bytes;
    return proto == ASIM_NCCL_LL128 ? bytes + (bytes + 119) / 120 * 8 : bytes;
}

int asim_nccl_is_chain(const struct asim_nccl_spec *spec)
{
    return spec->coll_type == ASIM_BROADCAST || spec->coll_type == ASIM_REDUCE;
}

/* As many as a ceiling of flows allows, and NVSwitches can tell apart. */
static uint32_t most_chunks(const struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    uint64_t channels = (uint64_t)s->ranks * nccl->channels; /* of all ranks together */
    uint32_t most, slots = NVSWITCH_SLOTS / (2 * nccl->channels);

    if (asim_nccl_is_chain(s))
        return (uint32_t)(MOST_CHAIN_FLOWS / channels);
    most = (uint32_t)(MOST_TREE_FLOWS / (4 * channels));
    if (s->algo == ASIM_NCCL_NVLS_TREE && !s->by_ranks && most > slots)
        most = slots;
    return most ? most : 1;
}

/* NCCL's chunks have 512 KiB (of NVLS a step of all channels), 32 KiB by LL along a chain, and less
 * where a tree would have few for each of its levels, or NVLS few (enqueue.cc). Here they are a
 * power of two in number, so that few sizes have flows of their own, or as many as there can be. */
uint32_t asim_nccl_chunks(const struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    int is_chain = asim_nccl_is_chain(s), is_nvls = !is_chain && s->algo == ASIM_NCCL_NVLS_TREE;
    uint64_t piece = s->bytes / ((is_chain ? 1 : 2) * nccl->channels);
    uint64_t chunk = is_chain && s->proto == ASIM_NCCL_LL ? LL_CHUNK_BYTES : CHUNK_BYTES;
    uint64_t levels = is_chain ? 0 : is_nvls ? 1 : nccl->local;
    uint32_t most = most_chunks(nccl), chunks = 1;

    for (uint32_t n = nccl->servers; n > 1 && !is_chain && !is_nvls; n /= 2)
        levels++;
    while (2 * chunks <= most &&
           (piece / chunks > chunk || (chunks < 8 * levels && piece / chunks > LEAST_CHUNK_BYTES)))
        chunks *= 2;
    return !is_chain && 2 * chunks > most && piece / chunks > chunk ? most : chunks;
}

/* All flows of a collective have one size, so that one list of flows serves all sizes. Remainders
 * are dropped, as in SimAI. */
uint64_t asim_nccl_piece(const struct asim_nccl *nccl)
{
    const struct asim_nccl_spec *s = &nccl->spec;
    if (asim_nccl_is_chain(s))
        return s->bytes / nccl->channels / nccl->chunks;
    switch (s->algo) {
    case ASIM_NCCL_NVLS:
        return s->bytes / 4;
    case ASIM_NCCL_DIRECT:
        return s->bytes / s->ranks;
    case ASIM_NCCL_TREE:
    case ASIM_NCCL_NVLS_TREE:
        return s->bytes / (2 * nccl->channels) / nccl->chunks;
    default:
        return s->bytes / s->ranks / nccl->channels;
    }
}

/* Parents of a flow lie together, so it must get all of them before the next flow is added. */
uint32_t asim_nccl_add(struct asim_nccl *nccl, const struct asim_nccl_flow *flow, uint32_t parent)
{
    struct asim_nccl_flow added = *flow;
    if (nccl->flows.n >= MAX_FLOWS)
        return ASIM_NCCL_NONE;
    added.first_parent = (uint32_t)nccl->parents.n;
    added.parents = 0;
    added.wire_bytes = asim_nccl_wire(nccl->spec.proto, flow->bytes);
    if (ASIM_VEC_PUSH(nccl->flows, added))
        return ASIM_NCCL_NONE;
    if (parent != ASIM_NCCL_NONE && asim_nccl_wait(nccl, parent))
        return ASIM_NCCL_NONE;
    return (uint32_t)nccl->flows.n - 1;
}

/* Parents of one flow lie together because they are added before the next flow. */
int asim_nccl_wait(struct asim_nccl *nccl, uint32_t parent)
{
    if (ASIM_VEC_PUSH(nccl->parents, parent))
        return ASIM_ENOMEM;
    nccl->flows.at[nccl->flows.n - 1].parents++;
    return 0;
}
