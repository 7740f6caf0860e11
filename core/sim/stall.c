/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A run that cannot go on says who waits for what: for the oldest unfinished op of each rank (the
 * first few ranks in full), the receive and its peer and tag, or the collective and the members
 * that have not joined it. A run that ended with messages nobody received says so too.
 *
 * Only reads: it runs after the end, over whatever state the run left. Its sentences are part of
 * the interface (tests compare them): what is waited for, from whom, and what to look at.
 */
#include "sim/sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { RANKS_SHOWN = 8, MEMBERS_SHOWN = 8, MESSAGES_SHOWN = 4 };

/* A bounded buffer: a report that is too long is cut, not refused. */
struct text {
    char *at;
    size_t size, n;
};

/* After the buffer is full, further text is dropped; what is there stays terminated. */
static void add(struct text *text, const char *fmt, ...) ASIM_PRINTF(2, 3);

static void add(struct text *text, const char *fmt, ...)
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
    return recv->stream || recv->tag >> 63;
}

/* The receive a rank has waited for longest, stream receives and ops alike.
 * Ties go to the lowest source, since the order of a hash map must not show. */
static const struct asim_recv *oldest_recv(const struct asim_rank *rank, int streams)
{
    const struct asim_recv *oldest = NULL;

    for (size_t i = 0; i < rank->inboxes.cap; i++) {
        const struct asim_inbox *inbox = (void *)(uintptr_t)rank->inboxes.slots[i].value;

        if (!rank->inboxes.used[i] || !inbox)
            continue;
        for (const struct asim_recv *recv = inbox->head; recv; recv = recv->next)
            if (is_of_coll(recv) == streams &&
                (!oldest || recv->posted_ns < oldest->posted_ns ||
                 (recv->posted_ns == oldest->posted_ns && recv->src < oldest->src)))
                oldest = recv;
    }
    return oldest;
}

/* Collectives of that group the rank has issued so far. */
static uint64_t joined(const struct asim_rank *rank, const struct asim_group *group)
{
    const uint64_t *n = asim_map_get(&rank->ordinals, 1, group ? (uint64_t)group->id + 1 : 0);

    return n ? *n : 0;
}

/* "…which rank 3 never joined"; 0 if everybody did.
 * A rank that is ahead has joined, too: what counts is whether it has come to this collective. */
static int absentees(const struct asim_rank *rank, const struct asim_dataset *data,
                     struct text *text)
{
    const struct asim_world *world = rank->world;
    uint32_t n = data->group ? data->group->n : world->n_ranks, absent = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = data->group ? data->group->ranks[i] : i;

        if (joined(&world->ranks[r], data->group) > data->ordinal)
            continue;
        if (absent < MEMBERS_SHOWN)
            add(text, "%s%u", absent ? ", " : ", which these ranks never joined: ", r);
        absent++;
    }
    if (absent > MEMBERS_SHOWN)
        add(text, " and %u more", absent - MEMBERS_SHOWN);
    return absent > 0;
}

/* Reads the op's body again, which may fail; the report goes on without its name. */
static void name_op(const struct asim_rank *rank, uint32_t index, struct text *text)
{
    struct asim_op op;

    if (asim_feed_body(rank->feed, index, &op, NULL))
        add(text, "an op");
    else
        add(text, "op %llu ('%s')", (unsigned long long)op.id, op.name ? op.name : "");
}

/* Either somebody has not come, or everybody has and a message is missing. */
static void explain_coll(const struct asim_rank *rank, const struct asim_dataset *data,
                         struct text *text)
{
    const struct asim_recv *recv = oldest_recv(rank, 1);

    name_op(rank, data->op, text);
    add(text, ", collective %llu of %s%lld (%s, %llu bytes)", (unsigned long long)data->ordinal + 1,
        data->group ? "group " : "all ranks, group ",
        data->group ? (long long)data->group->id : 0ll, asim_kind_name(data->kind),
        (unsigned long long)data->bytes);
    if (!absentees(rank, data, text) && recv)
        add(text, ": nothing came from rank %u", recv->src);
}

/* The peer never sent, or sent less. */
static void explain_recv(const struct asim_rank *rank, const struct asim_recv *recv,
                         struct text *text)
{
    const struct asim_inbox *inbox =
        (void *)(uintptr_t)*asim_map_get(&rank->inboxes, recv->src, recv->tag);

