/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Turns a set of n recorded ranks into a set of N = k n: k replicas. Rank b n + r does what rank r
 * did; its sends and receives stay inside replica b. A communicator group either grows and joins
 * its members of all replicas (data parallelism), or each replica has its own (tensor, pipeline,
 * expert parallelism inside a replica). Collectives without a group, and those of group 0, join all
 * ranks. Sizes and durations stay: what a rank computes and sends does not depend on the number of
 * replicas.
 */
#ifndef ASIM_CONVERTER_SCALE_SCALE_H
#define ASIM_CONVERTER_SCALE_SCALE_H

#include "base/mem.h"
#include "asim/trace_record.h"
#include "cli/file_set.h"

enum asim_scale_grow {
    ASIM_SCALE_FULL,    /* groups of all recorded ranks grow */
    ASIM_SCALE_STRIDED, /* also groups whose ranks are not consecutive */
    ASIM_SCALE_LISTED   /* the listed groups only */
};

struct asim_scale_group {
    int64_t id, new_id; /* of replica 0; replica b has new_id + b unless the group grows */
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
    int force; /* replace traces that exist */
    /* results */
    ASIM_VEC(struct asim_scale_group) groups;
    uint64_t nodes;
    int wrote_groups, is_sorted;
    struct asim_file_set set;
};

int asim_scale_run(struct asim_scale *scale, struct asim_err *err);
void asim_scale_fini(struct asim_scale *scale);

/* --- parts --- */

/* Collects the groups of the file and of METADATA nodes, with their numbers in the new set. */
int asim_scale_groups(struct asim_scale *scale, struct asim_err *err);
int asim_scale_write_groups(struct asim_scale *scale, struct asim_err *err);
const struct asim_scale_group *asim_scale_find(const struct asim_scale *scale, int64_t id);
/* 1 if a METADATA node defines process groups. */
int asim_scale_defines(const ChakraProtoMsg__Node *node);

#endif
