/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The flows of a link, in no order. Most links have one at a time, which has its place in the link.
 */
#ifndef ASIM_NET_FLOW_PLACES_H
#define ASIM_NET_FLOW_PLACES_H

#include <stdint.h>

struct asim_fluid_flow;
struct asim_fluid_path;
/* path: the flow's, which a look takes from here; hop: of it, that the link is. */
struct asim_fluid_place {
    struct asim_fluid_flow *flow;
    const struct asim_fluid_path *path;
    uint32_t hop;
};
/* All 0 is an empty list; it must not move once it had a flow. */
struct asim_fluid_places {
    struct asim_fluid_place *at;
    uint32_t n, cap;
    struct asim_fluid_place one;
};

/* Makes room for one more; 0, or ASIM_ENOMEM. */
int asim_fluid_places_grow(struct asim_fluid_places *list);
void asim_fluid_places_fini(struct asim_fluid_places *list);

#endif
