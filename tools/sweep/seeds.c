/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Points that differ in their seed only are draws of one point: their median, least and most.
 */
#include "tools/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "tools/median.h"

size_t asim_sweep_seed(const struct asim_sweep *sweep)
{
    for (size_t k = 0; k < sweep->keys.n; k++) {
        const char *name = sweep->keys.at[k].name, *dot = strrchr(name, '.');

        if (!strcmp(dot ? dot + 1 : name, "seed") && sweep->keys.at[k].values.n > 1)
            return k;
    }
    return sweep->keys.n;
}

int asim_sweep_has_seeds(const struct asim_sweep *sweep)
{
    return asim_sweep_seed(sweep) < sweep->keys.n;
}

/* Points between two seeds of one point. */
static size_t stride_of(const struct asim_sweep *sweep, size_t seed)
{
    size_t stride = 1;

    for (size_t k = seed + 1; k < sweep->keys.n; k++)
        stride *= sweep->keys.at[k].values.n;
    return stride;
}

int asim_sweep_is_first_seed(const struct asim_sweep *sweep, size_t point)
{
    size_t seed = asim_sweep_seed(sweep);

    return seed == sweep->keys.n ||
           point / stride_of(sweep, seed) % sweep->keys.at[seed].values.n == 0;
}

size_t asim_sweep_worst(const struct asim_sweep *sweep, size_t point)
{
    size_t seed = asim_sweep_seed(sweep), stride = stride_of(sweep, seed);
    size_t n = seed < sweep->keys.n ? sweep->keys.at[seed].values.n : 1;

    for (size_t s = 0; s < n; s++)
        if (sweep->points[point + s * stride].state != ASIM_POINT_FINISHED)
            return point + s * stride;
    return point;
}

ASIM_ORDER(by_value, double, [0])

struct asim_sweep_spread asim_sweep_spread(const struct asim_sweep *sweep, size_t point,
                                           size_t figure)
{
    enum { MOST_SEEDS = 4096 }; /* further ones count for least and most only */
    size_t seed = asim_sweep_seed(sweep), n = 1, stride = stride_of(sweep, seed), kept = 0;
    struct asim_sweep_spread spread = {.n = 1};
    double values[MOST_SEEDS];

    if (seed < sweep->keys.n) {
        n = sweep->keys.at[seed].values.n;
        point -= point / stride % n * stride;
    }
    spread.n = n;
    for (size_t s = 0; s < n; s++) {
        const struct asim_sweep_point *one = &sweep->points[point + s * stride];
        double value = one->figure[figure];

        if (one->state != ASIM_POINT_FINISHED)
            continue;
        spread.least = spread.known && spread.least < value ? spread.least : value;
        spread.most = spread.most > value ? spread.most : value;
        spread.known++;
        if (kept < MOST_SEEDS)
            values[kept++] = value;
    }
    qsort(values, kept, sizeof *values, by_value);
    spread.median = asim_median(values, kept);
    return spread;
}
