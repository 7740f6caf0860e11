/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends meet receives at the destination. Per (source, tag) bytes arrive in order and receives
 * consume them in the order they were posted, so a receive may take part of a message or several;
 * sizes are 64 bits and any number of receives of one key may wait (ASTRA-sim adds them up
 * and loses all callbacks but one). A receive of ASIM_ANY_BYTES takes all that is there, which is
 * one message where its chunk has one per source (all-to-all-v). Over analytical networks the size
 * of an op is part of its tag (p2p.c).
 *
 * Memory: one inbox per (source, tag) in use, kept a while when empty because chunks come back,
 * swept when more than half are idle. Messages themselves are not kept, only their bytes: what
 * cannot be told apart by key is told apart by order.
 */
#include "sim/collective/match.h"
#include "sim/collective/coll_run.h"
#include "sim/collective/send.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/uniform_phase.h"

#include <string.h>

/* Empty inboxes a rank keeps before it looks for them all. */
enum { EMPTY_KEPT = 32 };

/* Found, or made and counted as empty. NULL when out of memory. */
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

/* NULL if it was not looked up lately. */
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

/* Neither waiting receives nor bytes, and nobody counts on it: could be given back. */
static inline int is_idle(const struct asim_inbox *inbox)
{
    return !inbox->head && !inbox->arrived && !inbox->pinned;
}

static struct asim_inbox *inbox_at(const struct asim_map *map, size_t i)
{
    return map->used[i] ? (struct asim_inbox *)(uintptr_t)map->slots[i].value : NULL;
}

/* Gives back every idle inbox but one. Costs a pass over the map, paid for by the many inboxes that
 * had to become idle before. Deleting fills the hole with an entry from behind, so that slot is
 * looked at again. */
static void sweep(struct asim_rank *rank, const struct asim_inbox *but)
{
    for (size_t i = 0; i < rank->inboxes.cap; i++) {
        struct asim_inbox *inbox;

        while ((inbox = inbox_at(&rank->inboxes, i)) && inbox != but && is_idle(inbox)) {
            asim_map_delete(&rank->inboxes, inbox->src, inbox->tag);
            asim_pool_give(&rank->shard->pools.inbox, inbox);
        }
    }
    memset(rank->recent, 0, sizeof rank->recent); /* half a kB: seldom (check_idle) */
    rank->empty_inboxes = 1;
}

/* The inbox may have become empty. It is kept, because the next message of its chunk is likely to
 * come soon; the tags of chunks that are over never come again, so all empty ones go when they
 * are many, and more than half. */
static inline void check_idle(struct asim_rank *rank, const struct asim_inbox *inbox)
{
    if (!is_idle(inbox))
        return;
    if (++rank->empty_inboxes > EMPTY_KEPT && rank->empty_inboxes > rank->inboxes.n / 2)
        sweep(rank, inbox);
}

/* recv is given back first; what is called may post the next one. */
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

/* A message of no bytes counts as one, or its receive would not wait for it. */
static uint64_t counted(uint64_t bytes)
{
    return bytes ? bytes : 1;
}

/* Of any size: one message is enough, and there is never more than one, because a chunk's tag is
 * its own and it has one message from each source. */
static int is_served(const struct asim_inbox *inbox, const struct asim_recv *recv)
{
    return recv->bytes == ASIM_ANY_BYTES ? inbox->arrived > 0 : inbox->arrived >= recv->bytes;
}

/* Its bytes leave the inbox; at least one, if it is served. */
static void take(struct asim_inbox *inbox, const struct asim_recv *recv)
{
    inbox->arrived -= recv->bytes == ASIM_ANY_BYTES ? inbox->arrived : recv->bytes;
}

/* Satisfied at once where the bytes are there: within this call over a packet network, in an event
 * of its own over an analytical one (net.h, traits). */
static void serve(struct asim_rank *rank, struct asim_inbox *inbox, struct asim_recv *recv)
{
    struct asim_world *world = rank->world;

    take(inbox, recv);
    check_idle(rank, inbox);
    if (world->via.backend->traits & ASIM_NET_LATE_RECEIVE_NOW)
        asim_match_deliver(rank, recv);
    else if (world->via.backend->late(world->via.carrier, rank->id, (uint64_t)(uintptr_t)recv))
        asim_rank_fail_nomem(rank, "posting a receive");
}

/* recv is filled in but for what matching itself needs. */
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

/* Word by word, as messages (net.h): *wanted has just been written. */
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

/* Nearly always its inbox is a recent one, and empty: what asim_match_post would do, without a call
 * in it. */
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

/* Holds the inbox of the chunk's receives, so that it is not swept away; NULL after failing the
 * rank. */
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

/* A delivery may post the next receive here, or sweep this inbox away: after the last one it is
 * not looked at again. */
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
    check_idle(rank, inbox); /* a message of no bytes that nobody waits for */
}

/* Mostly one message for the one receive of a chunk that waits: the same without a call in it. */
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
