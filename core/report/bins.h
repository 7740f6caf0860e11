/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Step functions of time, such as the bytes in a queue, reduced to bins: least value, mean and
 * largest value of each interval. The table is bounded: where it would grow beyond its limit, the
 * interval doubles. The bins follow from the steps alone, so they are the same for any number of
 * threads and processes.
 *
 * Each step function has a key and a cursor, which the caller owns.
 */
#ifndef ASIM_REPORT_BINS_H
#define ASIM_REPORT_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "asim/err.h"
#include "base/mem.h"

/* One interval of one step function. */
struct asim_bin {
    uint64_t start; /* ns, a multiple of the interval */
    uint64_t key, low, high;
    uint64_t lasted; /* ns of the interval in which the value is known */
    double area;     /* sum of value x ns */
    size_t order;
};

struct asim_bins {
    ASIM_VEC(struct asim_bin) rows;
    uint64_t width_ns;
    size_t most; /* rows; the interval doubles beyond */
    int failed;  /* out of memory */
};

/* The present value of a step function. All zero: unknown, or 0 since the beginning. */
struct asim_bin_cursor {
    uint64_t since, value; /* ns */
    uint64_t low, high, lasted;
    double area;
};

/* Rows in a report whose interval nobody has chosen, and where somebody has. */
enum { ASIM_BINS_MOST = 500000, ASIM_BINS_MOST_CHOSEN = 5000000 };

/* interval_fs: --report-interval; 0 = 1000 ns, which doubles as needed. */
void asim_bins_init(struct asim_bins *bins, uint64_t interval_fs);
/* The value holds from t on; t does not decrease. A value that holds for 0 ns leaves no trace. Bins
 * in which the value is 0 throughout get no row. */
void asim_bins_step(struct asim_bins *bins, struct asim_bin_cursor *cursor, uint64_t key,
                    uint64_t t, uint64_t value);
/* Ends the step function at t, and empties the cursor. */
void asim_bins_end(struct asim_bins *bins, struct asim_bin_cursor *cursor, uint64_t key,
                   uint64_t t);
/* Sorts the rows by start and key, one row for each pair. 0 or ASIM_ENOMEM, also of an earlier
 * step. */
int asim_bins_finish(struct asim_bins *bins, struct asim_err *err);
/* The mean value of a row. */
static inline double asim_bin_mean(const struct asim_bin *bin)
{
    return bin->lasted ? bin->area / (double)bin->lasted : 0;
}
void asim_bins_fini(struct asim_bins *bins);

#endif
