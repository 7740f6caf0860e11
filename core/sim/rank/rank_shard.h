/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What one thread writes while a window of simulated time is open: the spine's side of the fabric's
 * shards. Every rank belongs to one shard for the whole run, and its callbacks come from that
 * shard's thread; ranks of one shard share its pools and its lists. Between windows, from the
 * `settled` callback to its return, one thread may look at all shards.
 *
 * A run without threads has one shard. Nothing here says which rank or event was first by the order
 * of calls: that order differs with the number of shards. What joins ranks (failures, events for
 * the reports, who met whom) is kept with its (time, rank) and put in order between windows.
 *
 * Example: ranks 0 and 1 in shard 0, ranks 2 and 3 in shard 1, and in one window rank 2 fails at
 * 700 and rank 1 at 900. Lane 0 knows of 900, shard 1 of 700; between the windows 700 is found to
 * be the run's failure, and events behind it are forgotten, such as the end of rank 3 at 800, which
 * a run with shorter windows would not have come to.
 */
#ifndef ASIM_SIM_RANK_RANK_SHARD_H
#define ASIM_SIM_RANK_RANK_SHARD_H

#include "asim/err.h"
#include "base/mem.h"
#include "sim/rank/event_bus.h"

struct asim_graph_runner;
struct asim_rank;
struct asim_world;

/* Objects of one kind each; they come back to the shard they were taken from. */
struct asim_pools {
    struct asim_pool event, tick, uniform, chunk, dataset, recv, inbox, action, bus;
};

/* The first failure: the earliest in (time, rank), whatever came to be noticed first. A place, not
 * only a time: what stands before it in the reports is kept, what comes behind is not. */
struct asim_failure {
    struct asim_err err;  /* code 0: none */
    struct asim_event at; /* where it stands in the order of events (event_bus.h) */
};

struct asim_rank_shard {
    struct asim_pools pools;
    struct asim_events *events; /* recorded; own, or where there is one shard the show's */
    struct asim_events own;
    uint32_t ranks_done;               /* of this shard */
    struct asim_graph_runner *runners; /* running collectives of algorithms given as traces */
    struct asim_failure failure;
    struct asim_err
        scratch_err; /* filled by what may fail, empty again after asim_rank_record_failure */
    char apart[64];  /* no cache line is written by two shards */
};

/* n shards; of[node] is the shard of each host and switch, NULL where there is one shard. Before
 * the first event; a world has one shard until then. 0 or ASIM_ENOMEM. */
int asim_rank_shards_open(struct asim_world *world, uint32_t n, const uint16_t *of);
void asim_rank_shards_close(struct asim_world *world);
/* Between windows: makes the shards' failures the world's, and counts who has finished. */
void asim_rank_shards_gather(struct asim_world *world);
/* Keeps the earlier of two failures; of two at one place, the one that was there before. */
void asim_failure_merge(struct asim_failure *into, const struct asim_failure *from);
/* A failure found between windows, at the place of an event; err is what it says. */
void asim_world_record_failure(struct asim_world *world, const struct asim_event *at,
                               const struct asim_err *err);

/* The rank fails with what shard->trial says, unless it has failed already: its own events stop
 * here, the run ends at the window's end. */
void asim_rank_record_failure(struct asim_rank *rank);
/* The same of any host, such as an NVSwitch's end point; *failed: whether it has failed before. */
void asim_node_record_failure(struct asim_world *world, uint32_t node, int *failed);
void asim_rank_fail_nomem(struct asim_rank *rank, const char *doing);
/* The same with a sentence. */
#define asim_rank_fail(rank, ...)                                                                  \
    ((void)asim_err_set(&(rank)->shard->scratch_err, ASIM_EINVAL, __VA_ARGS__),                    \
     asim_rank_record_failure(rank))

/* The end: takes what running gave (code 0: it went well) among the ranks' failures, and forgets
 * the events behind the first of them. */
void asim_world_finish_failures(struct asim_world *world, const struct asim_err *run);

#endif
