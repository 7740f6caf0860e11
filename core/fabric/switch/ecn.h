/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The rule of ECN (rdma-network.md#ecn-marking), and all that others know of it: its set-up, the
 * mark of a frame whose transmission starts, by the bytes that stay behind in its queue, and the
 * bytes below which it does nothing. The rule's state is in struct asim_switch_port.
 *
 * A rule for another moment marks in asim_queue_push, where both ways of a switch put a frame into
 * its queue; a frame that finds all queues empty goes by asim_queue_pass instead.
 */
#ifndef ASIM_FABRIC_SWITCH_ECN_H
#define ASIM_FABRIC_SWITCH_ECN_H

#include "fabric/switch/switch.h"

struct asim_netconf;

/* The rule of a port for the rate of its link. may_mark 0: it marks nothing. */
void asim_ecn_open(struct asim_switch_port *port, const struct asim_netconf *net, int may_mark);

/* While no more bytes wait in a queue, none of its frames gets a mark, and the state of the rule
 * stays as it is. Bulk windows then leave the rule out (mmu.c makes frames of these bytes). */
static inline uint64_t asim_ecn_free_bytes(const struct asim_switch_port *port)
{
    return port->kmin;
}

/* Whether to mark a frame that leaves queue q with more than the free bytes behind it. May draw. */
int asim_ecn_marks(const struct asim_switch *sw, struct asim_switch_port *port, uint32_t q);

/* A frame that has left queue q > 0 starts. */
static inline void asim_ecn_start(const struct asim_switch *sw, struct asim_switch_port *port,
                                  uint32_t q, struct asim_frame *frame)
{
    if (port->occupancy[q].egress > asim_ecn_free_bytes(port) && asim_ecn_marks(sw, port, q)) {
        frame->flags |= ASIM_CE;
        port->marks++;
    }
}

#endif
