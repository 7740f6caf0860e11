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

#include <stdint.h>

struct asim_deserializer;
struct asim_err;
struct asim_host_use;
struct asim_link_use;
struct asim_pause_waits;
struct asim_serializer;
struct asim_settings;
struct asim_stall;
struct asim_traffic_use;
struct asim_world;

/* Assigns the nodes to processes, where the settings ask for several; after the topology. */
int asim_distribution_open(struct asim_world *world, const struct asim_settings *settings,
                           struct asim_err *err);
/* Tells the packet network which nodes belong to this process. */
int asim_distribution_connect(struct asim_world *world, struct asim_err *err);
void asim_distribution_close(struct asim_world *world);
/* Whether that node (a rank's host is its number) belongs to this process. */
int asim_distribution_has(const struct asim_world *world, uint32_t node);
/* 1 where several processes simulate the run. */
int asim_is_distributed(const struct asim_world *world);
/* [nodes] the process of each node; NULL: one process simulates the run. */
const uint32_t *asim_distribution_nodes(const struct asim_world *world);
/* [nodes] the thread of each node in its process, modulo the number of threads; NULL: any. */
const uint32_t *asim_distribution_threads(const struct asim_world *world);
/* 1 in the process that delivers events and writes reports. */
int asim_distribution_reports(const struct asim_world *world);
/* The verdict of process 0 in another process. */
void asim_distribution_end(struct asim_world *world, int verdict);
/* 1 where a process keeps the files about its own ranks: the run did not fail. */
int asim_distribution_keeps(const struct asim_world *world);

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
