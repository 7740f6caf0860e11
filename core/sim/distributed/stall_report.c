/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See stall_report.h. Makes one text of the merged rows (stall.h): which rank waits for which
 * receive or collective, which members never joined it, which messages the network did not deliver,
 * and which messages nobody received. Tests compare these sentences. A report that is longer than
 * the error's text is cut.
 */
#include "sim/distributed/stall_report.h"
#include "sim/distributed/distribution.h"
#include "sim/distributed/stall.h"

enum { MEMBERS_SHOWN = 8 };

/* Adds the members that have not reached this collective; 0 if all have. */
static int add_absent_members(const struct asim_world *world, const struct asim_stall_row *row,
                              struct asim_stall_text *text)
{
    uint32_t n = row->listed ? row->listed->n : world->set.n_ranks, absent = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = row->listed ? row->listed->ranks[i] : i;

        if (asim_distribution_joined(world, r, row->group) > row->sequence)
            continue;
        if (absent < MEMBERS_SHOWN)
            asim_stall_append(text, "%s%u",
                              absent ? ", " : ", which these ranks never joined: ", r);
        absent++;
    }
    if (absent > MEMBERS_SHOWN)
        asim_stall_append(text, " and %u more", absent - MEMBERS_SHOWN);
    return absent > 0;
}

/* Messages that the network could not deliver. They come first, because they cause the other
 * waits. */
static void add_network(const struct asim_world *world, const struct asim_stall *stall,
                        struct asim_stall_text *text)
{
    static const char *const reasons[ASIM_BLOCKED_REASONS] = {
        "; it waits for its link, which is down",
        "; its NIC is paused (PFC), and nobody is left to resume it",
        "; its window is full, and no ACK will come: is L2_ACK_INTERVAL (with "
        "L2_BACK_TO_ZERO: L2_CHUNK_SIZE) longer than the window?",
        "; all of it was sent, and no ACK will come: was one lost on a link that is down?"};

    for (uint32_t i = 0; i < stall->n_messages; i++) {
        const struct asim_unfinished *message = &stall->messages[i];

        asim_stall_append(
            text,
            "\n  a message of %llu bytes from rank %u to rank %u cannot be delivered: %llu "
            "bytes were acknowledged%s%s",
            (unsigned long long)message->bytes,
            asim_topo_external_id(&world->set.topo, message->src),
            asim_topo_external_id(&world->set.topo, message->dst),
            (unsigned long long)message->acked,
            message->aborted ? ", and it was given up after RTO_RETRIES timeouts"
                             : reasons[message->blocked_reason],
            message->cut_off ? "; the links that are down leave no path between the two" : "");
    }
    if (stall->undelivered > ASIM_STALL_MESSAGES)
        asim_stall_append(text, "\n  and %llu more messages",
                          (unsigned long long)stall->undelivered - ASIM_STALL_MESSAGES);
}

static void add_extras(const struct asim_stall *stall, struct asim_stall_text *text)
{
    for (uint32_t i = 0; i < stall->n_extras; i++)
        asim_stall_append(text, "\n  %s", stall->extras[i].text);
}

/* The size of the row's collective on another rank. UINT64_MAX where it is unknown: a rank of
 * another process is known by its rows only. */
static uint64_t size_at(const struct asim_world *world, const struct asim_stall *stall,
                        uint32_t rank, const struct asim_stall_row *row)
{
    const struct asim_coll_op *coll = NULL;

    if (asim_rank_is_here(&world->run.ranks[rank]))
        coll = world->run.ranks[rank].open_head;
    for (; coll; coll = coll->next)
        if (asim_group_key(coll->group) == row->group && coll->sequence == row->sequence)
            return asim_stall_coll_bytes(coll);
    for (uint32_t i = 0; i < stall->n_rows; i++) {
        const struct asim_stall_row *its = &stall->rows[i];

        if (its->rank == rank && its->is_coll && its->group == row->group &&
            its->sequence == row->sequence)
            return its->bytes;
    }
    return UINT64_MAX;
}

/* The counts of all processes are merged by now, so the absent members are known. */
static void add_row(const struct asim_world *world, const struct asim_stall *stall,
                    const struct asim_stall_row *row, struct asim_stall_text *text)
{
    uint64_t other;

    asim_stall_append(text, "\n  rank %u waits for %s", row->rank, row->text);
    if (!row->is_coll || add_absent_members(world, row, text) || row->from == UINT32_MAX)
        return;
    if (row->came)
        asim_stall_append(text, ": %llu of %llu bytes came from rank %u",
                          (unsigned long long)row->came, (unsigned long long)row->wanted,
                          row->from);
    else
        asim_stall_append(text, ": nothing came from rank %u", row->from);
    other = size_at(world, stall, row->from, row);
    if (other != row->bytes && other != UINT64_MAX && row->bytes != UINT64_MAX)
        asim_stall_append(
            text,
            ", where this collective is of %llu bytes; its size must be the same on all ranks",
            (unsigned long long)other);
}

int asim_stall_report(const struct asim_world *world, struct asim_err *err)
{
    char buf[sizeof err->text];
    struct asim_stall_text text = {buf, sizeof buf, 0};
    struct asim_stall stall;

    asim_stall_collect(world, &stall);
    asim_distribution_stall(world, &stall);
    if (!stall.stuck) {
        asim_stall_append(
            &text, "every rank finished, but there are sends without a receive; the trace lacks "
                   "receives, or their sizes or tags differ:");
        add_extras(&stall, &text);
        return stall.n_extras ? asim_err_set(err, ASIM_EINVAL, "%s", buf) : 0;
    }
    asim_stall_append(
        &text, "the run cannot go on: %llu of %u ranks have not finished and nothing is under way",
        (unsigned long long)stall.stuck, world->set.n_ranks);
    add_network(world, &stall, &text);
    for (uint32_t i = 0; i < stall.n_rows; i++)
        add_row(world, &stall, &stall.rows[i], &text);
    if (stall.stuck > ASIM_STALL_RANKS)
        asim_stall_append(&text, "\n  and %llu more ranks",
                          (unsigned long long)stall.stuck - ASIM_STALL_RANKS);
    add_extras(&stall, &text);
    return asim_err_set(err, ASIM_ESTALL, "%s", buf);
}
