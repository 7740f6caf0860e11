/* SPDX-License-Identifier: GPL-2.0-only
 *
 * An op is one node of a rank's trace, in the words of the Chakra execution trace (schema 0.0.4
 * and later, spec chakra.md section 1), reduced to what a simulation needs. The format readers
 * deliver ops in file order; the graph keeps an index of them and the feed hands them out.
 */
#ifndef ASIM_TRACE_OP_H
#define ASIM_TRACE_OP_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/ext/family.h"

/* Chakra NodeType. */
enum asim_op_type {
    ASIM_OP_INVALID = 0,
    ASIM_OP_METADATA,
    ASIM_OP_MEM_LOAD,
    ASIM_OP_MEM_STORE,
    ASIM_OP_COMP,
    ASIM_OP_COMM_SEND,
    ASIM_OP_COMM_RECV,
    ASIM_OP_COMM_COLL,
    ASIM_OP_TYPES
};
/* "COMP_NODE" … as in the Chakra schema; "?" outside the enum. */
const char *asim_op_type_name(int type);

/* Which optional attributes were present. */
enum asim_op_has {
    ASIM_HAS_NUM_OPS = 1 << 0,
    ASIM_HAS_TENSOR_SIZE = 1 << 1,
    ASIM_HAS_COMM_TYPE = 1 << 2,
    ASIM_HAS_COMM_SIZE = 1 << 3,
    ASIM_HAS_COMM_SRC = 1 << 4,
    ASIM_HAS_COMM_DST = 1 << 5,
    ASIM_HAS_COMM_TAG = 1 << 6,
    ASIM_HAS_PRIORITY = 1 << 7,
    ASIM_HAS_INVOLVED_DIM = 1 << 8,
    ASIM_HAS_COMM_SIZES = 1 << 9,
    ASIM_HAS_TENSORS = 1 << 10, /* inputs or outputs, if only as empty lists */
    ASIM_HAS_QUEUE = 1 << 11
};

/* The longest duration an op may have: 146 years. */
#define ASIM_DURATION_NS_MAX (UINT64_C(1) << 62)

struct asim_op {
    uint64_t id;
    uint8_t type; /* enum asim_op_type */
    uint8_t is_cpu;
    uint8_t involved_n; /* length of the involved_dim list */
    uint32_t has;       /* bits of enum asim_op_has */
    uint16_t involved;  /* bit d = involved_dim[d] */
    int64_t priority;
    /* As the trace has them; the reference uses duration only (spec astra-system.md, 3.1). */
    uint64_t duration_micros, start_micros;
    uint64_t duration_ns; /* exact, where the trace knows it; else 0 */
    /* For the roofline and for memory ops. */
    uint64_t num_ops, tensor_bytes;
    /* comm_type is an enum asim_coll_type; the tag is only compared. */
    uint32_t comm_type, comm_src, comm_dst, comm_tag;
    uint32_t comm_queue; /* ours: which queue of its dimension a collective waits in */
    /* Of a collective: what each rank holds before, of an all-gather what each contributes
     * (3.6). */
    uint64_t comm_bytes;
    /* Borrowed until the next call of the reader or the feed; "" where absent. */
    const char *name, *pg_name;
    const char *inputs_values;                          /* METADATA nodes: process-group JSON */
    const char *const *input_list, *const *output_list; /* attrs inputs/outputs: string lists */
    size_t input_n, output_n;
    /* Borrowed likewise. comm_sizes: all-to-all-v, bytes to each member of the group in its order;
     * comm_bytes is their sum then. */
    const uint64_t *data_deps, *ctrl_deps, *comm_sizes;
    size_t data_dep_n, ctrl_dep_n, comm_size_n;
};

/* Family trace/format: row symbols asim_trace_format_<file>, table asim_trace_format_table. */
struct asim_reader; /* one open trace of one rank; each format has its own struct behind it */
struct asim_trace_format {
    struct asim_member member;
    const char *suffix; /* of the file of one rank: "et" for <prefix>.<rank>.et */
    /* 1 if the first bytes look like this format. gzip is seen through by the caller. */
    int (*sniff)(const void *head, size_t size);
    int (*open)(struct asim_reader **reader, const char *path, uint32_t rank, struct asim_err *err);
    /* 1 and *op filled; 0 at the end; negative on error (with the byte offset in the sentence). */
    int (*next)(struct asim_reader *reader, struct asim_op *op, struct asim_err *err);
    /* Where the op last delivered stands, for at(); opaque. */
    uint64_t (*tell)(const struct asim_reader *reader);
    /* Delivers again the op that stood there. */
    int (*at)(struct asim_reader *reader, uint64_t place, struct asim_op *op, struct asim_err *err);
    void (*close)(struct asim_reader *reader);
    /* Formats whose one file serves all ranks: how many. NULL = a file for each rank. */
    int (*ranks)(const char *path, uint32_t *ranks, struct asim_err *err);
};
extern const struct asim_member *const asim_trace_format_table[];

/* Number of ranks with files <prefix>.<r>.et (or .et.gz) for r = 0, 1, …; a gap is an error that
 * names the missing file. */
int asim_trace_ranks(const char *prefix, uint32_t *ranks, struct asim_err *err);
/* The same, and whether each rank has a .et of its own, which need not be looked for then. */
struct asim_trace_files {
    uint32_t ranks;
    int plain;
};
int asim_trace_count(const char *prefix, struct asim_trace_files *files, struct asim_err *err);
/* malloc'ed path of a rank's file, .et before .et.gz; fails with "no file …" naming both. */
int asim_trace_path(const char *prefix, uint32_t rank, char **path, struct asim_err *err);

#endif
