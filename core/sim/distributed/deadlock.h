/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds a circle of switch ports that wait for each other's pauses (PFC).
 */
#ifndef ASIM_SIM_DISTRIBUTED_DEADLOCK_H
#define ASIM_SIM_DISTRIBUTED_DEADLOCK_H

#include "net/packets.h"

/* Moves the waits of a circle to the front of the list, in the order of the circle, and returns how
 * many there are: 0, there is no circle or no memory. The same for any order of the list. */
size_t asim_deadlock_find(struct asim_pause_waits *waits);

#endif
