/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bus bandwidth against size as a picture (SVG), a line for each table and a ring for each time
 * that was measured.
 */
#ifndef ASIM_TOOLS_MACHINE_PLOT_H
#define ASIM_TOOLS_MACHINE_PLOT_H

#include "tools/machine/sweep.h"

int asim_size_tables_plot(const struct asim_size_table *tables, size_t n, const char *path,
                          struct asim_err *err);

#endif
