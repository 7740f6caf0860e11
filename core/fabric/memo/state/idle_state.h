/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Whether the network is idle, a look at ports that rejects most comparisons, and the order in
 * which ports were used last, which is the last tie-break (tie_key.h).
 */
#ifndef ASIM_FABRIC_MEMO_STATE_IDLE_STATE_H
#define ASIM_FABRIC_MEMO_STATE_IDLE_STATE_H

#include <stddef.h>
#include <stdint.h>

struct asim_fabric;
struct asim_nic;
struct asim_port;
struct asim_switch_port;

/* Whether only wakes of ranks and timers of finished messages are left. Linear in the network. Ask
 * it only while no message is open. */
int asim_network_is_idle(const struct asim_fabric *fabric);
int asim_nic_is_idle(const struct asim_nic *nic); /* but for finished queue pairs */
int asim_switch_port_is_idle(const struct asim_switch_port *port);

/* What an idle port keeps of its last transmission: its rows ORDER, SENT and SENT_AT (fields.h), as
 * so many words, with counts from `seq` of its node and times from `start`. The first word is a
 * time.
 */
enum { ASIM_PORT_LEFT_WORDS = 4 };
void asim_port_left_save(const struct asim_port *port, uint64_t seq, uint64_t start,
                         uint64_t *left);
void asim_port_left_apply(struct asim_port *port, uint64_t seq, uint64_t start,
                          const uint64_t *left);

/* A word that mostly differs if two states of a node's ports do, with times relative to t (ticks);
 * 0: they have no frame. */
uint64_t asim_ports_probe(const struct asim_fabric *fabric, uint32_t node, uint64_t t);

/* Writes the counts at which each port of this process was used last: 2 words a port. */
void asim_port_order_save(const struct asim_fabric *fabric, uint64_t *list);
/* Whether the ports of each node are in the same order now. 0, 1 or ASIM_ENOMEM. */
int asim_port_order_is_same(const struct asim_fabric *fabric, const uint64_t *list);

#endif
