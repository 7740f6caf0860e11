/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A collective algorithm given as traces: op_graph.c reads it and graph_runner.c runs it.
 *
 * Nodes refer to each other by index, because the arrays grow during reading. All ranks share a
 * graph, which is constant once read; the world owns it.
 */
#ifndef ASIM_SIM_COLLECTIVE_OP_GRAPH_H
#define ASIM_SIM_COLLECTIVE_OP_GRAPH_H

#include "sim/sim.h"

#define ASIM_OP_GRAPH_TAG_MAX ((1u << 20) - 1)

struct asim_op_graph_node {
    uint64_t id, bytes, ns; /* ns: duration of a computation */
    uint32_t peer, tag; /* peer: a member; the number of members stands for the server's NVSwitch */
    uint32_t parents, children, first_child;
    uint16_t channel; /* of NCCL */
    uint8_t type;     /* enum asim_op_type: COMP, COMM_SEND or COMM_RECV */
};

struct asim_op_graph_link {
    uint32_t parent, child; /* indices of nodes */
};

struct asim_op_graph { /* the graph of one member */
    struct asim_op_graph *next;
    const char *prefix; /* borrowed from the configuration */
    uint32_t member, n;
    uint32_t channels;     /* of NCCL; 0: an algorithm given as traces */
    uint32_t local, first; /* members of the server, where flows end at NVSwitches, else 0; of these
                              the first */
    uint32_t pieces;       /* each member sends so many to NVSwitches and gets them back, or to the
                              next member of its server, and does nothing else; 0: no such algorithm */
    struct asim_op_graph_node *nodes;          /* ascending id */
    ASIM_VEC(struct asim_op_graph_link) links; /* by parent, then child */
};

/* Sorts the links by parent, drops duplicates, and sets the nodes' indices of links. */
void asim_op_graph_index(struct asim_op_graph *graph);

/* The graph of <prefix>.<member>.et, read on first use; NULL after failing the rank. */
struct asim_op_graph *asim_op_graph_find(struct asim_rank *rank, const char *prefix,
                                         uint32_t member);
void asim_op_graph_fini(struct asim_world *world);

#endif
