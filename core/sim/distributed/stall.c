/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Collects the waits of a run that cannot go on. The first half collects rows for the ranks of
 * this process: for the oldest unfinished op of each of the first few ranks, the receive with
 * its peer and tag, or the collective. The second half merges the rows of several processes.
 *
 * Collecting only reads. It runs after the end, over any state in which the run stopped.
 */
#include "asim/packet.h"
#include "sim/distributed/stall.h"
#include "sim/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* After the buffer is full, further text is dropped; the text stays terminated. */
void asim_stall_append(struct asim_stall_text *text, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(text->at + text->n, text->size - text->n, fmt, args);
    va_end(args);
    if (n > 0)
        text->n = text->n + (size_t)n < text->size ? text->n + (size_t)n : text->size - 1;
}

/* Part of a collective, or of a COMM_SEND or COMM_RECV op. */
static int is_of_coll(const struct asim_recv *recv)
{
    return recv->chunk || recv->tag >> 63;
}

/* By time of posting, then by source and tag, because the order of a hash map must not show. */
static int is_older(const struct asim_recv *recv, const struct asim_recv *other)
{
    if (recv->posted_ns != other->posted_ns)
        return recv->posted_ns < other->posted_ns;
    if (recv->src != other->src)
        return recv->src < other->src;
    return recv->tag < other->tag;
}

/* The oldest waiting receive, of a chunk or of an op. */
static const struct asim_recv *oldest_recv(const struct asim_rank *rank, int chunks)
{
    const struct asim_recv *oldest = NULL;

    for (size_t i = 0; i < rank->inboxes.cap; i++) {
        const struct asim_inbox *inbox = (void *)(uintptr_t)rank->inboxes.slots[i].value;

        if (!rank->inboxes.used[i] || !inbox)
            continue;
        for (const struct asim_recv *recv = inbox->head; recv; recv = recv->next)
            if (is_of_coll(recv) == chunks && (!oldest || is_older(recv, oldest)))
                oldest = recv;
    }
    return oldest;
}

/* coll_issue.c counts the collectives of each group. */
uint64_t asim_stall_joined(const struct asim_rank *rank, uint64_t group)
{
    const uint64_t *n = asim_map_get(&rank->sequences, 1, group);

    return n ? *n : 0;
}

/* Reads the op again. Where that fails, the text goes on without its name. */
static void name_op(const struct asim_rank *rank, uint32_t index, struct asim_stall_text *text)
{
    struct asim_op op;

    if (asim_feed_record(rank->feed, index, &op, NULL)) {
        asim_stall_append(text, "an op");
        return;
    }
    asim_stall_append(text, "op %llu ('%s')", (unsigned long long)op.id, op.name ? op.name : "");
}

static void name_group(const struct asim_group *group, uint32_t ranks, struct asim_stall_text *text)
{
    if (!group)
        asim_stall_append(text, "all ranks, group 0");
    else
        asim_stall_append(text, "group %lld%s", (long long)group->id,
                          group->n == ranks ? ", which is all ranks here" : "");
}

static const struct asim_inbox *inbox_of(const struct asim_rank *rank, const struct asim_recv *recv)
{
    return (void *)(uintptr_t)*asim_map_get(&rank->inboxes, recv->src, recv->tag);
}

uint64_t asim_stall_coll_bytes(const struct asim_coll_op *coll)
{
    return coll->sizes || coll->kind == ASIM_BARRIER ? UINT64_MAX : coll->bytes;
}

/* Fills the row: the report tells later whether a member is absent or a message is missing. */
static void explain_coll(const struct asim_rank *rank, const struct asim_coll_op *coll,
                         struct asim_stall_row *row, struct asim_stall_text *text)
{
    const struct asim_recv *recv = oldest_recv(rank, 1);

    name_op(rank, coll->op, text);
    asim_stall_append(text, ", collective %llu of ", (unsigned long long)coll->sequence + 1);
    name_group(coll->group, rank->world->set.n_ranks, text);
    asim_stall_append(text, " (%s, %llu bytes)", asim_coll_type_name(coll->kind),
                      (unsigned long long)coll->bytes);
    row->is_coll = 1;
    row->group = asim_group_key(coll->group);
    row->sequence = coll->sequence;
    row->listed = coll->group;
    row->bytes = asim_stall_coll_bytes(coll);
    row->from = recv ? recv->src : UINT32_MAX;
    if (!recv)
        return;
    row->wanted = recv->uniform ? recv->chunk->next_step.recv_bytes : recv->bytes;
    row->came = inbox_of(rank, recv)->arrived;
}

