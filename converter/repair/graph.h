/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The graph of one Chakra file: 40 bytes per node, 4 per dependency; the records stay in the file.
 * It is read, filtered, made acyclic, reconnected across removed nodes, and written.
 */
#ifndef ASIM_CONVERTER_REPAIR_GRAPH_H
#define ASIM_CONVERTER_REPAIR_GRAPH_H

#include <stdio.h>
#include "base/diagnostics.h"
#include "asim/trace.h"
#include "lib/index.h"
#include "repair/edit.h"

enum asim_rnode_flag {
    ASIM_RN_REMOVED = 1,
    ASIM_RN_CPU = 2,
    ASIM_RN_NEEDS_SIZE = 4, /* a communication node without a size */
    ASIM_RN_NEEDS_GPU = 8,  /* a communication node marked as a CPU op */
    ASIM_RN_OWN_SIZES = 16  /* an all-to-all of sizes of its own (comm_sizes), other on each rank */
};

struct asim_rnode {
    int64_t id; /* key; ids are unsigned in the file */
    uint64_t place;
    uint64_t bytes;  /* comm_size */
    uint32_t dep_at; /* data dependencies, then control */
    uint32_t data_n, ctrl_n;
    uint32_t group; /* pg_name in names, ASIM_NONE = none */
    int16_t kind;   /* comm_type, -1 = none */
    uint8_t type, flags;
};

struct asim_repair_options {
    int gpu_only;           /* remove METADATA and CPU computations */
    int simple;             /* keep communication only, one after another */
    int astra;              /* remove collectives ASTRA-sim refuses */
    int no_break;           /* a cycle is an error */
    int strict;             /* ranks whose collectives differ are an error */
    uint64_t max_comm;      /* with --simple; 0 = all */
    uint64_t default_bytes; /* for communication nodes without a size; 0 = none */
    const char *group;      /* pg_name for communication nodes without one, or NULL */
    struct asim_diagnostics notes;
    FILE *report; /* gets a summary of each rank; may be NULL */
};

struct asim_repair_counts {
    uint64_t nodes, kept, self, missing, duplicates, cycles, reconnected;
    uint64_t invalid, metadata, cpu, refused, partnerless;
    uint64_t sizes_read, sizes_default, sizes_none, groups, moved_to_gpu, comm;
};

struct asim_graph {
    const char *path;
    uint32_t rank;
    struct asim_chakra *file;
    ASIM_VEC(struct asim_rnode) node; /* file order */
    ASIM_VEC(uint32_t) dep;           /* node numbers; ASIM_NONE = dropped */
    ASIM_VEC(uint64_t) dep_id;        /* while reading */
    struct asim_key_index by_id;
    struct asim_names names;
    uint32_t *topo;           /* nodes, dependencies first */
    uint32_t *join_at, *join; /* new dependencies of node i after reconnecting */
    struct asim_repair_counts counts;
};

int asim_graph_read(struct asim_graph *graph, const char *path, uint32_t rank,
                    const struct asim_repair_options *opt, struct asim_err *err);
/* malloc'ed name of a node for messages; NULL on failure. */
char *asim_graph_name(struct asim_graph *graph, uint32_t node);
void asim_graph_fini(struct asim_graph *graph);

/* Bytes of the tensors in the repr of a node's inputs ("[[718, 715, 0, 6144, 4, 'cuda:0']]"). */
uint64_t asim_repair_tensor_bytes(const char *values);

/* Removes nodes as the options say; counts each under its reason. */
int asim_graph_filter(struct asim_graph *graph, const struct asim_repair_options *opt,
                      struct asim_err *err);
/* Breaks and reports cycles, and fills topo. */
int asim_graph_order(struct asim_graph *graph, const struct asim_repair_options *opt,
                     struct asim_err *err);

/* Connects nodes that were connected through removed nodes. */
int asim_graph_reconnect(struct asim_graph *graph, struct asim_err *err);

/* A trace being written, which begins with the metadata of the graph's. close commits it where code
 * is 0, and returns code or the failure. */
struct asim_graph_sink {
    struct asim_chakra_writer *out;
    struct asim_edit edit;
};
int asim_graph_sink_open(struct asim_graph_sink *sink, struct asim_graph *graph, const char *path,
                         struct asim_err *err);
int asim_graph_sink_close(struct asim_graph_sink *sink, int code, struct asim_err *err);

int asim_graph_write(struct asim_graph *graph, const char *path,
                     const struct asim_repair_options *opt, struct asim_err *err);
/* --simple: communication nodes only, ids from 0, each after the one before. */
int asim_graph_write_simple(struct asim_graph *graph, const char *path,
                            const struct asim_repair_options *opt, struct asim_err *err);

/* All ranks must run the same collectives in each group; reports the differences and counts them in
 * *problems. */
int asim_repair_compare(struct asim_graph *graphs, size_t n, const struct asim_diagnostics *notes,
                        uint64_t *problems, struct asim_err *err);

#endif
