/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Converts a linked trace (or a host trace alone) to a Chakra execution trace
 * (chakra.md#converting-a-pytorch-trace). The state of one conversion, and its phases in order. The
 * text of the nodes stays in the input file; a node takes about 100 bytes here.
 */
#ifndef ASIM_CONVERTER_CONVERT_CONVERT_H
#define ASIM_CONVERTER_CONVERT_CONVERT_H

#include "base/diagnostics.h"
#include "convert/comm.h"
#include "link/host.h"

enum asim_et_kind { ASIM_ET_CPU, ASIM_ET_GPU, ASIM_ET_METADATA };

enum asim_et_flag {
    ASIM_ET_ROOT = 1,      /* root of a thread */
    ASIM_ET_OPTIMIZER = 2, /* parity: Optimizer.step counts no time */
    ASIM_ET_KERNEL = 4,    /* category kernel: not a copy or a memset */
    ASIM_ET_DELETED = 8,
    ASIM_ET_VISITED = 16,
    ASIM_ET_HAS_TS = 32,
    ASIM_ET_NO_CTRL = 64, /* its control dependency would close a cycle */
    ASIM_ET_MADE = 128    /* made from a host op */
};

struct asim_et_node { /* 32 bytes, beside struct asim_host_node */
    double dur, ts;   /* us */
    uint32_t name;
    uint32_t comm;   /* index in `comm`, or ASIM_NONE */
    uint32_t stream; /* name of the stream */
    int16_t device;
    uint8_t kind, flags;
};

struct asim_et_wait { /* from sync_dep */
    uint32_t node;
    int64_t id; /* of the GPU node it waits for */
};

struct asim_convert_options {
    const char *input, *output;
    const char *called;               /* input in sentences on its calls, NULL: its path */
    const char *groups;               /* file for the communicator groups, or NULL */
    const struct asim_pgroups *known; /* of ranks converted before, or NULL */
    const struct asim_names *known_names;
    int64_t rank;    /* own rank for send and receive nodes, -1 = unknown */
    int compat;      /* as Chakra's tool, defects included */
    int strict;      /* cycles, guessed types and unknown sizes are errors */
    int equal_parts; /* all-to-alls, whatever sizes they state: ranks are missing */
    int no_guess;    /* a communication kernel of unknown type is an error */
    int no_stream_order, no_sync, no_comm_order, no_host_comm;
    struct asim_diagnostics notes; /* receives every cycle and every guess; say may be NULL */
};

struct asim_convert_counts {
    uint64_t cpu, gpu, metadata, comm, written;
    uint64_t repeated, deleted, orphans, lost_gpu, cycles, deps_dropped;
    uint64_t stream_edges, sync_edges, comm_edges, thread_edges;
    uint64_t guessed, sizes_found, sizes_missing, p2p_unknown, host_comm;
    uint64_t batch_members, batch_rest, no_kernel, no_kernel_bytes, no_calls, alone;
    uint64_t groups_differ;
    uint64_t groups_unknown;
    int64_t most_members;       /* of a group, as calls state its size */
    uint64_t split, split_even; /* all-to-alls with sizes of each member; stated, but not usable */
    uint64_t by_kind[ASIM_COLL_TYPES], bytes_by_kind[ASIM_COLL_TYPES], sends, recvs;
    double cpu_us, gpu_us;
};

struct asim_edge {
    uint32_t to, from; /* to waits for from */
};

struct asim_convert {
    const struct asim_convert_options *opt;
    struct asim_host_trace host;
    struct asim_names names;
    ASIM_VEC(struct asim_et_node) node; /* parallel to host.node */
    ASIM_VEC(struct asim_et_wait) wait;
    ASIM_VEC(struct asim_comm) comm;
    struct asim_pgroups groups, called; /* called: as calls and kernels tell them */
    uint32_t *child_at, *child; /* children of node i: child[child_at[i]..child_at[i + 1]) */
    ASIM_VEC(struct asim_edge) edge;
    uint32_t *dep_at, *dep; /* the same as ranges for each node, without duplicates */
    int64_t max_id;
    struct asim_convert_counts counts;
};

/* Runs all phases; *cv holds the counts afterwards. */
int asim_convert_run(struct asim_convert *cv, const struct asim_convert_options *opt,
                     struct asim_err *err);
void asim_convert_report(const struct asim_convert *cv, const char *title, FILE *file);
void asim_convert_fini(struct asim_convert *cv);

/* Reads the input and keeps what the graph needs of each node. */
int asim_convert_load(struct asim_convert *cv, struct asim_err *err);

/* Adds a GPU node for each record_param_comms of a host-only trace. */
int asim_convert_make(struct asim_convert *cv, struct asim_err *err);

/* Gives each communication that the host calls a GPU node, in a trace with GPU operations: members
 * of a group that one kernel runs, and calls whose kernel the trace lacks. */
int asim_convert_ledger(struct asim_convert *cv, struct asim_err *err);

/* Finds children and roots; breaks cycles of callers. */
int asim_convert_tree(struct asim_convert *cv, struct asim_err *err);
/* Walks the tree and adds the dependencies of each thread. */
int asim_convert_walk(struct asim_convert *cv, struct asim_err *err);
/* The parent of a node as an index, or ASIM_NONE (none, itself, not in the file). */
uint32_t asim_convert_parent(const struct asim_convert *cv, uint32_t node);
const char *asim_convert_name(const struct asim_convert *cv, uint32_t node);
/* The record_param_comms above a node, or ASIM_NONE. */
uint32_t asim_convert_record_above(const struct asim_convert *cv, uint32_t at);
/* Adds a GPU node `name` for the call `record`: with the id `id`, below `parent`, and beside the
 * kernel `like`, or nowhere if that is ASIM_NONE. Returns 0 or ASIM_ENOMEM. */
struct asim_made {
    uint32_t record, parent, like;
    int64_t id;
    const char *name;
};
int asim_convert_add(struct asim_convert *cv, const struct asim_made *made);
/* Adds an edge. Returns 0 or ASIM_ENOMEM. */
int asim_convert_edge(struct asim_convert *cv, uint32_t to, uint32_t from);

/* Adds the dependencies of streams and waits; makes the final ranges. */
int asim_convert_order(struct asim_convert *cv, struct asim_err *err);

/* Deletes isolated nodes and breaks cycles. */
int asim_convert_clean(struct asim_convert *cv, struct asim_err *err);

/* The communication of a GPU node, from all sources. */
struct asim_comm asim_convert_comm(const struct asim_convert *cv, uint32_t node, int *guessed);

/* Writes the first record: five top-level members of the input as attributes. */
int asim_convert_metadata(struct asim_convert *cv, struct asim_chakra_writer *out,
                          struct asim_err *err);

/* Writes the trace to the output file. */
int asim_convert_emit(struct asim_convert *cv, struct asim_err *err);

#endif
