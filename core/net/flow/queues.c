/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Queues of switches that windows fill. A flow of window w has w packets under
 * way in each round trip, so its rate is w / (round trip + waits). A queue grows until the rates
 * of its flows add up to the capacity: the equilibrium of fixed windows over first come, first
 * served queues (Massoulié and Roberts, Bandwidth sharing: objectives and algorithms, 1999; Mo and
 * Walrand, Fair end-to-end window-based congestion control, 2000).
 */
#include "net/flow/flow.h"

enum { MOST_STEPS = 40 };

/* Sum of the rates at a wait, and its derivative. */
struct sum {
    double rate, slope;
};

static struct sum sum_at(const double *limit, uint32_t n, double wait_ns)
{
    struct sum sum = {0, 0};

    for (uint32_t i = 0; i < n; i++, limit += 3) {
        double round_ns = limit[1] + wait_ns, rate = limit[2] / round_ns;

        if (rate < limit[0]) {
            sum.rate += rate;
            sum.slope -= rate / round_ns;
        } else {
            sum.rate += limit[0];
        }
    }
    return sum;
}

/* Newton's method from below: the sum is convex and falls, so it comes near from one side. From
 * above it would jump below, to 0 at worst. */
double asim_fluid_fill(struct asim_fluid *fluid, uint32_t l)
{
    struct asim_fluid_link *link = &fluid->link[l];
    double *limit = fluid->limits.at, capacity = asim_fluid_capacity(link), wait_ns = link->wait_ns;
    struct sum sum;

    for (uint32_t i = 0; i < link->data.n; i++) {
        const struct asim_fluid_flow *flow = asim_fluid_flow_at(fluid, link->data.at[i]);
        struct asim_fluid_limit without = asim_fluid_limit(fluid, flow, l);

        limit[3 * i] = without.level;
        limit[3 * i + 1] = without.round_ns;
        limit[3 * i + 2] = flow->shape.window;
    }
    for (int step = 0; step < MOST_STEPS; step++) {
        sum = sum_at(limit, link->data.n, wait_ns);
        if (wait_ns == 0 && sum.rate <= capacity * (1 + 1e-6))
            return 0;
        if (sum.rate <= capacity * (1 + 1e-6) && sum.rate >= capacity * (1 - 1e-6))
            break;
        if (sum.slope < 0)
            wait_ns -= (capacity - sum.rate) / -sum.slope;
        else
            wait_ns /= 2; /* all flows are limited elsewhere, at this wait */
        if (wait_ns < 1e-3)
            wait_ns = 0;
    }
    if (wait_ns > link->peak_ns)
        link->peak_ns = wait_ns;
    return wait_ns;
}
