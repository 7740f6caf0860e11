/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Attention scores, over a ring of ranks with context parallelism (Liu et al., Ring Attention,
 * 2023): each rank holds its tokens' queries, and keys and values go round in cp - 1 steps while
 * the scores of the step before are computed. Every step takes equal time, as with the zigzag
 * placement of a causal mask (each rank has two of 2 cp pieces of a sequence). Backward, keys and
 * values go round again, and their gradients, of 2 bytes, in cp steps, back to their owner.
 */
#ifndef ASIM_CONVERTER_STEP_RING_H
#define ASIM_CONVERTER_STEP_RING_H

#include "step/emit.h"

uint64_t asim_step_ring_forward(struct asim_step_emit *e, uint64_t at);
uint64_t asim_step_ring_backward(struct asim_step_emit *e, uint64_t at);

#endif
