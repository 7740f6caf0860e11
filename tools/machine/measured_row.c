/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Takes rows of measured tables as the readers of the formats find them.
 */
#include "tools/machine/measured.h"

#include <math.h>

int asim_measured_add(struct asim_measured *measured, struct asim_measured_row row,
                      const char *path, struct asim_err *err)
{
    struct asim_where at = {path, row.line, 0};
    double us = row.us != 0 ? row.us : row.in_place_us;

    if (!(us >= 0 && us <= 1e12 && row.in_place_us >= 0 && row.in_place_us <= 1e12))
        return asim_err_at(err, ASIM_EINVAL, at, "a time of %g us cannot be.", us);
    if (!row.bytes || us <= 0)
        return 0; /* nccl-tests prints rows of 0 bytes */
    row.times = 1;
    return ASIM_VEC_PUSH(measured->row, row) ? asim_err_nomem(err, "reading a table") : 0;
}

int asim_measured_agrees(uint64_t bytes, double us, double alg_gbytes)
{
    double own = us > 0 ? (double)bytes / us / 1e3 : 0;

    return own <= 0 || (isfinite(own) && (fabs(alg_gbytes - own) <= .011 + .02 * own ||
                                          (alg_gbytes > .45 * own && alg_gbytes < own)));
}

double asim_measured_factor(uint64_t bytes, double us, double bus_gbytes)
{
    return bus_gbytes >= 1 && us > 0 ? bus_gbytes / ((double)bytes / us / 1e3) : 0;
}
