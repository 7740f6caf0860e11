/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a run: a world, its ranks, and pointers to the work in flight of each rank
 * (parts.h).
 *
 * A rank's logic runs in the local time of its host and touches only its own struct asim_rank. Data
 * that ranks share (configuration, groups, algorithm choices) is constant after asim_world_open.
 */
#ifndef ASIM_SIM_SIM_H
#define ASIM_SIM_SIM_H

#include <pthread.h>

#include "asim/net.h"
#include "asim/settings.h"
#include "base/map.h"
#include "base/mem.h"
#include "coll/dims.h"
#include "conf/conf.h"
#include "sim/rank/census.h"
#include "sim/rank/rank_shard.h"
#include "sim/parts.h"
#include "sim/rank/event_bus.h"
#include "topo/topo.h"
#include "trace/feed/feed.h"

/* --- jobs, ranks and the world -----------------------------------------------------------------
 */
/* Ranks that know each other. A run without a scenario is one job of all ranks. Ranks of a job are
 * numbered from 0 in its traces and groups files; `first` is added to make the number of the run,
 * which messages, hosts, groups in memory and reports have. */
struct asim_world_job {
    const char *name;   /* NULL without a scenario */
    const char *prefix; /* of its traces */
    int exact_names;    /* each rank has a .et file of its own */
    uint32_t number, first, n;
    uint64_t start_ns;
    uint32_t repeat;           /* how often each rank goes through its trace */
    struct asim_dims dims;     /* logical dimensions: sizes */
    uint32_t *strides;         /* [dims.n] distance of neighbours, in ranks */
    double dim_bw[ASIM_DIMS];  /* relative to the first */
    struct asim_groups groups; /* of the groups file, with the ranks of the run */
};

struct asim_rank {
    /* Fields that every message reads come first, because a run has many ranks and this is mostly
     * one cache line. */
    _Alignas(64) struct asim_world *world;
    const uint64_t *clock; /* its time, ns; NULL: ask the network (asim_rank_now) */
    uint64_t sent;         /* messages so far; the low half of a message id */
    uint32_t id;
    uint16_t n_ticks, has_tick_map; /* ticks in use; whether tick_map has any */
    int failed;                     /* does nothing more (rank_shard.h) */
    uint32_t empty_inboxes;         /* inboxes kept for later messages (collective/match.c) */
    struct asim_tick ticks[ASIM_RANK_TICKS]; /* mostly only the first is in use */
    struct asim_rank_shard *shard;
    struct asim_map tick_map; /* time -> struct asim_tick *, used where ticks[] is full */
    struct asim_inbox *recent[ASIM_RECENT];
    /* issuing: asim_issue_all is running and must not be entered again. */
    int issuing, finished;
    int is_cut; /* has ops left that it may not begin, because the end of the scenario has come */
    uint32_t rounds;        /* times that it has gone through its trace (job->repeat) */
    uint64_t round_ns;      /* the beginning of the present one */
    uint32_t storage_waits; /* writes and reads under way that the next round waits for */
    /* The end of the last op, ns; valid once finished. */
    uint64_t cycles;
    struct asim_feed *feed;
    /* Ops running in each unit. */
    uint32_t busy[ASIM_UNITS];
    ASIM_VEC(uint32_t) skipped;
    struct asim_map running; /* op index -> unit | span << 8 | asim_op_progress_bytes << 16 */
    uint64_t bytes_done;     /* asim_op_progress_bytes of the ops that have ended */
    const struct asim_world_job *job;
    const struct asim_groups *named; /* groups of a METADATA op, or NULL */
    /* collectives */
    struct asim_queue *queues; /* [dims x queues_per_dim] */
    struct asim_dim_round_robin *round_robin;
    /* The counter behind LIFO and FIFO (system-layer.md#priorities). */
    int64_t priority;
    struct asim_map sequences; /* group id -> collectives issued; chunks issued */
    uint64_t alone, alone_op;  /* collectives without another member; the id of the first */
    struct asim_coll_op *open_head, *open_tail;
    /* messages */
    struct asim_map inboxes; /* (source, tag) -> struct asim_inbox * */
    struct asim_track track;
    /* values that may differ between ranks */
    double compute_scale;
    uint64_t start_delay_ns, endpoint_ns;
    struct asim_bus *bus;         /* NULL without model-shared-bus */
    struct asim_tensors *tensors; /* NULL without track-local-mem */
};

