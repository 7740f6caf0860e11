/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends meet receives at the destination. Per (source, tag) bytes arrive in order and receives
 * consume them in the order they were posted, so a receive may take part of a message or several;
 * sizes are 64 bits and any number of receives of one key may wait (the reference adds them up
 * and loses all callbacks but one).
 */
#include "sim/sim.h"

static struct asim_inbox *inbox_of(struct asim_rank *rank, uint32_t src, uint64_t tag)
{
    uint64_t *slot = asim_map_put(&rank->inboxes, src, tag);

    if (slot && !*slot)
        *slot = (uint64_t)(uintptr_t)asim_pool_get(&rank->world->pools.inbox);
    if (!slot || !*slot) {
        asim_world_fail_nomem(rank->world, "matching messages");
        return NULL;
    }
    return (struct asim_inbox *)(uintptr_t)*slot;
}

/* An inbox with nothing in it is given back: tags of collectives never come again. */
static void tidy(struct asim_rank *rank, const struct asim_recv *recv, struct asim_inbox *inbox)
{
    if (inbox->head || inbox->arrived)
        return;
    asim_map_delete(&rank->inboxes, recv->src, recv->tag);
    asim_pool_put(&rank->world->pools.inbox, inbox);
}

void asim_match_deliver(struct asim_rank *rank, struct asim_recv *recv)
{
    struct asim_recv done = *recv;

    asim_pool_put(&rank->world->pools.recv, recv);
    if (done.stream)
        asim_stream_arrival(rank, done.stream);
    else
        asim_op_done(rank, done.op);
}

void asim_match_post(struct asim_rank *rank, const struct asim_recv *wanted)
{
    struct asim_world *world = rank->world;
    struct asim_inbox *inbox = inbox_of(rank, wanted->src, wanted->tag);
    struct asim_recv *recv = asim_pool_get(&world->pools.recv);

    if (!inbox || !recv) {
        asim_world_fail_nomem(world, "posting a receive");
        return;
    }
    *recv = *wanted;
    recv->next = NULL;
    recv->posted_ns = asim_rank_now(rank);
    if (inbox->head || inbox->arrived < recv->bytes) {
        *(inbox->tail ? &inbox->tail->next : &inbox->head) = recv;
        inbox->tail = recv;
        return;
    }
    inbox->arrived -= recv->bytes;
    tidy(rank, recv, inbox);
    if (world->backend->traits & ASIM_NET_LATE_RECEIVE_NOW)
        asim_match_deliver(rank, recv);
    else if (world->backend->late(world->carrier, rank->id, (uint64_t)(uintptr_t)recv))
        asim_world_fail_nomem(world, "posting a receive");
}

void asim_match_arrived(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = inbox_of(rank, msg->src, msg->tag);

    if (!inbox)
        return;
    inbox->arrived += msg->bytes;
    while (inbox->head && inbox->arrived >= inbox->head->bytes) {
        struct asim_recv *recv = inbox->head;
        int last = !recv->next;

        inbox->arrived -= recv->bytes;
        inbox->head = recv->next;
        if (!inbox->head)
            inbox->tail = NULL;
        if (last)
            tidy(rank, recv, inbox);
        asim_match_deliver(rank, recv);
        if (last)
            return;
    }
}
