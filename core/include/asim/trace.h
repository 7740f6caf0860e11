/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Execution traces: what each rank of a training job does. The library reads Chakra execution
 * traces (schema 0.0.4 and later; one file per rank, <prefix>.<rank>.et, plain or gzip) and SimAI /
 * AICB workload text (one file for all ranks), and it writes Chakra traces.
 *
 *     read    asim_trace_open, asim_trace_next until 0, asim_trace_close
 *     write   asim_chakra_writer_open, _metadata, _node for each node, _commit or _discard
 *
 * Functions that can fail return 0 or a negative enum asim_code and fill err, which may be NULL. A
 * sentence about a file has the file name and, where it exists, the byte offset. A trace and a
 * writer belong to one thread at a time; different ones are independent. asim/trace_record.h has
 * the complete Chakra records, with all attributes.
 */
#ifndef ASIM_TRACE_H
#define ASIM_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"
#include "asim/export.h"

ASIM_C_BEGIN

/* --- ops ------------------------------------------------------------------------------------ */

/* Types of nodes: Chakra's NodeType. */
enum asim_op_type {
    ASIM_OP_INVALID = 0,
    ASIM_OP_METADATA,
    ASIM_OP_MEM_LOAD,
    ASIM_OP_MEM_STORE,
    ASIM_OP_COMP,
    ASIM_OP_COMM_SEND,
    ASIM_OP_COMM_RECV,
    ASIM_OP_COMM_COLL,
    ASIM_OP_STORAGE, /* this and the next two, after Chakra 1.0: work of the host, is_cpu is 1 */
    ASIM_OP_BATCH,
    ASIM_OP_CHECKPOINT,
    ASIM_OP_TYPES
};
/* "COMP_NODE" …, Chakra's names; "?" outside the enum. */
ASIM_API const char *asim_op_type_name(int type);

/* Types of collectives: Chakra's CollectiveCommType. */
enum asim_coll_type {
    ASIM_ALL_REDUCE = 0,
    ASIM_REDUCE,
    ASIM_ALL_GATHER,
    ASIM_GATHER,
    ASIM_SCATTER,
    ASIM_BROADCAST,
    ASIM_ALL_TO_ALL,
    ASIM_REDUCE_SCATTER,
    ASIM_REDUCE_SCATTER_BLOCK,
    ASIM_BARRIER,
    ASIM_COLL_TYPES
};
/* "ALL_REDUCE" …, Chakra's names; "?" outside the enum. */
ASIM_API const char *asim_coll_type_name(int type);

/* Bits of asim_op.has: the optional attributes that the trace has. */
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
    ASIM_HAS_TENSORS = 1 << 10, /* inputs or outputs, also as empty lists */
    ASIM_HAS_QUEUE = 1 << 11
};

/* The longest duration of an op: 146 years. */
#define ASIM_DURATION_NS_MAX (UINT64_C(1) << 62)

/* One node of a rank's trace, reduced to the attributes that a simulation uses. */
struct asim_op {
    uint64_t id;
    uint8_t type; /* enum asim_op_type */
    uint8_t is_cpu;
    uint8_t involved_n; /* length of the involved_dim list */
    uint32_t has;       /* bits of enum asim_op_has */
    uint16_t involved;  /* bit d = involved_dim[d] */
    int64_t priority;
    /* As recorded. A simulation uses the duration only. */
    uint64_t duration_micros, start_micros;
    uint64_t duration_ns; /* attribute duration_ns of asim; 0 = not present */
    /* Floating-point operations and bytes, for the roofline model and for memory ops. */
    uint64_t num_ops, tensor_bytes;
    /* comm_type: enum asim_coll_type. comm_tag: equal tags match, the value has no meaning. */
    uint32_t comm_type, comm_src, comm_dst, comm_tag;
    uint32_t comm_queue; /* attribute of asim: the queue where a collective waits */
    /* Of a collective: bytes of each rank before it; of an all-gather: what each rank adds. */
    uint64_t comm_bytes;
    /* Borrowed until the next call on the reader; "" if absent. */
    const char *name, *pg_name;
    const char *inputs_values; /* METADATA: process groups as JSON */
    /* While read in order: an attribute whose name is nearly one that counts; or NULL. */
    const char *slip;
    /* Tensor names: attributes inputs, outputs. */
    const char *const *input_list, *const *output_list;
    size_t input_n, output_n;
    /* Borrowed likewise. comm_sizes makes an all-to-all an all-to-all-v: bytes to each member of
     * the group, in the group's order; comm_bytes is their sum then. */
    const uint64_t *data_deps, *ctrl_deps, *comm_sizes;
    size_t data_dep_n, ctrl_dep_n, comm_size_n;
};

