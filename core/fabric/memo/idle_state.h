/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The memory of an idle network: all state that can influence later traffic. It consists of the
 * round-robin positions, the finished queue pairs that no scan has reaped, and the order in which
 * ports were used last, which is the last tie-break (tie_key.h). Absolute times and counts are not
 * part of it. Features that look at them (INT, PINT, random losses) exclude the memo.
 */
#ifndef ASIM_FABRIC_MEMO_IDLE_STATE_H
#define ASIM_FABRIC_MEMO_IDLE_STATE_H

#include <stddef.h>
#include <stdint.h>

struct asim_fabric;

enum { ASIM_IDLE_STATES = 256 }; /* different ones that the memo keeps */

/* One idle state as a list of numbers. Equal states have the same id, from 1 on. */
struct asim_idle_state {
    uint32_t *at;
    size_t n; /* bytes */
};

/* Whether only wakes of ranks and timers of finished messages are left. Linear in the network. Ask
 * it only while no message is open. */
int asim_network_is_idle(const struct asim_fabric *fabric);
/* The id of the present idle state, 0 when out of memory. The list grows. */
uint64_t asim_idle_state_id(const struct asim_fabric *fabric, struct asim_idle_state **list,
                            size_t *n);

/* Writes the counts at which each port of this process was used last: 2 words a port. */
void asim_port_order_save(const struct asim_fabric *fabric, uint64_t *list);
/* Whether the ports of each node are in the same order now. 0, 1 or ASIM_ENOMEM. */
int asim_port_order_is_same(const struct asim_fabric *fabric, const uint64_t *list);

#endif
