/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The common part of the analytical networks: one event queue and one clock for all ranks, wakes,
 * deferred receives and the run loop. A network embeds struct asim_analytical as its first field
 * and adds the time of a message.
 */
#ifndef ASIM_NET_ANALYTICAL_H
#define ASIM_NET_ANALYTICAL_H

#include "asim/net.h"
#include "net/net.h"
#include "net/queue.h"

enum asim_due_kind {
    ASIM_DUE_THERE = ASIM_DUE_OWN + 1, /* the flight of a message train has arrived */
    ASIM_DUE_LINK,                     /* a link (its due.rank) is free, and no message waits */
    ASIM_DUE_STEP,                     /* another flight has reached the end of a link: step() */
    ASIM_DUE_NEXT,                     /* a link is free, and messages wait: step() */
    ASIM_DUE_WAKE,
    ASIM_DUE_LATE
};

/* A message in flight. A message train (asim/net.h) reuses one flight; while that is in flight,
 * further messages of the train take flights of their own. */
struct asim_flight {
    struct asim_due due; /* first; rank: enum asim_flight_state */
    /* Of a train: the time of each message (unaware), or the first link (aware). A train of the
     * unaware network reads the first 64 bytes of the flight only. */
    union {
        uint64_t ns;
        void *link;
    } way;
    struct asim_msg msg;
    uint64_t next_id; /* of a train */
    /* Aware network. at: the rank the message is at, or goes to from a switch; then: the link down
     * from that switch, or NULL. way_*: their values, and the kind of the event, after way.link. */
    void *then, *way_then;
    uint32_t at, way_at, way_kind;
};

/* A single flight; or one of a train: idle, in flight, in flight for the last time. */
enum asim_flight_state {
    ASIM_FLIGHT_SINGLE,
    ASIM_TRAIN_IDLE,
    ASIM_TRAIN_IN_FLIGHT,
    ASIM_TRAIN_CLOSING
};

struct asim_analytical {
    /* Cached transfer time of one dimension: most messages have the size of the one before, and a
     * division costs as much as the rest of a message. */
    uint64_t last_bytes, last_ns, last_there_ns;
    uint32_t last_key; /* hops (unaware), or the link's dimension (aware) */
    struct asim_due_queue queue;
    struct asim_net_user user;
    /* A copy; ranks = product of its dimensions. Over a topology it has none. */
    struct asim_netshape shape;
    uint32_t ranks;
    /* Recycled on completion: memory follows the messages in flight, not the length of the run. */
    struct asim_pool flights, rows, calls;
    double ns_bytes[ASIM_DIMS]; /* beta: bytes per ns of each dimension */
    /* ASIM_DUE_STEP and ASIM_DUE_NEXT. */
    void (*step)(struct asim_analytical *base, struct asim_due *due);
    int (*send)(struct asim_net *net, const struct asim_msg *msg); /* the backend's hook */
    int failed;                                                    /* out of memory: ends the run */
};

void asim_analytical_init(struct asim_analytical *base, const struct asim_net_config *config);
void asim_analytical_fini(struct asim_analytical *base);
/* Tells the sender, if the message has a cookie (no message of a collective does), then the
 * receiver, and frees the flight. */
void asim_analytical_deliver(struct asim_analytical *base, struct asim_flight *flight);
/* A flight for a copy of *msg, at its source; NULL when out of memory. */
static inline struct asim_flight *asim_analytical_flight(struct asim_analytical *base,
                                                         const struct asim_msg *msg)
{
    struct asim_flight *flight = asim_pool_take(&base->flights);

    if (!flight)
        return NULL;
    flight->due.kind = ASIM_DUE_STEP;
    flight->due.rank = ASIM_FLIGHT_SINGLE;
    flight->msg = *msg;
    return flight;
}
static inline uint64_t asim_analytical_time(const struct asim_analytical *base, uint64_t delay_ns)
{
    uint64_t now = base->queue.now_ns;

    return delay_ns < ASIM_NEVER - 1 - now ? now + delay_ns : ASIM_NEVER - 1;
}
/* Adds the event in a new bucket. */
void asim_analytical_begin(struct asim_analytical *base, uint64_t t, struct asim_due *due);
static inline void asim_analytical_at(struct asim_analytical *base, uint64_t t,
                                      struct asim_due *due)
{
    struct asim_time_bucket *bucket = asim_due_bucket_of(&base->queue, t);

    if (bucket)
        asim_due_append(bucket, due);
    else
        asim_analytical_begin(base, t, due);
}
/* delay_ns from now. */
static inline void asim_analytical_after(struct asim_analytical *base, uint64_t delay_ns,
                                         struct asim_due *due)
{
    asim_analytical_at(base, asim_analytical_time(base, delay_ns), due);
}

/* Hooks that all analytical networks share. */
uint64_t asim_analytical_now(const struct asim_net *net, uint32_t rank);
int asim_analytical_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns);
extern const struct asim_net_extras asim_analytical_extras;
int asim_analytical_defer_receive(struct asim_net *net, uint32_t rank, uint64_t cookie);
struct asim_msg_train *asim_analytical_train_open(struct asim_net *net,
                                                  const struct asim_msg *first);
/* Sends the train's next message while its flight is in use. */
void asim_analytical_send_apart(struct asim_analytical *base, struct asim_flight *flight);
void asim_analytical_train_close(struct asim_net *net, struct asim_msg_train *row);
int asim_analytical_run(struct asim_net *net, struct asim_err *err);

#endif
