/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What data parallelism sends: gradients, and with ZeRO parameters (Rajbhandari et al., 2020).
 *
 *   zero=0  all-reduce of the gradients once a step
 *   zero=1  reduce-scatter of the gradients, all-gather of the parameters once a step
 *   zero=2  the gradients are reduced and scattered after every micro-batch
 *   zero=3  so, and parameters are gathered before each forward and backward pass of a layer,
 *           `prefetch` layer passes ahead
 */
#ifndef ASIM_CONVERTER_STEP_ZERO_H
#define ASIM_CONVERTER_STEP_ZERO_H

#include "step/emit.h"

/* Before a pass of a layer: what its first op waits for. Without ZeRO-3 that is `at`. */
struct asim_step_after asim_step_gather(struct asim_step_emit *e, struct asim_step_params params,
                                        uint64_t at);
/* After the weight gradients of a layer (or an end of the model) of a virtual stage. */
void asim_step_reduce(struct asim_step_emit *e, uint32_t virtual_stage,
                      struct asim_step_params params, uint64_t at);
/* 1 if gradients are reduced while the passes run: of this micro-batch. */
int asim_step_reduces_now(const struct asim_step_emit *e, uint32_t micro, uint32_t chunk);
/* After all passes: gradients that wait until then, their norm, optimizer, parameters. */
void asim_step_optimizer(struct asim_step_emit *e, uint64_t at);

#endif
