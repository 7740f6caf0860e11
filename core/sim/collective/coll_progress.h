/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How far collectives have come on a rank, for the display of progress and for the reports of
 * interrupted runs.
 */
#ifndef ASIM_SIM_COLLECTIVE_COLL_PROGRESS_H
#define ASIM_SIM_COLLECTIVE_COLL_PROGRESS_H

#include <stdint.h>

struct asim_rank;

/* Bytes done of a collective under way, op = place of its op in the rank's trace: the share of its
 * messages that have arrived, times its size. 0 for an op that is no collective. */
uint64_t asim_coll_bytes_done(const struct asim_rank *rank, uint32_t op);
/* The same of all collectives under way on the rank together. Linear in their chunks. */
uint64_t asim_coll_bytes_under_way(const struct asim_rank *rank);

#endif
