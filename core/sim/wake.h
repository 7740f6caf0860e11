/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The one place where what has happened on a rank becomes calls: its events, messages that have
 * arrived or ended, receives that are complete.
 */
#ifndef ASIM_SIM_WAKE_H
#define ASIM_SIM_WAKE_H

#include "sim/sim.h"

/* The network calls these. Runs all events of the rank at the present time. */
void asim_rank_wake(struct asim_rank *rank);
/* A message to the rank has arrived. */
void asim_rank_arrived(struct asim_rank *rank, const struct asim_msg *msg);
/* A receive whose completion the network has deferred is complete; frees it. */
void asim_rank_received(struct asim_rank *rank, struct asim_recv *recv);
/* The network has carried a uniform phase to its end (self: struct asim_uniform_phase). */
void asim_rank_relay_over(void *self);
/* The network is not to carry a phase of an op graph by itself, or has, and forgets it (self: struct
 * asim_graph_runner). */
void asim_rank_repeat_begin(void *self, struct asim_repeat *repeat);
void asim_rank_repeat_over(void *self);
void asim_rank_repeat_release(void *self);
/* A message of the rank has ended. */
void asim_rank_sent(struct asim_rank *rank, const struct asim_msg *msg);

#endif
