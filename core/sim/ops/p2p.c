/* SPDX-License-Identifier: GPL-2.0-only
 *
 * COMM_SEND and COMM_RECV ops (system-layer.md#send-and-receive-ops). A send ends when the network
 * reports the end of its message, a receive when its bytes have arrived. Neither costs an endpoint
 * delay or memory time.
 */
#include "sim/ops/p2p.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/send.h"

enum { SIZE_SHIFT = 32 };

/* Errors: the op names another rank as its own, or its peer is not another rank. */
static int check(struct asim_rank *rank, const struct asim_op *op, int is_send)
{
    const char *lacks = asim_send_lacks(op);
    uint32_t id_in_job = asim_rank_in_job(rank);
    uint32_t own = is_send ? op->comm_src : op->comm_dst;
    uint32_t peer = is_send ? op->comm_dst : op->comm_src;
    int own_given = (op->has & (is_send ? ASIM_HAS_COMM_SRC : ASIM_HAS_COMM_DST)) != 0;
    unsigned long long id = op->id;

    if (lacks) {
        asim_rank_fail(rank, "rank %u: %s op %llu ('%s') has no %s attribute", id_in_job,
                       is_send ? "send" : "receive", id, op->name, lacks);
        return 0;
    }
    if (own_given && own != id_in_job) {
        asim_rank_fail(rank,
                       "rank %u: %s op %llu ('%s') has comm_%s %u; it must be %u, "
                       "the rank whose trace it is in",
                       id_in_job, is_send ? "send" : "receive", id, op->name,
                       is_send ? "src" : "dst", own, id_in_job);
        return 0;
    }
    if (peer < rank->job->n && peer != id_in_job)
        return 1;
    asim_rank_fail(rank,
                   "rank %u: %s op %llu ('%s') has comm_%s %u; it must be another "
                   "rank, 0 to %u",
                   id_in_job, is_send ? "send" : "receive", id, op->name, is_send ? "dst" : "src",
                   peer, rank->job->n - 1);
    return 0;
}

/* An op's tag has 32 bits. Where the network matches each size separately, the upper bits hold a
 * number of the size, from 1, the same for all ranks, which share one thread there. */
static uint64_t tag_of(struct asim_rank *rank, const struct asim_op *op)
{
    struct asim_map *sizes = &rank->world->run.sizes;
    uint64_t *number;

    if (!(rank->world->via.backend->traits & ASIM_NET_MEET_BY_SIZE))
        return op->comm_tag;
    number = asim_map_put(sizes, 0, op->comm_bytes);
    if (!number) {
        asim_rank_fail_nomem(rank, "matching messages");
        return op->comm_tag;
    }
    *number = *number ? *number : sizes->n;
    return op->comm_tag | *number << SIZE_SHIFT;
}

int asim_p2p_issue(struct asim_rank *rank, uint32_t index, const struct asim_op *op)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;
    uint64_t tag;

    if (!check(rank, op, is_send))
        return 0;
    if (!is_send && rank->world->set.settings.free_receives)
        return 1;
    tag = tag_of(rank, op);
    if (!is_send)
        return asim_receive(rank, &(struct asim_recv){.bytes = op->comm_bytes,
                                                      .op = index,
                                                      .src = rank->job->first + op->comm_src,
                                                      .tag = tag});
    asim_send(rank,
              &(struct asim_msg){.src = rank->id,
                                 .dst = rank->job->first + op->comm_dst,
                                 .bytes = op->comm_bytes,
                                 .tag = tag,
                                 .cookie = index},
              index);
    return 0;
}
