/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The work in flight on a rank: events, collectives with their chunks and phases, receives.
 */
#ifndef ASIM_SIM_PARTS_H
#define ASIM_SIM_PARTS_H

#include "coll/coll.h"
#include "net/net.h"
#include "net/queue.h"

/* --- events of a rank --------------------------------------------------------------------------
 */
enum asim_rank_event_kind {
    ASIM_RANK_EVENT_UNIFORM, /* uniform: the credit that is part of the phase */
    ASIM_RANK_EVENT_DELAY,   /* chunk, bytes: the endpoint delay is over; reduce bytes next */
    ASIM_RANK_EVENT_CREDIT,  /* chunk: a credit is free */
    ASIM_RANK_EVENT_OP_DONE, /* op: a compute, replay or memory op ends */
    ASIM_RANK_EVENT_NODE,    /* runner, op: a node of an op graph ends */
    ASIM_RANK_EVENT_FLOW,    /* runner, op: the endpoint delay before a flow is over */
    ASIM_RANK_EVENT_MEMORY,  /* op: the memory server that may serve its next request */
    ASIM_RANK_EVENT_KERNEL,  /* chunk: its kernel begins to move data, or may end */
    ASIM_RANK_EVENT_BUS,     /* op, bytes: side and step of the LogGP bus */
    ASIM_RANK_EVENT_START    /* the rank issues its first ops (rank-start-delay) */
};

struct asim_recv;
struct asim_chunk;
struct asim_graph_runner;
struct asim_deferred_action;
struct asim_op_graph;

struct asim_rank_event {
    struct asim_due due; /* the first event of a tick is linked into the network's queue */
    /* The next event of the tick, in the order of registration. */
    struct asim_rank_event *next;
    enum asim_rank_event_kind kind;
    uint32_t op;
    union { /* kind tells which */
        struct asim_chunk *chunk;
        struct asim_uniform_phase *uniform;
        struct asim_graph_runner *runner;
    };
    uint64_t bytes;
};

/* The events of a rank at one time, in the order of registration. A rank seldom has more than a
 * handful of ticks ahead: a linear search finds these, and a map holds the others. */
struct asim_tick {
    uint64_t t;
    struct asim_rank_event *head, *tail;
};
enum { ASIM_RANK_TICKS = 8 };

/* --- classes of time in the reports -------------------------------------------------------------
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
    uint32_t open[ASIM_SPANS]; /* running ops of each class */
    uint8_t seen[ASIM_SPANS];
    uint64_t since[ASIM_SPANS], total[ASIM_SPANS]; /* union of intervals, ns */
    uint64_t overlap_since, overlap;               /* while GPU and Comm ops both run */
    uint64_t gpu_busy; /* ASTRA-sim's counter behind "exposed communication" */
    uint64_t last_end;
    /* roofline: time of compute ops, and sums of value x time over the ops that have values */
    double comp_ns, bound_ns, compute_use_ns, memory_use_ns, intensity_ns;
};

/* The longest message of the packet network: its sequence numbers have 44 bits. */
#define ASIM_PACKET_BYTES_MAX ((1ull << 44) - 1)

/* --- receives
 * --------------------------------------------------------------------------------------- */
struct asim_recv {
    struct asim_recv *next;
    uint64_t bytes; /* ASIM_ANY_BYTES: the next message of any size */
    struct asim_uniform_phase
        *uniform;       /* the phase that this receive is part of; NULL: it comes from the pool */
    uint64_t posted_ns; /* for the report of a stall */
    uint64_t tag;
    /* Fields that messages of a uniform phase do not read. */
    struct asim_chunk *chunk; /* NULL: action is set, or this is a COMM_RECV op */
    struct asim_deferred_action *action;
    uint32_t op, src;
};

/* Tags of SEND and RECV ops: the trace's tag below bit 32, and above it the number of the message
 * size, where the network matches each size separately (ops/p2p.c). */
static inline uint32_t asim_p2p_tag(uint64_t tag)
{
    return (uint32_t)tag;
}
/* Rendezvous: the tag of a request for a message. All requests have one size: the k-th request of a
 * tag stands for the k-th message of that tag, whatever the message sizes are
 * (system-layer.md#rendezvous). */
#define ASIM_ASKING_TAG (1ull << 62)
static inline uint64_t asim_asking_tag(uint64_t tag)
{
    return (tag >> 63 ? tag : asim_p2p_tag(tag)) | ASIM_ASKING_TAG;
}

/* The type of collective of a message: four bits of its tag, from bit 28 on, or in an op graph,
 * which sets bit 61, from bit 40 on (collective/graph_runner.c). Messages of SEND ops have no type:
 * -1. */
enum { ASIM_TAG_TYPE_SHIFT = 28, ASIM_TAG_GRAPH_TYPE_SHIFT = 40, ASIM_TAG_TYPE_MASK = 15 };
static inline int asim_tag_coll_type(uint64_t tag)
{
    unsigned shift = tag >> 61 & 1 ? ASIM_TAG_GRAPH_TYPE_SHIFT : ASIM_TAG_TYPE_SHIFT;

    return tag >> 63 ? (int)(tag >> shift & ASIM_TAG_TYPE_MASK) : -1;
}

/* The number of a chunk's group in tags that have 17 bits for it, those of op graphs: 0: all ranks;
 * else 1 + the id, modulo ASIM_TAG_GROUPS (phase_plan.c refuses groups that could meet). */
enum { ASIM_TAG_GROUPS = 0x1ffff };
static inline uint64_t asim_tag_group(uint64_t chunk_tag)
{
    uint64_t key = chunk_tag >> 32 & 0x1fffffff;

    return key ? 1 + (key - 1) % ASIM_TAG_GROUPS : 0;
}

