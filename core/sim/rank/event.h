/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What an event is about, for observers: the op or the rank, which may live in another process. A
 * observer that asks here works for a run in one process and for the merged events of several.
 */
#ifndef ASIM_SIM_RANK_EVENT_H
#define ASIM_SIM_RANK_EVENT_H

#include "sim/sim.h"

/* What is known of a rank that has finished. Complete in itself: it may come from a process that
 * has long gone on. */
struct asim_rank_facts {
    struct asim_track track;
    uint64_t cycles, ops;
    uint64_t peak_bytes; /* of local memory, where it was asked for */
};

/* id, type and name of the op of an op event; all else is 0. The name is borrowed until the next
 * call. 0, or what reading the trace again gave: the rank has failed then. */
int asim_event_op(const struct asim_world *world, const struct asim_event *event,
                  struct asim_op *op);
/* Of ASIM_EV_RANK_DONE. */
void asim_event_rank(const struct asim_world *world, const struct asim_event *event,
                     struct asim_rank_facts *facts);
/* A rank's communication not hidden by compute, ns: finish time less GPU compute. */
uint64_t asim_rank_exposed(const struct asim_rank_facts *facts);

#endif
