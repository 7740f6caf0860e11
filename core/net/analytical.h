/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the analytical backends share: one queue, one clock for all ranks, wakes, late receives and
 * the run loop. A backend embeds struct asim_analytical as its first field and adds how long a
 * message takes.
 */
#ifndef ASIM_NET_ANALYTICAL_H
#define ASIM_NET_ANALYTICAL_H

#include "conf/netshape.h"
#include "net/net.h"
#include "net/queue.h"

enum asim_due_kind {
    ASIM_DUE_WAKE = ASIM_DUE_OWN + 1,
    ASIM_DUE_LATE,
    ASIM_DUE_MSG, /* the due of a struct asim_flight */
    ASIM_DUE_LINK /* a link is free again (congestion-aware) */
};

/* A message under way. */
struct asim_flight {
    struct asim_due due; /* first: a due of kind MSG is its flight */
    struct asim_msg msg;
    uint32_t at;   /* the rank it stands at, or goes to from a switch */
    uint32_t down; /* 1 + dimension of the switch it stands in, 0 = none */
};

struct asim_analytical {
    /* The transfer time last worked out in one dimension: messages come in long rows of one size,
     * and a division costs as much as everything else a message does here. */
    uint64_t last_bytes, last_ns, last_there_ns;
    uint32_t last_key; /* hops (unaware), or the link's dimension (aware) */
    struct asim_due_queue queue;
    struct asim_net_user user;
    /* A copy; ranks = product of its dimensions. */
    struct asim_netshape shape;
    uint32_t ranks;
    /* Recycled on completion, so memory follows what is under way, not the length of the run. */
    struct asim_pool flights, dues;
    double ns_bytes[ASIM_NETDIMS]; /* beta: bytes per ns of each dimension */
    /* A flight has got somewhere, or a link is free. */
    int (*step)(struct asim_analytical *base, struct asim_due *due);
};

void asim_analytical_init(struct asim_analytical *base, const struct asim_net_config *config);
void asim_analytical_fini(struct asim_analytical *base);
/* A flight for a copy of *msg, standing at its source; NULL when out of memory. */
static inline struct asim_flight *asim_analytical_flight(struct asim_analytical *base,
                                                         const struct asim_msg *msg)
{
    struct asim_flight *flight = asim_pool_take(&base->flights);

    if (!flight)
        return NULL;
    flight->due.kind = ASIM_DUE_MSG;
    /* Word by word: the caller has just written these words one by one, and a processor cannot
     * forward such stores to the wider loads of a struct copy. */
    flight->msg.id = msg->id;
    flight->msg.bytes = msg->bytes;
    flight->msg.tag = msg->tag;
    flight->msg.cookie = msg->cookie;
    flight->msg.src = msg->src;
    flight->msg.dst = msg->dst;
    flight->at = msg->src;
    flight->down = 0;
    return flight;
}
/* Tells the sender, if he asked for it (no message of a collective does), then the receiver, and
 * ends the flight. */
static inline void asim_analytical_deliver(struct asim_analytical *base, struct asim_flight *flight)
{
    if (flight->msg.cookie != ASIM_NEVER)
        base->user.sent(base->user.self, &flight->msg);
    base->user.arrived(base->user.self, &flight->msg);
    asim_pool_give(&base->flights, flight);
}

static inline uint64_t asim_analytical_time(const struct asim_analytical *base, uint64_t delay_ns)
{
    uint64_t now = base->queue.now_ns;

    return delay_ns < ASIM_NEVER - 1 - now ? now + delay_ns : ASIM_NEVER - 1;
}
/* A delay truncated to whole ns; past the end of the clock it is its end. The signed conversion is
 * one instruction, the unsigned one is not. */
static inline uint64_t asim_analytical_whole(double delay_ns)
{
    return delay_ns < 9e18 ? (uint64_t)(int64_t)delay_ns : ASIM_NEVER - 1;
}
/* delay_ns from now. */
static inline int asim_analytical_after(struct asim_analytical *base, uint64_t delay_ns,
                                        struct asim_due *due)
{
    return asim_due_add(&base->queue, asim_analytical_time(base, delay_ns), due);
}

/* The hooks that are the same for all analytical backends. */
uint64_t asim_analytical_now(const struct asim_net *net, uint32_t rank);
int asim_analytical_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns);
struct asim_due_queue *asim_analytical_queue(struct asim_net *net);
int asim_analytical_late(struct asim_net *net, uint32_t rank, uint64_t cookie);
int asim_analytical_run(struct asim_net *net, struct asim_err *err);

#endif