struct asim_fabric;
struct asim_inputs;
struct asim_machine;
struct asim_nccl_env;
struct asim_messages_hooks;
struct asim_named_groups;
struct asim_scenario;
struct asim_scenario_storage;

/* A file that the run reads, or the prefix of traces; the name is in the arena. */
struct asim_input {
    const char *name;
    int is_prefix;
};

/* Storage hosts of a section of the scenario, as nodes. */
struct asim_storage {
    const struct asim_scenario_storage *from;
    uint32_t *hosts, n;
};

/* The set-up: constant once the world is open. */
struct asim_world_setup {
    struct asim_settings settings; /* strings not kept */
    const char *reports;           /* names of further reports (--reports), or NULL */
    const char *pcap, *log_folder; /* file to capture frames in; folder for log.log; or NULL */
    const char *log_file;          /* log.txt in --out, or NULL */
    struct asim_inputs *inputs;    /* all files that the run reads */
    ASIM_VEC(struct asim_input) input_names; /* the same, as named */
    uint64_t options_digest[2];              /* of the version and the options */
    char identity[33];                       /* "" until asim_world_identity is called */
    struct asim_system system;
    struct asim_netconf net;
    struct asim_memory memory;
    struct asim_topo topo;
    struct asim_machine *machine;   /* of the ranks, or NULL (collective/machine.h) */
    struct asim_nccl_env *nccl_env; /* NCCL's variables, or NULL */
    struct asim_route *route;
    int has_unjoined_ranks;   /* some pair of ranks has no path: only messages that need it fail */
    uint32_t n_ranks, n_here; /* of the run, of this process */
    struct asim_scenario *scenario; /* or NULL */
    struct asim_network_plan *plan; /* its events and traffic (scenario/plan.h), or NULL */
    uint32_t n_generators;          /* of background traffic in the plan */
    struct asim_world_job *jobs;    /* [n_jobs], at least one */
    struct asim_storage *checkpoints, *loading; /* as in the scenario */
    uint32_t *host_of; /* [n_ranks] of a scenario: the host of each rank in the topology as read */
    uint64_t end_ns;   /* from then on ranks begin no op */
    uint32_t n_jobs;
    uint64_t ops_total;         /* ops in the traces of this process */
    uint64_t bytes_total;       /* asim_op_progress_bytes of these */
    int is_listed;              /* the network keeps ns-3's event list */
    double packet_events;       /* about so many a packet makes (order.c); 0: nobody asks */
    struct asim_census census;  /* of these ops */
    int64_t endpoint_ns;        /* endpoint delay of ranks without a delay of their own */
    struct asim_dims dims;      /* logical dimensions; of a scenario: of no use */
    uint32_t most_dims;         /* of the job with the most */
    struct asim_netshape shape; /* only of an analytical network */
    /* The algorithms of each type and dimension; the algorithms of groups and of all-to-all-v. */
    struct asim_coll_choice *choices[ASIM_COLL_TYPES];
    uint32_t n_choices[ASIM_COLL_TYPES];
    struct asim_coll_choice ring, direct;
    struct asim_dims_order order;
    char *custom[ASIM_COLL_TYPES]; /* prefixes of traces that replace an algorithm, or NULL */
    struct asim_node_prefixes node_prefixes;
    uint32_t max_phases;        /* of a chunk */
    uint32_t queue_limit;       /* chunks that run at once in a queue */
    uint32_t units[ASIM_UNITS]; /* ops of a rank that may run at once */
    uint32_t without;           /* fast paths turned off (net/ways.h) */
    size_t bus_request_bytes;   /* size of a request of the LogGP bus; 0: no rank has a bus */
};

/* Data that any shard makes on first use, under the lock; constant from then on. */
struct asim_world_made {
    pthread_mutex_t lock;
    struct asim_op_graph *op_graphs;              /* op graphs read from traces so far */
    struct asim_op_graph_set *op_graph_sets;      /* algorithms of all members checked so far */
    struct asim_nccl_graph *nccl_graphs;          /* NCCL graphs compiled so far */
    struct asim_map nccl_choices;                 /* (group, bytes) -> 1 + index of NCCL's plan */
    ASIM_VEC(struct asim_nccl_choice) nccl_plans; /* (collective/nccl_choice.c) */
    struct asim_map nccl_locals;  /* (base and stride, members) -> 1 + members of a server */
    struct asim_map nccl_servers; /* (members, how many) -> one of these: */
    struct asim_nccl_servers *all_nccl_servers; /* (collective/nccl_servers.c) */
    double *nccl_loads;                         /* of its links or ranks, or NULL */
    uint64_t nccl_said;                         /* which of these a note has told */
    struct asim_named_groups *named;            /* groups of METADATA ops (collective/groups.c) */
};

