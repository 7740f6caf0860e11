/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends of ranks: the memo defers one, compares it with the episode that it replays, records it, or
 * leaves it to its part.
 */
#include "fabric/link/schedule.h"
#include "fabric/memo/memo.h"
#include "fabric/memo/region/part_messages.h"
#include "fabric/memo/region/parts.h"
#include "fabric/memo/region/record.h"

/* Replay: compares a send with the episode, but for its path. The row `accepted` has room for the
 * sends of the episode only, because other threads read it; further sends go into `surplus`. */
static int accept(struct asim_fabric *fabric, uint32_t node, struct asim_memo_message *message)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_memo_host *own = &memo->host[node];
    const struct asim_episode_part *part = &memo->replaying->part[node];

    message->injection.t -= memo->replay_begin;
    if (own->accepted.n == part->injections.n || own->surplus.n) {
        atomic_store_explicit(&memo->mismatch, 1, memory_order_relaxed);
        return ASIM_VEC_PUSH(own->surplus, *message);
    }
    if (!asim_injection_is_same(&message->injection, &part->injections.at[own->accepted.n]))
        atomic_store_explicit(&memo->mismatch, 1, memory_order_relaxed);
    own->accepted.at[own->accepted.n++] = *message;
    return 0;
}

/* A host with an open message does not defer: the network is not idle. It does not defer later
 * sends of that window either, since messages keep their order. A send becomes a queue pair in its
 * own ns, so the lists of queue pairs show all open messages but the latest. */
static int must_defer(const struct asim_fabric *fabric, const struct asim_host *host)
{
    struct asim_memo_host *own = &fabric->memo->host[host->node];
    uint32_t open = 0;

    if (host->now < fabric->memo->defer_from)
        return 0;
    if (own->deferred.n)
        return 1;
    for (uint32_t i = 0; i < host->n_nics; i++)
        open += host->nics[i].qps.n - host->nics[i].qps.n_finished;
    if (open)
        own->undeferred_in = asim_memo_turn(fabric, host->node) + 1;
    return own->undeferred_in != asim_memo_turn(fabric, host->node) + 1;
}

static int defer(struct asim_fabric *fabric, struct asim_host *host,
                 const struct asim_memo_message *message)
{
    struct asim_memo_host *own = &fabric->memo->host[host->node];

    asim_node_schedule(fabric, host->node, host->now);
    if (ASIM_VEC_RESERVE(own->deferred, own->deferred.n + 1) ||
        (!own->deferred.n && ASIM_VEC_PUSH(host->worker->deferring, host->node)))
        return ASIM_ENOMEM;
    return ASIM_VEC_PUSH(own->deferred, *message);
}

/* The memo finds the path later, if at all: it never compares most sends. */
static int inject(struct asim_fabric *fabric, struct asim_host *host, const struct asim_msg *msg)
{
    const struct asim_parts *parts = fabric->memo->parts;
    struct asim_memo_message message = {
        .injection = {.t = host->now,
                      .tie = asim_tie_key(0, asim_tie_key_age(host->tie), ASIM_CLASS_TIMER),
                      .bytes = msg->bytes,
                      .dst = msg->dst},
        .msg = *msg,
    };
    uint64_t sport = asim_flow_sport(host, msg->dst);

    if (sport == ASIM_NEVER)
        return ASIM_ENOMEM;
    message.injection.sport = (uint16_t)sport;
    if (parts && !parts->suspended && asim_parts_want(fabric, host->node, msg->dst))
        return asim_parts_inject(fabric, host, &message);
    if (must_defer(fabric, host))
        return defer(fabric, host, &message);
    if (fabric->memo->mode == ASIM_MEMO_REPLAY)
        return accept(fabric, host->node, &message);
    return asim_record_start(fabric, host, &message);
}

int asim_memo_inject(struct asim_fabric *fabric, struct asim_host *host, const struct asim_msg *msg)
{
    if (!fabric->memo->parts || !asim_parts_pass(fabric, host, msg->dst))
        return inject(fabric, host, msg);
    asim_part_started(fabric, host->node, msg->dst);
    return 1;
}
