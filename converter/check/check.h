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
#include "conf/conf.h"
#include "trace/stats.h"

#define ASIM_CHECK_SIZED UINT64_MAX
#define ASIM_CHECK_ALL "" /* group of all ranks; "0" is another name of it */

/* One collective, or what is kept of it. */
struct asim_check_coll {
    uint32_t group, type; /* group: index in asim_check.groups */
    uint64_t bytes, id; /* bytes: ASIM_CHECK_SIZED for an all-to-all-v, whose sizes differ by rank */
};

struct asim_check_group {
    char *name;
    uint32_t first_rank; /* whose sequence is kept */
    ASIM_VEC(struct asim_check_coll) kept;
    ASIM_VEC(uint32_t) users; /* ascending */
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
    uint64_t fewest, most; /* ops of a rank */
    struct asim_check_needs needs;
    ASIM_VEC(struct asim_check_group) groups;
    ASIM_VEC(struct asim_check_coll) colls; /* of the rank at hand */
    struct asim_map by_name;                /* hash of the name → 1 + index in groups */
    struct asim_map messages[2];            /* (src, dst, tag) → sends less receives; bytes too */
};

/* prefix, ranks, lenient, groups and say are set. Problems of the traces go to say; what returns
 * as an error is ours: no memory, no such file. */
int asim_check_run(struct asim_check *check, struct asim_err *err);
void asim_check_fini(struct asim_check *check);

void asim_check_say(struct asim_check *check, int is_error, const char *fmt, ...) ASIM_PRINTF(3, 4);

/* --- parts --- */

/* Ids, parents, cycles of one rank. 0 = readable (problems were said), 1 = not. */
int asim_check_graph(struct asim_check *check, uint32_t rank);
/* Looks at every op of one rank, gathers its collectives and messages. 1 = not readable. */
int asim_check_ops(struct asim_check *check, uint32_t rank, struct asim_err *err);
/* Index of the group of that name, made if new; negative = out of memory. */
int64_t asim_check_group(struct asim_check *check, const char *name, uint32_t rank);
/* Compares the collectives of the rank at hand with those kept. */
int asim_check_compare(struct asim_check *check, uint32_t rank, struct asim_err *err);
/* After the last rank: members that never joined, messages without a partner. */
void asim_check_members(struct asim_check *check);
void asim_check_messages(struct asim_check *check);
int asim_check_message(struct asim_check *check, uint32_t rank, const struct asim_op *op);

#endif
