/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Stores each distinct list of 32-bit words once: equal lists get equal numbers, and a list keeps
 * its address as long as the store lives. Routing keeps next-hop sets, destination classes and
 * source classes here: a few thousand distinct lists, each for its words, 16 bytes and a map slot.
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
    /* Holds the words of all lists. */
    struct asim_arena arena;
    struct asim_map map;
    struct asim_list *lists;
    size_t n, cap;
};

void asim_list_store_init(struct asim_list_store *store);
/* Copies the list if it is new and returns its number in *id, 0 for the first. Returns 0 or
 * ASIM_ENOMEM. */
int asim_list_store_keep(struct asim_list_store *store, const uint32_t *at, uint32_t n,
                         uint32_t *id);
void asim_list_store_fini(struct asim_list_store *store);

#endif
