/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Flows of a collective as Chakra traces in the form of custom algorithms
 * (system-layer.md#custom-algorithms): one file a member, sends and receives with what each waits
 * for.
 *
 * The traces are read by sim/collective/op_graph.c and by nothing else; they are not a workload of
 * their own.
 */
#ifndef ASIM_TOOLS_NCCL_ET_H
#define ASIM_TOOLS_NCCL_ET_H

#include "asim/nccl.h"
#include "cli/file_set.h"

/* PREFIX.<member>.et, as files of the set. send_lat_ns: computed before each send, 0 = none.
 * Refuses flows that end at an NVSwitch, which is no rank. */
int asim_nccl_write_et(const struct asim_nccl *nccl, const char *prefix, uint64_t send_lat_ns,
                       struct asim_file_set *set, struct asim_err *err);

#endif
