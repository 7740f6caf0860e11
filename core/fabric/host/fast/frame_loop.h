/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A host's events up to the end of a window (frame_loop.c).
 */
#ifndef ASIM_FABRIC_HOST_FAST_FRAME_LOOP_H
#define ASIM_FABRIC_HOST_FAST_FRAME_LOOP_H

#include <stdint.h>

struct asim_fabric;
struct asim_host;
struct asim_nic;

/* Processes all events before `until`; returns the time of the next one, as asim_host_next does.
 * The fast path never releases a flow of another process (asim_flow_add_release): only frames
 * behind the end of a message do, and the fast path takes expected frames only. */
uint64_t asim_host_advance(struct asim_fabric *fabric, struct asim_host *host, uint64_t until);
/* As asim_nic_kick, on the fast path where it applies. */
void asim_host_kick(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic);

#endif
