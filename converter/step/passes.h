/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The passes of a rank in the order of its schedule, and the end of the step.
 */
#ifndef ASIM_CONVERTER_STEP_PASSES_H
#define ASIM_CONVERTER_STEP_PASSES_H

#include "step/emit.h"

void asim_step_passes(struct asim_step_emit *e, const struct asim_step_order *order);

#endif
