/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs op graphs: algorithms given as traces, and compiled NCCL graphs.
 */
#ifndef ASIM_SIM_COLLECTIVE_GRAPH_RUNNER_H
#define ASIM_SIM_COLLECTIVE_GRAPH_RUNNER_H

#include "sim/sim.h"

/* Starts the graph of the chunk's present phase. This and the next return the chunk if its phase is
 * over, for asim_chunk_advance, else NULL. */
struct asim_chunk *asim_graph_runner_start(struct asim_rank *rank, struct asim_chunk *chunk);
/* The network calls these for a phase that it may carry by itself (net/net.h): it does not, or it
 * has. They return the runner's rank. */
struct asim_rank *asim_graph_runner_begin(struct asim_graph_runner *runner,
                                          struct asim_repeat *repeat, struct asim_chunk **over);
struct asim_rank *asim_graph_runner_over(struct asim_graph_runner *runner,
                                         struct asim_chunk **over);
/* After that: it will not begin. */
void asim_graph_runner_release(struct asim_graph_runner *runner);
/* A node of the graph ends. */
struct asim_chunk *asim_graph_runner_node_ended(struct asim_rank *rank,
                                                struct asim_graph_runner *runner, uint32_t node);
/* The endpoint delay before a flow is over. */
void asim_graph_runner_send_flow(struct asim_rank *rank, struct asim_graph_runner *runner,
                                 uint32_t node);
/* Frees the graphs still running in a shard. */
void asim_graph_runner_fini(struct asim_rank_shard *shard);

#endif
