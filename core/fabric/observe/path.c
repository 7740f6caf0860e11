/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The path of a flow, worked out again from routes and the hash of ECMP, so that no frame has to
 * tell. Needs no state of a node, so it works for nodes of other processes, too.
 */
#include "fabric/events/events.h"
#include "conf/netconf_keys.h"
#include "fabric/ground/ground.h"
#include "fabric/observe/observe.h"
#include "net/ecmp.h"
#include "net/packets.h"

uint32_t asim_fabric_path(const struct asim_fabric *fabric, const struct asim_fct *flow,
                          struct asim_hop *hops, uint32_t room)
{
    if ((fabric->events && fabric->events->n) || fabric->set.net->load_balance == ASIM_SPRAY)
        return 0;
    return asim_ecmp_path(fabric->route,
                          &(struct asim_ecmp_tuple){flow->src, flow->dst, flow->sport, ASIM_DPORT},
                          hops, room);
}
