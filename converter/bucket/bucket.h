/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Gradient buckets of data parallelism (PyTorch's DistributedDataParallel, Li et al., VLDB 2020) in
 * a set of Chakra traces, merged or split to another size. Everything else stays.
 */
#ifndef ASIM_CONVERTER_BUCKET_BUCKET_H
#define ASIM_CONVERTER_BUCKET_BUCKET_H

#include "base/mem.h"
#include "cli/file_set.h"
#include "repair/graph.h"

/* A new bucket: bytes [from, to) of the group's all-reduces, one after another; [first, last] are
 * the recorded ones it has bytes of. */
struct asim_bucket {
    uint64_t from, to;
    uint32_t first, last;
};

/* The all-reduces of a communicator group, in the order of the calls. */
struct asim_bucket_group {
    const char *name; /* "": all ranks */
    uint32_t ranks, first_rank;
    ASIM_VEC(uint64_t) ends;           /* bytes up to and with each recorded one */
    ASIM_VEC(uint8_t) begins;          /* whether a run begins with it, on any rank */
    ASIM_VEC(struct asim_bucket) made; /* empty: these are no gradient buckets */
    ASIM_VEC(uint32_t) last;           /* the last new bucket with bytes of each */
};

struct asim_buckets {
    /* From the caller. */
    const char *input, *output; /* prefixes */
    const char *group; /* the group to change, whatever its all-reduces wait for, or NULL */
    uint64_t bytes;    /* of a bucket */
    int force;         /* replace traces that exist */
    struct asim_diagnostics notes;
    /* Results. */
    uint32_t ranks;
    ASIM_VEC(struct asim_bucket_group) groups;
    struct asim_names names;
    struct asim_file_set set;
};

/* Finds the groups and plans their buckets, without writing. */
int asim_buckets_check(struct asim_buckets *buckets, struct asim_err *err);
int asim_buckets_run(struct asim_buckets *buckets, struct asim_err *err);
void asim_buckets_fini(struct asim_buckets *buckets);

/* --- parts --- */

/* Opens and orders the graph of a rank; notes (or NULL) hear what is wrong in it; *path is
 * malloc'ed and outlives the graph. */
int asim_bucket_open(const struct asim_buckets *buckets, uint32_t rank,
                     const struct asim_diagnostics *notes, struct asim_graph *graph, char **path,
                     struct asim_err *err);
/* The all-reduces of a group on a rank as node numbers, malloc'ed; NULL out of memory. */
uint32_t *asim_bucket_members(const struct asim_graph *graph, const char *group, size_t *n);
/* Fills groups with what all ranks have. (find.c) */
int asim_bucket_find(struct asim_buckets *buckets, struct asim_err *err);
/* Decides which groups have gradient buckets, and makes the new ones. (plan.c) */
int asim_bucket_plan(struct asim_buckets *buckets, struct asim_err *err);
/* Writes the trace of a rank. (rewrite.c) */
int asim_bucket_rewrite(struct asim_buckets *buckets, uint32_t rank, struct asim_err *err);

#endif
