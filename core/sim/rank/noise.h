/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Stragglers and jitter of a scenario: times of computations that differ from the traces.
 */
#ifndef ASIM_SIM_RANK_NOISE_H
#define ASIM_SIM_RANK_NOISE_H

#include "sim/sim.h"

struct asim_scenario_jitter;

/* Multiplies compute_scale of the ranks of this process that are stragglers. The ranks are open.
 * ASIM_EINVAL where a straggler names a rank or a host that is not there. */
int asim_noise_open(struct asim_world *world, struct asim_err *err);
/* The time of a computation of ns, with the jitter of the rank's job. */
uint64_t asim_noise_apply(const struct asim_rank *rank, uint32_t op, uint64_t ns);
/* A draw of the jitter for a computation of ns. u, v: independent, uniform in (0, 1]. */
double asim_noise_draw(const struct asim_scenario_jitter *jitter, double ns, double u, double v);

#endif
