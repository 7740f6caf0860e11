/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Datagrams in the fabric (rdma-network.md#datagrams): frames of type ASIM_DATAGRAM, whose fields
 * have other meanings than those of a flow (frame.h). Their state exists only where a run carries
 * them; it then runs in per-event mode, so one thread advances all nodes.
 */
#ifndef ASIM_FABRIC_LINK_DATAGRAM_H
#define ASIM_FABRIC_LINK_DATAGRAM_H

#include "asim/datagram.h"
#include "fabric/link/frame.h"
#include "net/watch.h"

/* The datagrams that wait at a NIC, in order. */
struct asim_datagram_nic {
    struct asim_ring waiting;
    uint8_t was_last; /* the NIC's last frame but answers was one: data goes next */
};

/* Of a host, in frames. */
struct asim_datagram_counts {
    uint64_t sent, received, dropped; /* dropped: waiting at a NIC whose link went down */
    uint64_t accepted;
};

struct asim_datagrams {
    asim_datagram_hook *hook;
    void *self;
    uint64_t under_way;
    struct asim_datagram_nic *nic;       /* [ports of all hosts], by first_port of the topology */
    struct asim_datagram_counts *counts; /* [hosts] */
};

/* Calls the hook. A datagram that has arrived or is lost is no longer under way. */
static inline void asim_datagram_tell(struct asim_datagrams *datagrams,
                                      const struct asim_frame *frame,
                                      enum asim_datagram_event event, struct asim_port_id at)
{
    struct asim_datagram_seen seen = {.event = event,
                                      .token = frame->slot,
                                      .node = at.node,
                                      .port = at.port,
                                      .congested = (frame->flags & ASIM_CE) != 0};

    datagrams->under_way -= event != ASIM_DATAGRAM_STARTED;
    datagrams->hook(datagrams->self, &seen);
}

#endif
