/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The spine's own state: a world, its ranks, and what is in flight on each. Read in the order of
 * a collective's life: issue → coll → order → coll_run → match/p2p → clock → track.
 *
 * A rank's logic runs in its host's local time and touches only its own struct asim_rank; what
 * ranks share (configuration, groups, algorithm choices) is const after world_open.
 */
#ifndef ASIM_SIM_SIM_H
#define ASIM_SIM_SIM_H

#include "asim/asim.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "coll/coll.h"
#include "conf/conf.h"
#include "fabric/fabric.h"
#include "net/net.h"
#include "sim/show.h"
#include "topo/route.h"
#include "topo/topo.h"
#include "trace/feed.h"

struct asim_rank;

/* --- something that happens on a rank at a time ---------------------------------------------- */
enum asim_todo_kind {
    ASIM_TODO_OP_DONE, /* op: a compute, replay or memory op ends */
    ASIM_TODO_BUNDLE,  /* stream, bytes: the endpoint delay is over; reduce next if bytes */
    ASIM_TODO_TOKEN,   /* stream: a token is free */
};

struct asim_recv;
struct asim_stream;

struct asim_todo {
    struct asim_todo *next;
    enum asim_todo_kind kind;
    uint32_t op;
    uint64_t bytes;
    struct asim_stream *stream;
};

/* What a rank has to do at one time, in the order it was asked for. A rank seldom has more than a
 * handful of times ahead of it: they are looked through one by one, the others stand in a map. */
struct asim_tick {
    uint64_t t;
    struct asim_todo *head, *tail;
};
enum { ASIM_NEAR_TICKS = 8 };

/* --- classes of time the reports tell apart ----------------------------------------------------
 */
enum asim_span {
    ASIM_SPAN_GPU,
    ASIM_SPAN_COMM,
    ASIM_SPAN_CPU,
    ASIM_SPAN_MEM,
    ASIM_SPAN_INVALID,
    ASIM_SPANS
};

struct asim_track {
    uint32_t open[ASIM_SPANS]; /* ops of that class now running */
    uint8_t seen[ASIM_SPANS];
    uint64_t since[ASIM_SPANS], total[ASIM_SPANS]; /* union of intervals, ns */
    uint64_t overlap_since, overlap;               /* GPU and Comm both running */
    uint64_t gpu_busy; /* the reference's counter behind "exposed communication" */
    uint64_t last_end;
};

/* --- collectives ---------------------------------------------------------------------------------
 */
struct asim_ring_of {        /* the members a phase runs over, as ranks */
    const uint32_t *members; /* NULL: base + position x stride */
    uint32_t base, stride, n, index;
};

struct asim_phase {
    int kind, step;
    uint32_t queue, dim, variant;
    uint64_t bytes;
    const struct asim_coll_choice *choice;
    struct asim_ring_of ring;
    int subgroup;
};

struct asim_dataset { /* one collective on one rank */
    uint32_t op;
    uint32_t streams;               /* not yet finished */
    const struct asim_group *group; /* NULL = all ranks */
    uint64_t ordinal;               /* n-th collective of its group on this rank */
    int kind;
    uint64_t bytes, issued_ns;
    struct asim_dataset *next, *prev; /* all open ones of the rank, oldest first */
};

struct asim_stream { /* one chunk of a collective on one rank */
    struct asim_dataset *data;
    struct asim_stream *next, *prev; /* in its queue */
    uint64_t tag;
    int64_t priority;
    uint32_t n_phases, phase; /* phase = how many were entered */
    int queue;                /* -1 before the first */
    int started;
    struct asim_plan plan;
    struct asim_step next_step; /* step number `step`, if there is one */
    uint64_t step, received;
    uint32_t tokens;
    struct asim_phase phases[]; /* room for world->max_phases */
};

struct asim_queue {
    struct asim_stream *head, *tail;
    uint32_t running;
};

struct asim_dim_turns { /* round robin over the queues of a dimension: all, first, second half */
    uint32_t all, first, second;
    uint8_t trees[ASIM_KINDS]; /* chunks laid over it: double binary trees alternate */
};

/* --- receives
 * --------------------------------------------------------------------------------------- */
struct asim_recv {
    struct asim_recv *next;
    uint64_t bytes;
    struct asim_stream *stream; /* NULL: a COMM_RECV op */
    uint32_t op, src;
    uint64_t tag, posted_ns;
};

struct asim_inbox { /* of one (source, tag) */
    struct asim_recv *head, *tail;
    uint64_t arrived; /* bytes nobody has asked for yet */
    uint64_t tag;
    uint32_t src;
};
enum { ASIM_RECENT = 4 }; /* inboxes found without the map: a few streams are all a rank runs */

/* --- ranks and the world
 * ------------------------------------------------------------------------------ */
