/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One run in several processes: the system layer's half (fabric/parallel/exchange.h is the
 * network's). Nodes are dealt to the processes; a process reads the traces of the ranks on its own
 * hosts and has state for these only, but knows how many there are in all, their groups and
 * dimensions.
 *
 * What is recorded for the reports elsewhere comes to process 0 in buffers (asim_world_pack), and
 * is shown there as soon as nobody can have anything earlier. At the end each process packs what
 * else is asked of it: counts, its failure, who waits for what, what its links carried. Process 0
 * puts these together, in an order that knows no processes, and writes the one report.
 *
 * Example, windows of 500 ns. In [1000, 1500) a rank of process 1 ends at 1,200 and one of process
 * 0 at 1,300. Process 0 settles at 1,500 and shows what lies before 1,000, since buffers of that
 * window are still to come; at 2,000 it has them, and shows 1,200 before 1,300.
 *
 * In per-event mode a process advances its nodes one event at a time, and settles after each;
 * buffers go at the ends of the same windows, so process 0 still shows what lies a window back.
 *
 * A network of one switch is left to process 0 where the settings lend it the others' cores: the
 * others then own no node and read no trace.
 *
 * What is not shared: frames as they pass (pcap, mix.tr), comparisons with analytical networks, and
 * memory that ranks share. These are refused in more than one process, with a sentence each. Traces
 * of local memory are written by the process in which the rank lives, all others by process 0.
 */
#ifndef ASIM_SIM_DISTRIBUTED_DISTRIBUTION_H
#define ASIM_SIM_DISTRIBUTED_DISTRIBUTION_H

#include "base/serializer.h"
#include "topo/partition.h"
#include "sim/distributed/stall.h"

/* What is summed over ranks and processes. */
struct asim_totals {
    uint32_t ranks_done, stopped; /* stopped: a process was asked to stop */
    uint64_t ops_done, ops_total, messages;
    uint64_t dropped;              /* control dependencies on nodes that are not in the traces */
    uint64_t invalid, no_duration; /* ops of the type INVALID; broadcasts without a duration */
    uint32_t idle, first_idle;     /* ranks without ops; 1 + the first of them, 0 = none */
    uint64_t last_ns;              /* the last finish, 0 = none */
    uint64_t settled_ns;           /* how far the run got */
    struct asim_fabric_stats net;
};

struct asim_distribution { /* only where there are several processes */
    uint32_t self, n;
    struct asim_partition part; /* of the nodes to processes */
    /* [nodes] the thread of each node in its process, modulo the number of threads. NULL where
     * process 0 simulates the whole network. */
    uint32_t *thread;
    /* Others may still bring events of the last so many ns before the settled time: the window. */
    uint64_t lag_ns;
    uint64_t last_ns;              /* end of the window before */
    struct asim_serializer events; /* for process 0, not yet packed */
    struct asim_serializer buffer; /* packed last */
    int keeps; /* at the end, in those that follow process 0: its verdict on the run */
    /* In process 0, what the others have brought at their end. */
    struct asim_totals others;
    struct asim_stall stall;
    struct asim_map joined;             /* (rank, group) -> collectives it has joined */
    ASIM_VEC(struct asim_group) groups; /* of rows of the stall: whole lists */
    struct asim_link_use *links;        /* [2 x links], `to` < nodes where it is known */
};

/* Assigns the nodes to processes, where the settings ask for several; after the topology. */
int asim_distribution_open(struct asim_world *world, const struct asim_settings *settings,
                           struct asim_err *err);
/* Tells the packet network which nodes belong to this process. */
int asim_distribution_connect(struct asim_world *world, struct asim_err *err);
void asim_distribution_close(struct asim_world *world);
/* Whether that node (a rank's host is its number) belongs to this process. */
int asim_distribution_has(const struct asim_world *world, uint32_t node);
/* 1 where the run is shared with other processes. */
static inline int asim_is_distributed(const struct asim_world *world)
{
    return world->dist && world->dist->n > 1;
}
/* 1 in the process that shows events and writes reports. */
static inline int asim_distribution_reports(const struct asim_world *world)
{
    return !world->dist || !world->dist->self;
}

/* 1 where the run was sound as far as it came: what a process writes of its own ranks is kept. */
static inline int asim_distribution_keeps(const struct asim_world *world)
{
    return asim_distribution_reports(world) ? !world->run.failed : world->dist->keeps;
}

/* Of this process, and of all that have been put together here. */
void asim_totals_here(const struct asim_world *world, struct asim_totals *totals);
void asim_totals_all(const struct asim_world *world, struct asim_totals *totals);
void asim_totals_add(struct asim_totals *into, const struct asim_totals *from);

/* Between windows: shows what no process can precede any more, or gets it ready for process 0. */
void asim_distribution_settle(struct asim_world *world, uint64_t until);
/* Collectives of a group that a rank has joined, wherever it lives. */
uint64_t asim_distribution_joined(const struct asim_world *world, uint32_t rank, uint64_t group);
/* Adds what the others wait for. */
void asim_distribution_stall(const struct asim_world *world, struct asim_stall *stall);
/* asim_fabric_link_use, wherever the link begins. */
void asim_distribution_link_use(const struct asim_world *world, uint32_t wire,
                                struct asim_link_use *use);

/* pack_events.c: everything pending as bytes, and back. 0 or ASIM_ENOMEM; back also
 * ASIM_EBUG, where bytes are missing. */
int asim_events_pack(struct asim_world *world, struct asim_serializer *into);
int asim_events_unpack(struct asim_world *world, struct asim_deserializer *from);

#endif
