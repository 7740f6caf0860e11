/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Lists of 32-bit words stored once each: equal lists get equal numbers, and a list stays where
 * it is as long as the store lives. Routing keeps next-hop sets, classes and kinds of hosts here.
 *
 * Used for a few thousand distinct lists; each costs its words, 16 bytes and a map slot.
 */
#ifndef ASIM_TOPO_LIST_STORE_H
#define ASIM_TOPO_LIST_STORE_H

#include <stddef.h>
#include <stdint.h>
#include "base/map.h"
#include "base/mem.h"

/* Borrowed from the store's arena. */
struct asim_list {
    const uint32_t *at;
    uint32_t n;
};

struct asim_list_store {
    /* Holds the words of all lists; freed at once. */
    struct asim_arena arena;
    struct asim_map map;
    struct asim_list *lists;
    size_t n, cap;
};

void asim_list_store_init(struct asim_list_store *store);
/* Number of the list, new or known, 0 for the first; at is copied. 0 or ASIM_ENOMEM. */
int asim_list_store_keep(struct asim_list_store *store, const uint32_t *at, uint32_t n,
                         uint32_t *id);
void asim_list_store_fini(struct asim_list_store *store);

#endif