/* --- reading -------------------------------------------------------------------------------- */

struct asim_trace_format;

/* One open trace of one rank. The fields are private. */
struct asim_trace {
    const struct asim_trace_format *format;
    void *reader; /* of the format */
    char *path;
};

/* Opens the trace of a rank: <prefix>.<rank>.et or .et.gz, or `prefix` itself if it is a file for
 * all ranks. */
ASIM_API int asim_trace_open(struct asim_trace *trace, const char *prefix, uint32_t rank,
                             struct asim_err *err);
/* Opens one file of any name as a Chakra trace. */
ASIM_API int asim_trace_open_file(struct asim_trace *trace, const char *path, struct asim_err *err);
/* Reads the next op in file order. Returns 1 and fills *op, or 0 at the end, or a negative code. */
ASIM_API int asim_trace_next(struct asim_trace *trace, struct asim_op *op, struct asim_err *err);
/* The position of the op that asim_trace_next delivered last; only for asim_trace_at. */
ASIM_API uint64_t asim_trace_tell(const struct asim_trace *trace);
/* 1 if asim knows the version that the file states, or it states none. *version: the text, borrowed
 * until asim_trace_close. */
ASIM_API int asim_trace_version_known(const struct asim_trace *trace, const char **version);
/* Reads the op at a position again. Does not change the order of asim_trace_next. */
ASIM_API int asim_trace_at(struct asim_trace *trace, uint64_t position, struct asim_op *op,
                           struct asim_err *err);
/* Also closes an all-zero struct. */
ASIM_API void asim_trace_close(struct asim_trace *trace);

/* Counts the ranks of a workload: files for the ranks 0, 1, …; a missing rank in between is an
 * error. */
ASIM_API int asim_trace_ranks(const char *prefix, uint32_t *ranks, struct asim_err *err);
/* Makes the path of a rank's file, .et before .et.gz; the caller frees it. */
ASIM_API int asim_trace_path(const char *prefix, uint32_t rank, char **path, struct asim_err *err);
/* 1 if `prefix` is itself a file, the trace of all ranks. */
ASIM_API int asim_trace_is_shared(const char *prefix);

/* --- a whole trace -------------------------------------------------------------------------- */

/* Counts and sums of one trace. Sums stop at UINT64_MAX. */
struct asim_trace_stats {
    uint64_t ops, cpu_ops;
    uint64_t by_type[ASIM_OP_TYPES];
    uint64_t micros_by_type[ASIM_OP_TYPES]; /* recorded durations */
    uint64_t colls[ASIM_COLL_TYPES];        /* by comm_type */
    uint64_t coll_bytes[ASIM_COLL_TYPES];   /* sums of comm_size */
    uint64_t other_colls;                   /* comm_type absent or unknown */
    uint64_t sent_bytes, received_bytes;    /* of send and receive ops */
    uint64_t no_size;                       /* communications without comm_size */
    uint64_t data_deps, ctrl_deps;          /* as written, repeated ones included */
    uint64_t first_id, last_id;             /* lowest and highest */
};
/* Reads the trace to its end. */
ASIM_API int asim_trace_stats(struct asim_trace_stats *stats, struct asim_trace *trace,
                              struct asim_err *err);

/* Reads the trace to its end and checks the dependency graph as a simulation does: an id that
 * occurs twice, an op that waits for itself, a missing parent and a cycle are errors that name the
 * ops. With lenient, missing control parents are no errors; *unresolved is their number. */
ASIM_API int asim_trace_check_graph(struct asim_trace *trace, int lenient, size_t *unresolved,
                                    struct asim_err *err);

/* --- communicator groups -------------------------------------------------------------------- */

struct asim_group {
    int64_t id;
    uint32_t *ranks; /* in the order of the file */
    uint32_t n;
};
struct asim_groups {
    struct asim_group *at; /* ascending id */
    size_t n, left_out;    /* left_out: members that the run lacks, where that is allowed */
};
/* Largest group id: ids are parts of message tags. */
#define ASIM_PROCESS_GROUP_MAX ((1 << 28) - 1)

/* Reads a communicator-groups file, JSON {"1": [0, 2], "2": [1, 3]}. ranks: the ranks of the run; a
 * member outside of them (allow_missing: above them, it is left out), or twice in a group, is an
 * error. */
ASIM_API int asim_groups_read(struct asim_groups *groups, const char *path, uint32_t ranks,
                              int allow_missing, struct asim_err *err);
