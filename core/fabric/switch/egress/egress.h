/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The family of egress schedulers: which queue of a port sends next
 * (rdma-network.md#scheduling). EGRESS_SCHEDULER chooses the row. Queue 0 goes first in all rows; a
 * row decides among queues 1 to 7. It acts from when the network uses several of them: with one
 * queue of data all rows do the same, and asim_queue_next (switch/queue.h) needs no row.
 */
#ifndef ASIM_FABRIC_SWITCH_EGRESS_EGRESS_H
#define ASIM_FABRIC_SWITCH_EGRESS_EGRESS_H

#include <stddef.h>
#include <stdint.h>
#include "asim/ext/family.h"

struct asim_netconf;
struct asim_switch_port;

struct asim_egress_scheduler {
    struct asim_member member;
    int kind;          /* the value of EGRESS_SCHEDULER, enum asim_scheduling */
    size_t state_size; /* bytes of port->scheduler */
    /* The state of a port without frames. longest: bytes of the largest frame. */
    void (*reset)(void *state, const struct asim_netconf *net, uint32_t longest);
    /* The queue to serve, of ready (bit per queue 1 to 7 that holds frames and is not paused, at
     * least one); the caller then sends its first frame. A frame that finds all queues empty may
     * pass without this call (asim_queue_pass), so that must change port->rr alone. NULL: round
     * robin, which asim_queue_next does itself. */
    uint32_t (*next)(struct asim_switch_port *port, uint32_t ready);
};

extern const struct asim_member *const asim_egress_table[];

#endif
