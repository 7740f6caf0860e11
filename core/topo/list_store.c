/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A 128-bit hash finds the candidate and a comparison decides. On a true collision the key is
 * incremented until it is free: a crafted topology can make this slow but never wrong.
 *
 * Lists are numbered in order of first appearance, so the numbers are reproducible. `lists` may
 * move when it grows; the words of a list never move.
 */
#include "topo/list_store.h"

#include <stdlib.h>
#include <string.h>
#include "asim/err.h"

/* The topology's own limits bound the store. */
void asim_list_store_init(struct asim_list_store *store)
{
    memset(store, 0, sizeof *store);
    asim_arena_init(&store->arena, 0);
    asim_map_init(&store->map);
}

struct key {
    uint64_t hi, lo;
};

/* Two independent multiply-and-fold chains with odd constants. */
static struct key hash(const uint32_t *at, uint32_t n)
{
    uint64_t a = 0x9e3779b97f4a7c15u ^ n, b = 0xc2b2ae3d27d4eb4fu + n;

    for (uint32_t i = 0; i < n; i++) {
        a = (a ^ at[i]) * 0xff51afd7ed558ccdu;
        a ^= a >> 32;
        b = (b + at[i]) * 0xc4ceb9fe1a85ec53u;
        b ^= b >> 29;
    }
    return (struct key){a, b};
}

static int is_same(const struct asim_list *list, const uint32_t *at, uint32_t n)
{
    return list->n == n && (n == 0 || memcmp(list->at, at, n * sizeof *at) == 0);
}

/* Constant expected cost. A failure leaves the store as it was, except for an unused copy in the
 * arena. */
int asim_list_store_keep(struct asim_list_store *store, const uint32_t *at, uint32_t n,
                         uint32_t *id)
{
    struct key key = hash(at, n);
    uint64_t *slot;
    uint32_t *copy;

    while ((slot = asim_map_get(&store->map, key.hi, key.lo))) {
        if (is_same(&store->lists[*slot], at, n)) {
            *id = (uint32_t)*slot;
            return 0;
        }
        key.lo++;
    }
    if (store->n >= UINT32_MAX ||
        (store->n == store->cap &&
         asim_grow(&store->lists, &store->cap, store->n + 1, sizeof *store->lists)))
        return ASIM_ENOMEM;
    copy = asim_arena_array(&store->arena, n, sizeof *copy);
    slot = copy ? asim_map_put(&store->map, key.hi, key.lo) : NULL;
    if (!slot)
        return ASIM_ENOMEM;
    if (n)
        memcpy(copy, at, n * sizeof *copy);
    *slot = store->n;
    *id = (uint32_t)store->n;
    store->lists[store->n++] = (struct asim_list){copy, n};
    return 0;
}

void asim_list_store_fini(struct asim_list_store *store)
{
    asim_map_fini(&store->map);
    asim_arena_fini(&store->arena);
    free(store->lists);
    memset(store, 0, sizeof *store);
}
