/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The reader of SimAI / AICB workload text (asim/simai.h, simai.md#workload-text). Rows repeat for
 * every micro-batch, and equal rows are kept once: a file of 1,800 rows with 15 distinct ones takes
 * 9 kB. All communicator groups are arithmetic progressions of ranks: a group is a base, a stride
 * and a size.
 */
#ifndef ASIM_TRACE_SIMAI_WORKLOAD_H
#define ASIM_TRACE_SIMAI_WORKLOAD_H

#include "asim/simai.h"

/* In the order of enum asim_simai_policy. */
extern const char *const asim_simai_policy_names[ASIM_SIMAI_POLICIES];

/* asim_simai_read from memory; name is for messages. */
int asim_simai_read_bytes(struct asim_simai *w, const char *name, const char *data, size_t size,
                          struct asim_err *err);
/* 1 if the text begins with a policy word. */
int asim_simai_sniff(const void *head, size_t size);

#endif