/* The peer has sent nothing, or too little. */
static void explain_recv(const struct asim_rank *rank, const struct asim_recv *recv,
                         struct asim_stall_row *row, struct asim_stall_text *text)
{
    const struct asim_inbox *inbox = inbox_of(rank, recv);

    if (recv->action && recv->action->kind == ASIM_DEFERRED_ROUND) {
        asim_stall_append(text, "%llu bytes of data from storage host %u",
                          (unsigned long long)recv->bytes,
                          asim_topo_external_id(&rank->world->set.topo, recv->src));
        return;
    }
    if (recv->action) { /* rendezvous: the receiver has sent no request */
        name_op(rank, (uint32_t)recv->action->msg.cookie, text);
        asim_stall_append(
            text, ", a send of %llu bytes to rank %u with tag %u, which rank %u never asked for",
            (unsigned long long)recv->action->msg.bytes, recv->src,
            asim_p2p_tag(recv->action->msg.tag), recv->src);
        return;
    }
    name_op(rank, recv->op, text);
    asim_stall_append(text, ", a receive of %llu bytes from rank %u with tag %u",
                      (unsigned long long)recv->bytes, recv->src, asim_p2p_tag(recv->tag));
    if (inbox->arrived)
        asim_stall_append(text, ", of which %llu came", (unsigned long long)inbox->arrived);
    row->is_empty_recv = !inbox->arrived;
    row->from = recv->src;
}

/* The first op in the trace that has begun, such as a send whose message is not acknowledged. */
static void explain_running(const struct asim_rank *rank, struct asim_stall_text *text)
{
    const struct asim_map *map = &rank->running;
    uint64_t first = UINT64_MAX;

    for (size_t i = 0; i < map->cap; i++)
        if (map->used[i] && map->slots[i].lo < first)
            first = map->slots[i].lo;
    if (first > UINT32_MAX) {
        asim_stall_append(text, "an op that never ended");
        return;
    }
    name_op(rank, (uint32_t)first, text);
    asim_stall_append(text, ", which has begun and not ended");
}

/* The likeliest cause first: a receive, a collective, then dependencies. */
static void explain(const struct asim_rank *rank, struct asim_stall_row *row)
{
    struct asim_stall_text text = {row->text, sizeof row->text, 0};
    const struct asim_recv *recv = oldest_recv(rank, 0);
    uint64_t id = 0;

    *row = (struct asim_stall_row){.rank = rank->id};
    if (recv)
        explain_recv(rank, recv, row, &text);
    else if (rank->open_head)
        explain_coll(rank, rank->open_head, row, &text);
    else if (asim_feed_first_waiting(rank->feed, &id))
        asim_stall_append(&text, "op %llu to become ready", (unsigned long long)id);
    else
        explain_running(rank, &text);
}

/* With rendezvous the message left over may be a request for a message that is never sent. */
static void describe_extra(const struct asim_rank *rank, const struct asim_inbox *inbox,
                           struct asim_stall_text text)
{
    if (inbox->tag & ASIM_ASKING_TAG)
        asim_stall_append(
            &text, "rank %u was asked by rank %u for a message with tag %u that it never sends",
            rank->id, inbox->src, asim_p2p_tag(inbox->tag));
    else
        asim_stall_append(
            &text, "rank %u got %llu bytes from rank %u with tag %u that it never received",
            rank->id, (unsigned long long)inbox->arrived, inbox->src, asim_p2p_tag(inbox->tag));
}

/* Messages that arrived and that no op receives: the other half of a mismatch. Skips messages of
 * collectives (tags with bit 63), because the row of the collective covers them. */
static void collect_extras(const struct asim_rank *rank, struct asim_stall *stall)
{
    const struct asim_map *map = &rank->inboxes;

    for (size_t i = 0; i < map->cap && stall->n_extras < ASIM_STALL_RANKS; i++) {
        const struct asim_inbox *inbox = (void *)(uintptr_t)map->slots[i].value;
        struct asim_stall_extra *extra = &stall->extras[stall->n_extras];

        if (!map->used[i] || !inbox || !inbox->arrived || inbox->head || map->slots[i].lo >> 63)
            continue;
        extra->rank = rank->id;
        describe_extra(rank, inbox, (struct asim_stall_text){extra->text, sizeof extra->text, 0});
        stall->n_extras++;
    }
}

/* A sorted list that keeps the first `most` rows. */
struct few {
    void *at;
    size_t size; /* bytes a row */
    uint32_t *n, most;
    int (*compare)(const void *row, const void *other);
};

ASIM_ORDER(rows_by_rank, struct asim_stall_row, ->rank)

ASIM_ORDER(extras_by_rank, struct asim_stall_extra, ->rank)

ASIM_ORDER(by_id, struct asim_unfinished, ->id)

