/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Derives from the device trace: the order of CPU ops, their nesting (exclusive durations), waits
 * between threads (chakra.md#exclusive-durations, chakra.md#waits-between-threads), and the
 * launching op of each GPU operation (chakra.md#matching-operations). `compat` keeps the rules and
 * quirks of Chakra's tools.
 */
#ifndef ASIM_CONVERTER_LINK_NESTING_H
#define ASIM_CONVERTER_LINK_NESTING_H

#include "link/kineto.h"

/* Fills by_time, by_thread, thread_at. */
int asim_nest_order(struct asim_kineto *kin, struct asim_err *err);
/* Fills exclusive and enclosing. path names the file in errors. */
int asim_nest_exclusive(struct asim_kineto *kin, int compat, const char *path,
                        struct asim_err *err);
/* Fills inter_thread. */
int asim_nest_threads(struct asim_kineto *kin, struct asim_err *err);

struct asim_launch_counts {
    uint64_t no_correlation; /* GPU operations without correlation */
    uint64_t no_call;        /* without a runtime call of that correlation */
    uint64_t no_op;          /* whose launching thread ran no op before */
    uint64_t outside;        /* launched outside of any op: the latest op before was taken */
    uint64_t not_listed;     /* launched by calls that Chakra's tools do not know */
};

#endif
