/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Fits some numbers of a machine to a measured table (machines.md#calibration).
 */
#ifndef ASIM_TOOLS_MACHINE_FIT_H
#define ASIM_TOOLS_MACHINE_FIT_H

#include "asim/machine.h"
#include "tools/machine/measured.h"

enum { ASIM_FIT_PARAMETERS = 16 };

struct asim_fit_parameter {
    const struct asim_option *row; /* a number of the machine */
    double before, after;
    int is_sum;        /* moves by differences: may be 0 or less */
    double plus_minus; /* one standard error: a share of the value; where is_sum, in 20 us */
    int is_free;       /* 0: no row depends on it, so it stayed */
};

struct asim_fit {
    struct asim_machine *machine; /* changed by the fit */
    struct asim_nccl_job job;
    const struct asim_measured *measured;
    struct asim_fit_parameter parameter[ASIM_FIT_PARAMETERS];
    size_t parameters;
    uint8_t *used; /* by row of the table */
    size_t n_used;
    double price; /* of the distance from the values before */
    double median_before, median_after, worst_before, worst_after; /* shares, over used rows */
};

/* Adds a key of a machine file. */
int asim_fit_add(struct asim_fit *fit, const char *key, struct asim_err *err);
/* Marks the rows of at least `from` bytes that the next size does not outrun by far. */
int asim_fit_choose_rows(struct asim_fit *fit, uint64_t from, struct asim_err *err);
/* After the keys: the first row of a table may be a warm-up. Where it is the only one that a number
 * shows in, it is left out, and the number stays. */
int asim_fit_drop_warm_up(struct asim_fit *fit, struct asim_err *err);
int asim_fit_run(struct asim_fit *fit, struct asim_err *err);
void asim_fit_fini(struct asim_fit *fit);

#endif
