/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names of the ops of nccl-tests and rccl-tests.
 */
#ifndef ASIM_TOOLS_MACHINE_OPS_H
#define ASIM_TOOLS_MACHINE_OPS_H

#include "asim/err.h"

/* The words of --op, by enum asim_nccl_op; NULL at the end. */
extern const char *const asim_nccl_op_names[];
/* The op of a word, or -1: all_reduce, AllReduce, all_reduce_perf, also with a path before it. */
int asim_nccl_op_find(const char *word);
/* The same; where there is none, an error of usage that lists the ops. */
int asim_nccl_op_parse(const char *word, int *op, struct asim_err *err);

#endif
