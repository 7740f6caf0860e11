/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a part between two episodes, and its counters, as lists of numbers that do not
 * depend on which part of its class it is.
 */
#ifndef ASIM_FABRIC_MEMO_STATE_PART_STATE_H
#define ASIM_FABRIC_MEMO_STATE_PART_STATE_H

#include <stddef.h>
#include "fabric/memo/region/part_log.h"

/* Whether nothing of any message inside the part is left. */
int asim_part_is_idle(const struct asim_fabric *fabric, const struct asim_part *part);

/* Words of a host: positions of round robins. With the order in which the switch took frames of its
 * ports last, which breaks ties (tie_key.h), it is all that can influence the next episode. */
enum { ASIM_PART_STATE_WORDS = 3 };
size_t asim_part_state_size(const struct asim_part *part);
void asim_part_state_save(const struct asim_fabric *fabric, const struct asim_part *part,
                          uint64_t *state);
/* Whether the switch took a frame of host i's port last before it took one of host j's port: then
 * the next one of host i comes first, if both arrive at one time with equal tie keys. */
int asim_part_used_before(const struct asim_fabric *fabric, const struct asim_part *part,
                          uint32_t i, uint32_t j);

/* What an episode leaves: that state, event counts relative to those at its start, and the last
 * transmission of each port relative to its start. `before` must have been written at the start; it
 * has the same size. Peaks of queues count from the start. */
size_t asim_part_after_size(const struct asim_part *part);
void asim_part_before_save(struct asim_fabric *fabric, const struct asim_part *part,
                           uint64_t *before);
void asim_part_after_save(struct asim_fabric *fabric, const struct asim_part *part,
                          const uint64_t *before, uint64_t *after);
/* The episode is given up: restores the peaks. */
void asim_part_before_drop(struct asim_fabric *fabric, const struct asim_part *part);
/* Puts the part, whose episode began at `begin`, into the state that another left. */
void asim_part_after_apply(struct asim_fabric *fabric, const struct asim_part *part,
                           const uint64_t *after, uint64_t begin);

/* Counters of the part's hosts, links and switch that users may see. Those of hosts are 0 in a
 * saved list; asim_part_counters_of_log sets them in a list of deltas. */
size_t asim_part_counters_size(const struct asim_part *part);
void asim_part_counters_save(struct asim_fabric *fabric, const struct asim_part *part,
                             uint64_t *list);
void asim_part_counters_add(struct asim_fabric *fabric, const struct asim_part *part,
                            const uint64_t *list);
void asim_part_counters_of_log(const struct asim_fabric *fabric, const struct asim_part *part,
                               const struct asim_log_row *row, uint64_t *deltas);
/* Packet-hops in a list. */
uint64_t asim_part_hops_in(const struct asim_part *part, const uint64_t *list);
/* Packet-hops so far. */
uint64_t asim_part_hops(const struct asim_fabric *fabric, const struct asim_part *part);
/* Events so far that no replay can repeat: drops, pauses, random marks. */
uint64_t asim_part_unreplayable(const struct asim_fabric *fabric, const struct asim_part *part);

#endif