/* Reads the groups that a METADATA op lists (asim_op.inputs_values). A text that is no such list
 * gives no groups. A group of more ranks than the run has is refused: the traces of some ranks are
 * missing. allow_missing: it keeps the ranks that are there. Returns 0, ASIM_EINVAL and `why`
 * ("with a rank that …") where a group cannot be meant, or ASIM_ENOMEM. Call asim_groups_fini in
 * any case. */
enum { ASIM_WHY = 256 };
ASIM_API int asim_process_groups(struct asim_groups *groups, const char *text, uint32_t n_ranks,
                                 int allow_missing, char why[ASIM_WHY]);
ASIM_API void asim_groups_fini(struct asim_groups *groups);

/* --- writing Chakra ------------------------------------------------------------------------- */

/* Type of an attribute's value: the number of the oneof member in chakra.proto. A list has the
 * number after its scalar. */
enum asim_attr_type {
    ASIM_CHAKRA_DOUBLE = 3,
    ASIM_CHAKRA_FLOAT = 5,
    ASIM_CHAKRA_INT32 = 7,
    ASIM_CHAKRA_INT64 = 9,
    ASIM_CHAKRA_UINT32 = 11,
    ASIM_CHAKRA_UINT64 = 13,
    ASIM_CHAKRA_SINT32 = 15,
    ASIM_CHAKRA_SINT64 = 17,
    ASIM_CHAKRA_FIXED32 = 19,
    ASIM_CHAKRA_FIXED64 = 21,
    ASIM_CHAKRA_SFIXED32 = 23,
    ASIM_CHAKRA_SFIXED64 = 25,
    ASIM_CHAKRA_BOOL = 27,
    ASIM_CHAKRA_STRING = 29,
    ASIM_CHAKRA_BYTES = 31
};
#define ASIM_CHAKRA_LIST(type) ((type) + 1) /* ASIM_CHAKRA_LIST(ASIM_CHAKRA_BOOL) = bool_list */

/* "int64_val", "bool_list" …; "?" outside the enum. */
ASIM_API const char *asim_attr_type_name(int type);

struct asim_chakra_bytes {
    const void *data;
    size_t size;
};

struct asim_chakra_attr {
    const char *name, *doc; /* doc may be NULL */
    int type;               /* enum asim_attr_type, or the list of it */
    union {
        double d;                       /* double, float */
        int64_t i;                      /* int, sint, sfixed */
        uint64_t u;                     /* uint, fixed, bool */
        const char *s;                  /* string; NULL = "" */
        struct asim_chakra_bytes bytes; /* bytes */
        struct {
            /* double[] for double and float, int64_t[] for the signed types, uint64_t[] for the
             * unsigned types and bool, const char *[] for strings, struct asim_chakra_bytes[]. */
            const void *at;
            size_t n;
        } list;
    } value;
};

struct asim_chakra_io { /* not written if all three are NULL */
    const char *values, *shapes, *types;
};

/* A node to write; the writer reads all pointers during the call only. */
struct asim_chakra_node {
    uint64_t id;
    const char *name; /* NULL = "" */
    int type;         /* enum asim_op_type */
    const uint64_t *ctrl_deps, *data_deps;
    size_t ctrl_dep_n, data_dep_n;
    uint64_t start_micros, duration_micros;
    struct asim_chakra_io inputs, outputs;
    const struct asim_chakra_attr *attrs;
    size_t attr_n;
};

struct asim_chakra_writer;

/* Opens a file for writing and makes missing folders. The file gets its name at commit, where it
 * replaces an existing file. */
ASIM_API int asim_chakra_writer_open(struct asim_chakra_writer **writer, const char *path,
                                     struct asim_err *err);
/* Writes the metadata record. Call it once, before the first node. version NULL = none. */
ASIM_API int asim_chakra_writer_metadata(struct asim_chakra_writer *writer, const char *version,
                                         const struct asim_chakra_attr *attrs, size_t n,
                                         struct asim_err *err);
/* Writes a node. A value that does not fit its type, and a node that is larger than readers accept
 * (64 MiB), are errors. Ids and parents are not checked. */
ASIM_API int asim_chakra_writer_node(struct asim_chakra_writer *writer,
                                     const struct asim_chakra_node *node, struct asim_err *err);
/* Writes one record that the caller encoded, such as a packed message of asim/trace_record.h. */
ASIM_API int asim_chakra_writer_bytes(struct asim_chakra_writer *writer, const void *data,
                                      size_t size, struct asim_err *err);
/* Gives the file its name and frees the writer, also on failure. */
ASIM_API int asim_chakra_writer_commit(struct asim_chakra_writer *writer, struct asim_err *err);
/* Removes the unfinished file and frees the writer; NULL is allowed. */
ASIM_API void asim_chakra_writer_discard(struct asim_chakra_writer *writer);

ASIM_C_END
#endif
