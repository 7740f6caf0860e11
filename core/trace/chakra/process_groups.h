/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Communicator groups that a METADATA op lists: its inputs.values is the Python list repr of
 * PyTorch's process-group JSON, [''[{"pg_name": "1", "ranks": [0, 1]}]''] with two characters of
 * wrapping on each side (spec astra-system.md, section 3.3).
 */
#ifndef ASIM_TRACE_CHAKRA_PROCESS_GROUPS_H
#define ASIM_TRACE_CHAKRA_PROCESS_GROUPS_H

#include "conf/conf.h"

#define ASIM_PROCESS_GROUP_MAX ((1 << 28) - 1) /* ids have their place in message tags */

/* 0; a text that is no JSON list of that kind lists no groups, as in the reference. ASIM_EINVAL: a
 * rank that is no number below n_ranks, or twice in a group. Or ASIM_ENOMEM. groups is to be freed
 * with asim_groups_fini in any case. */
int asim_process_groups(struct asim_groups *groups, const char *text, uint32_t n_ranks);

#endif