/* The network that carries the messages. */
struct asim_world_network {
    const struct asim_net_backend *backend;
    struct asim_net *carrier;
    struct asim_due_queue *queue; /* the carrier's, where all ranks share one clock; else NULL */
    /* Of a packet network: its functions, and their first argument. */
    const struct asim_packet_network *packets;
    struct asim_fabric *packet_net;
};

/* The run: state that changes in simulated time. */
struct asim_world_run {
    struct asim_rank *ranks;        /* [n_ranks], each on cache lines of its own */
    void *ranks_memory;             /* the allocation behind ranks */
    struct asim_rank_shard *shards; /* [n_shards] */
    const uint16_t *shard_of;       /* [nodes of the network], NULL: one shard */
    uint32_t n_shards;
    uint32_t ranks_done;         /* finished ranks of this process at the end of the last window */
    int failed, stopped;         /* stopped: the stop hook says so */
    uint64_t settled_ns;         /* all ranks have passed this time */
    struct asim_failure failure; /* the first in simulated time */
    struct asim_event_bus event_bus;
    struct asim_breakdown *breakdown;     /* NULL: nobody asks (rank/breakdown.h) */
    struct asim_consistency *consistency; /* collectives under way */
    struct asim_map sizes;                /* message sizes with numbers (ops/p2p.c) */
    struct asim_nvswitch *nvswitches;     /* [topo.endpoints]; NULL where NVSwitches take no part */
    struct asim_memory_server *memory_servers;
    uint32_t *storage_sent;      /* [hosts] messages of storage hosts so far */
    int no_tensor_list_reported; /* the user knows that an op lists no tensors (rank/tensor.c) */
};

struct asim_world {
    struct asim_hooks hooks;
    struct asim_arena arena;
    struct asim_world_setup set;
    struct asim_world_made made;
    struct asim_world_network via;
    struct asim_world_run run;
    struct asim_distribution *dist; /* NULL: this process simulates all ranks (distribution.h) */
    struct asim_messages_hooks *own_messages; /* of the program (asim/messages.h); NULL: none */
    /* asim_op_done (ops/issue.c), for the end of a collective (chunk_scheduler.c). */
    void (*op_done)(struct asim_rank *rank, uint32_t op);
    /* The network calls these of wake.c: asim_rank_relay_over, asim_rank_repeat_begin, _over,
     * _release. */
    void (*relay_over)(void *uniform);
    void (*repeat_begin)(void *runner, struct asim_repeat *repeat);
    void (*repeat_over)(void *runner);
    void (*repeat_release)(void *runner);
};

static inline struct asim_rank_shard *asim_rank_shard_of(const struct asim_world *world,
                                                         uint32_t node)
{
    return &world->run.shards[world->run.shard_of ? world->run.shard_of[node] : 0];
}

/* Whether the network, once it is open, has all these bits of enum asim_net_trait and enum
 * asim_net_capability. */
static inline int asim_world_has(const struct asim_world *world, unsigned bits)
{
    return world->via.carrier && (world->via.backend->traits & bits) == bits;
}

static inline uint64_t asim_node_now(const struct asim_world *world, uint32_t node)
{
    return world->via.queue ? world->via.queue->now_ns
                            : world->via.backend->now(world->via.carrier, node);
}

/* Sizes of communication weigh ops in the progress of a run; 48 bits. */
static inline uint64_t asim_op_progress_bytes(const struct asim_op *op)
{
    int is_comm = op->type == ASIM_OP_COMM_COLL || op->type == ASIM_OP_COMM_SEND;

    return is_comm ? op->comm_bytes & 0xffffffffffff : 0;
}

static inline uint64_t asim_rank_now(const struct asim_rank *rank)
{
    return rank->clock ? *rank->clock : asim_node_now(rank->world, rank->id);
}

/* The number of a rank in its job, as its traces have it. */
static inline uint32_t asim_rank_in_job(const struct asim_rank *rank)
{
    return rank->id - rank->job->first;
}

/* Whether the rank lives in this process. All fields of other ranks are 0. */
static inline int asim_rank_is_here(const struct asim_rank *rank)
{
    return rank->world != NULL;
}

/* A new message id. */
static inline uint64_t asim_send_id(struct asim_rank *rank)
{
    return (uint64_t)rank->id << 32 | (uint32_t)rank->sent++;
}

#endif
