/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A set of n recorded ranks as a set of N = k n: k replicas of what was recorded. Rank b n + r does
 * what rank r did; its sends and receives stay inside replica b. A communicator group either
 * grows, joining its members of all replicas (data parallelism), or each replica has one of its own
 * (tensor, pipeline, expert parallelism inside a replica). Collectives without a group, and those
 * of group 0, join all ranks, as before. Sizes and durations stay: what a rank computes and hands
 * to a collective does not depend on how many replicas there are.
 */
#ifndef ASIM_CONVERTER_SCALE_SCALE_H
#define ASIM_CONVERTER_SCALE_SCALE_H

#include "base/mem.h"
#include "asim/trace_record.h"
#include "base/io/file_set.h"

enum asim_scale_grow {
    ASIM_SCALE_FULL,    /* groups of all recorded ranks grow */
    ASIM_SCALE_STRIDED, /* and those whose ranks are not consecutive */
    ASIM_SCALE_LISTED   /* those listed, and no other */
};

struct asim_scale_group {
    int64_t id, new_id; /* of replica 0; replica b's is new_id + b where it does not grow */
    uint32_t *ranks;
    uint32_t n;
    int grows;
};

struct asim_scale {
    /* set by the caller */
    const char *input, *output, *groups_file; /* prefixes; groups_file may be NULL */
    uint32_t ranks, to;                       /* n, N */
    int grow;                                 /* enum asim_scale_grow */
    const int64_t *listed;
    size_t n_listed;
    /* results */
    ASIM_VEC(struct asim_scale_group) groups;
    uint64_t nodes;
    int wrote_groups, is_sorted;
    struct asim_file_set set;
};

int asim_scale_run(struct asim_scale *scale, struct asim_err *err);
void asim_scale_fini(struct asim_scale *scale);

/* --- parts --- */

/* Groups of the file and of the traces' METADATA nodes, with their numbers in the new set. */
int asim_scale_groups(struct asim_scale *scale, struct asim_err *err);
int asim_scale_write_groups(struct asim_scale *scale, struct asim_err *err);
const struct asim_scale_group *asim_scale_find(const struct asim_scale *scale, int64_t id);
/* Does a METADATA node define process groups? */
int asim_scale_defines(const ChakraProtoMsg__Node *node);
/* Writes rank `rank` of the new set. */
int asim_scale_rank(struct asim_scale *scale, uint32_t rank, struct asim_err *err);

#endif
