/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What limits a run, in a sentence: from the division of the ranks' time, who waited for whom, and
 * what the links carried. verdict.c has the rules and their thresholds.
 */
#ifndef ASIM_TOOLS_REPORT_VERDICT_H
#define ASIM_TOOLS_REPORT_VERDICT_H

#include "tools/report/run.h"

enum asim_limit {
    ASIM_LIMIT_NOTHING, /* the run took no time or did not finish */
    ASIM_LIMIT_COMPUTE,
    ASIM_LIMIT_SLOW_RANK,
    ASIM_LIMIT_WAITING, /* ranks wait for each other in turn, as in the bubbles of a pipeline */
    ASIM_LIMIT_CPU,
    ASIM_LIMIT_IDLE,
    ASIM_LIMIT_UNKNOWN_LINK, /* communication, and links.csv was not recorded */
    ASIM_LIMIT_LOSSES,
    ASIM_LIMIT_PFC,
    ASIM_LIMIT_INCAST,
    ASIM_LIMIT_UPLINKS,
    ASIM_LIMIT_LINKS,
    ASIM_LIMIT_LATENCY,
    ASIM_LIMIT_CONTROL /* links have room, but congestion control or pauses hold senders back */
};

struct asim_verdict {
    enum asim_limit limit;
    char what[96];     /* "the leaf-spine links" */
    char because[400]; /* sentences with the figures */
    char advice[240];  /* one sentence, or "" */
};

void asim_verdict_of(struct asim_verdict *verdict, const struct asim_run *run);
/* "What limits this run: the leaf-spine links. …" Returns buf; 800 bytes are enough. */
const char *asim_verdict_say(char *buf, size_t size, const struct asim_verdict *verdict);

#endif
