/* SPDX-License-Identifier: GPL-2.0-only
 *
 * KV caches in blocks of 16 tokens, which keep common prefixes until they are needed (Kwon et al.:
 * PagedAttention, 2023; vLLM's automatic prefix caching). A block is known by the tokens up to its
 * end, so by whose prefix it is and its place. Free blocks stand in a queue, the one left longest
 * ago first; a request leaves its last block first, so ends of prefixes go before their beginnings.
 *
 * Without a limit nothing is thrown away, and only blocks of common prefixes are held.
 */
#include "tools/inference/engine.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;
/* Owners of blocks that only one request can find again. */
static const uint64_t PRIVATE = (uint64_t)1 << 32;

void asim_kv_init(struct asim_kv *kv, uint64_t tokens, int caches, int side)
{
    memset(kv, 0, sizeof *kv);
    kv->capacity = tokens ? (tokens + ASIM_KV_BLOCK - 1) / ASIM_KV_BLOCK : 0;
    kv->caches = caches;
    kv->side = side;
    kv->oldest = kv->newest = NONE;
    asim_map_init(&kv->cached);
}

void asim_kv_fini(struct asim_kv *kv)
{
    free(kv->blocks.at);
    asim_map_fini(&kv->cached);
}

static uint64_t shared_blocks(const struct asim_request *request)
{
    uint32_t tokens = request->prefix < request->prompt ? request->prefix : request->prompt;

    return tokens / ASIM_KV_BLOCK;
}

static uint64_t owner_of(const struct asim_request *request, uint64_t index)
{
    return index < shared_blocks(request) ? request->group : PRIVATE + request->number;
}

static uint32_t find(const struct asim_kv *kv, const struct asim_request *request, uint64_t index)
{
    const uint64_t *slot = asim_map_get(&kv->cached, owner_of(request, index), index);

    return slot ? (uint32_t)*slot : NONE;
}

/* Blocks that are there, from the first on; *idle: of these, the ones in the queue. */
static uint64_t found_blocks(const struct asim_kv *kv, const struct asim_request *request,
                             uint64_t *idle)
{
    uint64_t most = ((uint64_t)request->prompt + request->made - 1) / ASIM_KV_BLOCK, n = 0;

    *idle = 0;
    while (kv->caches && n < most) {
        uint32_t block = find(kv, request, n);

        if (block == NONE)
            break;
        *idle += !kv->blocks.at[block].users;
        n++;
    }
    return n;
}

uint64_t asim_kv_found(const struct asim_kv *kv, const struct asim_request *request)
{
    uint64_t idle;

    return found_blocks(kv, request, &idle) * ASIM_KV_BLOCK;
}

/* --- the queue of free blocks --- */

static void unqueue(struct asim_kv *kv, uint32_t number)
{
    const struct asim_kv_block *block = &kv->blocks.at[number];

    if (block->older == NONE)
        kv->oldest = block->newer;
    else
        kv->blocks.at[block->older].newer = block->newer;
    if (block->newer == NONE)
        kv->newest = block->older;
    else
        kv->blocks.at[block->newer].older = block->older;
}

static void queue(struct asim_kv *kv, uint32_t number)
{
    struct asim_kv_block *block = &kv->blocks.at[number];

    block->older = kv->newest;
    block->newer = NONE;
    if (kv->newest == NONE)
        kv->oldest = number;
    else
        kv->blocks.at[kv->newest].newer = number;
    kv->newest = number;
}

/* Without a limit blocks that can be found again stay out of the queue: they are never given away.
 */
static int is_queued(const struct asim_kv *kv, const struct asim_kv_block *block)
{
    return kv->capacity || !block->is_cached;
}

static void forget(struct asim_kv *kv, struct asim_kv_block *block)
{
    if (block->is_cached)
        asim_map_delete(&kv->cached, block->owner, block->index);
    block->is_cached = 0;
}

/* A block without users, never used before if there is one. */
static uint32_t free_block(struct asim_kv *kv)
{
    const struct asim_kv_block fresh = {0};
    uint32_t number = kv->oldest;

    if (number != NONE && !(kv->capacity && kv->blocks.n < kv->capacity)) {
        unqueue(kv, number);
        forget(kv, &kv->blocks.at[number]);
        return number;
    }
    if (kv->blocks.n >= NONE || ASIM_VEC_PUSH(kv->blocks, fresh))
        return NONE;
    return (uint32_t)(kv->blocks.n - 1);
}

static int remember(struct asim_kv *kv, uint32_t number, uint64_t owner, uint64_t index)
{
    struct asim_kv_block *block = &kv->blocks.at[number];
    uint64_t *slot;

    if (block->is_cached || asim_map_get(&kv->cached, owner, index))
        return 0;
    slot = asim_map_put(&kv->cached, owner, index);
    if (!slot)
        return ASIM_ENOMEM;
    *slot = number;
    block->owner = owner;
    block->index = index;
    block->is_cached = 1;
    return 0;
}

static int hold(struct asim_kv *kv, struct asim_request *request, uint32_t number)
{
    struct asim_kv_block *block = &kv->blocks.at[number];

    kv->used += !block->users;
    block->users++;
    return ASIM_VEC_PUSH(request->blocks[kv->side], number);
}

static int hold_found(struct asim_kv *kv, struct asim_request *request, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint32_t number = find(kv, request, i);

        if (!kv->blocks.at[number].users && is_queued(kv, &kv->blocks.at[number]))
            unqueue(kv, number);
        if (hold(kv, request, number))
            return ASIM_ENOMEM;
    }
    return 0;
}

int asim_kv_take(struct asim_kv *kv, struct asim_request *request, uint64_t tokens)
{
    uint64_t has = request->blocks[kv->side].n, shared = shared_blocks(request), found = 0,
             idle = 0,
             need = kv->capacity                      ? (tokens + ASIM_KV_BLOCK - 1) / ASIM_KV_BLOCK
                    : !kv->caches                     ? 0
                    : tokens / ASIM_KV_BLOCK < shared ? tokens / ASIM_KV_BLOCK
                                                      : shared;

    if (!has)
        found = found_blocks(kv, request, &idle);
    if (need <= has)
        return 0;
    if (found > need)
        found = need;
    if (kv->capacity && kv->used > has && kv->used + need - has - found + idle > kv->capacity)
        return ASIM_KV_NO_ROOM;
    if (hold_found(kv, request, found))
        return ASIM_ENOMEM;
    for (uint64_t i = has + found; i < need; i++) {
        uint32_t number = free_block(kv);

        if (number == NONE || hold(kv, request, number))
            return ASIM_ENOMEM;
        if (kv->caches && i < shared && remember(kv, number, request->group, i))
            return ASIM_ENOMEM;
    }
    return 0;
}

int asim_kv_leave(struct asim_kv *kv, struct asim_request *request, int is_preempted)
{
    uint64_t whole = request->computed / ASIM_KV_BLOCK;

    while (request->blocks[kv->side].n) {
        uint32_t number = ASIM_VEC_POP(request->blocks[kv->side]);
        uint64_t index = request->blocks[kv->side].n;
        struct asim_kv_block *block = &kv->blocks.at[number];

        if (is_preempted && kv->caches && index < whole &&
            remember(kv, number, owner_of(request, index), index))
            return ASIM_ENOMEM;
        if (--block->users)
            continue;
        kv->used--;
        if (is_queued(kv, block))
            queue(kv, number);
    }
    free(request->blocks[kv->side].at);
    memset(&request->blocks[kv->side], 0, sizeof request->blocks[kv->side]);
    return 0;
}
