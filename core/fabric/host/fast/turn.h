/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A host's turn, as its files share it: host.c (events in order, the long way), frame_loop.c (the
 * loop over frames), quick.h (their short way), qp.c and receiver.c (what NICs do with them).
 */
#ifndef ASIM_FABRIC_HOST_FAST_TURN_H
#define ASIM_FABRIC_HOST_FAST_TURN_H

#include "fabric/link/transmit.h"

/* Two loops are made of these, for one NIC and for several, where that is a constant: the compiler
 * would rather have one copy of each, and ask. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* The steps of asim_nic_kick (qp.c). Whose turn it is, NULL: nobody may go; drops the finished ones
 * the scan meets, so it is asked once. Then one packet of that flow, or a wake-up at the end of the
 * first gap. */
struct asim_flow *asim_nic_choose(const struct asim_fabric *fabric, struct asim_host *host,
                                  struct asim_nic *nic, uint64_t t);
void asim_nic_send(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                   struct asim_flow *flow);
void asim_nic_arm(struct asim_host *host, struct asim_nic *nic, uint64_t t);
/* The last byte of a flow is acknowledged: tells the log and the rank. The NIC is to be kicked. */
void asim_sender_complete(struct asim_fabric *fabric, struct asim_host *host,
                          struct asim_flow *flow);
/* The long ways of a host's events, and what both ways do (host.c). */
void asim_host_take_timer(struct asim_fabric *fabric, struct asim_host *host);
void asim_host_take_frame(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic);
static inline void asim_host_begin(struct asim_host *host, uint64_t t, uint64_t tie)
{
    host->now = t;
    host->tie = tie;
    host->seq++;
}
int asim_host_take_first(struct asim_fabric *fabric, struct asim_host *host, uint64_t until,
                         uint64_t *t);
/* For who has something to send: an end that nobody waited for is waited for from here on, and
 * where it has come before the present event the port is idle. */
static inline int asim_nic_is_busy(const struct asim_host *host, struct asim_nic *nic)
{
    struct asim_port *port = &nic->port;

    if (port->busy == ASIM_NIC_LEAVING)
        port->busy = port->busy_until > host->now ||
                     (port->busy_until == host->now && asim_port_tie_key(port) > host->tie);
    return port->busy != ASIM_NIC_IDLE;
}
/* As asim_nic_kick, the short way where it may be taken. */
void asim_host_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic);

/* The NIC answers leave by: hashed like a flow of its own, with the ports exchanged (receiver.c).
 */
struct asim_nic *asim_nic_for_reply(struct asim_fabric *fabric, struct asim_host *host,
                                    const struct asim_frame *data, struct asim_rx *rx);
/* After the mailbox was opened, and after each frame taken: what is asked for every event, and the
 * frame's own cache line but once. */
static inline void asim_nic_update_arrival(struct asim_nic *nic)
{
    const struct asim_wire *in = nic->port.in;
    uint32_t head = atomic_load_explicit(&in->head, memory_order_relaxed);

    nic->arrival_at = head != in->avail ? in->in_at[head & in->in_mask].t : ASIM_NEVER;
}

/* The turn of its host begins: what has been put into the mailbox until now is there. */
static inline void asim_nic_open_ring(struct asim_nic *nic)
{
    asim_link_ring_open(nic->port.in);
    asim_nic_update_arrival(nic);
}

static inline uint64_t asim_nic_arrival_tie_key(const struct asim_nic *nic)
{
    return asim_wire_tie_key(nic->port.in, asim_link_ring_oldest(nic->port.in));
}

#endif
