/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Interned lists: a 128-bit hash finds the candidate, a comparison makes sure, and on a true
 * collision the key is moved on by one until it is free, so that a crafted topology can make this
 * slow but never wrong.
 *
 * Numbers of lists are given in order of first appearance, so they are reproducible; they never
 * change while the store lives, and `lists` may move when it grows, the words themselves do not.
 */
#include "topo/list_store.h"

#include <stdlib.h>
#include <string.h>
#include "asim/err.h"

/* No ceiling of its own: the tables are bounded by the topology's. */
void asim_list_store_init(struct asim_list_store *store)
{
    memset(store, 0, sizeof *store);
    asim_arena_init(&store->arena, 0);
    asim_map_init(&store->map);
}

/* Two independent multiply-and-fold chains; the constants are odd numbers without structure. */
static void hash(const uint32_t *at, uint32_t n, uint64_t key[2])
{
    uint64_t a = 0x9e3779b97f4a7c15u ^ n, b = 0xc2b2ae3d27d4eb4fu + n;

    for (uint32_t i = 0; i < n; i++) {
        a = (a ^ at[i]) * 0xff51afd7ed558ccdu;
        a ^= a >> 32;
        b = (b + at[i]) * 0xc4ceb9fe1a85ec53u;
        b ^= b >> 29;
    }
    key[0] = a;
    key[1] = b;
}

/* The comparison is what makes equal numbers mean equal lists; the hash only finds. */
static int is_same(const struct asim_list *list, const uint32_t *at, uint32_t n)
{
    return list->n == n && (n == 0 || memcmp(list->at, at, n * sizeof *at) == 0);
}

/* Constant expected cost. When memory runs out the store is as it was, but for an unused copy in
 * the arena. */
int asim_list_store_keep(struct asim_list_store *store, const uint32_t *at, uint32_t n,
                         uint32_t *id)
{
    uint64_t key[2], *slot;
    uint32_t *copy;

    hash(at, n, key);
    while ((slot = asim_map_get(&store->map, key[0], key[1]))) {
        if (is_same(&store->lists[*slot], at, n)) {
            *id = (uint32_t)*slot;
            return 0;
        }
        key[1]++;
    }
    if (store->n >= UINT32_MAX ||
        (store->n == store->cap &&
         asim_grow(&store->lists, &store->cap, store->n + 1, sizeof *store->lists)))
        return ASIM_ENOMEM;
    copy = asim_arena_array(&store->arena, n, sizeof *copy);
    slot = copy ? asim_map_put(&store->map, key[0], key[1]) : NULL;
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
