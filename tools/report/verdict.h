/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What limits a run, in a sentence: the change that saves most time (cause.c).
 */
#ifndef ASIM_TOOLS_REPORT_VERDICT_H
#define ASIM_TOOLS_REPORT_VERDICT_H

#include "tools/report/run.h"

enum asim_limit {
    ASIM_LIMIT_NOTHING, /* not known: no time, no end, or nothing that was repeated */
    ASIM_LIMIT_COMPUTE,
    ASIM_LIMIT_SLOW_RANK,
    ASIM_LIMIT_BUBBLE, /* of a pipeline */
    ASIM_LIMIT_LINKS,
    ASIM_LIMIT_INCAST,
    ASIM_LIMIT_COLLISIONS, /* of ECMP */
    ASIM_LIMIT_LATENCY,
    ASIM_LIMIT_KERNELS, /* of NCCL, on the GPUs */
    ASIM_LIMIT_ALGORITHM,
    ASIM_LIMIT_WINDOWS,
    ASIM_LIMIT_QPS,
    ASIM_LIMIT_CONTROL,
    ASIM_LIMIT_LOSSES,
    ASIM_LIMIT_PFC,
    ASIM_LIMIT_PACKETS, /* something else that the flow level does not know */
    ASIM_LIMIT_OTHER    /* what no change helps */
};

struct asim_verdict {
    enum asim_limit limit;
    char what[96];     /* "the uplinks (leaf-spine links)" */
    char because[600]; /* sentences with the figures */
    char advice[400];  /* the first remedy and what it saves, or "" */
};

void asim_verdict_of(struct asim_verdict *verdict, const struct asim_run *run);
/* "What limits this run: the leaf-spine links. …" Returns buf; 1200 bytes are enough. */
const char *asim_verdict_say(char *buf, size_t size, const struct asim_verdict *verdict);

/* A change in words, as "leaf-spine links twice as fast". Returns buf; 64 bytes are enough. */
const char *asim_verdict_change(char *buf, size_t size, const struct asim_run_change *change);

/* cause.c. The change that limits the run, NULL: none; the change of that name, or NULL; whether it
 * has the name; whether it saves enough to be a cause. */
const struct asim_run_change *asim_cause_choose(const struct asim_run *run);
const struct asim_run_change *asim_cause_find(const struct asim_run *run, const char *name);
int asim_cause_is(const struct asim_run_change *change, const char *name);
int asim_cause_counts(const struct asim_run *run, const struct asim_run_change *change);

#endif
