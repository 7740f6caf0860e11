/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Draws sizes of background flows, and sums up their slowdowns.
 */
#include "net/net_traffic.h"
#include "base/mem.h"

#include <math.h>

double asim_flow_sizes_mean(const struct asim_flow_sizes *sizes)
{
    double mean = 0;

    for (size_t i = 1; i < sizes->n; i++)
        mean += (sizes->at[i].share - sizes->at[i - 1].share) *
                (sizes->at[i].bytes + sizes->at[i - 1].bytes) / 2;
    return mean;
}

uint64_t asim_flow_sizes_at(const struct asim_flow_sizes *sizes, double u)
{
    const struct asim_size_share *at = sizes->at;
    size_t i = 1;
    double bytes;

    while (i + 1 < sizes->n && at[i].share <= u)
        i++;
    bytes = at[i - 1].bytes;
    if (at[i].share > at[i - 1].share)
        bytes += (at[i].bytes - at[i - 1].bytes) * (u - at[i - 1].share) /
                 (at[i].share - at[i - 1].share);
    return bytes < 1 ? 1 : (uint64_t)bytes;
}

void asim_traffic_use_add(struct asim_traffic_use *into, const struct asim_traffic_use *from)
{
    asim_sums_add(into, from, sizeof *into);
}

static uint64_t bin_of(const struct asim_traffic_use *use, uint32_t size_class, uint32_t bin)
{
    uint64_t n = 0;

    if (size_class < ASIM_TRAFFIC_CLASSES)
        return use->slowdown[size_class][bin];
    for (uint32_t c = 0; c < ASIM_TRAFFIC_CLASSES; c++)
        n += use->slowdown[c][bin];
    return n;
}

double asim_traffic_quantile(const struct asim_traffic_use *use, uint32_t size_class, double q)
{
    uint64_t all = 0, below = 0;

    for (uint32_t b = 0; b < ASIM_TRAFFIC_BINS; b++)
        all += bin_of(use, size_class, b);
    for (uint32_t b = 0; b < ASIM_TRAFFIC_BINS; b++) {
        below += bin_of(use, size_class, b);
        if (all && (double)below >= q * (double)all)
            return exp2((b + 0.5) / 8);
    }
    return 0;
}
