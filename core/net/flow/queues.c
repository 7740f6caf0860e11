/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Queues of switches that windows fill. A flow of window w has w packets under
 * way in each round trip, so its rate is w / (round trip + waits). A queue grows until the rates
 * of its flows add up to the capacity: the equilibrium of fixed windows over first come, first
 * served queues (Massoulié and Roberts, Bandwidth sharing: objectives and algorithms, 1999; Mo and
 * Walrand, Fair end-to-end window-based congestion control, 2000).
 */
#include "net/flow/flow.h"

#include <math.h>

enum { MOST_STEPS = 40 };

/* Sum of the rates at a wait, and its derivative. */
struct sum {
    double rate, slope;
};

static struct sum sum_at(const struct asim_fluid_limit *limit, uint32_t n, double wait_ns)
{
    struct sum sum = {0, 0};

    for (uint32_t i = 0; i < n; i++, limit++) {
        double rate = asim_fluid_rate(limit, wait_ns);

        sum.rate += rate;
        if (rate < limit->level)
            sum.slope -= rate / (limit->round_ns + wait_ns);
    }
    return sum;
}

/* Newton's method from below: the sum is convex and falls, so it comes near from one side. From
 * above it would jump below, to 0 at worst. */
double asim_fluid_fill(const struct asim_fluid *fluid, struct asim_fluid_link *link)
{
    double capacity = asim_fluid_capacity(link), wait_ns = link->wait_ns;

    for (int step = 0; step < MOST_STEPS; step++) {
        struct sum sum = sum_at(fluid->limits.at, link->data.n, wait_ns);

        if (sum.rate <= capacity * (1 + 1e-6) &&
            (wait_ns == 0 || sum.rate >= capacity * (1 - 1e-6)))
            break;
        if (sum.slope < 0)
            wait_ns -= (capacity - sum.rate) / -sum.slope;
        else
            wait_ns /= 2; /* all flows are limited elsewhere, at this wait */
        if (wait_ns < 1e-3)
            wait_ns = 0;
    }
    link->peak_ns = fmax(link->peak_ns, wait_ns);
    return wait_ns;
}
