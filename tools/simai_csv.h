/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclFlowModel_EndToEnd.csv of a packet run (simai.md#output-files): what SimAI's users' scripts
 * read.
 */
#ifndef ASIM_TOOLS_SIMAI_CSV_H
#define ASIM_TOOLS_SIMAI_CSV_H

#include "asim/asim.h"

/* Watches rank 0 of a world that runs the SimAI text `workload`, and writes the file at its end.
 * Call before the start; the world ends it. Fails where the workload is no such text. */
int asim_simai_csv_open(struct asim_world *world, const char *workload, const char *path,
                        struct asim_err *err);

#endif
