/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The options that every command has. Puts the ceilings of traces and outputs in force. The limit
 * of traces goes into the environment, where base/io/inflate.c looks for it. The limit of outputs
 * is the system's own (RLIMIT_FSIZE), so that it holds however a file is written; a lower one of
 * the user stays.
 */
#define _XOPEN_SOURCE 700
#include "cli/limits.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define OUTPUT_BYTES (64ull << 30)

#define AT(field) offsetof(struct asim_limits, field)
const struct asim_option asim_limits_options[] = {
    {"quiet", NULL, "no summary where the results go to files; notes and errors stay", "0",
     ASIM_T_BOOL, AT(quiet), .flags = ASIM_F_NO_RESULT},
    {"force", "f",
     "replace what is there and serves as input: traces, workloads, topologies, machines, scripts; "
     "results (tables, pages, pictures, folders of runs) are replaced without it",
     "0", ASIM_T_BOOL, AT(force), .flags = ASIM_F_NO_RESULT},
    {"max-trace-size", NULL,
     "most bytes a gzip trace may inflate to; 0: the variable ASIM_MAX_TRACE_SIZE, else 16GiB", "0",
     ASIM_T_SIZE, AT(trace_bytes)},
    {"max-output-size", NULL, "most bytes of a file that is written; 0: 64GiB", "0", ASIM_T_SIZE,
     AT(output_bytes)},
    {0}};

void asim_limits_apply(const struct asim_limits *limits)
{
    struct rlimit now;
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, limits->trace_bytes);
    if (limits->trace_bytes)
        setenv("ASIM_MAX_TRACE_SIZE", text, 1);
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of writing */
    if (getrlimit(RLIMIT_FSIZE, &now) || (!limits->output_bytes && now.rlim_cur != RLIM_INFINITY))
        return;
    now.rlim_cur = limits->output_bytes ? limits->output_bytes : OUTPUT_BYTES;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_FSIZE, &now);
}
