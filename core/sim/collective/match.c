/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Matches receives with the bytes of messages. For each (source, tag), receives consume bytes in
 * the order of posting, so a receive may take part of a message or several messages. Sizes have
 * 64 bits, and any number of receives of one key may wait (ASTRA-sim adds them up and loses all
 * callbacks but one). A receive of ASIM_ANY_BYTES takes all bytes that are there: one message,
 * because its chunk has one per source (all-to-all-v). On analytical networks the size of an op
 * is part of its tag (ops/p2p.c).
 *
 * Memory: one inbox per (source, tag) in use. An empty inbox is kept for later messages, and a
 * sweep frees the empty ones when they are more than half. An inbox counts bytes and does not keep
 * messages.
 */
#include "sim/collective/match.h"
#include "sim/rank/rank_shard.h"

#include <string.h>

/* Finds the inbox, or makes it and counts it as empty. NULL when out of memory. */
static struct asim_inbox *inbox_in_map(struct asim_rank *rank, uint32_t src, uint64_t tag)
{
    uint64_t *slot = asim_map_put(&rank->inboxes, src, tag);
    struct asim_inbox *inbox;

    if (!slot)
        return NULL;
    if (*slot)
        return (struct asim_inbox *)(uintptr_t)*slot;
    inbox = asim_pool_take(&rank->shard->pools.inbox);
    if (!inbox)
        return NULL;
    *inbox = (struct asim_inbox){.src = src, .tag = tag};
    *slot = (uint64_t)(uintptr_t)inbox;
    rank->empty_inboxes++;
    return inbox;
}

static struct asim_inbox *look_up(struct asim_rank *rank, uint32_t src, uint64_t tag)
{
    struct asim_inbox *inbox = inbox_in_map(rank, src, tag);

    if (!inbox)
        asim_rank_fail_nomem(rank, "matching messages");
    rank->recent[(src ^ tag) % ASIM_RECENT] = inbox;
    return inbox;
}

static inline struct asim_inbox *inbox_of(struct asim_rank *rank, uint32_t src, uint64_t tag)
{
    struct asim_inbox *inbox = asim_recent_inbox(rank, src, tag);

    return inbox ? inbox : look_up(rank, src, tag);
}

/* No receive waits, no bytes are left, and no phase pins it. */
static inline int is_idle(const struct asim_inbox *inbox)
{
    return !inbox->head && !inbox->arrived && !inbox->pinned;
}

static struct asim_inbox *inbox_at(const struct asim_map *map, size_t i)
{
    return map->used[i] ? (struct asim_inbox *)(uintptr_t)map->slots[i].value : NULL;
}

/* Frees every idle inbox but one. A pass over the map; many inboxes had to become idle before it. A
 * deletion moves a later entry into the hole, so the loop reads that slot again. */
static void sweep(struct asim_rank *rank, const struct asim_inbox *but)
{
    for (size_t i = 0; i < rank->inboxes.cap; i++) {
        struct asim_inbox *inbox;

        while ((inbox = inbox_at(&rank->inboxes, i)) && inbox != but && is_idle(inbox)) {
            asim_map_delete(&rank->inboxes, inbox->src, inbox->tag);
            asim_pool_give(&rank->shard->pools.inbox, inbox);
        }
    }
    memset(rank->recent, 0, sizeof rank->recent); /* half a kB, seldom (check_idle) */
    rank->empty_inboxes = 1;
}

/* Counts an inbox that has become idle and keeps it, because the next message of its chunk is
 * likely to come soon. Tags of finished chunks never come again, so a sweep frees all idle inboxes
 * when they are many and more than half. */
static inline void check_idle(struct asim_rank *rank, const struct asim_inbox *inbox)
{
    if (!is_idle(inbox))
        return;
    if (++rank->empty_inboxes > ASIM_EMPTY_KEPT && rank->empty_inboxes > rank->inboxes.n / 2)
        sweep(rank, inbox);
}

/* A message of no bytes counts as one byte, or its receive would not wait for it. */
static uint64_t counted(uint64_t bytes)
{
    return bytes ? bytes : 1;
}

/* ASIM_ANY_BYTES: one message is enough, and there is never more than one, because each chunk has
 * its own tag and gets one message from each source. */
static int is_served(const struct asim_inbox *inbox, const struct asim_recv *recv)
{
    return recv->bytes == ASIM_ANY_BYTES ? inbox->arrived > 0
                                         : inbox->arrived >= counted(recv->bytes);
}

