/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What is in flight on a rank: events, collectives with their chunks and phases, receives. The
 * smaller half of the spine's state; sim.h has the ranks, the world and the functions.
 */
#ifndef ASIM_SIM_PARTS_H
#define ASIM_SIM_PARTS_H

#include "coll/coll.h"
#include "net/net.h"
#include "net/queue.h"

struct asim_group;
struct asim_rank;

/* --- something that happens on a rank at a time ---------------------------------------------- */
enum asim_rank_event_kind {
    ASIM_RANK_EVENT_UNIFORM, /* uniform phase: its credit is free, no reduction */
    ASIM_RANK_EVENT_DELAY,   /* chunk, bytes: the endpoint delay is over; reduce next if bytes */
    ASIM_RANK_EVENT_CREDIT,  /* chunk: a credit is free */
    ASIM_RANK_EVENT_OP_DONE, /* op: a compute, replay or memory op ends */
    ASIM_RANK_EVENT_NODE,    /* custom, op: a node of an algorithm given as traces ends */
    ASIM_RANK_EVENT_FLOW,    /* custom, op: the endpoint delay before a flow is over */
    ASIM_RANK_EVENT_MEMORY,  /* op: the shared memory that may serve its next request */
    ASIM_RANK_EVENT_BUS,     /* op, bytes: side and step of the LogGP bus */
    ASIM_RANK_EVENT_START    /* the rank's first ops: its start was put off */
};

struct asim_recv;
struct asim_chunk;
struct asim_graph_runner;
struct asim_deferred_action;
struct asim_op_graph;
struct asim_bus;
struct asim_memory_server;
struct asim_tensors;

struct asim_rank_event {
    struct asim_due due; /* in the network's queue if it is the first of its tick */
    /* In the order of registration. */
    struct asim_rank_event *next;
    enum asim_rank_event_kind kind;
    uint32_t op;
    union { /* as its kind says */
        struct asim_chunk *chunk;
        struct asim_uniform_phase *uniform;
        struct asim_graph_runner *runner;
    };
    uint64_t bytes;
};

/* What a rank has to do at one time, in the order it was asked for. A rank seldom has more than a
 * handful of times ahead of it: they are looked through one by one, the others stand in a map. */
struct asim_tick {
    uint64_t t;
    struct asim_rank_event *head, *tail;
};
enum { ASIM_RANK_TICKS = 8 };

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
    uint64_t gpu_busy; /* ASTRA-sim's counter behind "exposed communication" */
    uint64_t last_end;
    /* roofline: time of compute ops, and sums of value x time over those with values */
    double comp_ns, bound_ns, compute_use_ns, memory_use_ns, intensity_ns;
};

/* The longest message of the packet network: sequence numbers of its frames have 44 bits. */
#define ASIM_PACKET_BYTES_MAX ((1ull << 44) - 1)

/* --- receives
 * --------------------------------------------------------------------------------------- */
struct asim_recv {
    struct asim_recv *next;
    uint64_t bytes;                     /* ASIM_ANY_BYTES: the next message, whatever its size */
    struct asim_uniform_phase *uniform; /* it stands in, instead of the pool, or NULL */
    uint64_t posted_ns;                 /* for the report of a stall */
    uint64_t tag;
    /* What no message of a uniform phase asks for. */
    struct asim_chunk *chunk; /* NULL: a COMM_RECV op, or later */
    struct asim_deferred_action *action;
    uint32_t op, src;
};

/* Tags of SEND and RECV ops: the trace's below bit 32, above it the number of a size where each
 * size is matched for itself (p2p.c). */
static inline uint32_t asim_p2p_tag(uint64_t tag)
{
    return (uint32_t)tag;
}
/* Rendezvous: that of a message which asks for another. All that ask are of one size: the k-th asks
 * for the k-th of a tag, whatever the sizes of these (system-layer.md#rendezvous). */
#define ASIM_ASKING_TAG (1ull << 62)
static inline uint64_t asim_asking_tag(uint64_t tag)
{
    return (tag >> 63 ? tag : asim_p2p_tag(tag)) | ASIM_ASKING_TAG;
}

