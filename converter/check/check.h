/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks the traces of all ranks before a simulation: each trace for itself (ids, dependencies,
 * cycles, attributes), then all together. The ranks of a group must have the same collectives in
 * the same order, and each send its receive, and they must not wait for each other in a circle.
 * Otherwise a simulation never ends, the most frequent problem of converted traces.
 *
 * The collectives of a group are compared by ascending ids, the order in which the simulator starts
 * ready ops. Memory: the collectives of one rank, one sequence per group, 24 bytes per pair of
 * ranks and tag that exchange messages, and the graphs of all ranks (waits.c).
 */
#ifndef ASIM_CONVERTER_CHECK_CHECK_H
#define ASIM_CONVERTER_CHECK_CHECK_H

#include "base/map.h"
#include "base/mem.h"
#include "asim/trace.h"

#define ASIM_CHECK_SIZED UINT64_MAX
#define ASIM_CHECK_ALL   "" /* group of all ranks; "0" is another name */

/* Problems of a node; ops.c has the sentences. */
enum asim_check_problem {
    ASIM_CHECK_NO_TYPE,
    ASIM_CHECK_BAD_TYPE,
    ASIM_CHECK_NO_SIZE,
    ASIM_CHECK_CPU_COMM,
    ASIM_CHECK_NO_PEER,
    ASIM_CHECK_BAD_PEER,
    ASIM_CHECK_OWN_PEER,
    ASIM_CHECK_NOT_OWN,
    ASIM_CHECK_BAD_GROUP,
    ASIM_CHECK_NO_GROUP,
    ASIM_CHECK_EARLY,
    ASIM_CHECK_MAYBE_EARLY,
    ASIM_CHECK_BAD_ID,
    ASIM_CHECK_NOT_MEMBER,
    ASIM_CHECK_OTHERS,
    ASIM_CHECK_BAD_SIZES,
    ASIM_CHECK_BAD_LIST,
    ASIM_CHECK_NO_LIST,
    ASIM_CHECK_INVALID,
    ASIM_CHECK_HOST,
    ASIM_CHECK_HOST_TIMELESS,
    ASIM_CHECK_LONG_MESSAGE,
    ASIM_CHECK_LONG_COLL,
    ASIM_CHECK_NO_DIMS,
    ASIM_CHECK_NO_TENSOR,
    ASIM_CHECK_SLIP,
    ASIM_CHECK_FINE /* number of problems */
};

/* One collective. */
struct asim_check_coll {
    uint32_t group, type; /* group: index in asim_check.groups */
    uint64_t bytes; /* ASIM_CHECK_SIZED for an all-to-all-v, whose sizes differ between ranks */
    uint64_t id, position; /* place: position in its trace */
    uint32_t sizes;        /* number of comm_sizes; 0 = none */
    int waits;             /* 1 if it has dependencies */
};

/* The list of a METADATA node of the current rank. */
struct asim_check_def {
    uint64_t id;
    uint32_t list; /* index in asim_check.lists */
    int is_cpu;
};

/* A list of groups. All ranks of a job have the same text, so there are few. */
struct asim_check_list {
    char *text;
    struct asim_groups groups;
    int fits;           /* its groups can be meant */
    char why[ASIM_WHY]; /* else: why not */
};

struct asim_check_group {
    char *name;
    uint32_t first_rank; /* the rank whose sequence is kept */
    ASIM_VEC(struct asim_check_coll) kept;
    ASIM_VEC(uint32_t) users; /* ascending */
    struct asim_group
        members;        /* borrowed, from the first rank that defines them; n 0 = not defined */
    uint64_t bare;      /* collectives of ranks where neither a METADATA node nor a file */
    uint32_t bare_rank; /* defines the members, and the first such rank */
};

/* Features that a simulation of the set needs. */
struct asim_check_needs {
    uint64_t memory_ops, group_ops, metadata_groups, comps_with_ops;
    /* GPU computations without a duration: without num_ops, and with it. */
    uint64_t timeless_comps, timeless_work;
    uint32_t dims; /* length of the longest involved_dim */
};

