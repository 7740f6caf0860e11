/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The slowdown of flows by size, with exact percentiles.
 */
#ifndef ASIM_TOOLS_REPORT_FCT_H
#define ASIM_TOOLS_REPORT_FCT_H

#include <stddef.h>
#include <stdint.h>
#include "asim/err.h"

struct asim_fct_sizes {
    uint64_t at[32]; /* the largest size of each class, rising; a further class is above */
    size_t n;        /* 0: twenty classes of as many flows */
};

/* "10kB,100kB,1MB". 0, or an error of usage. */
int asim_fct_sizes_parse(struct asim_fct_sizes *sizes, const char *list, struct asim_err *err);
/* Prints the lines of HPCC's fct_analysis.py for a run's folder: share of flows, size, and a tab
 * before the percentiles. */
int asim_fct_print(const char *folder, const struct asim_fct_sizes *sizes, struct asim_err *err);

struct asim_run;
/* What 99 % of a run's background flows of more than `above` and at most `most` bytes are slowed
 * down to at most; 0: it has none, or out of memory. */
double asim_fct_slowdown(const struct asim_run *run, uint64_t above, uint64_t most);

#endif
