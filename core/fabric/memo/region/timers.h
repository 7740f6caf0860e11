/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The timers of a host whose replay ends early: recorded completions are cancelled, all others wait
 * until the host has been simulated again.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_TIMERS_H
#define ASIM_FABRIC_MEMO_REGION_TIMERS_H

#include "fabric/node.h"

/* Removes the timers of completions, and moves all others into *kept. 0 or ASIM_ENOMEM. */
int asim_memo_cancel_completions(struct asim_host *host, struct asim_event_heap *kept);
/* Moves them back; the clock learns their times again. 0 or ASIM_ENOMEM. */
int asim_memo_restore_timers(struct asim_fabric *fabric, struct asim_host *host,
                             struct asim_event_heap *kept);

#endif
