/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The division of a rank's time into classes.
 */
#ifndef ASIM_SIM_RANK_TRACK_H
#define ASIM_SIM_RANK_TRACK_H

#include "sim/sim.h"

enum asim_span asim_span_of(enum asim_op_type type, int is_cpu);
/* An op of that class begins, and ends. */
void asim_track_start(struct asim_rank *rank, enum asim_span span);
void asim_track_end(struct asim_rank *rank, enum asim_span span);
/* op NULL: a compute op without roofline values. */
void asim_track_roofline(struct asim_rank *rank, const struct asim_op *op, uint64_t ns);

#endif
