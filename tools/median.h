/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The median of sorted numbers: of an even count the mean of the middle two.
 */
#ifndef ASIM_TOOLS_MEDIAN_H
#define ASIM_TOOLS_MEDIAN_H

#include <stddef.h>

static inline double asim_median(const double *sorted, size_t n)
{
    return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : 0;
}

#endif
