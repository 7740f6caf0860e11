/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the topology commands share about files: which flavour to write and to read.
 */
#ifndef ASIM_TOPOLOGIES_FILES_H
#define ASIM_TOPOLOGIES_FILES_H

#include "asim/topology.h"

/* The format of that name; without a name SimAI's for a topology with NVSwitches or servers, else
 * ASTRA-sim's. NULL with err set when unknown. */
const struct asim_topo_format *asim_files_format(const char *name, const struct asim_topo *topo,
                                                 struct asim_err *err);
/* The flavour a file is in, or NULL. */
const struct asim_topo_format *asim_files_sniff(const char *path);
uint32_t asim_files_count(const struct asim_topo *topo, int kind);

#endif
