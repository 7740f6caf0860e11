/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends of ranks: the memo defers one, compares it with the log that its part follows, or starts
 * it.
 */
#include "fabric/link/schedule.h"
#include "fabric/memo/memo.h"
#include "fabric/memo/region/parts.h"
#include "fabric/memo/region/record.h"
#include "fabric/memo/region/replay.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"

/* Queue pairs of the host that the part would wait for. */
static uint32_t open_of(const struct asim_fabric *fabric, const struct asim_part *part,
                        const struct asim_host *host)
{
    uint32_t from = 0, to = host->n_nics, open = 0;

    if (!part->is_whole) {
        from = part->nic[fabric->memo->parts->number[host->node]];
        to = from + 1;
    }
    for (uint32_t i = from; i < to; i++)
        open += host->nics[i].qps.n - host->nics[i].qps.n_finished;
    return open;
}

/* A host with an open message does not defer: the part is not idle. It does not defer later sends
 * of that window either, since messages keep their order. A send becomes a queue pair in its own
 * ns, so the lists of queue pairs show all open messages but the latest. */
static int must_defer(const struct asim_fabric *fabric, const struct asim_part *part,
                      const struct asim_host *host)
{
    struct asim_memo_host *own = &fabric->memo->host[host->node];

    if (host->now < part->defer_from)
        return 0;
    if (own->deferred.n)
        return 1;
    if (open_of(fabric, part, host))
        own->undeferred_in = asim_memo_turn(fabric, host->node) + 1;
    return own->undeferred_in != asim_memo_turn(fabric, host->node) + 1;
}

/* Whether the part, which follows a log, takes the send. Other threads read the row of accepted
 * sends in the whole network, so it does not grow. */
static int takes(struct asim_part *part, const struct asim_memo_host *own,
                 const struct asim_host *host)
{
    if (own->deferred.n || host->now >= asim_part_follow_end(part))
        return 0;
    if (!part->is_whole || own->accepted.n < part->log->row[host->node].injections.n)
        return 1;
    atomic_store_explicit(&part->has_more, 1, memory_order_relaxed);
    return 0;
}

static int give(struct asim_fabric *fabric, struct asim_part *part, struct asim_host *host,
                struct asim_memo_message *message)
{
    struct asim_memo_host *own = &fabric->memo->host[host->node];

    if (part->mode == ASIM_PART_FOLLOW && takes(part, own, host)) {
        asim_part_touch(fabric, part);
        message->injection.t -= part->begin;
        return ASIM_VEC_PUSH(own->accepted, *message);
    }
    if (part->mode == ASIM_PART_IDLE || part->mode == ASIM_PART_FOLLOW ||
        must_defer(fabric, part, host)) {
        asim_node_schedule(fabric, host->node, host->now);
        asim_part_touch(fabric, part);
        return ASIM_VEC_PUSH(own->deferred, *message);
    }
    return asim_record_start(fabric, host, message);
}

/* The memo finds the path later, if at all: it never compares most sends. */
static int inject(struct asim_fabric *fabric, struct asim_part *part, struct asim_host *host,
                  const struct asim_msg *msg)
{
    struct asim_memo_message message = {
        .injection = {.t = host->now,
                      .tie = asim_timer_tie_key(host->tie, 0),
                      .bytes = msg->bytes,
                      .dst = msg->dst},
        .msg = *msg,
    };
    uint64_t sport = asim_flow_sport(host, msg->dst);

    if (sport == ASIM_NEVER)
        return ASIM_ENOMEM;
    message.injection.sport = (uint16_t)sport;
    return give(fabric, part, host, &message);
}

/* Sends of other parts than the whole network need no look while this is open. */
int asim_memo_inject(struct asim_fabric *fabric, struct asim_host *host, const struct asim_msg *msg)
{
    struct asim_part *whole = &fabric->memo->whole, *part;

    if (!fabric->memo->parts)
        return inject(fabric, whole, host, msg);
    part = asim_parts_want(fabric, host->node, msg->dst);
    if (part) {
        part->leaves |= !asim_part_is_inside(fabric, host->node, msg->dst);
        return inject(fabric, part, host, msg);
    }
    if (whole->mode != ASIM_PART_OPEN || host->now >= whole->defer_from)
        return inject(fabric, whole, host, msg);
    asim_part_started(fabric, host->node, msg->dst);
    return 1;
}
