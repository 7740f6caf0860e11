/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The pattern ring, direct and halving-doubling share (system-layer.md#credit-engine): P
 * credits circulate; of every cycle of P + NZ hand-overs the first P only pass data on and the
 * other NZ reduce, in all cycles for a reduce-scatter and in every other one for an all-reduce.
 *
 * A row with messages of one size uses asim_pipeline_arrival as its hook; a row with several sizes
 * calls asim_pipeline_reduces and returns the bytes itself.
 */
#ifndef ASIM_COLL_PIPELINE_H
#define ASIM_COLL_PIPELINE_H

#include "coll/coll.h"

/* Sets start/end credits to p and the reduce pattern to (p, nz). */
void asim_pipeline_init(struct asim_plan *plan, uint32_t p, uint64_t nz);
/* 1 if the hand-over after arrival i (0-based) reduces. */
int asim_pipeline_reduces(const struct asim_plan *plan, uint64_t i);
/* The arrival hook of algorithms whose messages are all msg_bytes long. */
uint64_t asim_pipeline_arrival(const struct asim_plan *plan, uint64_t i);
/* The constant_until hook that goes with it. */
uint64_t asim_pipeline_constant_until(const struct asim_plan *plan, uint64_t i);

#endif
