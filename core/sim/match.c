/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends meet receives at the destination. Per (source, tag) bytes arrive in order and receives
 * consume them in the order they were posted, so a receive may take part of a message or several;
 * sizes are 64 bits and any number of receives of one key may wait (the reference adds them up
 * and loses all callbacks but one). A receive of ASIM_ANY_BYTES takes all that is there, which is
 * one message where its stream has one per source (all-to-all-v).
 *
 * Memory: one inbox per (source, tag) in use, kept a while when empty because streams come back,
 * swept when more than half are idle. Messages themselves are not kept, only their bytes: what
 * cannot be told apart by key is told apart by order.
 */
#include "sim/sim.h"

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
    inbox = asim_pool_take(&rank->lane->pools.inbox);
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

/* Neither waiting receives nor bytes: could be given back. */
static int is_empty(const struct asim_inbox *inbox)
{
    return !inbox->head && !inbox->arrived;
}

static struct asim_inbox *inbox_at(const struct asim_map *map, size_t i)
{
    return map->used[i] ? (struct asim_inbox *)(uintptr_t)map->slots[i].value : NULL;
}

/* Gives back every empty inbox but one; without memory for it, things stay as they are.
 * Costs a pass over the map, paid for by the many inboxes that had to become empty before. */
static void sweep(struct asim_rank *rank, const struct asim_inbox *but)
{
    struct asim_map old = rank->inboxes;

    asim_map_init(&rank->inboxes);
    for (size_t i = 0; i < old.cap; i++) {
        struct asim_inbox *inbox = inbox_at(&old, i);
        uint64_t *slot;

        if (!inbox || (inbox != but && is_empty(inbox)))
            continue;
        slot = asim_map_put(&rank->inboxes, inbox->src, inbox->tag);
        if (!slot) {
            asim_map_fini(&rank->inboxes);
            rank->inboxes = old;
            return;
        }
        *slot = (uint64_t)(uintptr_t)inbox;
    }
    for (size_t i = 0; i < old.cap; i++) {
        struct asim_inbox *inbox = inbox_at(&old, i);

        if (inbox && inbox != but && is_empty(inbox))
            asim_pool_give(&rank->lane->pools.inbox, inbox);
    }
    memset(rank->recent, 0, sizeof rank->recent);
    rank->empty_inboxes = 1;
    asim_map_fini(&old);
}

/* The inbox has just become empty. It is kept, because the next message of its stream is likely to
 * come soon; the tags of streams that are over never come again, so all empty ones go when they
 * are many, and more than half. */
static inline void now_empty(struct asim_rank *rank, const struct asim_inbox *inbox)
{
    if (++rank->empty_inboxes > EMPTY_KEPT && rank->empty_inboxes > rank->inboxes.n / 2)
        sweep(rank, inbox);
}

/* recv is given back first; what is called may post the next one. */
void asim_match_deliver(struct asim_rank *rank, struct asim_recv *recv)
{
    struct asim_stream *stream = recv->stream;
    struct asim_later *later = recv->later;
    uint32_t op = recv->op;

    asim_pool_give(&rank->lane->pools.recv, recv);
    if (later)
        asim_later_run(rank, later);
    else if (stream)
        asim_stream_arrival(rank, stream);
    else
        asim_op_done(rank, op);
}

/* A message of no bytes counts as one, or its receive would not wait for it. */
static uint64_t counted(uint64_t bytes)
{
    return bytes ? bytes : 1;
}

/* Of any size: one message is enough, and there is never more than one, because a stream's tag is
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
    if (!inbox->arrived)
        now_empty(rank, inbox);
    if (world->backend->traits & ASIM_NET_LATE_RECEIVE_NOW)
        asim_match_deliver(rank, recv);
    else if (world->backend->late(world->carrier, rank->id, (uint64_t)(uintptr_t)recv))
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
        rank->empty_inboxes -= !inbox->arrived;
        inbox->head = recv;
    } else {
        inbox->tail->next = recv;
    }
    inbox->tail = recv;
}

void asim_match_post(struct asim_rank *rank, const struct asim_recv *wanted)
{
    struct asim_inbox *inbox = inbox_of(rank, wanted->src, wanted->tag);
    struct asim_recv *recv = asim_pool_take(&rank->lane->pools.recv);

    if (!inbox || !recv) {
        asim_rank_fail_nomem(rank, "posting a receive");
        return;
    }
    *recv = *wanted;
    post(rank, inbox, recv);
}

/* Nearly always its inbox is a recent one, and empty: what asim_match_post would do, without a call
 * in it. */
void asim_match_stream(struct asim_rank *rank, struct asim_stream *stream, uint32_t src,
                       uint64_t bytes)
{
    struct asim_inbox *inbox = recent_of(rank, src, stream->tag);
    struct asim_recv *recv = NULL;

    if (inbox && is_empty(inbox))
        recv = asim_pool_pop(&rank->lane->pools.recv);
    if (!recv) {
        asim_match_post(
            rank,
            &(struct asim_recv){.bytes = bytes, .stream = stream, .src = src, .tag = stream->tag});
        return;
    }
    recv->next = NULL;
    recv->bytes = counted(bytes);
    recv->stream = stream;
    recv->later = NULL;
    recv->src = src;
    recv->tag = stream->tag;
    recv->posted_ns = asim_rank_now(rank);
    rank->empty_inboxes--;
    inbox->head = inbox->tail = recv;
}

/* A delivery may post the next receive here, or sweep this inbox away: after the last one it is
 * not looked at again. */
static void arrived(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = inbox_of(rank, msg->src, msg->tag);

    if (!inbox)
        return;
    rank->empty_inboxes -= (uint32_t)is_empty(inbox);
    inbox->arrived += counted(msg->bytes);
    while (inbox->head && is_served(inbox, inbox->head)) {
        struct asim_recv *recv = inbox->head;
        int last = !recv->next;

        take(inbox, recv);
        inbox->head = recv->next;
        if (is_empty(inbox))
            now_empty(rank, inbox);
        asim_match_deliver(rank, recv);
        if (last)
            return;
    }
    if (is_empty(inbox)) /* a message of no bytes that nobody waits for */
        now_empty(rank, inbox);
}

/* Mostly one message for the one receive of a stream that waits: the same without a call in it. */
void asim_match_arrived(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_inbox *inbox = recent_of(rank, msg->src, msg->tag);
    struct asim_recv *recv = inbox ? inbox->head : NULL;
    struct asim_stream *stream;

    if (!recv || inbox->arrived || recv->next || recv->bytes != counted(msg->bytes) ||
        recv->later || !recv->stream || rank->empty_inboxes >= EMPTY_KEPT) {
        arrived(rank, msg);
        return;
    }
    stream = recv->stream;
    inbox->head = NULL;
    rank->empty_inboxes++;
    asim_pool_give(&rank->lane->pools.recv, recv);
    asim_stream_arrival(rank, stream);
}
