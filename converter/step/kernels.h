/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compute times of the parts of a step: the roofline model of a GPU, overridden by measured times.
 */
#ifndef ASIM_CONVERTER_STEP_KERNELS_H
#define ASIM_CONVERTER_STEP_KERNELS_H

#include "step/step.h"

/* Fills step->times. measured: sections of a database or of AIOB's file, which replace the roofline
 * for kernels of their names. */
int asim_step_kernels(struct asim_step *step, const struct asim_llm_times *measured,
                      struct asim_err *err);
/* ns of the experts' matrix products for so many (token, expert) pairs of a rank. */
uint64_t asim_step_expert_ns(const struct asim_step *step, uint64_t pairs);
/* ns of the optimizer for so many parameters. */
uint64_t asim_step_optimizer_ns(const struct asim_step *step, uint64_t params);

#endif
