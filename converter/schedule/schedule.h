/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Ops of all ranks as a foreign file states them, before they become Chakra traces. Readers add ops
 * and waits; asim_schedule_write checks and writes them.
 */
#ifndef ASIM_CONVERTER_SCHEDULE_H
#define ASIM_CONVERTER_SCHEDULE_H

#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"

enum { ASIM_SCHEDULE_RANKS = 1 << 20 }; /* the most that a workload has */

struct asim_msccl;

struct asim_schedule_op {
    int type;       /* ASIM_OP_COMP, ASIM_OP_COMM_SEND or ASIM_OP_COMM_RECV */
    uint32_t rank;  /* that does it */
    uint32_t peer;  /* of a message */
    uint32_t tag;   /* of a message: the k-th send of a pair and tag meets its k-th receive */
    uint64_t bytes; /* of a message, at least 1 */
    uint64_t ns;    /* of a computation */
    unsigned line;  /* of the file, for errors and names; 0 = the op of a plan: */
    uint32_t block, number;
};

struct asim_schedule_wait {
    uint32_t op, before; /* places of ops of one rank: op starts when `before` has ended */
};

struct asim_schedule {
    const char *path; /* of the file that was read; the caller's */
    uint32_t ranks;
    uint32_t computes; /* computations of a rank at once; 0 = 1 */
    ASIM_VEC(struct asim_schedule_op) op;
    ASIM_VEC(struct asim_schedule_wait) wait; /* in any order */
    uint64_t sends,
        start_waits;     /* messages; waits for a start, made waits for the ends before it */
    uint64_t priorities; /* flows with a priority other than the first one's */
    uint64_t first_ns;   /* when the first flow starts */
    const char *custom;  /* key of the system configuration that takes it; NULL: it is a workload */
};

/* Each fills an empty schedule from the file `path`. ASIM_EINVAL with file and line. The caller
 * calls asim_schedule_fini in any case. */
int asim_schedule_read_goal(struct asim_schedule *schedule, const char *path, struct asim_err *err);
/* ranks: at least the file's largest number + 1, or 0 for that. */
int asim_schedule_read_flows(struct asim_schedule *schedule, const char *path, uint32_t ranks,
                             struct asim_err *err);

/* bytes: comm_size of the collective, in the sense of Chakra. The algorithm has been checked. */
int asim_schedule_from_msccl(struct asim_schedule *schedule, const struct asim_msccl *msccl,
                             uint64_t bytes, struct asim_err *err);

/* Writes PREFIX.<rank>.et for each rank and PREFIX.system.json with as much at once as the schedule
 * needs, all files or none. Sends without their receive, or of another size, are ASIM_EINVAL. */
int asim_schedule_write(struct asim_schedule *schedule, const char *prefix, int force,
                        struct asim_err *err);
void asim_schedule_fini(struct asim_schedule *schedule);

#endif
