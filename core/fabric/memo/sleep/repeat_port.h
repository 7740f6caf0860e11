/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Egress ports of switches that sleep (repeat.h).
 */
#ifndef ASIM_FABRIC_MEMO_SLEEP_REPEAT_PORT_H
#define ASIM_FABRIC_MEMO_SLEEP_REPEAT_PORT_H

#include "fabric/memo/sleep/repeat.h"

/* Memory for a switch whose ports may sleep. 0 or ASIM_ENOMEM. */
int asim_repeat_switch_open(struct asim_repeat_switch *own, const struct asim_switch *sw);
void asim_repeat_switch_close(struct asim_repeat_switch *own, const struct asim_switch *sw);
/* Window 0 is about to begin: all its ports are awake. */
void asim_repeat_switch_reset(struct asim_repeat_switch *own, const struct asim_switch *sw);

/* A wire to the switch did not carry what it did in the window before, and asim_repeat_wire_compare
 * has kept that: the ports that get its frames are to wake. */
void asim_repeat_ports_disturb(struct asim_fabric *fabric, const struct asim_wire *wire);
/* Of a switch with awake ports, before the next window: looks which of its wires are steady. */
void asim_repeat_ports_settle(struct asim_fabric *fabric, struct asim_switch *sw);
/* Takes the frames of wires from the rings that no awake port of the switch reads. */
void asim_repeat_ports_empty(struct asim_fabric *fabric, struct asim_switch *sw);
/* Puts the frames that sleeping senders have sent in this window into the rings that are read. */
void asim_repeat_ports_expand(struct asim_fabric *fabric, const struct asim_switch *sw);

/* An awake port falls asleep with the next window if it can: 1. */
int asim_repeat_port_sleep(struct asim_fabric *fabric, struct asim_repeat_unit unit);
void asim_repeat_port_wake(struct asim_fabric *fabric, struct asim_repeat_unit unit);

#endif
