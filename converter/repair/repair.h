/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Repairs the traces of all ranks, for asim trace repair and other commands.
 */
#ifndef ASIM_CONVERTER_REPAIR_REPAIR_H
#define ASIM_CONVERTER_REPAIR_REPAIR_H

#include "lib/rankfiles.h"
#include "repair/graph.h"

/* Repairs each trace and compares the ranks. *problems: differences between ranks. Writes all files
 * or none. */
int asim_repair_run(const struct asim_rankfile *files, size_t n,
                    const struct asim_repair_options *opt, uint64_t *problems,
                    struct asim_err *err);

#endif
