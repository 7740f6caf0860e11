/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The files of a workload.
 */
#ifndef ASIM_TRACE_FILES_H
#define ASIM_TRACE_FILES_H

#include "asim/trace.h"

struct asim_trace_files {
    uint32_t ranks;
    int plain;     /* each rank has a .et file: asim_trace_open_plain needs no search */
    uint32_t both; /* the first rank with a .et and a .et.gz file, or UINT32_MAX */
};
/* Counts the ranks like asim_trace_ranks. */
int asim_trace_count(const char *prefix, struct asim_trace_files *files, struct asim_err *err);

#endif
