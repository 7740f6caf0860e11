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
/* A node of the graph ends. */
struct asim_chunk *asim_graph_runner_node_ended(struct asim_rank *rank,
                                                struct asim_graph_runner *runner, uint32_t node);
/* The endpoint delay before a flow is over. */
void asim_graph_runner_send_flow(struct asim_rank *rank, struct asim_graph_runner *runner,
                                 uint32_t node);
/* Frees the graphs still running in a shard. */
void asim_graph_runner_fini(struct asim_rank_shard *shard);

#endif