struct asim_rank {
    struct asim_world *world;
    uint32_t id;
    int issuing, finished;
    uint64_t cycles;
    struct asim_feed *feed;
    uint32_t busy[ASIM_UNITS];
    ASIM_VEC(uint32_t) skipped;
    struct asim_map running;         /* op index -> unit | span << 8 */
    const struct asim_groups *named; /* groups of a METADATA op, or NULL */
    /* clock */
    struct asim_tick near[ASIM_NEAR_TICKS]; /* the first n_near are in use */
    uint32_t n_near;
    struct asim_map far; /* time -> struct asim_tick * */
    /* collectives */
    struct asim_queue *queues; /* [dims x queues_per_dim] */
    struct asim_dim_turns *turns;
    int64_t priority;
    struct asim_map ordinals; /* group id -> collectives issued; streams issued */
    struct asim_dataset *open_head, *open_tail;
    /* messages */
    struct asim_map inboxes; /* (source, tag) -> struct asim_inbox * */
    struct asim_inbox *recent[ASIM_RECENT];
    uint32_t empty_inboxes; /* kept for the next message until there are too many */
    uint64_t sent;
    struct asim_track track;
};

struct asim_named_groups;

struct asim_pools { /* shared by the ranks one thread runs */
    struct asim_pool todo, tick, stream, dataset, recv, inbox;
};

struct asim_world {
    struct asim_hooks hooks;
    struct asim_settings settings; /* strings not kept */
    struct asim_system system;
    struct asim_netconf net;
    struct asim_memory memory;
    struct asim_dims dims;
    struct asim_netshape shape; /* of an analytical network */
    struct asim_groups groups;
    struct asim_named_groups *named; /* from METADATA ops, one per distinct text */
    struct asim_topo topo;
    struct asim_route *route;
    struct asim_arena arena;
    struct asim_coll_choice *choices[ASIM_KINDS]; /* per dimension; n_choices of them */
    uint32_t n_choices[ASIM_KINDS];
    struct asim_coll_choice ring; /* plain ring, for groups */
    uint32_t n_ranks, ranks_done, max_phases, queue_limit;
    uint32_t *strides; /* of the logical dimensions */
    struct asim_rank *ranks;
    struct asim_pools pools;
    const struct asim_net_backend *backend;
    struct asim_net *carrier;
    struct asim_fabric *fabric;
    struct asim_show show;
    struct asim_err err; /* the first failure in simulated time */
    int failed, stopped;
    uint64_t settled_ns, ops_total;
    int64_t endpoint_ns;
};

/* Latches the first failure; the run ends at the next safe point. */
#define asim_world_fail(world, ...)                                                                \
    ((void)asim_err_set(&(world)->err, ASIM_EINVAL, __VA_ARGS__), (world)->failed = 1)
void asim_world_fail_nomem(struct asim_world *world, const char *doing);

static inline uint64_t asim_rank_now(const struct asim_rank *rank)
{
    return rank->world->backend->now(rank->world->carrier, rank->id);
}

/* clock.c */
void asim_clock_add(struct asim_rank *rank, uint64_t delay_ns, const struct asim_todo *todo);
void asim_clock_wake(struct asim_rank *rank);

/* issue.c */
void asim_issue_all(struct asim_rank *rank);
void asim_op_done(struct asim_rank *rank, uint32_t op);

/* compute.c */
/* Duration of a COMP or replayed op; fails the world where an attribute is missing. */
uint64_t asim_compute_ns(struct asim_rank *rank, const struct asim_op *op);
uint64_t asim_replay_ns(const struct asim_op *op);

/* memory.c */
void asim_memory_op(struct asim_rank *rank, uint32_t index, const struct asim_op *op);

/* coll_issue.c, order.c, coll_run.c */
void asim_coll_op(struct asim_rank *rank, uint32_t index, const struct asim_op *op);
int asim_coll_setup(struct asim_world *world, struct asim_err *err);
/* Moves a stream into its next phase, or ends it (spec 4.7 "advance"). */
void asim_order_advance(struct asim_rank *rank, struct asim_stream *stream);
void asim_stream_start(struct asim_rank *rank, struct asim_stream *stream);
void asim_stream_bundle(struct asim_rank *rank, struct asim_stream *stream, uint64_t bytes);
void asim_stream_token(struct asim_rank *rank, struct asim_stream *stream);
void asim_stream_arrival(struct asim_rank *rank, struct asim_stream *stream);

/* match.c, p2p.c */
void asim_match_post(struct asim_rank *rank, const struct asim_recv *recv);
void asim_match_arrived(struct asim_rank *rank, const struct asim_msg *msg);
void asim_match_deliver(struct asim_rank *rank, struct asim_recv *recv);
void asim_send(struct asim_rank *rank, const struct asim_msg *msg);
void asim_p2p_op(struct asim_rank *rank, uint32_t index, const struct asim_op *op);
void asim_p2p_sent(struct asim_rank *rank, const struct asim_msg *msg);

/* groups.c: METADATA ops and lookups */
/* The group an op names: NULL with *all = 1 for "" and "0", NULL with *all = 0 after failing the
 * world because there is no such group or this rank is not in it. */
const struct asim_group *asim_group_find(struct asim_rank *rank, const struct asim_op *op,
                                         int *all);
/* Takes the process groups a METADATA op lists; ops that list none are left alone. */
void asim_group_metadata(struct asim_rank *rank, const struct asim_op *op);
void asim_group_fini(struct asim_world *world);

/* track.c */
enum asim_span asim_span_of(const struct asim_op *op);
void asim_track_start(struct asim_rank *rank, enum asim_span span);
void asim_track_end(struct asim_rank *rank, enum asim_span span);

/* stall.c */
int asim_stall_report(const struct asim_world *world, struct asim_err *err);

#endif
