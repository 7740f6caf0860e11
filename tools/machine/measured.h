/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Tables that somebody measured: the text and the JSON of nccl-tests, JSON and CSV of rccl-tests,
 * and CSV with the columns size_bytes and time_us (or oop_time_us and ip_time_us), as asim writes
 * it.
 */
#ifndef ASIM_TOOLS_MACHINE_MEASURED_H
#define ASIM_TOOLS_MACHINE_MEASURED_H

#include <stdint.h>
#include "asim/err.h"
#include "base/mem.h"

struct asim_measured_row {
    uint64_t bytes;
    double us, in_place_us; /* out of place; in_place_us 0 = not given */
    unsigned line;          /* of the file; 0 = JSON */
};

struct asim_measured { /* ascending by bytes */
    ASIM_VEC(struct asim_measured_row) row;
};

/* The caller ends it with _fini, also after a failure. */
int asim_measured_read(struct asim_measured *measured, const char *path, struct asim_err *err);
void asim_measured_fini(struct asim_measured *measured);
/* The row of that size, or NULL. */
const struct asim_measured_row *asim_measured_find(const struct asim_measured *measured,
                                                   uint64_t bytes);

#endif
