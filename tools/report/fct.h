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

/* Flows of one class of sizes. */
struct asim_fct_row {
    uint64_t to_bytes; /* the largest of them */
    size_t n;
    double share, p50, p95, p99, worst; /* share: of all flows, up to here */
};
enum { ASIM_FCT_ROWS = 33 };

struct asim_run;
/* Of the run's messages of jobs (which 0) or background flows (1). Returns how many rows. scratch:
 * [flows]. */
size_t asim_fct_rows(struct asim_fct_row rows[ASIM_FCT_ROWS], const struct asim_run *run, int which,
                     const struct asim_fct_sizes *sizes, double *scratch);
/* Room for it; NULL with err. */
double *asim_fct_scratch(const struct asim_run *run, struct asim_err *err);

/* Prints the lines of HPCC's fct_analysis.py for folders of runs and files as fct.txt: share of
 * flows, size, and for each source a tab and its percentiles. Sources whose rows differ in number
 * have a table each. (fct_table.c) */
int asim_fct_print(const char *const *sources, size_t n, const struct asim_fct_sizes *sizes,
                   struct asim_err *err);

/* What 99 % of a run's background flows of more than `above` and at most `most` bytes are slowed
 * down to at most; 0: it has none, or out of memory. */
double asim_fct_slowdown(const struct asim_run *run, uint64_t above, uint64_t most);

#endif
