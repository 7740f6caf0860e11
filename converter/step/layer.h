/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The ops of one layer in one pass. `at` is the op that they follow; each returns the last one.
 *
 * Tensor parallelism with sequence parallelism (Korthikanti et al., 2022): forward an all-gather
 * before and a reduce-scatter behind attention and MLP each; backward the same with the gradients,
 * and the inputs of both are gathered again for the weight gradients. Without sequence parallelism
 * (Shoeybi et al., 2019): an all-reduce behind each, forward and backward. Weight gradients are
 * computed while the gradients of the inputs are on their way.
 */
#ifndef ASIM_CONVERTER_STEP_LAYER_H
#define ASIM_CONVERTER_STEP_LAYER_H

#include "step/emit.h"

/* again: for recomputation; parameters are there already. */
uint64_t asim_step_layer_forward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int again);
/* fused: with the weight gradients. */
uint64_t asim_step_layer_backward(struct asim_step_emit *e, uint32_t layer, uint64_t at, int fused);
uint64_t asim_step_layer_weights(struct asim_step_emit *e, uint32_t layer, uint64_t at);
/* Tensor-parallel collectives, for the ends of the model too: of whole activations before a
 * column-parallel matrix (nothing without sequence parallelism) and behind a row-parallel one. */
uint64_t asim_step_before_column(struct asim_step_emit *e, const char *name, uint64_t at);
uint64_t asim_step_behind_row(struct asim_step_emit *e, const char *name, uint64_t at);

#endif
