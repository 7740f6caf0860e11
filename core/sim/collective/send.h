/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Messages leave a rank, with or without rendezvous.
 */
#ifndef ASIM_SIM_COLLECTIVE_SEND_H
#define ASIM_SIM_COLLECTIVE_SEND_H

#include "sim/sim.h"

/* Sends a message; numbers it. */
void asim_send(struct asim_rank *rank, struct asim_msg *msg);
/* Posts a receive; with rendezvous asks the sender first. */
void asim_receive(struct asim_rank *rank, const struct asim_recv *recv);
/* The network says that a message of this rank is through. */
void asim_send_done(struct asim_rank *rank, const struct asim_msg *msg);
/* Runs a deferred action and frees it. */
void asim_deferred_action_run(struct asim_rank *rank, struct asim_deferred_action *action);
/* The cookie of a message whose end runs the action. */
uint64_t asim_deferred_action_cookie(const struct asim_deferred_action *action);

#endif
