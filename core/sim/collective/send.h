/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends messages and posts receives, with or without rendezvous.
 */
#ifndef ASIM_SIM_COLLECTIVE_SEND_H
#define ASIM_SIM_COLLECTIVE_SEND_H

#include "sim/sim.h"

/* Whether a path leads to the message's destination; else fails the rank, naming op and message. */
int asim_send_has_path(struct asim_rank *rank, const struct asim_msg *msg, uint32_t op);
/* Sends a message of the op with this index, and sets the message's id. */
void asim_send(struct asim_rank *rank, struct asim_msg *msg, uint32_t op);
/* Posts a receive; with rendezvous asks the sender first. */
void asim_receive(struct asim_rank *rank, const struct asim_recv *recv);
/* A message of this rank has ended, says the network. */
void asim_send_done(struct asim_rank *rank, const struct asim_msg *msg);
/* Runs a deferred action and frees it. */
void asim_deferred_action_run(struct asim_rank *rank, struct asim_deferred_action *action);
/* The cookie of a message that runs the action at its end. */
uint64_t asim_deferred_action_cookie(const struct asim_deferred_action *action);

#endif