/* What the end of a message leads to where it is neither an op nor a chunk. */
enum asim_deferred_action_kind {
    ASIM_DEFERRED_SEND, /* rendezvous: the receiver has asked; send msg */
    ASIM_DEFERRED_POST, /* rendezvous: asked; post recv */
    ASIM_DEFERRED_NODE  /* a node of an algorithm given as traces ends */
};
struct asim_deferred_action {
    enum asim_deferred_action_kind kind;
    uint32_t node;
    struct asim_graph_runner *runner;
    struct asim_msg msg;
    struct asim_recv recv;
};

struct asim_inbox { /* of one (source, tag) */
    struct asim_recv *head, *tail;
    uint64_t arrived; /* bytes nobody has asked for yet */
    uint64_t tag;
    uint32_t src;
    uint32_t pinned; /* chunks that count on finding it where it is */
};
enum { ASIM_RECENT = 64 }; /* inboxes found without the map: a few chunks are all a rank runs */

/* --- collectives ---------------------------------------------------------------------------------
 */
struct asim_ring_of {        /* the members a phase runs over, as ranks */
    const uint32_t *members; /* NULL: base + position x stride */
    uint32_t base, stride, n, index, root;
};

/* The rank of the member at a position. Plans name positions only. */
static inline uint32_t asim_ring_rank(const struct asim_ring_of *ring, uint32_t position)
{
    return ring->members ? ring->members[position] : ring->base + position * ring->stride;
}

struct asim_phase {
    int kind, step;
    /* queue of the rank; dim of the logical topology; variant: which of the two binary trees. */
    uint32_t queue, dim, variant;
    uint64_t bytes;
    const struct asim_coll_choice *choice;
    struct asim_op_graph *graph; /* instead of choice: given as traces, or as flows */
    uint64_t flow_bytes;         /* of each of the flows; 0 = the op graph says */
    struct asim_ring_of ring;
    int subgroup;
};

struct asim_coll_op { /* one collective on one rank */
    uint32_t op;
    uint32_t chunks;                /* not yet finished */
    const struct asim_group *group; /* NULL = all ranks */
    uint64_t sequence;              /* n-th collective of its group on this rank */
    int kind;
    uint64_t bytes, issued_ns;
    uint64_t *sizes; /* of an all-to-all-v, to each member; freed with the collective op */
    struct asim_coll_op *next, *prev; /* all open ones of the rank, oldest first */
};

struct asim_chunk { /* one chunk of a collective on one rank */
    struct asim_coll_op *coll;
    struct asim_chunk *next, *prev; /* in its queue */
    int64_t priority;
    uint32_t n_phases, phase; /* phase = how many were entered */
    int queue;                /* -1 before the first */
    int started;
    struct asim_graph_runner *runner; /* where the phase has a op graph; freed at its end */
    uint64_t share;                   /* of an all-to-all-v: which of its chunks */
    /* What every message looks at stands together, from the plan's end on. */
    struct asim_plan plan;
    struct asim_step next_step; /* step number `step`, if there is one; peers as ranks */
    uint64_t step, received, tag;
    /* Of a credit in this phase; ASIM_NEVER = the bus says. */
    uint64_t delay_ns;
    uint32_t credits;
    struct asim_uniform_phase
        *uniform;               /* if the phase is on it: instead of step, received and credits */
    struct asim_phase phases[]; /* room for world->set.max_phases */
};
/* The present one: the last that was entered. */
static inline const struct asim_phase *asim_chunk_phase(const struct asim_chunk *chunk)
{
    return &chunk->phases[chunk->phase - 1];
}

struct asim_queue {
    struct asim_chunk *head, *tail;
    /* Chunks started, at most world->set.queue_limit. */
    uint32_t running;
};

struct asim_dim_round_robin { /* round robin over the queues of a dimension: all, first, second half
                               */
    uint32_t all, first, second;
    uint8_t trees[ASIM_COLL_TYPES]; /* chunks laid over it: double binary trees alternate */
};

#endif
