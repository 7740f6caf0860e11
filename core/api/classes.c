/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/packet.h: the classes of the links of a run.
 */
#include "asim/packet.h"
#include "net/packets.h"
#include "sim/sim.h"
#include "topo/tier.h"

#include <stdlib.h>
#include <string.h>

int asim_packet_link_classes(const struct asim_world *world, struct asim_link_class *classes,
                             size_t room, size_t *n, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    uint8_t *tier;
    int code = asim_topo_tiers(&tier, topo, err);

    *n = 0;
    for (uint32_t d = 0; !code && d < 2 * topo->n_links && *n < room; d++) {
        struct asim_link_class *at = &classes[*n], *same = classes;
        struct asim_link_use use;

        world->via.packets->link_use(world->via.packet_net, d, &use);
        if (!use.bytes)
            continue;
        asim_topo_link_class(at->name, sizeof at->name, topo, tier, &topo->links[d / 2]);
        while (strcmp(same->name, at->name) != 0)
            same++;
        *n += same == at;
    }
    free(tier);
    return code;
}