/* Takes the receive's bytes out of the inbox. */
static void take(struct asim_inbox *inbox, const struct asim_recv *recv)
{
    inbox->arrived -= recv->bytes == ASIM_ANY_BYTES ? inbox->arrived : counted(recv->bytes);
}

/* Copies word by word, as messages (net.h): *wanted has just been written. */
static struct asim_recv *copy_of(struct asim_rank *rank, const volatile struct asim_recv *wanted)
{
    struct asim_recv *recv = asim_pool_take(&rank->shard->pools.recv);

    if (!recv) {
        asim_rank_fail_nomem(rank, "posting a receive");
        return NULL;
    }
    recv->next = NULL;
    recv->bytes = counted(wanted->bytes);
    recv->posted_ns = asim_rank_now(rank);
    recv->uniform = NULL;
    recv->chunk = wanted->chunk;
    recv->action = wanted->action;
    recv->op = wanted->op;
    recv->src = wanted->src;
    recv->tag = wanted->tag;
    return recv;
}

/* Completes a receive whose bytes have arrived: at once on a packet network, in an event on an
 * analytical one (net.h, traits). 1: at once. */
static int serve(struct asim_rank *rank, struct asim_inbox *inbox, const struct asim_recv *wanted)
{
    const struct asim_world *world = rank->world;
    struct asim_recv *recv;

    take(inbox, wanted);
    check_idle(rank, inbox);
    if (world->via.backend->traits & ASIM_NET_LATE_RECEIVE_NOW)
        return 1;
    recv = copy_of(rank, wanted);
    if (recv &&
        world->via.backend->defer_receive(world->via.carrier, rank->id, (uint64_t)(uintptr_t)recv))
        asim_rank_fail_nomem(rank, "posting a receive");
    return 0;
}

int asim_match_post(struct asim_rank *rank, const struct asim_recv *wanted)
{
    struct asim_inbox *inbox = inbox_of(rank, wanted->src, wanted->tag);
    struct asim_recv *recv;

    if (!inbox)
        return 0;
    if (!inbox->head && is_served(inbox, wanted))
        return serve(rank, inbox, wanted);
    recv = copy_of(rank, wanted);
    if (!recv)
        return 0;
    rank->empty_inboxes -= (uint32_t)is_idle(inbox);
    *(inbox->head ? &inbox->tail->next : &inbox->head) = recv;
    inbox->tail = recv;
    return 0;
}

/* The fast case of asim_match_post: the inbox is a recent one and empty. Makes no call. */
int asim_match_post_chunk(struct asim_rank *rank, struct asim_chunk *chunk, uint32_t src,
                          uint64_t bytes)
{
    struct asim_inbox *inbox = asim_recent_inbox(rank, src, chunk->tag);
    struct asim_recv *recv = NULL;

    if (inbox && is_idle(inbox))
        recv = asim_pool_pop(&rank->shard->pools.recv);
    if (!recv)
        return asim_match_post(
            rank,
            &(struct asim_recv){.bytes = bytes, .chunk = chunk, .src = src, .tag = chunk->tag});
    recv->next = NULL;
    recv->bytes = counted(bytes);
    recv->chunk = chunk;
    recv->action = NULL;
    recv->src = src;
    recv->tag = chunk->tag;
    recv->posted_ns = asim_rank_now(rank);
    recv->uniform = NULL;
    rank->empty_inboxes--;
    inbox->head = inbox->tail = recv;
    return 0;
}

/* A sweep does not free a pinned inbox. */
struct asim_inbox *asim_match_pin(struct asim_rank *rank, uint32_t src, uint64_t tag)
{
    struct asim_inbox *inbox = inbox_of(rank, src, tag);

    if (!inbox)
        return NULL;
    rank->empty_inboxes -= (uint32_t)is_idle(inbox);
    inbox->pinned++;
    return inbox;
}

void asim_match_unpin(struct asim_rank *rank, struct asim_inbox *inbox)
{
    inbox->pinned--;
    check_idle(rank, inbox);
}

struct asim_inbox *asim_match_add(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = asim_match_pin(rank, msg->src, msg->tag);

    if (inbox)
        inbox->arrived += counted(msg->bytes);
    return inbox;
}

struct asim_recv *asim_match_next(struct asim_inbox *inbox)
{
    struct asim_recv *recv = inbox->head;

    if (!recv || !is_served(inbox, recv))
        return NULL;
    take(inbox, recv);
    inbox->head = recv->next;
    return recv;
}
