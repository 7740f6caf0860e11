/* SPDX-License-Identifier: GPL-2.0-only
 *
 * COMM_SEND and COMM_RECV ops (system-layer.md#send-and-receive-ops), and the one door through
 * which every message leaves a rank. A send ends when the network says the message is through; a
 * receive when its bytes are there. No endpoint delay and no memory cost apply.
 *
 * With rendezvous-protocol the receiver first asks: it sends 8192 bytes to the sender, which holds
 * its message until they come, and posts its receive once they are through
 * (system-layer.md#rendezvous). NVSwitches, beyond the ranks, neither ask nor are asked.
 *
 * Nothing is copied but the few words of a message: the network keeps its own copy from asim_send
 * on. A continuation (struct asim_deferred_action) belongs to whoever will run it, once.
 */
#include "sim/sim.h"

enum { ASKING_BYTES = 8192, SIZE_SHIFT = 32 };
#define COOKIE_LATER (1ull << 63) /* the rest is a pointer; op indices are below 2^32 */

uint64_t asim_deferred_action_cookie(const struct asim_deferred_action *later)
{
    return COOKIE_LATER | (uint64_t)(uintptr_t)later;
}

/* The id is unique in the world and made without asking anybody. */
static void send_now(struct asim_rank *rank, struct asim_msg *msg)
{
    struct asim_world *world = rank->world;

    if (world->fabric && msg->bytes > ASIM_PACKET_BYTES_MAX) {
        asim_rank_fail(rank,
                       "rank %u: a message of %llu bytes to rank %u is more than the packet "
                       "network can number (%llu); check the comm_size of its ops",
                       rank->id, (unsigned long long)msg->bytes, msg->dst,
                       (unsigned long long)ASIM_PACKET_BYTES_MAX);
        return;
    }
    msg->id = asim_send_id(rank);
    if (world->backend->send(world->carrier, msg))
        asim_rank_fail_nomem(rank, "sending a message");
}

/* A continuation; freed by asim_deferred_action_run. */
static struct asim_deferred_action *keep(struct asim_rank *rank,
                                         const struct asim_deferred_action *later)
{
    struct asim_deferred_action *kept = asim_pool_get(&rank->lane->pools.later);

    if (kept)
        *kept = *later;
    else
        asim_rank_fail_nomem(rank, "starting a rendezvous");
    return kept;
}

/* Every message of every kind goes through here, so rendezvous is in one place. */
void asim_send(struct asim_rank *rank, struct asim_msg *msg)
{
    struct asim_deferred_action *later;

    if (!rank->world->settings.rendezvous || msg->dst >= rank->world->n_ranks) {
        send_now(rank, msg);
        return;
    }
    later = keep(rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_SEND, .msg = *msg});
    if (later)
        asim_match_post(rank, &(struct asim_recv){.bytes = ASKING_BYTES,
                                                  .later = later,
                                                  .src = msg->dst,
                                                  .tag = asim_asking_tag(msg->tag)});
}

void asim_receive(struct asim_rank *rank, const struct asim_recv *recv)
{
    struct asim_deferred_action *later;

    if (!rank->world->settings.rendezvous || recv->src >= rank->world->n_ranks) {
        asim_match_post(rank, recv);
        return;
    }
    later = keep(rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_POST, .recv = *recv});
    if (later)
        send_now(rank, &(struct asim_msg){.src = rank->id,
                                          .dst = recv->src,
                                          .bytes = ASKING_BYTES,
                                          .tag = asim_asking_tag(recv->tag),
                                          .cookie = asim_deferred_action_cookie(later)});
}

/* Its memory is free before it runs. */
void asim_deferred_action_run(struct asim_rank *rank, struct asim_deferred_action *later)
{
    struct asim_deferred_action now = *later;

    asim_pool_put(&rank->lane->pools.later, later);
    switch (now.kind) {
    case ASIM_DEFERRED_SEND:
        send_now(rank, &now.msg);
        break;
    case ASIM_DEFERRED_POST:
        asim_match_post(rank, &now.recv);
        break;
    case ASIM_DEFERRED_NODE:
        asim_graph_runner_node_ended(rank, now.custom, now.node);
    }
}