ASIM_ORDER(by_port, struct asim_stall_drops, ->node, ->port)

/* Most frames first. */
static int by_drops(const void *drops, const void *other)
{
    const struct asim_stall_drops *x = drops, *y = other;

    return x->frames != y->frames ? (x->frames > y->frames ? -1 : 1) : by_port(x, y);
}

/* Inserts a row; the last row falls out of a full list. */
static void insert(const struct few *few, const void *row)
{
    char *place = (char *)few->at + *few->n * few->size;
    size_t behind = 0;

    while (place != few->at && few->compare(row, place - few->size) < 0) {
        place -= few->size;
        behind++;
    }
    if (*few->n < few->most)
        ++*few->n;
    else if (behind)
        behind--; /* the last falls out */
    else
        return;
    memmove(place + few->size, place, behind * few->size);
    memcpy(place, row, few->size);
}

static struct few drops_of(struct asim_stall *stall)
{
    return (struct few){stall->drops, sizeof *stall->drops, &stall->n_drops, ASIM_STALL_DROPS,
                        by_drops};
}

/* The process of a switch counts its drops. */
static void collect_drops(const struct asim_world *world, struct asim_stall *stall)
{
    struct few kept = drops_of(stall);

    for (uint32_t wire = 0; wire < world->set.topo.n_links * 2; wire++) {
        struct asim_link_use use;
        struct asim_stall_drops drops;

        world->via.packets->link_use(world->via.packet_net, wire, &use);
        drops = (struct asim_stall_drops){use.from, use.port, use.to, use.drops};
        stall->dropped += use.drops;
        if (use.drops)
            insert(&kept, &drops);
    }
}

static uint64_t held_chunks(const struct asim_rank *rank)
{
    const struct asim_world *world = rank->world;
    size_t queues = rank->job->dims.n * world->set.settings.queues_per_dim, q = 0;
    uint64_t open = 0;

    /* Started chunks precede waiting ones. */
    while (q < queues && !(rank->queues[q].running >= world->set.queue_limit &&
                           rank->queues[q].tail && !rank->queues[q].tail->started))
        q++;
    for (const struct asim_coll_op *coll = rank->open_head; coll && q < queues; coll = coll->next)
        open++;
    return open * world->set.system.splits;
}

/* Linear in ranks and their receives, and in links. */
void asim_stall_collect(const struct asim_world *world, struct asim_stall *stall)
{
    uint64_t held;

    memset(stall, 0, sizeof *stall);
    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        const struct asim_rank *rank = &world->run.ranks[r];

        if (!asim_rank_is_here(rank))
            continue;
        collect_extras(rank, stall);
        if (rank->finished)
            continue;
        if (stall->n_rows < ASIM_STALL_RANKS)
            explain(rank, &stall->rows[stall->n_rows++]);
        stall->stuck++;
        stall->elsewhere += oldest_recv(rank, 0) || !rank->open_head;
        held = held_chunks(rank);
        stall->held = held > stall->held ? held : stall->held;
    }
    if (asim_world_has(world, ASIM_NET_STALLS)) {
        stall->undelivered = world->via.packets->unfinished(world->via.packet_net, stall->messages,
                                                            ASIM_STALL_MESSAGES);
        collect_drops(world, stall);
    }
    stall->n_messages = stall->undelivered < ASIM_STALL_MESSAGES ? (uint32_t)stall->undelivered
                                                                 : ASIM_STALL_MESSAGES;
}

/* --- several processes ---------------------------------------------------------------------------
 *
 * Merges the rows of several processes. Keeps the first few rows of every kind in the order of
 * ranks, so the report does not depend on the assignment of ranks to processes. */
static void merge(const struct few *few, const void *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        insert(few, (const char *)rows + i * few->size);
}

/* Adds the counts. */
void asim_stall_merge(struct asim_stall *into, const struct asim_stall *from)
{
    struct few drops = drops_of(into);

    merge(&(struct few){into->rows, sizeof *into->rows, &into->n_rows, ASIM_STALL_RANKS,
                        rows_by_rank},
          from->rows, from->n_rows);
    merge(&(struct few){into->extras, sizeof *into->extras, &into->n_extras, ASIM_STALL_RANKS,
                        extras_by_rank},
          from->extras, from->n_extras);
    merge(&(struct few){into->messages, sizeof *into->messages, &into->n_messages,
                        ASIM_STALL_MESSAGES, by_id},
          from->messages, from->n_messages);
    merge(&drops, from->drops, from->n_drops);
    into->dropped += from->dropped;
    into->stuck += from->stuck;
    into->undelivered += from->undelivered;
    into->elsewhere += from->elsewhere;
    into->held = from->held > into->held ? from->held : into->held;
}
