/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The events of a host: one by one, and through a window.
 */
#ifndef ASIM_FABRIC_HOST_ADVANCE_H
#define ASIM_FABRIC_HOST_ADVANCE_H

#include <stdint.h>
#include "fabric/host/host.h"

/* Time of the host's next event. */
uint64_t asim_host_next(const struct asim_host *host);
/* The slow paths of a host's events: the first timer; the oldest frame of a NIC. */
void asim_host_handle_timer(struct asim_fabric *fabric, struct asim_host *host);
void asim_host_handle_frame(struct asim_fabric *fabric, struct asim_host *host,
                            struct asim_nic *nic);
/* Processes the first event of any kind if it is before `until`; else returns 0 and its time. */
int asim_host_handle_first(struct asim_fabric *fabric, struct asim_host *host, uint64_t until,
                           uint64_t *t);
/* Whether the order of the first timer and a frame with an equal key shows. A rank hears of a
 * message that has come with the same effect before and behind a frame. */
static inline int asim_host_timer_is_ordered(const struct asim_host *host)
{
    uint64_t kind = host->timers.at->value >> 56;

    return kind != ASIM_TIMER_ARRIVED && kind != ASIM_TIMER_NOTIFICATION;
}

/* --- fast/frame_loop.c ---------------------------------------------------------------------- */
/* Processes all events before `until`; returns the time of the next one, as asim_host_next does.
 * The fast path never releases a flow of another process (asim_flow_add_release): only frames
 * behind the end of a message do, and the fast path takes expected frames only. */
uint64_t asim_host_advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until);
/* As asim_nic_kick, on the fast path where it applies. */
void asim_host_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic);

#endif