/* cookie: ASIM_NEVER = nobody waits; bit 63 = a continuation; else an op's index. */
void asim_p2p_sent(struct asim_rank *rank, const struct asim_msg *msg)
{
    if (msg->cookie == ASIM_NEVER)
        return;
    if (msg->cookie & COOKIE_LATER)
        asim_deferred_action_run(
            rank, (struct asim_deferred_action *)(uintptr_t)(msg->cookie & ~COOKIE_LATER));
    else
        asim_op_done(rank, (uint32_t)msg->cookie);
}

/* Name of the first attribute a send or receive lacks, or NULL. */
static const char *missing(const struct asim_op *op, int is_send)
{
    if (!(op->has & ASIM_HAS_COMM_SIZE))
        return "comm_size";
    if (!(op->has & ASIM_HAS_COMM_TAG))
        return "comm_tag";
    if (is_send)
        return op->has & ASIM_HAS_COMM_DST ? NULL : "comm_dst";
    return op->has & ASIM_HAS_COMM_SRC ? NULL : "comm_src";
}

/* An own rank that differs from the trace's, or a peer that is not another rank, is an error. */
static int check(struct asim_rank *rank, const struct asim_op *op, int is_send)
{
    const char *lacks = missing(op, is_send);
    uint32_t own = is_send ? op->comm_src : op->comm_dst;
    uint32_t peer = is_send ? op->comm_dst : op->comm_src;
    int own_given = (op->has & (is_send ? ASIM_HAS_COMM_SRC : ASIM_HAS_COMM_DST)) != 0;
    unsigned long long id = op->id;

    if (lacks) {
        asim_rank_fail(rank, "rank %u: %s op %llu ('%s') has no %s attribute", rank->id,
                       is_send ? "send" : "receive", id, op->name, lacks);
        return 0;
    }
    if (own_given && own != rank->id) {
        asim_rank_fail(rank,
                       "rank %u: %s op %llu ('%s') has comm_%s %u; it must be %u, "
                       "the rank whose trace it is in",
                       rank->id, is_send ? "send" : "receive", id, op->name,
                       is_send ? "src" : "dst", own, rank->id);
        return 0;
    }
    if (peer < rank->world->n_ranks && peer != rank->id)
        return 1;
    asim_rank_fail(rank,
                   "rank %u: %s op %llu ('%s') has comm_%s %u; it must be another "
                   "rank, 0 to %u",
                   rank->id, is_send ? "send" : "receive", id, op->name, is_send ? "dst" : "src",
                   peer, rank->world->n_ranks - 1);
    return 0;
}

/* An op's tag has 32 bits. Where sizes are matched each for itself, those above them count sizes:
 * one number a size, from 1, the same for all ranks, which are on one thread there. */
static uint64_t tag_of(struct asim_rank *rank, const struct asim_op *op)
{
    struct asim_map *sizes = &rank->world->sizes;
    uint64_t *number;

    if (!(rank->world->backend->traits & ASIM_NET_MEET_BY_SIZE))
        return op->comm_tag;
    number = asim_map_put(sizes, 0, op->comm_bytes);
    if (!number) {
        asim_rank_fail_nomem(rank, "matching messages");
        return op->comm_tag;
    }
    *number = *number ? *number : sizes->n;
    return op->comm_tag | *number << SIZE_SHIFT;
}

/* No endpoint delay, no memory cost. */
void asim_p2p_issue(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;
    uint64_t tag;

    if (!check(rank, op, is_send))
        return;
    tag = tag_of(rank, op);
    if (is_send)
        asim_send(rank, &(struct asim_msg){.src = rank->id,
                                           .dst = op->comm_dst,
                                           .bytes = op->comm_bytes,
                                           .tag = tag,
                                           .cookie = index});
    else
        asim_receive(rank,
                     &(struct asim_recv){
                         .bytes = op->comm_bytes, .op = index, .src = op->comm_src, .tag = tag});
}
