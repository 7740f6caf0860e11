/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends messages and posts receives, with or without rendezvous.
 */
#ifndef ASIM_SIM_COLLECTIVE_SEND_H
#define ASIM_SIM_COLLECTIVE_SEND_H

#include "sim/sim.h"

/* The first attribute that a COMM_SEND or COMM_RECV op lacks, or NULL. */
const char *asim_send_lacks(const struct asim_op *op);
/* Whether a path leads to the message's destination; else fails the rank, naming op and message. */
int asim_send_has_path(struct asim_rank *rank, const struct asim_msg *msg, uint32_t op);
/* Sends a message of the op with this index, and sets the message's id. With rendezvous keeps a
 * copy until the receiver asks for it. */
void asim_send(struct asim_rank *rank, struct asim_msg *msg, uint32_t op);
/* The same without rendezvous. */
void asim_send_now(struct asim_rank *rank, struct asim_msg *msg);
/* Posts a receive, as asim_match_post; with rendezvous asks the sender first. */
int asim_receive(struct asim_rank *rank, const struct asim_recv *recv);

/* A copy of the action; NULL after failing the rank for lack of memory. */
struct asim_deferred_action *asim_deferred_action_keep(struct asim_rank *rank,
                                                       const struct asim_deferred_action *action,
                                                       const char *doing);
/* Frees the action and returns its content. */
struct asim_deferred_action asim_deferred_action_take(struct asim_rank *rank,
                                                      struct asim_deferred_action *action);
/* The cookie of a message that runs the action at its end; and the action of a cookie, or NULL for
 * the index of an op. */
uint64_t asim_deferred_action_cookie(const struct asim_deferred_action *action);
struct asim_deferred_action *asim_cookie_action(uint64_t cookie);

#endif
