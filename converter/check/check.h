/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Checks a whole set of ranks before a simulation: each trace for itself (ids, dependencies,
 * cycles, attributes), then all of them together. Ranks of a group must have the same collectives
 * in the same order, and each send its receive: what is not so ends in a simulation that never
 * ends, the most common trouble with converted traces.
 *
 * Order of a group's collectives = ascending ids, the order in which the simulator starts what is
 * ready. Memory: one rank's collectives, one sequence per group and 24 bytes per pair of ranks and
 * tag that exchange messages.
 */
#ifndef ASIM_CONVERTER_CHECK_CHECK_H
#define ASIM_CONVERTER_CHECK_CHECK_H

#include "base/map.h"
#include "base/mem.h"
#include "asim/trace.h"

#define ASIM_CHECK_SIZED UINT64_MAX
#define ASIM_CHECK_ALL   "" /* group of all ranks; "0" is another name of it */

/* What can be wrong with a node; what is said of each stands in ops.c. */
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
    ASIM_CHECK_FINE /* their number */
};

/* One collective, or what is kept of it. */
struct asim_check_coll {
    uint32_t group, type; /* group: index in asim_check.groups */
    uint64_t bytes;       /* ASIM_CHECK_SIZED for an all-to-all-v, whose sizes differ by rank */
    uint64_t id, place;   /* place: in its trace */
    uint32_t sizes;       /* how many comm_sizes; 0 = none */
    int waits;            /* it has dependencies */
};

/* What a METADATA node of the rank at hand lists. */
struct asim_check_def {
    uint64_t id;
    uint32_t list; /* index in asim_check.lists */
    int is_cpu;
};

/* One such list: all ranks of a job have the same text, so there are few. */
struct asim_check_list {
    char *text;
    struct asim_groups groups;
    int fits; /* only ranks of the set, each once in a group */
};

struct asim_check_group {
    char *name;
    uint32_t first_rank; /* whose sequence is kept */
    ASIM_VEC(struct asim_check_coll) kept;
    ASIM_VEC(uint32_t) users;  /* ascending */
    struct asim_group members; /* borrowed: as the first rank that has them defined; n 0 = none */
    uint64_t bare;             /* collectives of ranks that neither a METADATA node nor a file */
    uint32_t bare_rank;        /* tells the members, and the first such rank */
};

/* What a simulation of the set will need. */
struct asim_check_needs {
    uint64_t memory_ops, group_ops, metadata_groups, timeless_comps, comps_with_ops;
    uint32_t dims; /* length of the longest involved_dim */
};

struct asim_check {
    const char *prefix;
    uint32_t ranks;
    int lenient; /* missing control parents are warnings, as in a lenient simulation */
    int has_file;
    struct asim_groups file; /* communicator groups given */
    void (*say)(void *self, int is_error, const char *sentence);
    void *self;
    uint64_t errors, warnings;
    struct asim_trace_stats total;
    uint64_t fewest, most;     /* ops of a rank */
    uint32_t idle, first_idle; /* ranks without any */
    struct asim_check_needs needs;
    ASIM_VEC(struct asim_check_group) groups;
    ASIM_VEC(struct asim_check_coll) colls; /* of the rank at hand */
    ASIM_VEC(struct asim_check_def) defs;   /* likewise */
    ASIM_VEC(struct asim_check_list) lists;
    struct asim_map by_name; /* hash of the name → 1 + index in groups */
    /* (src, dst, tag) → number of sends minus receives; bytes sent minus received */
    struct asim_map message_counts, message_bytes;
};

/* prefix, ranks, lenient, groups and say are set. Problems of the traces go to say; what returns
 * as an error is ours: no memory, no such file. */
int asim_check_run(struct asim_check *check, struct asim_err *err);
void asim_check_fini(struct asim_check *check);

#endif
