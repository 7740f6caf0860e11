/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Datagrams: IP packets of another simulator's applications that share NICs, ports, queues and
 * buffers with the RDMA frames of a run (rdma-network.md#datagrams). The core knows the size of a
 * datagram and a token that names it; its bytes stay with the caller.
 *
 *     asim_datagrams_open(world, hook, self, err);         before asim_world_start
 *     asim_datagram_send(world, now_ns, &datagram, err);   between two steps
 *     hook(self, &seen);                                   inside a step, at its time
 *
 * The network is then in per-event mode. After asim_datagram_send asim_packet_next may be earlier
 * than it was. Each datagram either arrives or is lost, once.
 */
#ifndef ASIM_DATAGRAM_H
#define ASIM_DATAGRAM_H

#include <stdint.h>
#include "asim/err.h"

struct asim_world;

ASIM_C_BEGIN

struct asim_datagram {
    uint32_t from, port; /* the host that sends, and its port, from 1 */
    uint32_t to;         /* the host that receives; not `from` */
    uint32_t bytes;      /* of the IP packet, from 20; the frame has the link header, too */
    uint32_t token;      /* named in every call of the hook */
    /* Datagrams between two hosts with equal ports take the same equal-cost path. */
    uint16_t sport, dport;
    uint8_t queue; /* priority 1 … 7 of IEEE 802.1Qbb; 0: that of the RDMA frames */
};

/* It waits at its NIC no longer: its frame starts on the first link, or that link went down and
 * LOST follows at once; it is at its host; it was dropped by a switch, lost on a link, or waited at
 * a NIC whose link went down. */
enum asim_datagram_event { ASIM_DATAGRAM_STARTED, ASIM_DATAGRAM_ARRIVED, ASIM_DATAGRAM_LOST };

/* One call of the hook. */
struct asim_datagram_seen {
    enum asim_datagram_event event;
    uint32_t token;
    uint32_t node, port; /* where it is; LOST: the port that would have taken it in */
    int congested;       /* ARRIVED: a switch has marked it (ECN) */
};
typedef void asim_datagram_hook(void *self, const struct asim_datagram_seen *seen);

/* Lets the run carry datagrams. The hook must not call asim_datagram_send. ASIM_EINVAL where
 * several processes share the network. */
ASIM_API int asim_datagrams_open(struct asim_world *world, asim_datagram_hook *hook, void *self,
                                 struct asim_err *err);
/* Queues a datagram at a NIC now, at now_ns, which is not before the last step and not after
 * asim_packet_next. ASIM_EINVAL for hosts, ports, queues or sizes that there are not. */
ASIM_API int asim_datagram_send(struct asim_world *world, uint64_t now_ns,
                                const struct asim_datagram *datagram, struct asim_err *err);
/* Datagrams sent that have neither arrived nor been lost. */
ASIM_API uint64_t asim_datagrams_under_way(const struct asim_world *world);

ASIM_C_END
#endif
