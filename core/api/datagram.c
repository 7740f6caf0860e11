/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/datagram.h: each function finds the world's packet network and calls it.
 */
#include "asim/datagram.h"
#include "sim/world.h"
#include "fabric/datagrams.h"

int asim_datagrams_open(struct asim_world *world, asim_datagram_hook *hook, void *self,
                        struct asim_err *err)
{
    return asim_fabric_datagrams_open(world->via.packet_net, hook, self, err);
}

int asim_datagram_send(struct asim_world *world, uint64_t now_ns,
                       const struct asim_datagram *datagram, struct asim_err *err)
{
    return asim_fabric_datagram_send(world->via.packet_net, now_ns, datagram, err);
}

uint64_t asim_datagrams_under_way(const struct asim_world *world)
{
    return asim_fabric_datagrams_under_way(world->via.packet_net);
}
