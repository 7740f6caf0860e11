/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes one text of the merged rows (stall.h): which rank waits for which receive or collective,
 * which members never joined it, which messages the network did not deliver, and which messages
 * nobody received. Tests compare these sentences. A report that is longer than the error's text
 * is cut.
 */
#include "sim/distributed/stall_report.h"
#include "sim/distributed/deadlock.h"
#include "base/text.h"
#include "sim/distributed/distribution.h"
#include "sim/distributed/stall.h"

#include <stdlib.h>

enum { MEMBERS_SHOWN = 8, CIRCLE_SHOWN = 16 };

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

static uint32_t node_id(const struct asim_world *world, uint32_t node)
{
    return asim_topo_external_id(&world->set.topo, node);
}

/* The bytes after which a receiver sends an ACK. With L2_BACK_TO_ZERO only whole chunks count as
 * acknowledged. */
static uint64_t ack_interval(const struct asim_netconf *net)
{
    uint64_t chunk = net->l2_back_to_zero ? net->l2_chunk_bytes : 0;

    return chunk > net->l2_ack_interval_bytes ? chunk : net->l2_ack_interval_bytes;
}

/* Why a message does not go on although nothing is under way. */
static void add_reason(const struct asim_world *world, const struct asim_unfinished *message,
                       struct asim_stall_text *text)
{
    static const char *const reasons[ASIM_BLOCKED_REASONS] = {
        "; it waits for its link, which is down",
        "; its NIC is paused (PFC), and nobody is left to resume it",
        "; its window is full, and no ACK will come",
        "; all of it was sent, and no ACK will come: was one lost on a link that is down?",
        "; it waits for an earlier message of its queue pair (QPS_PER_CONNECTION)"};
    const struct asim_netconf *net = &world->set.net;

    if (message->aborted)
        asim_stall_append(text, ", and it was given up after RTO_RETRIES timeouts");
    else
        asim_stall_append(text, "%s", reasons[message->blocked_reason]);
    if (!message->aborted && message->blocked_reason == ASIM_BLOCKED_WINDOW &&
        ack_interval(net) > message->window)
        asim_stall_append(text,
                          ": the receiver acknowledges every %llu bytes (%s), and the window has "
                          "%llu bytes; lower the first, or set HAS_WIN 0",
                          (unsigned long long)ack_interval(net),
                          ack_interval(net) > net->l2_ack_interval_bytes
                              ? "L2_CHUNK_SIZE with L2_BACK_TO_ZERO"
                              : "L2_ACK_INTERVAL",
                          (unsigned long long)message->window);
}

/* Messages that the network could not deliver. They come first, because they cause the other
 * waits. */
static void add_network(const struct asim_world *world, const struct asim_stall *stall,
                        struct asim_stall_text *text, int is_livelocked)
{
    for (uint32_t i = 0; i < stall->n_messages; i++) {
        const struct asim_unfinished *message = &stall->messages[i];

        asim_stall_append(text,
                          "\n  a message of %llu bytes from rank %u to rank %u %s: %llu bytes were "
                          "acknowledged",
                          (unsigned long long)message->bytes, node_id(world, message->src),
                          node_id(world, message->dst),
                          is_livelocked ? "is stuck" : "cannot be delivered",
                          (unsigned long long)message->acked);
        if (!is_livelocked || message->aborted)
            add_reason(world, message, text);
        if (message->cut_off)
            asim_stall_append(text, "; the links that are down leave no path between the two");
    }
    if (stall->undelivered > ASIM_STALL_MESSAGES)
        asim_stall_append(text, "\n  and %llu more messages",
                          (unsigned long long)stall->undelivered - ASIM_STALL_MESSAGES);
}

/* Where frames are dropped, and which settings would help. */
static void add_drops(const struct asim_world *world, const struct asim_stall *stall,
                      struct asim_stall_text *text)
{
    const struct asim_netconf *net = &world->set.net;

    for (uint32_t i = 0; i < stall->n_drops; i++)
        asim_stall_append(text, "\n  node %u dropped %llu frames that came from node %u%s",
                          node_id(world, stall->drops[i].node),
                          (unsigned long long)stall->drops[i].frames,
                          node_id(world, stall->drops[i].peer),
                          net->link_downs ? "" : ", because its buffer had no room for them");
    if (stall->n_drops)
        asim_stall_append(text, "\n  in all %llu frames were dropped (BUFFER_SIZE %llu bytes)",
                          (unsigned long long)stall->dropped,
                          (unsigned long long)net->buffer_bytes);
    asim_stall_append(
        text, "; what helps: a larger BUFFER_SIZE%s%s%s",
        net->has_win ? "" : ", HAS_WIN 1 (a window for each message)",
        net->loss_recovery == ASIM_GO_BACK_N
            ? ", LOSS_RECOVERY selective_repeat (sends only lost packets again), a longer "
              "NACK_INTERVAL"
            : "",
        net->l2_back_to_zero ? ", L2_BACK_TO_ZERO 0" : "");
}

/* Pauses have no timer, so ports that wait for each other wait for ever. */
static void add_pause_circle(const struct asim_world *world, struct asim_stall_text *text)
{
    struct asim_pause_waits waits = {0};
    size_t n = 0;

    if (!asim_distribution_pauses(world, &waits))
        n = asim_deadlock_find(&waits);
    for (size_t i = 0; i < n && i < CIRCLE_SHOWN; i++)
        asim_stall_append(text, "%s node %u port %u",
                          i ? ","
                            : "\n  a PFC deadlock: switch ports pause each other in a circle,",
                          node_id(world, waits.at[i].at.node), waits.at[i].at.port);
    if (n > CIRCLE_SHOWN)
        asim_stall_append(text, " and %zu more", n - CIRCLE_SHOWN);
    if (n)
        asim_stall_append(text,
                          ", each of which waits for the next; what helps: a larger BUFFER_SIZE%s, "
                          "or paths without a circle",
                          world->set.net.has_win ? "" : ", HAS_WIN 1 (a window for each message)");
    free(waits.at);
}

