/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the analytical backends share: one queue, one clock for all ranks, wakes, late receives and
 * the run loop. A backend embeds struct asim_analytical as its first field and adds how long a
 * message takes.
 */
#ifndef ASIM_NET_ANALYTICAL_H
#define ASIM_NET_ANALYTICAL_H

#include "asim/net.h"
#include "net/net.h"
#include "net/queue.h"

enum asim_due_kind {
    ASIM_DUE_THERE = ASIM_DUE_OWN + 1, /* a row's own flight is at its end */
    ASIM_DUE_LINK,                     /* a link (its due.rank) is free, and nothing waits for it */
    ASIM_DUE_STEP,                     /* any other flight has got somewhere: step() */
    ASIM_DUE_NEXT,                     /* the link is free, and something is to be done: step() */
    ASIM_DUE_WAKE,
    ASIM_DUE_LATE
};

/* A message under way; or a row (net.h), which is one flight used again and again. While that is
 * away, further messages of the row take flights of their own. */
struct asim_flight {
    struct asim_due due; /* first; rank: enum asim_flight_state */
    /* Of a row, what its backend keeps: the time each message takes (unaware), or the link it takes
     * first (aware). The first 64 bytes are all that a row looks at in the former. */
    union {
        uint64_t ns;
        void *link;
    } way;
    struct asim_msg msg;
    uint64_t next_id; /* of a row */
    /* Of congestion-aware: the rank it stands at, or goes to from a switch; the link down from that
     * switch, else NULL. Both also as they are behind way.link, with the kind of the due. */
    void *then, *way_then;
    uint32_t at, way_at, way_kind;
};

/* A flight on its own; or a row's: to be used, under way, under way for the last time. */
enum asim_flight_state { ASIM_FLIGHT_ALONE, ASIM_ROW_HOME, ASIM_ROW_AWAY, ASIM_ROW_CLOSED };

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
    struct asim_pool flights, rows, calls;
    double ns_bytes[ASIM_DIMS]; /* beta: bytes per ns of each dimension */
    /* The two kinds above. */
    void (*step)(struct asim_analytical *base, struct asim_due *due);
    int (*send)(struct asim_net *net, const struct asim_msg *msg); /* the backend's hook */
    int failed;                                                    /* out of memory: ends the run */
};

void asim_analytical_init(struct asim_analytical *base, const struct asim_net_config *config);
void asim_analytical_fini(struct asim_analytical *base);
/* Tells the sender, if he asked for it (no message of a collective does), then the receiver, and
 * ends the flight. */
void asim_analytical_deliver(struct asim_analytical *base, struct asim_flight *flight);
/* A flight for a copy of *msg, standing at its source; NULL when out of memory. */
static inline struct asim_flight *asim_analytical_flight(struct asim_analytical *base,
                                                         const struct asim_msg *msg)
{
    struct asim_flight *flight = asim_pool_take(&base->flights);

    if (!flight)
        return NULL;
    flight->due.kind = ASIM_DUE_STEP;
    flight->due.rank = ASIM_FLIGHT_ALONE;
    flight->msg = *msg;
    return flight;
}
static inline uint64_t asim_analytical_time(const struct asim_analytical *base, uint64_t delay_ns)
{
    uint64_t now = base->queue.now_ns;

    return delay_ns < ASIM_NEVER - 1 - now ? now + delay_ns : ASIM_NEVER - 1;
}
/* Begins a lane for it. */
void asim_analytical_begin(struct asim_analytical *base, uint64_t t, struct asim_due *due);
static inline void asim_analytical_at(struct asim_analytical *base, uint64_t t,
                                      struct asim_due *due)
{
    struct asim_due_lane *lane = asim_due_lane_of(&base->queue, t);

    if (lane)
        asim_due_append(lane, due);
    else
        asim_analytical_begin(base, t, due);
}
/* delay_ns from now. */
static inline void asim_analytical_after(struct asim_analytical *base, uint64_t delay_ns,
                                         struct asim_due *due)
{
    asim_analytical_at(base, asim_analytical_time(base, delay_ns), due);
}

/* The hooks that are the same for all analytical backends. */
uint64_t asim_analytical_now(const struct asim_net *net, uint32_t rank);
int asim_analytical_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns);
extern const struct asim_net_extras asim_analytical_extras;
int asim_analytical_late(struct asim_net *net, uint32_t rank, uint64_t cookie);
struct asim_row *asim_analytical_row_open(struct asim_net *net, const struct asim_msg *first);
/* Sends the row's next message while its own flight is away. */
void asim_analytical_send_apart(struct asim_analytical *base, struct asim_flight *flight);
void asim_analytical_row_close(struct asim_net *net, struct asim_row *row);
int asim_analytical_run(struct asim_net *net, struct asim_err *err);

#endif