    if (recv->later) { /* rendezvous: the other side has not asked yet */
        name_op(rank, (uint32_t)recv->later->msg.cookie, text);
        add(text, ", a send of %llu bytes to rank %u with tag %llu, which rank %u never asked for",
            (unsigned long long)recv->later->msg.bytes, recv->src,
            (unsigned long long)recv->later->msg.tag, recv->src);
        return;
    }
    if (recv->later) /* a rendezvous or a node of an algorithm given as traces: no op of its own */
        add(text, "an exchange");
    else
        name_op(rank, recv->op, text);
    add(text, ", a receive of %llu bytes from rank %u with tag %llu",
        (unsigned long long)recv->bytes, recv->src, (unsigned long long)recv->tag);
    if (inbox->arrived)
        add(text, ", of which %llu came", (unsigned long long)inbox->arrived);
    else
        add(text, ", which rank %u never sent", recv->src);
}

/* The likeliest cause first: a receive, a collective, then dependencies. */
static void explain(const struct asim_rank *rank, struct text *text)
{
    const struct asim_recv *recv = oldest_recv(rank, 0);
    uint64_t id = 0;

    add(text, "\n  rank %u waits for ", rank->id);
    if (recv)
        explain_recv(rank, recv, text);
    else if (rank->open_head)
        explain_coll(rank, rank->open_head, text);
    else if (asim_feed_first_waiting(rank->feed, &id))
        add(text, "op %llu to become ready", (unsigned long long)id);
    else
        add(text, "an op that never ended");
}

/* Messages that arrived and were never asked for: the other half of a mismatch. Returns how many
 * were named.
 * Messages of collectives (tags with bit 63) are left out: what is missing there is told by the
 * collective. */
static int explain_unasked(const struct asim_world *world, struct text *text)
{
    int shown = 0;

    for (uint32_t r = 0; r < world->n_ranks && shown < RANKS_SHOWN; r++) {
        const struct asim_map *map = &world->ranks[r].inboxes;

        for (size_t i = 0; i < map->cap && shown < RANKS_SHOWN; i++) {
            const struct asim_inbox *inbox = (void *)(uintptr_t)map->slots[i].value;

            if (!map->used[i] || !inbox || !inbox->arrived || inbox->head || map->slots[i].lo >> 63)
                continue;
            add(text,
                "\n  rank %u got %llu bytes from rank %llu with tag %llu that it never "
                "received",
                r, (unsigned long long)inbox->arrived, (unsigned long long)map->slots[i].hi,
                (unsigned long long)map->slots[i].lo);
            shown++;
        }
    }
    return shown;
}

/* Messages the network could not bring through: no link is up that leads there, or so many repeats
 * were lost that it gave up. They come first, because the rest follows from them. */
static void explain_network(const struct asim_world *world, struct text *text)
{
    struct asim_unfinished list[MESSAGES_SHOWN];
    size_t n = world->fabric ? asim_fabric_unfinished(world->fabric, list, MESSAGES_SHOWN) : 0;

    for (size_t i = 0; i < n && i < MESSAGES_SHOWN; i++)
        add(text,
            "\n  a message of %llu bytes from rank %u to rank %u cannot be delivered: %llu "
            "bytes were acknowledged%s",
            (unsigned long long)list[i].bytes, asim_topo_shown(&world->topo, list[i].src),
            asim_topo_shown(&world->topo, list[i].dst), (unsigned long long)list[i].acked,
            list[i].gave_up ? ", and it was given up after RTO_RETRIES timeouts"
                            : "; it waits for a link, a window or a pause to open");
    if (n > MESSAGES_SHOWN)
        add(text, "\n  and %zu more messages", n - MESSAGES_SHOWN);
}

/* 0 only if every rank finished and nothing is left over. ASIM_ESTALL with the list otherwise;
 * linear in ranks and what they wait for. */
int asim_stall_report(const struct asim_world *world, struct asim_err *err)
{
    char buf[sizeof err->text];
    struct text text = {buf, sizeof buf, 0};
    uint32_t stuck = 0;

    for (uint32_t r = 0; r < world->n_ranks; r++)
        stuck += !world->ranks[r].finished;
    if (!stuck) {
        add(&text, "every rank finished, but there are sends without a receive; the trace lacks "
                   "receives, or their sizes or tags differ:");
        return explain_unasked(world, &text) ? asim_err_set(err, ASIM_EINVAL, "%s", buf) : 0;
    }
    add(&text, "the run cannot go on: %u of %u ranks have not finished and nothing is under way",
        stuck, world->n_ranks);
    explain_network(world, &text);
    stuck = 0;
    for (uint32_t r = 0; r < world->n_ranks; r++) {
        if (world->ranks[r].finished)
            continue;
        if (stuck++ < RANKS_SHOWN)
            explain(&world->ranks[r], &text);
    }
    if (stuck > RANKS_SHOWN)
        add(&text, "\n  and %u more ranks", stuck - RANKS_SHOWN);
    explain_unasked(world, &text);
    return asim_err_set(err, ASIM_ESTALL, "%s", buf);
}