static void add_extras(const struct asim_stall *stall, struct asim_stall_text *text)
{
    for (uint32_t i = 0; i < stall->n_extras; i++)
        asim_stall_append(text, "\n  %s", stall->extras[i].text);
}

/* The counts of all processes are merged by now, so the absent members are known. */
static void add_row(const struct asim_world *world, const struct asim_stall *stall,
                    const struct asim_stall_row *row, struct asim_stall_text *text)
{
    uint64_t other;

    asim_stall_append(text, "\n  rank %u waits for %s", row->rank, row->text);
    if (row->is_empty_recv) /* the network may have taken the message and not delivered it */
        asim_stall_append(
            text, stall->undelivered ? ", of which nothing has come" : ", which rank %u never sent",
            row->from);
    if (!row->is_coll || add_absent_members(world, row, text) || row->from == UINT32_MAX)
        return;
    if (row->came)
        asim_stall_append(text, ": %llu of %llu bytes came from rank %u",
                          (unsigned long long)row->came, (unsigned long long)row->wanted,
                          row->from);
    else
        asim_stall_append(text, ": nothing came from rank %u", row->from);
    other = asim_distribution_coll_bytes(world, row->from, row);
    if (other != row->bytes && other != UINT64_MAX && row->bytes != UINT64_MAX)
        asim_stall_append(
            text,
            ", where this collective is of %llu bytes; its size must be the same on all ranks",
            (unsigned long long)other);
}

/* All members have begun the row's collective, with one size. */
static int is_joined_alike(const struct asim_world *world, const struct asim_stall_row *row)
{
    uint32_t n = row->listed ? row->listed->n : world->set.n_ranks;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = row->listed ? row->listed->ranks[i] : i;
        uint64_t bytes = asim_distribution_coll_bytes(world, r, row);

        if (asim_distribution_joined(world, r, row->group) <= row->sequence ||
            (bytes != row->bytes && bytes != UINT64_MAX && row->bytes != UINT64_MAX))
            return 0;
    }
    return 1;
}

/* Where nothing is missing, only full queues hold chunks back: one rank runs a chunk for which
 * another has no room (system-layer.md#queues-and-active-chunks). With room for all chunks that are
 * open each of them goes on. */
static void add_order(const struct asim_world *world, const struct asim_stall *stall,
                      struct asim_stall_text *text)
{
    const struct asim_system *system = &world->set.system;

    if (!stall->held || stall->undelivered || stall->elsewhere)
        return;
    for (uint32_t i = 0; i < stall->n_rows; i++) {
        const struct asim_stall_row *row = &stall->rows[i], *last = i ? row - 1 : NULL;

        if (row->came || (!(last && last->group == row->group && last->sequence == row->sequence &&
                            last->bytes == row->bytes) &&
                          !is_joined_alike(world, row)))
            return;
    }
    asim_stall_append(text,
                      "\n  ranks took chunks of collectives in different orders and wait for each "
                      "other (collective-optimization %s, inter-dimension-scheduling %s, "
                      "active-chunks-per-dimension %u, preferred-dataset-splits %u): set "
                      "active-chunks-per-dimension to %llu or more in the system configuration",
                      system->optimization == ASIM_BASELINE ? "baseline" : "localBWAware",
                      system->dim_order, system->active_chunks, system->splits,
                      (unsigned long long)stall->held * world->set.settings.queues_per_dim);
}

/* Whether packets were sent again without progress until the network ended the run. */
static int has_no_progress(const struct asim_world *world, struct asim_no_progress *found)
{
    return asim_world_has(world, ASIM_NET_STALLS) &&
           world->via.packets->no_progress(world->via.packet_net, found);
}

int asim_stall_report(const struct asim_world *world, struct asim_err *err)
{
    char buf[sizeof err->text];
    struct asim_stall_text text = {buf, sizeof buf, 0};
    struct asim_no_progress found = {0};
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
    if (has_no_progress(world, &found))
        asim_stall_append(
            &text,
            "the run makes no progress: %llu of %u ranks have not finished, and from %llu ns to "
            "%llu ns all messages together gained %llu bytes while %llu packets were sent again "
            "(--no-progress-limit)",
            (unsigned long long)stall.stuck, world->set.n_ranks, (unsigned long long)found.from_ns,
            (unsigned long long)found.to_ns, (unsigned long long)found.gained,
            (unsigned long long)found.retransmits);
    else
        asim_stall_append(
            &text,
            "the run cannot go on: %llu of %u ranks have not finished and nothing is under way",
            (unsigned long long)stall.stuck, world->set.n_ranks);
    add_network(world, &stall, &text, found.retransmits > 0);
    if (found.retransmits)
        add_drops(world, &stall, &text);
    add_pause_circle(world, &text);
    add_order(world, &stall, &text);
    for (uint32_t i = 0; i < stall.n_rows; i++)
        add_row(world, &stall, &stall.rows[i], &text);
    if (stall.stuck > ASIM_STALL_RANKS)
        asim_stall_append(&text, "\n  and %llu more rank%s",
                          (unsigned long long)stall.stuck - ASIM_STALL_RANKS,
                          asim_text_s(stall.stuck - ASIM_STALL_RANKS));
    add_extras(&stall, &text);
    return asim_err_set(err, ASIM_ESTALL, "%s", buf);
}
