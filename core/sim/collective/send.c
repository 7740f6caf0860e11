/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends messages and posts receives. With rendezvous-protocol the receiver sends a request of 8192
 * bytes first. The sender holds its message until the request arrives, and the receiver posts its
 * receive when the request has ended (system-layer.md#rendezvous). NVSwitches neither send nor get
 * requests.
 */
#include "sim/collective/send.h"
#include "sim/parts.h"
#include "sim/rank/rank_shard.h"
#include "sim/collective/match.h"

enum { ASKING_BYTES = 8192 };
#define COOKIE_ACTION (1ull << 63) /* the lower bits are a pointer; op indices are below 2^32 */

const char *asim_send_lacks(const struct asim_op *op)
{
    int is_send = op->type == ASIM_OP_COMM_SEND;

    if (!(op->has & ASIM_HAS_COMM_SIZE))
        return "comm_size";
    if (!(op->has & ASIM_HAS_COMM_TAG))
        return "comm_tag";
    if (op->has & (is_send ? ASIM_HAS_COMM_DST : ASIM_HAS_COMM_SRC))
        return NULL;
    return is_send ? "comm_dst" : "comm_src";
}

uint64_t asim_deferred_action_cookie(const struct asim_deferred_action *action)
{
    return COOKIE_ACTION | (uint64_t)(uintptr_t)action;
}

struct asim_deferred_action *asim_cookie_action(uint64_t cookie)
{
    return cookie & COOKIE_ACTION
               ? (struct asim_deferred_action *)(uintptr_t)(cookie & ~COOKIE_ACTION)
               : NULL;
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
void asim_send_now(struct asim_rank *rank, struct asim_msg *msg)
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

struct asim_deferred_action *asim_deferred_action_keep(struct asim_rank *rank,
                                                       const struct asim_deferred_action *action,
                                                       const char *doing)
{
    struct asim_deferred_action *kept = asim_pool_get(&rank->shard->pools.action);

    if (kept)
        *kept = *action;
    else
        asim_rank_fail_nomem(rank, doing);
    return kept;
}

/* For a rendezvous. */
static struct asim_deferred_action *keep(struct asim_rank *rank,
                                         const struct asim_deferred_action *action)
{
    return asim_deferred_action_keep(rank, action, "starting a rendezvous");
}

struct asim_deferred_action asim_deferred_action_take(struct asim_rank *rank,
                                                      struct asim_deferred_action *action)
{
    struct asim_deferred_action now = *action;

    asim_pool_put(&rank->shard->pools.action, action);
    return now;
}

/* Every message except those of the short forms goes through here, so rendezvous has one place. */
void asim_send(struct asim_rank *rank, struct asim_msg *msg, uint32_t op)
{
    struct asim_deferred_action *action;

    if (!asim_send_has_path(rank, msg, op))
        return;
    if (!rank->world->set.settings.rendezvous || msg->dst >= rank->world->set.n_ranks) {
        asim_send_now(rank, msg);
        return;
    }
    action = keep(rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_SEND, .msg = *msg});
    if (action && asim_match_post(rank, &(struct asim_recv){.bytes = ASKING_BYTES,
                                                            .action = action,
                                                            .src = msg->dst,
                                                            .tag = asim_asking_tag(msg->tag)})) {
        asim_pool_put(&rank->shard->pools.action, action);
        asim_send_now(rank, msg);
    }
}

int asim_receive(struct asim_rank *rank, const struct asim_recv *recv)
{
    struct asim_msg asking = {.src = rank->id,
                              .dst = recv->src,
                              .bytes = ASKING_BYTES,
                              .tag = asim_asking_tag(recv->tag)};
    struct asim_deferred_action *action;

    if (!rank->world->set.settings.rendezvous || recv->src >= rank->world->set.n_ranks)
        return asim_match_post(rank, recv);
    if (!asim_send_has_path(rank, &asking, recv->chunk ? recv->chunk->coll->op : recv->op))
        return 0;
    action = keep(rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_POST, .recv = *recv});
    if (!action)
        return 0;
    asking.cookie = asim_deferred_action_cookie(action);
    asim_send_now(rank, &asking);
    return 0;
}
