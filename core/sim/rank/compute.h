/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Durations of compute ops and reductions.
 */
#ifndef ASIM_SIM_RANK_COMPUTE_H
#define ASIM_SIM_RANK_COMPUTE_H

#include "sim/sim.h"

/* Duration of a COMP op, ns; fails the rank where an attribute is missing. */
uint64_t asim_compute_ns(struct asim_rank *rank, const struct asim_op *op);
/* The recorded duration of an op, ns. */
uint64_t asim_replay_ns(const struct asim_op *op);
/* ns times the rank's rank-compute-scale. */
uint64_t asim_compute_scaled(const struct asim_rank *rank, uint64_t ns);
/* The time that a reduction of these bytes takes, ns. */
uint64_t asim_reduce_ns(const struct asim_rank *rank, uint64_t bytes);

#endif
