/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options of every command: what it says and replaces, and ceilings for what an input may grow to
 * and what an output may take.
 */
#ifndef ASIM_CLI_LIMITS_H
#define ASIM_CLI_LIMITS_H

#include "asim/ext/option.h"

struct asim_limits {
    uint64_t trace_bytes, output_bytes; /* 0 = the default */
    int quiet, force;                   /* of commands without such rows of their own */
};
extern const struct asim_option asim_limits_options[];

/* Puts the limits in force, for this process. */
void asim_limits_apply(const struct asim_limits *limits);

#endif
