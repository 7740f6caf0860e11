/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See send.h. With rendezvous-protocol the receiver sends a request of 8192 bytes first. The sender
 * holds its message until the request arrives, and the receiver posts its receive when the request
 * has ended (system-layer.md#rendezvous). NVSwitches neither send nor get requests.
 *
 * asim_send copies the message. One call runs a deferred action and frees it.
 */
#include "sim/collective/send.h"
#include "sim/parts.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/graph_runner.h"
#include "sim/collective/match.h"

enum { ASKING_BYTES = 8192 };
#define COOKIE_ACTION (1ull << 63) /* the lower bits are a pointer; op indices are below 2^32 */

uint64_t asim_deferred_action_cookie(const struct asim_deferred_action *action)
{
    return COOKIE_ACTION | (uint64_t)(uintptr_t)action;
}

/* Hosts do not forward, so a network of hosts alone joins neighbours only. ASTRA-sim sends such a
 * message and waits for ever. */
static int is_joined(const struct asim_rank *rank, uint32_t dst)
{
    struct asim_route *route = rank->world->set.route;
    struct asim_err ignored = {0}; /* of memory: the network meets it again */
    uint32_t n;

    if (rank->id == dst)
        return 1;
    asim_route_ports(route, rank->id, dst, &n);
    return n || asim_route_error(route, &ignored);
}

int asim_send_has_path(struct asim_rank *rank, const struct asim_msg *msg, uint32_t op)
{
    const struct asim_world *world = rank->world;
    struct asim_op record;

    if (!world->set.has_unjoined_ranks || is_joined(rank, msg->dst))
        return 1;
    if (asim_feed_record(rank->feed, op, &record, &rank->shard->scratch_err)) {
        asim_rank_record_failure(rank);
        return 0;
    }
    asim_rank_fail(rank,
                   "rank %u: op %llu ('%s') sends a message of %llu bytes to rank %u, but no path "
                   "of %s joins host %u and host %u over switches (hosts do not forward); add "
                   "links, or choose an algorithm that sends to neighbours only",
                   rank->id, (unsigned long long)record.id, record.name ? record.name : "",
                   (unsigned long long)msg->bytes, msg->dst, world->set.topo.source,
                   asim_topo_external_id(&world->set.topo, rank->id),
                   asim_topo_external_id(&world->set.topo, msg->dst));
    return 0;
}

/* The id is unique in the world and depends on this rank alone. */
static void send_now(struct asim_rank *rank, struct asim_msg *msg)
{
    struct asim_world *world = rank->world;

    if (msg->bytes > ASIM_PACKET_BYTES_MAX && asim_world_has(world, ASIM_NET_FRAMES)) {
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

/* A copy of the action; asim_deferred_action_run frees it. */
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

/* Every message except those of the short forms goes through here, so rendezvous has one place. */
void asim_send(struct asim_rank *rank, struct asim_msg *msg, uint32_t op)
{
    struct asim_deferred_action *action;

    if (!asim_send_has_path(rank, msg, op))
        return;
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
    struct asim_msg asking = {.src = rank->id,
                              .dst = recv->src,
                              .bytes = ASKING_BYTES,
                              .tag = asim_asking_tag(recv->tag)};
    struct asim_deferred_action *action;

    if (!rank->world->set.settings.rendezvous || recv->src >= rank->world->set.n_ranks) {
        asim_match_post(rank, recv);
        return;
    }
    if (!asim_send_has_path(rank, &asking, recv->chunk ? recv->chunk->coll->op : recv->op))
        return;
    action = keep(rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_POST, .recv = *recv});
    if (!action)
        return;
    asking.cookie = asim_deferred_action_cookie(action);
    send_now(rank, &asking);
}

/* Frees the action before it runs. */
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
        break;
    case ASIM_DEFERRED_ROUND:
        rank->world->round_go(rank);
    }
}

/* cookie: ASIM_NEVER: no one waits for the end; bit 63: a deferred action; else the index of an op.
 */
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
