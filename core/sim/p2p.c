/* SPDX-License-Identifier: GPL-2.0-only
 *
 * COMM_SEND and COMM_RECV ops (spec astra-system.md, section 3.7), and the one door through which
 * every message leaves a rank. A send ends when the network says the message is through; a
 * receive when its bytes are there. No endpoint delay and no memory cost apply.
 */
#include "sim/sim.h"

void asim_send(struct asim_rank *rank, const struct asim_msg *msg)
{
    struct asim_world *world = rank->world;
    struct asim_msg copy = *msg;

    copy.id = (uint64_t)rank->id << 32 | (uint32_t)rank->sent++;
    if (world->backend->send(world->carrier, &copy))
        asim_world_fail_nomem(world, "sending a message");
}

void asim_p2p_sent(struct asim_rank *rank, const struct asim_msg *msg)
{
    if (msg->cookie != ASIM_NEVER)
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

static int check(struct asim_rank *rank, const struct asim_op *op, int is_send)
{
    const char *lacks = missing(op, is_send);
    uint32_t own = is_send ? op->comm_src : op->comm_dst;
    uint32_t peer = is_send ? op->comm_dst : op->comm_src;
    int own_given = (op->has & (is_send ? ASIM_HAS_COMM_SRC : ASIM_HAS_COMM_DST)) != 0;
    unsigned long long id = op->id;

    if (lacks) {
        asim_world_fail(rank->world, "rank %u: %s op %llu ('%s') has no %s attribute", rank->id,
                        is_send ? "send" : "receive", id, op->name, lacks);
        return 0;
    }
    if (own_given && own != rank->id) {
        asim_world_fail(rank->world,
                        "rank %u: %s op %llu ('%s') has comm_%s %u; it must be %u, "
                        "the rank whose trace it is in",
                        rank->id, is_send ? "send" : "receive", id, op->name,
                        is_send ? "src" : "dst", own, rank->id);
        return 0;
    }
    if (peer < rank->world->n_ranks && peer != rank->id)
        return 1;
    asim_world_fail(rank->world,
                    "rank %u: %s op %llu ('%s') has comm_%s %u; it must be another "
                    "rank, 0 to %u",
                    rank->id, is_send ? "send" : "receive", id, op->name, is_send ? "dst" : "src",
                    peer, rank->world->n_ranks - 1);
    return 0;
}

void asim_p2p_op(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;

    if (!check(rank, op, is_send))
        return;
    if (is_send)
        asim_send(rank, &(struct asim_msg){.src = rank->id,
                                           .dst = op->comm_dst,
                                           .bytes = op->comm_bytes,
                                           .tag = op->comm_tag,
                                           .cookie = index});
    else
        asim_match_post(rank, &(struct asim_recv){.bytes = op->comm_bytes,
                                                  .op = index,
                                                  .src = op->comm_src,
                                                  .tag = op->comm_tag});
}
