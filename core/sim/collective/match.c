/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See match.h. For each (source, tag), receives consume bytes in the order of posting, so a receive
 * may take part of a message or several messages. Sizes have 64 bits, and any number of receives of
 * one key may wait (ASTRA-sim adds them up and loses all callbacks but one). A receive of
 * ASIM_ANY_BYTES takes all bytes that are there: one message, because its chunk has one per source
 * (all-to-all-v). On analytical networks the size of an op is part of its tag (ops/p2p.c).
 *
 * Memory: one inbox per (source, tag) in use. An empty inbox is kept for later messages, and a
 * sweep frees the empty ones when they are more than half. An inbox counts bytes and does not keep
 * messages.
 */
#include "sim/collective/match.h"
#include "sim/collective/coll_run.h"
#include "sim/collective/send.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/uniform_phase.h"

#include <string.h>

/* Empty inboxes that a rank keeps before it sweeps. */
enum { EMPTY_KEPT = 32 };

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

/* NULL if the last look-ups do not include it. */
static inline struct asim_inbox *recent_of(const struct asim_rank *rank, uint32_t src, uint64_t tag)
{
    struct asim_inbox *inbox = rank->recent[(src ^ tag) % ASIM_RECENT];

    return inbox && inbox->src == src && inbox->tag == tag ? inbox : NULL;
}

static inline struct asim_inbox *inbox_of(struct asim_rank *rank, uint32_t src, uint64_t tag)
{
    struct asim_inbox *inbox = recent_of(rank, src, tag);

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
    if (++rank->empty_inboxes > EMPTY_KEPT && rank->empty_inboxes > rank->inboxes.n / 2)
        sweep(rank, inbox);
}

/* Frees recv first, because the call may post the next receive. */
void asim_match_deliver(struct asim_rank *rank, struct asim_recv *recv)
{
    struct asim_chunk *chunk = recv->chunk;
    struct asim_deferred_action *action = recv->action;
    uint32_t op = recv->op;

    if (!recv->uniform)
        asim_pool_give(&rank->shard->pools.recv, recv);
    if (action)
        asim_deferred_action_run(rank, action);
    else if (chunk)
        asim_chunk_arrival(rank, chunk);
    else
        rank->world->op_done(rank, op);
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
    return recv->bytes == ASIM_ANY_BYTES ? inbox->arrived > 0 : inbox->arrived >= recv->bytes;
}

/* Takes the receive's bytes out of the inbox. */
static void take(struct asim_inbox *inbox, const struct asim_recv *recv)
{
    inbox->arrived -= recv->bytes == ASIM_ANY_BYTES ? inbox->arrived : recv->bytes;
}

/* Completes a receive whose bytes have arrived: within this call on a packet network, in an event
 * on an analytical one (net.h, traits). */
static void serve(struct asim_rank *rank, struct asim_inbox *inbox, struct asim_recv *recv)
{
    struct asim_world *world = rank->world;

    take(inbox, recv);
    check_idle(rank, inbox);
    if (world->via.backend->traits & ASIM_NET_LATE_RECEIVE_NOW)
        asim_match_deliver(rank, recv);
    else if (world->via.backend->defer_receive(world->via.carrier, rank->id,
                                               (uint64_t)(uintptr_t)recv))
        asim_rank_fail_nomem(rank, "posting a receive");
}

/* recv: filled in but for the fields that matching sets. */
static inline void post(struct asim_rank *rank, struct asim_inbox *inbox, struct asim_recv *recv)
{
    recv->bytes = counted(recv->bytes);
    recv->next = NULL;
    recv->posted_ns = asim_rank_now(rank);
    if (!inbox->head) {
        if (is_served(inbox, recv)) {
            serve(rank, inbox, recv);
            return;
        }
        rank->empty_inboxes -= (uint32_t)is_idle(inbox);
        inbox->head = recv;
    } else {
        inbox->tail->next = recv;
    }
    inbox->tail = recv;
}

/* Copies word by word, as messages (net.h): *wanted has just been written. */
void asim_match_post(struct asim_rank *rank, const struct asim_recv *wanted)
{
    const volatile struct asim_recv *from = wanted;
    struct asim_inbox *inbox = inbox_of(rank, wanted->src, wanted->tag);
    struct asim_recv *recv = asim_pool_take(&rank->shard->pools.recv);

    if (!inbox || !recv) {
        asim_rank_fail_nomem(rank, "posting a receive");
        return;
    }
    recv->bytes = from->bytes;
    recv->uniform = from->uniform;
    recv->chunk = from->chunk;
    recv->action = from->action;
    recv->op = from->op;
    recv->src = from->src;
    recv->tag = from->tag;
    post(rank, inbox, recv);
}

/* The fast case of asim_match_post: the inbox is a recent one and empty. Makes no call. */
void asim_match_post_chunk(struct asim_rank *rank, struct asim_chunk *chunk, uint32_t src,
                           uint64_t bytes)
{
    struct asim_inbox *inbox = recent_of(rank, src, chunk->tag);
    struct asim_recv *recv = NULL;

    if (inbox && is_idle(inbox))
        recv = asim_pool_pop(&rank->shard->pools.recv);
    if (!recv) {
        asim_match_post(rank, &(struct asim_recv){
                                  .bytes = bytes, .chunk = chunk, .src = src, .tag = chunk->tag});
        return;
    }
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

/* A delivery may post the next receive in this inbox, or sweep the inbox away: after the last
 * delivery it must not be read. */
void asim_match_any(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = inbox_of(rank, msg->src, msg->tag);

    if (!inbox)
        return;
    rank->empty_inboxes -= (uint32_t)is_idle(inbox);
    inbox->arrived += counted(msg->bytes);
    while (inbox->head && is_served(inbox, inbox->head)) {
        struct asim_recv *recv = inbox->head;
        int last = !recv->next;

        take(inbox, recv);
        inbox->head = recv->next;
        check_idle(rank, inbox);
        asim_match_deliver(rank, recv);
        if (last)
            return;
    }
    check_idle(rank, inbox); /* no receive has taken the message */
}

/* The fast case: one message serves the one waiting receive of a chunk. */
void asim_match_arrived(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = recent_of(rank, msg->src, msg->tag);
    struct asim_recv *recv = inbox ? inbox->head : NULL;
    struct asim_chunk *chunk;

    if (!recv || inbox->arrived || recv->next || recv->bytes != msg->bytes) {
        asim_match_any(rank, msg);
        return;
    }
    if (recv->uniform) {
        inbox->head = NULL;
        asim_uniform_phase_arrival(rank, recv->uniform);
        return;
    }
    chunk = recv->chunk;
    if (inbox->pinned || recv->action || !chunk ||
        (rank->empty_inboxes >= EMPTY_KEPT && rank->empty_inboxes >= rank->inboxes.n / 2)) {
        asim_match_any(rank, msg);
        return;
    }
    inbox->head = NULL;
    rank->empty_inboxes++;
    asim_pool_give(&rank->shard->pools.recv, recv);
    asim_chunk_arrival(rank, chunk);
}