struct asim_check {
    const char *prefix;
    uint32_t ranks;
    int lenient;       /* missing control parents are warnings, as in a lenient simulation */
    int allow_missing; /* process groups may list ranks that the set lacks */
    int has_file;
    struct asim_groups file; /* the given groups file */
    void (*say)(void *self, int is_error, const char *sentence);
    void *self;
    uint64_t errors, warnings;
    struct asim_trace_stats total;
    uint64_t fewest, most;     /* numbers of ops of a rank */
    uint32_t idle, first_idle; /* ranks without ops */
    int some_dims;             /* a collective without a group leaves dimensions out */
    uint32_t named;            /* most ranks that names of collectives tell */
    uint32_t odd_version;      /* ranks with a version that asim does not know */
    int unfollowed;            /* too many nodes to find ranks that wait for each other */
    struct asim_check_needs needs;
    ASIM_VEC(struct asim_check_group) groups;
    ASIM_VEC(struct asim_check_coll) colls; /* of the current rank */
    ASIM_VEC(struct asim_check_def) defs;   /* of the current rank */
    ASIM_VEC(struct asim_check_list) lists;
    char bad_list[ASIM_WHY]; /* what is wrong with the list of the last ASIM_CHECK_BAD_LIST */
    struct asim_map by_name; /* hash of the name → 1 + index in groups */
    /* (src, dst, tag) → number of sends minus receives; bytes sent minus received */
    struct asim_map message_counts, message_bytes;
};

/* The caller sets prefix, ranks, lenient, allow_missing, groups and say. Problems of the traces go
 * to say; an error is returned only for a lack of memory or a missing file. */
int asim_check_run(struct asim_check *check, struct asim_err *err);
void asim_check_fini(struct asim_check *check);

/* Counts an error or a warning and passes the sentence to check->say. */
void asim_check_say(struct asim_check *check, int is_error, const char *fmt, ...) ASIM_PRINTF(3, 4);

/* Checks ids, parents and cycles of one rank. */
void asim_check_graph(struct asim_check *check, uint32_t rank);

/* Checks every op of one rank and collects its collectives and messages. Returns 1 if the trace
 * cannot be read to its end: asim_check_graph has reported the reason. */
int asim_check_ops(struct asim_check *check, uint32_t rank, struct asim_err *err);

/* Counts a send or a receive. Returns 0 or ASIM_ENOMEM. */
int asim_check_message(struct asim_check *check, uint32_t rank, const struct asim_op *op);
/* After the last rank: reports messages without a partner. */
void asim_check_messages(struct asim_check *check);

/* Returns the index of the group of that name, and makes it if it is new; negative = out of memory.
 */
int64_t asim_check_group(struct asim_check *check, const char *name, uint32_t rank);
/* Compares the collectives of the current rank with those of the first rank in the group. */
int asim_check_compare(struct asim_check *check, uint32_t rank, struct asim_err *err);
/* After the last rank: reports members that never joined. */
void asim_check_members(struct asim_check *check);

/* Keeps the groups that a METADATA node lists. Returns the problem with them, ASIM_CHECK_FINE, or
 * negative = out of memory. */
int asim_check_metadata(struct asim_check *check, const struct asim_op *op);
/* Sorts the METADATA nodes of the current rank into the order in which they run. */
void asim_check_sort_defs(struct asim_check *check);
/* After all ops of the rank: checks the members of the collective's group. Returns the problem or
 * ASIM_CHECK_FINE. */
int asim_check_named(struct asim_check *check, uint32_t rank, const struct asim_check_coll *coll);

/* Follows all ranks without time, and reports ranks that none can release. 0, or ASIM_ENOMEM with
 * err. A set of more nodes than memory allows is not followed; check->unfollowed tells. */
int asim_check_waits(struct asim_check *check, struct asim_err *err);

#endif
