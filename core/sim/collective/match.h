/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Matches receives with the bytes of messages. A complete receive goes back to the caller, who acts
 * on it; nothing here calls an engine.
 */
#ifndef ASIM_SIM_COLLECTIVE_MATCH_H
#define ASIM_SIM_COLLECTIVE_MATCH_H

#include "sim/sim.h"

/* Posts a copy of *recv. 1: its bytes are there, and the receive is complete; 0: it completes later
 * (wake.c), or the rank has failed. */
int asim_match_post(struct asim_rank *rank, const struct asim_recv *recv);
/* The same for the receive of a chunk, which nearly all receives are. Not for rendezvous. */
int asim_match_post_chunk(struct asim_rank *rank, struct asim_chunk *chunk, uint32_t src,
                          uint64_t bytes);

/* Empty inboxes that a rank keeps before it sweeps. */
enum { ASIM_EMPTY_KEPT = 32 };
/* The inbox of a key; NULL if the last look-ups do not include it. */
static inline struct asim_inbox *asim_recent_inbox(const struct asim_rank *rank, uint32_t src,
                                                   uint64_t tag)
{
    struct asim_inbox *inbox = rank->recent[(src ^ tag) % ASIM_RECENT];

    return inbox && inbox->src == src && inbox->tag == tag ? inbox : NULL;
}

/* An arrived message in the frequent case: takes the receive that it completes off the inbox, where
 * no other receive waits, and the receive is of a chunk. NULL: nothing has changed, and the message
 * needs asim_match_add. The caller frees the receive. */
static inline struct asim_recv *asim_match_only(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = asim_recent_inbox(rank, msg->src, msg->tag);
    struct asim_recv *recv = inbox ? inbox->head : NULL;

    if (!recv || inbox->arrived || recv->next || recv->bytes != msg->bytes)
        return NULL;
    if (!recv->uniform) {
        if (inbox->pinned || recv->action || !recv->chunk ||
            (rank->empty_inboxes >= ASIM_EMPTY_KEPT && rank->empty_inboxes >= rank->inboxes.n / 2))
            return NULL;
        rank->empty_inboxes++;
    }
    inbox->head = NULL;
    return recv;
}

/* Any message: adds its bytes to its inbox and pins the inbox. NULL after failing the rank. */
struct asim_inbox *asim_match_add(struct asim_rank *rank, const struct asim_msg *msg);
/* Takes the next receive whose bytes are there off the inbox; NULL: there is none. */
struct asim_recv *asim_match_next(struct asim_inbox *inbox);

/* The inbox of a key, which does not move until it is unpinned; NULL after failing the rank. */
struct asim_inbox *asim_match_pin(struct asim_rank *rank, uint32_t src, uint64_t tag);
void asim_match_unpin(struct asim_rank *rank, struct asim_inbox *inbox);

#endif
