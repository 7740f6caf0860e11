/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Counts of ops that are legal and seldom meant, taken while the traces are opened, for the notes
 * of sim/diagnostics.c. Several processes add their counts.
 */
#ifndef ASIM_SIM_RANK_CENSUS_H
#define ASIM_SIM_RANK_CENSUS_H

#include "asim/trace.h"

struct asim_node_prefixes;

struct asim_census {  /* sums up to slips, all of 64 bits (asim_census_add) */
    uint64_t invalid; /* ops of the type INVALID */
    /* STORAGE, BATCH and CHECKPOINT ops; those without a recorded duration. */
    uint64_t host_ops, timeless_host_ops;
    uint64_t broadcasts; /* broadcasts without a recorded duration */
    /* GPU computations; those without a recorded duration; of these, those with num_ops or
     * tensor_size. */
    uint64_t computes, timeless_computes, work_computes;
    uint64_t work_cpu;  /* CPU ops with num_ops and without a recorded duration */
    uint64_t half_work; /* GPU computations with one of num_ops and tensor_size, or a zero */
    /* Collectives, messages and memory accesses; those without a recorded duration. */
    uint64_t transfers, timeless_transfers;
    uint64_t remote;       /* of these, accesses to remote memory */
    uint64_t cpu_computes; /* computations of the CPU */
    uint64_t collectives;
    uint64_t grouped;       /* collectives that name a group other than 0 */
    uint64_t prioritized;   /* collectives with a comm_priority other than 0 */
    uint64_t group_dims;    /* of the grouped ones: with an involved_dim that has a false */
    uint64_t slips;         /* ops with an attribute whose name is nearly one that counts */
    uint64_t own_prefixes;  /* bit i: a collective has the id of entry i of the node prefixes */
    uint64_t versions;      /* traces with a version that asim does not know */
    uint32_t named_ranks;   /* most ranks that the name of a collective of all of them tells */
    uint32_t first_version; /* 1 + the rank of the first of them, 0 = none */
    char version[32];       /* its version */
    char slip[48];          /* the first such attribute */
};

/* Entries of the node prefixes that the census follows. */
enum { ASIM_CENSUS_PREFIXES = 64 };

void asim_census_op(struct asim_census *census, const struct asim_node_prefixes *prefixes,
                    const struct asim_op *op);
void asim_census_version(struct asim_census *census, uint32_t rank, const char *version);
void asim_census_add(struct asim_census *into, const struct asim_census *from);

#endif
