/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Matches receives with the bytes of messages.
 */
#ifndef ASIM_SIM_COLLECTIVE_MATCH_H
#define ASIM_SIM_COLLECTIVE_MATCH_H

#include "sim/sim.h"

/* Posts a copy of *recv. */
void asim_match_post(struct asim_rank *rank, const struct asim_recv *recv);
/* The same for the receive of a chunk, which nearly all receives are. Not for rendezvous. */
void asim_match_post_chunk(struct asim_rank *rank, struct asim_chunk *chunk, uint32_t src,
                           uint64_t bytes);
/* A message has arrived. */
void asim_match_arrived(struct asim_rank *rank, const struct asim_msg *msg);
/* The slow path of asim_match_arrived, for any message. */
void asim_match_any(struct asim_rank *rank, const struct asim_msg *msg);
/* Completes a receive: advances its chunk, ends its op or runs its deferred action. */
void asim_match_deliver(struct asim_rank *rank, struct asim_recv *recv);
/* The inbox of a key, which does not move until it is unpinned; NULL after failing the rank. */
struct asim_inbox *asim_match_pin(struct asim_rank *rank, uint32_t src, uint64_t tag);
void asim_match_unpin(struct asim_rank *rank, struct asim_inbox *inbox);

#endif
