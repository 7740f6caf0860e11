/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Hosts that sleep (repeat.h).
 */
#ifndef ASIM_FABRIC_MEMO_SLEEP_REPEAT_HOST_H
#define ASIM_FABRIC_MEMO_SLEEP_REPEAT_HOST_H

#include "fabric/memo/sleep/repeat.h"

/* An awake host falls asleep with the next window if it can: 1. */
int asim_repeat_host_sleep(struct asim_fabric *fabric, struct asim_host *host);
/* Whether a frame is on a link of the host that is shorter than a window. */
int asim_repeat_host_is_reached(const struct asim_fabric *fabric, const struct asim_host *host);
/* A sleeping host moves on to the present window, and is awake; others stay as they are. */
void asim_repeat_host_wake(struct asim_fabric *fabric, struct asim_host *host);

#endif
