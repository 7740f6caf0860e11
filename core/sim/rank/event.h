/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The op or rank behind an event, for observers. It may live in another process: an observer that
 * asks here works for a run in one process and for the merged events of several.
 */
#ifndef ASIM_SIM_RANK_EVENT_H
#define ASIM_SIM_RANK_EVENT_H

#include "sim/sim.h"

/* Facts about a finished rank. They are complete, because they may come from another process. */
struct asim_rank_facts {
    struct asim_track track;
    uint64_t cycles, ops;
    uint64_t peak_bytes; /* of local memory; set by asim_event_rank_peak */
};

/* The id, type and name of the op of an op event; other fields are 0. The name is borrowed until
 * the next call. 0, or the error of reading the trace again, which fails the rank. */
int asim_event_op(const struct asim_world *world, const struct asim_event *event,
                  struct asim_op *op);
/* The facts of an event ASIM_EV_RANK_DONE. */
void asim_event_rank(const struct asim_world *world, const struct asim_event *event,
                     struct asim_rank_facts *facts);
/* The rank's communication that compute does not hide, ns: finish time less GPU compute. */
uint64_t asim_rank_exposed(const struct asim_rank_facts *facts);

#endif
