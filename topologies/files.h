/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Formats of topology files, for the commands.
 */
#ifndef ASIM_TOPOLOGIES_FILES_H
#define ASIM_TOPOLOGIES_FILES_H

#include "asim/topology.h"

/* Returns the format of that name; without a name SimAI's format for a topology with NVSwitches or
 * servers, else ASTRA-sim's. NULL with err set if the name is unknown. */
const struct asim_topo_format *asim_files_format(const char *name, const struct asim_topo *topo,
                                                 struct asim_err *err);
/* Returns the format of a file, or NULL. */
const struct asim_topo_format *asim_files_sniff(const char *path);
uint32_t asim_files_count(const struct asim_topo *topo, int kind);

#endif
