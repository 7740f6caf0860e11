/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Experts: dispatch of tokens, expert computation, combination of the results.
 *
 *   normal       DeepEP's kernels for training and prefill: a token goes once to each server with
 *                one of its experts, to the GPU of the sender's index there, and from it over
 * NVLink once to each GPU with an expert; back the same way, with sums per server low-latency
 * DeepEP's kernels for decode: a message for each (token, expert) pair, straight all-to-all
 * Megatron Core's all-to-all dispatcher: the same without the header of a message
 *
 * Dispatch has 2 bytes an element or, with fp8, 1 and a scale of 4 bytes for 128; results have 2.
 * Backward, gradients are dispatched and combined likewise.
 */
#ifndef ASIM_CONVERTER_STEP_MOE_H
#define ASIM_CONVERTER_STEP_MOE_H

#include "step/emit.h"

/* The expert layer forward, without shared experts' tensor-parallel collectives. */
uint64_t asim_step_moe_forward(struct asim_step_emit *e, uint32_t layer, uint64_t at);
/* Backward for the activations. *experts receives the op behind which weight gradients can be
 * computed. */
uint64_t asim_step_moe_backward(struct asim_step_emit *e, uint32_t layer, uint64_t at,
                                uint64_t *experts);
/* Weight gradients of router and experts. */
uint64_t asim_step_moe_weights(struct asim_step_emit *e, uint32_t layer,
                               struct asim_step_after after);
/* Bytes of a token on its way to an expert and back. */
uint64_t asim_step_dispatch_bytes(const struct asim_step *step);
uint64_t asim_step_combine_bytes(const struct asim_step *step);

#endif
