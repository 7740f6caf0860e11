/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Whether two places of the network treat the same frames in the same way. Pure functions of the
 * set-up.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_ALIKE_H
#define ASIM_FABRIC_MEMO_REGION_ALIKE_H

#include "fabric/switch/switch.h"

/* Wires, thresholds and limits of both ports are equal. */
int asim_ports_are_alike(const struct asim_switch_port *a, const struct asim_switch_port *b);
/* What all ports of a switch share is equal: kind, buffer, order of events. */
int asim_switches_are_alike(const struct asim_fabric *fabric, const struct asim_switch *a,
                            const struct asim_switch *b);

#endif
