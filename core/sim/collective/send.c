/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See send.h. With rendezvous-protocol the receiver first asks: it sends 8192 bytes to the sender,
 * which holds its message until they come, and posts its receive once they are through
 * (system-layer.md#rendezvous). NVSwitches, beyond the ranks, neither ask nor are asked.
 *
 * The network copies the few words of a message in asim_send. A deferred action belongs to the one
 * call that will run it.
 */
#include "sim/collective/send.h"
#include "sim/parts.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/graph_runner.h"
#include "sim/collective/match.h"

enum { ASKING_BYTES = 8192 };
#define COOKIE_ACTION (1ull << 63) /* the rest is a pointer; op indices are below 2^32 */

uint64_t asim_deferred_action_cookie(const struct asim_deferred_action *action)
{
    return COOKIE_ACTION | (uint64_t)(uintptr_t)action;
}

/* The id is unique in the world and made without asking anybody. */
static void send_now(struct asim_rank *rank, struct asim_msg *msg)
{
    struct asim_world *world = rank->world;

    if (world->via.fabric && msg->bytes > ASIM_PACKET_BYTES_MAX) {
        asim_rank_fail(rank,
                       "rank %u: a message of %llu bytes to rank %u is more than the packet "
                       "network can number (%llu); check the comm_size of its ops",
                       rank->id, (unsigned long long)msg->bytes, msg->dst,
                       (unsigned long long)ASIM_PACKET_BYTES_MAX);
        return;
    }
    msg->id = asim_send_id(rank);
    if (world->via.backend->send(world->via.carrier, msg))
        asim_rank_fail_nomem(rank, "sending a message");
}

/* A continuation; freed by asim_deferred_action_run. */
static struct asim_deferred_action *keep(struct asim_rank *rank,
                                         const struct asim_deferred_action *action)
{
    struct asim_deferred_action *kept = asim_pool_get(&rank->shard->pools.action);

    if (kept)
        *kept = *action;
    else
        asim_rank_fail_nomem(rank, "starting a rendezvous");
    return kept;
}

/* Every message of every kind goes through here, so rendezvous is in one place. */
void asim_send(struct asim_rank *rank, struct asim_msg *msg)
{
    struct asim_deferred_action *action;

    if (!rank->world->set.settings.rendezvous || msg->dst >= rank->world->set.n_ranks) {
        send_now(rank, msg);
        return;
    }
    action = keep(rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_SEND, .msg = *msg});
    if (action)
        asim_match_post(rank, &(struct asim_recv){.bytes = ASKING_BYTES,
                                                  .action = action,
                                                  .src = msg->dst,
                                                  .tag = asim_asking_tag(msg->tag)});
}

void asim_receive(struct asim_rank *rank, const struct asim_recv *recv)
{
    struct asim_deferred_action *action;

    if (!rank->world->set.settings.rendezvous || recv->src >= rank->world->set.n_ranks) {
        asim_match_post(rank, recv);
        return;
    }
    action = keep(rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_POST, .recv = *recv});
    if (action)
        send_now(rank, &(struct asim_msg){.src = rank->id,
                                          .dst = recv->src,
                                          .bytes = ASKING_BYTES,
                                          .tag = asim_asking_tag(recv->tag),
                                          .cookie = asim_deferred_action_cookie(action)});
}

/* Its memory is free before it runs. */
void asim_deferred_action_run(struct asim_rank *rank, struct asim_deferred_action *action)
{
    struct asim_deferred_action now = *action;

    asim_pool_put(&rank->shard->pools.action, action);
    switch (now.kind) {
    case ASIM_DEFERRED_SEND:
        send_now(rank, &now.msg);
        break;
    case ASIM_DEFERRED_POST:
        asim_match_post(rank, &now.recv);
        break;
    case ASIM_DEFERRED_NODE:
        asim_graph_runner_node_ended(rank, now.runner, now.node);
    }
}

/* cookie: ASIM_NEVER = nobody waits; bit 63 = a continuation; else an op's index. */
void asim_send_done(struct asim_rank *rank, const struct asim_msg *msg)
{
    if (msg->cookie == ASIM_NEVER)
        return;
    if (msg->cookie & COOKIE_ACTION)
        asim_deferred_action_run(
            rank, (struct asim_deferred_action *)(uintptr_t)(msg->cookie & ~COOKIE_ACTION));
    else
        rank->world->op_done(rank, (uint32_t)msg->cookie);
}
