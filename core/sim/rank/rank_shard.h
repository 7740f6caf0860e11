/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A rank shard: the state that one thread writes while a window of simulated time is open, as a
 * worker is on the side of the packet network. Every rank belongs to one shard for the whole run,
 * and the shard's thread makes all callbacks of the rank. Ranks of one shard share its pools and
 * lists. Between windows, during the `settled` callback, one thread may read all shards.
 *
 * A run without threads has one shard. The order of calls differs with the number of shards, so
 * nothing here depends on it: failures, events and other records that join ranks carry their (time,
 * rank) and are ordered between windows.
 *
 * Example: ranks 0 and 1 are in shard 0, ranks 2 and 3 in shard 1, and in one window rank 2 fails
 * at 700 and rank 1 at 900. Shard 0 knows of 900, shard 1 of 700. Between the windows 700 becomes
 * the failure of the run, and events behind it are dropped, such as the end of rank 3 at 800, which
 * a run with shorter windows would not have reached.
 */
#ifndef ASIM_SIM_RANK_RANK_SHARD_H
#define ASIM_SIM_RANK_RANK_SHARD_H

#include "asim/err.h"
#include "base/mem.h"
#include "sim/rank/event_bus.h"

struct asim_graph_runner;
struct asim_rank;

/* One pool for each kind of object. An object returns to the shard it came from. */
struct asim_pools {
    struct asim_pool event, tick, uniform, chunk, coll_op, recv, inbox, action, bus;
};

/* A failure and its place among the events: reports keep earlier events and drop later ones. */
struct asim_failure {
    struct asim_err err;  /* code 0: none */
    struct asim_event at; /* its place in the order of events (event_bus.h) */
};

struct asim_children { /* of a node of an op graph: links next to end - 1 (collective/op_graph.h) */
    uint32_t next, end;
};

struct asim_rank_shard {
    struct asim_pools pools;
    struct asim_events *events; /* recorded events: `own`; with one shard the bus's `pending` */
    struct asim_events own;
    uint32_t ranks_done;               /* of this shard */
    struct asim_graph_runner *runners; /* running op graphs */
    /* Stacks of graph_runner.c and chunk_scheduler.c: children of ended nodes that are to start;
     * queues that may start chunks. */
    ASIM_VEC(struct asim_children) ended_nodes;
    ASIM_VEC(uint32_t) changed_queues;
    struct asim_failure failure;
    struct asim_err scratch_err; /* an error before asim_rank_record_failure takes it */
    char apart[64];              /* keeps two shards off one cache line */
};

/* Opens n shards; of[node] is the shard of each host and switch, NULL for one shard. Call it before
 * the first event; a world has one shard until then. 0 or ASIM_ENOMEM. */
int asim_rank_shards_open(struct asim_world *world, uint32_t n, const uint16_t *of);
void asim_rank_shards_close(struct asim_world *world);
/* Between windows: makes events pending, merges the shards' failures and counts finished ranks. */
void asim_rank_shards_gather(struct asim_world *world);
/* Keeps the earlier of two failures; at one place keeps `into`. */
void asim_failure_merge(struct asim_failure *into, const struct asim_failure *from);
/* Records a failure that an observer found at an event. */
void asim_world_record_failure(struct asim_world *world, const struct asim_event *at,
                               const struct asim_err *err);

/* Fails the rank with shard->scratch_err, unless it has failed before: its events stop here, and
 * the run ends at the end of the window. */
void asim_rank_record_failure(struct asim_rank *rank);
/* The same for any host, such as the end point of an NVSwitch; *failed: whether it failed before.
 */
void asim_node_record_failure(struct asim_world *world, uint32_t node, int *failed);
void asim_rank_fail_nomem(struct asim_rank *rank, const char *doing);
/* Fails the rank with this sentence. */
#define asim_rank_fail(rank, ...)                                                                  \
    ((void)asim_err_set(&(rank)->shard->scratch_err, ASIM_EINVAL, __VA_ARGS__),                    \
     asim_rank_record_failure(rank))

/* The end: merges the result of running (code 0: success) with the failures of ranks, and drops the
 * events behind the first failure. */
void asim_world_finish_failures(struct asim_world *world, const struct asim_err *run);

#endif
