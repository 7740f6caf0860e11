/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What follows from the device trace alone: the order of CPU ops, how they nest (exclusive
 * durations), which thread waited for which (chakra.md#exclusive-durations and
 * chakra.md#waits-between-threads), and which op launched each GPU operation
 * (chakra.md#matching-operations). With
 * `compat` the published tools' rules and quirks are kept.
 */
#ifndef ASIM_CONVERTER_LINK_NESTING_H
#define ASIM_CONVERTER_LINK_NESTING_H

#include "link/kineto.h"

/* by_time, by_thread, thread_at. */
int asim_nest_order(struct asim_kineto *kin, struct asim_err *err);
/* exclusive and enclosing. path names the file in errors. */
int asim_nest_exclusive(struct asim_kineto *kin, int compat, const char *path,
                        struct asim_err *err);
/* inter_thread. */
int asim_nest_threads(struct asim_kineto *kin, struct asim_err *err);

struct asim_launch_counts {
    uint64_t no_correlation; /* GPU operations that carry none */
    uint64_t no_call;        /* whose correlation no runtime call has */
    uint64_t no_op;          /* whose launching thread ran no op before */
    uint64_t outside;        /* launched outside any op: the latest op before was taken */
    uint64_t not_listed;     /* launched by calls the published tools do not know */
};
/* call and parent of every GPU operation. */
int asim_nest_launches(struct asim_kineto *kin, int compat, struct asim_launch_counts *counts,
                       struct asim_err *err);

#endif
