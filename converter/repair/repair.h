/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Repairing the traces of all ranks: what asim trace repair does, for others to call.
 */
#ifndef ASIM_CONVERTER_REPAIR_REPAIR_H
#define ASIM_CONVERTER_REPAIR_REPAIR_H

#include "lib/rankfiles.h"
#include "repair/graph.h"

/* Repairs each and compares the ranks. *problems: differences between ranks. All are written, or
 * none. */
int asim_repair_run(const struct asim_rankfile *files, size_t n,
                    const struct asim_repair_options *opt, uint64_t *problems,
                    struct asim_err *err);

#endif
