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

#include <pthread.h>

#include "asim/asim.h"
#include "base/map.h"
#include "base/mem.h"
#include "coll/dims.h"
#include "conf/conf.h"
#include "asim/net.h"
#include "conf/custom.h"
#include "net/packets.h"
#include "sim/rank/rank_shard.h"
#include "sim/parts.h"
#include "sim/rank/event_bus.h"
#include "topo/route.h"
#include "topo/topo.h"
#include "trace/feed/feed.h"

/* --- ranks and the world ---------------------------------------------------------------------- */
struct asim_rank {
    /* What every message looks at stands together: mostly one cache line, for there are many. */
    _Alignas(64) struct asim_world *world;
    const uint64_t *clock; /* its time, ns; NULL: the network is asked (asim_rank_now) */
    uint64_t sent;         /* messages so far; the low half of their ids */
    uint32_t id;
    uint16_t n_ticks,
        has_tick_map;       /* near: the first n_near are in use; whether there are any in far */
    int failed;             /* it does nothing more (rank_shard.h) */
    uint32_t empty_inboxes; /* kept for the next message until there are too many */
    struct asim_tick ticks[ASIM_RANK_TICKS]; /* the first is mostly all there is */
    struct asim_rank_shard *shard;
    struct asim_map tick_map; /* clock: time -> struct asim_tick *, where near is full */
    struct asim_inbox *recent[ASIM_RECENT];
    /* issuing: inside asim_issue_all, which must not be entered again. */
    int issuing, finished;
    /* When its last op ended, ns; meaningful once finished. */
    uint64_t cycles;
    struct asim_feed *feed;
    /* Ops running in each unit. */
    uint32_t busy[ASIM_UNITS];
    ASIM_VEC(uint32_t) skipped;
    struct asim_map running;         /* op index -> unit | span << 8 */
    const struct asim_groups *named; /* groups of a METADATA op, or NULL */
    /* collectives */
    struct asim_queue *queues; /* [dims x queues_per_dim] */
    struct asim_dim_round_robin *round_robin;
    /* The counter behind LIFO and FIFO (system-layer.md#priorities). */
    int64_t priority;
    struct asim_map sequences; /* group id -> collectives issued; chunks issued */
    struct asim_coll_op *open_head, *open_tail;
    /* messages */
    struct asim_map inboxes; /* (source, tag) -> struct asim_inbox * */
    struct asim_track track;
    /* what makes this rank differ from others */
    double compute_scale;
    uint64_t start_delay_ns, endpoint_ns;
    struct asim_bus *bus;         /* NULL without model-shared-bus */
    struct asim_tensors *tensors; /* NULL without track-local-mem */
};

struct asim_named_groups;

struct asim_world {
    struct asim_hooks hooks;
    struct asim_settings settings; /* strings not kept */
    const char *reports;           /* further reports wanted, or NULL */
    const char *pcap, *log_folder; /* file to capture frames in; for log.log; or NULL */
    const char *inputs[9];         /* the workload, then what else is read; NULL ends them */
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
    struct asim_coll_choice *choices[ASIM_COLL_TYPES]; /* per dimension; n_choices of them */
    uint32_t n_choices[ASIM_COLL_TYPES];
    struct asim_coll_choice ring, direct; /* for groups; for all-to-all-v */
    const struct asim_coll_dims *order;
    double dim_bw[ASIM_DIMS];      /* of the logical dimensions, relative to the first */
    char *custom[ASIM_COLL_TYPES]; /* prefixes of algorithms given as traces, or NULL */
    struct asim_node_prefixes node_prefixes;
    /* What is read or made on first use, by any shard: under the lock, const afterwards. */
    pthread_mutex_t lock;
    struct asim_op_graph *op_graphs;     /* read so far */
    struct asim_nccl_graph *nccl_graphs; /* NCCL-like algorithms laid out so far */
    /* Those that take part in collectives, [topo.endpoints], or NULL. */
    struct asim_nvswitch *nvswitches;
    struct asim_memory_server *memory_servers; /* memories shared between ranks */
    uint32_t units[ASIM_UNITS];                /* ops of a rank that may run at once */
    struct asim_map members_met,
        sizes; /* collectives issued (consistency.c); of messages (p2p.c) */
    /* queue_limit: chunks that may run at once in one queue
     * (system-layer.md#queues-and-active-chunks); ranks_done: as of the last window's end; without:
     * fast paths turned off (net/fast_path.h). */
    uint32_t n_ranks, ranks_done, max_phases, queue_limit, without;
    uint32_t n_here; /* ranks of this process; ranks_done counts these */
    struct asim_distribution
        *dist;               /* NULL: one process on one thread has them all (distribution.h) */
    uint32_t *strides;       /* of the logical dimensions */
    struct asim_rank *ranks; /* [n_ranks], each on cache lines of its own */
    void *ranks_memory;
    struct asim_rank_shard *shards; /* [n_lanes] */
    const uint16_t *shard_of;       /* [nodes of the network], NULL: one shard */
    uint32_t n_shards;
    const struct asim_net_backend *backend;
    struct asim_net *carrier;
    struct asim_due_queue *queue; /* the carrier's, where all ranks share one clock, or NULL */
    struct asim_fabric *fabric;   /* the packet network, or NULL */
    const struct asim_packet_network *packets; /* its functions */
    struct asim_event_bus event_bus;
    /* Ends an op, from whatever room (ops/issue.c): the rooms below it call it through this. */
    void (*op_done)(struct asim_rank *rank, uint32_t op);
    size_t bus_request_bytes;         /* of the shared buses' pool; 0: there are none */
    struct asim_failure failure;      /* the first in simulated time */
    int failed, stopped, exact_names; /* the last: each rank has a .et of its own */
    int no_tensor_list_told;          /* that an op names no tensors (tensor.c) */
    /* settled_ns: everything before it has happened on all ranks. */
    uint64_t settled_ns, ops_total;
    int64_t endpoint_ns; /* of ranks without a delay of their own */
};

static inline struct asim_rank_shard *asim_rank_shard_of(const struct asim_world *world,
                                                         uint32_t node)
{
    return &world->shards[world->shard_of ? world->shard_of[node] : 0];
}

static inline uint64_t asim_node_now(const struct asim_world *world, uint32_t node)
{
    return world->queue ? world->queue->now_ns : world->backend->now(world->carrier, node);
}
static inline uint64_t asim_rank_now(const struct asim_rank *rank)
{
    return rank->clock ? *rank->clock : asim_node_now(rank->world, rank->id);
}

/* Whether it lives in this process; else all of it is zero. */
static inline int asim_rank_is_here(const struct asim_rank *rank)
{
    return rank->world != NULL;
}

/* Counts and numbers a message of this rank. */
static inline uint64_t asim_send_id(struct asim_rank *rank)
{
    return (uint64_t)rank->id << 32 | (uint32_t)rank->sent++;
}

#endif
