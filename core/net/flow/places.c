/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The flows of a link.
 */
#include "base/mem.h"
#include "net/flow/places.h"

#include <stdlib.h>

int asim_fluid_places_grow(struct asim_fluid_places *list)
{
    struct asim_fluid_place *at = list->at == &list->one ? NULL : list->at;
    size_t cap = list->cap;

    if (!cap) {
        list->at = &list->one;
        list->cap = 1;
        return 0;
    }
    if (asim_grow(&at, &cap, cap + 1, sizeof *at))
        return ASIM_ENOMEM;
    if (list->at == &list->one)
        at[0] = list->one;
    list->at = at;
    list->cap = (uint32_t)cap;
    return 0;
}

void asim_fluid_places_fini(struct asim_fluid_places *list)
{
    if (list->at != &list->one)
        free(list->at);
}