/* The tag of data from storage that no rank waits for (ops/round.c). */
#define ASIM_STORAGE_DROP (1ull << 60 | 1ull << 57)
/* The tag of messages of the program (asim/messages.h): no op and no collective has it. */
#define ASIM_OWN_TAG (1ull << 60 | 1ull << 56)

/* An action that a message triggers at its end, where it ends neither an op nor a step of a chunk.
 */
enum asim_deferred_action_kind {
    ASIM_DEFERRED_SEND, /* rendezvous: the request is here; send msg */
    ASIM_DEFERRED_POST, /* rendezvous: the request is sent; post recv */
    ASIM_DEFERRED_NODE, /* a node of an op graph ends */
    ASIM_DEFERRED_ROUND /* a rank's write to or read from storage ends */
};
struct asim_deferred_action {
    enum asim_deferred_action_kind kind;
    uint32_t node;
    struct asim_graph_runner *runner;
    struct asim_msg msg;
    struct asim_recv recv;
};

struct asim_inbox { /* messages and receives of one (source, tag) */
    struct asim_recv *head, *tail;
    uint64_t arrived; /* bytes that no receive has taken yet */
    uint64_t tag;
    uint32_t src;
    uint32_t pinned; /* uniform phases that point at this inbox */
};
enum { ASIM_RECENT = 64 }; /* inboxes found without the map; a rank runs few chunks at once */

/* --- collectives ---------------------------------------------------------------------------------
 */
struct asim_ring_of {        /* the members of a phase, as ranks */
    const uint32_t *members; /* NULL: base + position x stride */
    uint32_t base, stride, n, index, root;
};

/* The rank of the member at a position. Plans name positions only. */
static inline uint32_t asim_ring_rank(const struct asim_ring_of *ring, uint32_t position)
{
    return ring->members ? ring->members[position] : ring->base + position * ring->stride;
}

/* What NCCL takes for a collective, and how long its kernels do at least, ns: until they move
 * data; moving it; all. All 0 where the ranks have no machine. is_flat: the ring is one over single
 * GPUs. */
struct asim_nccl_choice {
    int algo, proto, pxn, is_flat;
    uint32_t channels; /* struct asim_nccl_spec */
    uint64_t start_ns, busy_ns, least_ns;
};

struct asim_phase {
    int kind, step;
    /* queue: of the rank. dim: of the logical topology. variant: one of the two binary trees. */
    uint32_t queue, dim, variant;
    uint64_t bytes;
    const struct asim_coll_choice *choice;
    struct asim_op_graph *graph; /* an op graph replaces the algorithm of choice */
    /* Of each flow of NCCL; 0: the op graph, or the algorithm of choice, has the sizes. Without an
     * op graph it is a ring that the network carries as these flows. */
    uint64_t flow_bytes;
    uint8_t is_ring; /* of NCCL, which a network may carry by itself */
    uint32_t pxn;    /* struct asim_coll */
    struct asim_ring_of ring;
    int subgroup;
    struct asim_nccl_choice kernel;
};

/* A kernel of NCCL is launched, and ends no sooner than it could alone. */
enum asim_kernel_state {
    ASIM_KERNEL_NONE,
    ASIM_KERNEL_LAUNCHED,
    ASIM_KERNEL_RUNS,
    ASIM_KERNEL_OVER
};

struct asim_coll_op { /* one collective on one rank */
    uint32_t op;
    uint32_t chunks;                /* chunks not yet finished */
    const struct asim_group *group; /* NULL = all ranks */
    uint64_t sequence;              /* number of this collective among those of its group */
    int kind;
    uint64_t bytes, issued_ns;
    uint64_t *sizes;                  /* of an all-to-all-v, to each member; owned */
    struct asim_coll_op *next, *prev; /* all open collectives of the rank, oldest first */
};

struct asim_chunk { /* one chunk of a collective on one rank */
    struct asim_coll_op *coll;
    struct asim_chunk *next, *prev; /* neighbours in the queue */
    int64_t priority;
    uint32_t n_phases, phase; /* phase: number of phases entered */
    int queue;                /* -1 before the first phase */
    int started;
    enum asim_kernel_state kernel;
    uint64_t least_end_ns; /* with a kernel: of the phase */
    struct asim_graph_runner
        *runner;    /* of a phase with an op graph; freed at the end of the phase */
    uint64_t share; /* of an all-to-all-v: number of this chunk */
    /* Fields that every message reads lie together, from the end of the plan on. */
    struct asim_plan plan;
    struct asim_coll_step next_step; /* step number `step`, if there is one, with ranks as peers */
    uint64_t step, received, tag;
    /* Delay of a credit in this phase; ASIM_NEVER: the LogGP bus decides. */
    uint64_t delay_ns;
    uint32_t credits;
    struct asim_uniform_phase
        *uniform;               /* not NULL on the fast path: replaces step, received, credits */
    struct asim_phase phases[]; /* [world->set.max_phases] */
};
/* The present phase: the last one entered. */
static inline const struct asim_phase *asim_chunk_phase(const struct asim_chunk *chunk)
{
    return &chunk->phases[chunk->phase - 1];
}

struct asim_queue {
    struct asim_chunk *head, *tail;
    /* Started chunks, at most world->set.queue_limit. */
    uint32_t running;
};

struct asim_dim_round_robin { /* next queue of a dimension: of all queues, of the first half, of the
                                 second half */
    uint32_t all, first, second;
    uint8_t trees[ASIM_COLL_TYPES]; /* chunks planned: the double binary trees alternate */
};

#endif
