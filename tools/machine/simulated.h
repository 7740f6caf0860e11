/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The times of a table of nccl-tests from a run over a fabric, in place of the closed form's.
 */
#ifndef ASIM_TOOLS_MACHINE_SIMULATED_H
#define ASIM_TOOLS_MACHINE_SIMULATED_H

#include "asim/err.h"
#include "tools/machine/sweep.h"

struct asim_table_fabric {
    const char *topology;  /* "auto": one switch; "auto,KEY=VALUE" of machine:; or as --topology */
    const char *mode;      /* "flow" or "packet" */
    const char *change;    /* of the machine's file, KEY=VALUE with commas, or NULL */
    const char *variables; /* --nccl-env, or NULL */
};

/* Simulates the rows of the table one after the other, as nccl-tests runs them, and sets their
 * times. Needs an op of all ranks: all-reduce, all-gather, reduce-scatter or all-to-all. */
int asim_size_table_simulate(struct asim_size_table *table, const struct asim_table_fabric *fabric,
                             struct asim_err *err);

#endif
