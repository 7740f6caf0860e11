/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Jitter: mean and spread of each distribution over many draws.
 */
#include "check.h"
#include "scenario/scenario.h"
#include "sim/rank/noise.h"

#include <math.h>

enum { DRAWS = 200000 };

/* Uniform in (0, 1], as noise.c draws it. */
static double next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)((asim_mix64(*state) >> 11) + 1) * 0x1p-53;
}

static void moments(const struct asim_scenario_jitter *jitter, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    uint64_t state = 1;

    for (int i = 0; i < DRAWS; i++) {
        double u = next(&state), v = next(&state), x = asim_noise_draw(jitter, 1000, u, v);

        CHECK(x >= 0);
        sum += x;
        squares += x * x;
    }
    *mean = sum / DRAWS;
    *deviation = sqrt(squares / DRAWS - *mean * *mean);
}

/* Of 200,000 draws the mean is off by deviation / 447; the bounds are six times that. */
static void test_moments(void)
{
    static const struct {
        struct asim_scenario_jitter jitter;
        double mean, deviation;
    } rows[] = {
        {{.distribution = ASIM_SCENARIO_NORMAL, .spread = 0.1}, 1000, 100},
        {{.distribution = ASIM_SCENARIO_LOGNORMAL, .spread = 0.1}, 1000, 100.25},
        {{.distribution = ASIM_SCENARIO_UNIFORM, .spread = 0.3}, 1000, 173.2},
        {{.distribution = ASIM_SCENARIO_EXPONENTIAL, .mean_fs = 50000000}, 1050, 50},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double mean, deviation;

        moments(&rows[i].jitter, &mean, &deviation);
        CHECK(fabs(mean - rows[i].mean) < 6 * rows[i].deviation / 447);
        CHECK(fabs(deviation / rows[i].deviation - 1) < 0.02);
    }
}

int main(void)
{
    test_moments();
    return CHECK_DONE();
}
