/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One run in several processes: the part of sim (fabric/processes/exchange.h is the network's).
 * Each node belongs to one process. A process reads the traces of the ranks on its own hosts and
 * has state for these only, but it knows the number of ranks, their groups and the dimensions.
 *
 * Other processes send their events to process 0 in buffers (asim_world_pack). Process 0 delivers
 * an event as soon as no process can send an earlier one. At the end each process packs its counts,
 * its failure, the waits of its ranks and the use of its links. Process 0 merges these in an order
 * that does not depend on processes and writes the one report.
 *
 * Example, windows of 500 ns. In [1000, 1500) a rank of process 1 ends at 1,200 and a rank of
 * process 0 at 1,300. Process 0 settles at 1,500 and delivers events before 1,000, since buffers of
 * that window are still to come. At 2,000 it has them, and delivers 1,200 before 1,300.
 *
 * In per-event mode a process advances its nodes one event at a time and settles after each.
 * Buffers still go at the ends of the same windows, so process 0 still delivers with a delay of one
 * window.
 *
 * A network of one switch stays in process 0 where the settings lend it the cores of the others:
 * the others then own no node and read no trace.
 *
 * Several processes refuse, with a sentence each: frame hooks (pcap, mix.tr), comparisons with
 * analytical networks, and memory that ranks share. The process of a rank writes its trace of local
 * memory; process 0 writes all other files.
 */
#ifndef ASIM_SIM_DISTRIBUTED_DISTRIBUTION_H
#define ASIM_SIM_DISTRIBUTED_DISTRIBUTION_H

#include "base/serializer.h"
#include "topo/partition.h"
#include "sim/distributed/stall.h"

/* Sums over ranks and processes. */
struct asim_totals {
    uint32_t ranks_done, stopped; /* stopped: a stop hook said so */
    uint32_t ranks_cut;           /* by the end of the scenario */
    uint64_t ops_done, ops_total, messages;
    /* Of communication ops, as the traces give them; done: with parts of collectives under way. */
    uint64_t bytes_done, bytes_total;
    uint64_t dropped; /* control dependencies on nodes that are not in the traces */
    struct asim_census census;
    uint64_t alone, alone_op;  /* collectives without another member; the id of the first */
    uint32_t alone_rank;       /* 1 + its rank, 0 = none */
    uint32_t idle, first_idle; /* ranks without ops; 1 + the first of them, 0 = none */
    uint64_t last_ns;          /* the last finish, 0 = none */
    uint64_t settled_ns;       /* all ranks have passed this time */
    struct asim_fabric_stats net;
};

struct asim_distribution { /* only where there are several processes */
    uint32_t self, n;
    struct asim_partition part; /* assignment of nodes to processes */
    /* [nodes] the thread of each node in its process, modulo the number of threads. NULL where
     * process 0 simulates the whole network. */
    uint32_t *thread;
    /* Length of a window: other processes may still send events of the last lag_ns before the
     * settled time. */
    uint64_t lag_ns;
    uint64_t last_ns;              /* end of the last window */
    struct asim_serializer events; /* events for process 0, not yet packed */
    struct asim_serializer buffer; /* the buffer of the last pack */
    int keeps;                     /* not in process 0: process 0 says that files are kept */
    /* In process 0: the results of the other processes. */
    struct asim_totals others;
    struct asim_stall stall;
    struct asim_pause_waits pauses;
    struct asim_traffic_use *traffic; /* of each generator, in other processes; NULL: none */
    struct asim_map joined;           /* (rank, group) -> number of collectives joined */
    ASIM_VEC(struct asim_open_coll) open;
    ASIM_VEC(struct asim_group) groups; /* groups that rows of the stall name */
    struct asim_link_use *links;        /* [2 x links]; `to` is UINT32_MAX where unknown */
    struct asim_host_use *hosts;        /* [host], of other processes; NULL: none has told */
};

/* Assigns the nodes to processes, where the settings ask for several; after the topology. */
int asim_distribution_open(struct asim_world *world, const struct asim_settings *settings,
                           struct asim_err *err);
/* Tells the packet network which nodes belong to this process. */
int asim_distribution_connect(struct asim_world *world, struct asim_err *err);
void asim_distribution_close(struct asim_world *world);
/* Whether that node (a rank's host is its number) belongs to this process. */
int asim_distribution_has(const struct asim_world *world, uint32_t node);
/* 1 where several processes simulate the run. */
static inline int asim_is_distributed(const struct asim_world *world)
{
    return world->dist && world->dist->n > 1;
}
/* 1 in the process that delivers events and writes reports. */
static inline int asim_distribution_reports(const struct asim_world *world)
{
    return !world->dist || !world->dist->self;
}

/* 1 where a process keeps the files about its own ranks: the run did not fail. */
static inline int asim_distribution_keeps(const struct asim_world *world)
{
    return asim_distribution_reports(world) ? !world->run.failed : world->dist->keeps;
}

/* The totals of this process; of all processes merged here. */
void asim_totals_here(const struct asim_world *world, struct asim_totals *totals);
void asim_totals_all(const struct asim_world *world, struct asim_totals *totals);
void asim_totals_add(struct asim_totals *into, const struct asim_totals *from);

/* Between windows: delivers the events that no process can precede, or packs them for process 0. */
void asim_distribution_settle(struct asim_world *world, uint64_t until);
/* The number of collectives of a group that a rank of any process has joined. */
uint64_t asim_distribution_joined(const struct asim_world *world, uint32_t rank, uint64_t group);
/* Adds the rows of other processes. */
void asim_distribution_stall(const struct asim_world *world, struct asim_stall *stall);
/* What a generator of background traffic has done in all processes. */
void asim_distribution_traffic_use(const struct asim_world *world, uint32_t index,
                                   struct asim_traffic_use *use);
/* Appends the waits for pauses of all processes; waits->at is the caller's to free. 0 or
 * ASIM_ENOMEM. */
int asim_distribution_pauses(const struct asim_world *world, struct asim_pause_waits *waits);
/* asim_fabric_link_use for a link that may begin in another process. */
void asim_distribution_link_use(const struct asim_world *world, uint32_t wire,
                                struct asim_link_use *use);
/* asim_fabric_host_use for a host that may be in another process. */
void asim_distribution_host_use(const struct asim_world *world, uint32_t host,
                                struct asim_host_use *use);

/* unfinished.c: makes events of the ops and messages under way, once, when the run has ended; in
 * one process, too. */
void asim_record_unfinished(struct asim_world *world);

/* pack_events.c: all pending events as bytes, and back. 0 or ASIM_ENOMEM; unpacking also gives
 * ASIM_EBUG where bytes are missing. */
int asim_events_pack(struct asim_world *world, struct asim_serializer *into);
int asim_events_unpack(struct asim_world *world, struct asim_deserializer *from);

#endif
