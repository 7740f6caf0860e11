/* SPDX-License-Identifier: GPL-2.0-only
 *
 * All counters of a part that users may see, as one list of asim_counters_size words, those of
 * hosts by their rows. Peaks are not in the list (part_state.h).
 */
#ifndef ASIM_FABRIC_MEMO_STATE_COUNTERS_H
#define ASIM_FABRIC_MEMO_STATE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct asim_fabric;
struct asim_log_row;
struct asim_part;

size_t asim_counters_size(struct asim_fabric *fabric, const struct asim_part *part);
/* Writes the present values into the list; present values - words. Of small parts those of hosts
 * are 0. */
void asim_counters_save(struct asim_fabric *fabric, const struct asim_part *part, uint64_t *list);
void asim_counters_since(struct asim_fabric *fabric, const struct asim_part *part, uint64_t *list);
/* Adds each word of the list `times` times to its counter; those of hosts once. */
void asim_counters_add(struct asim_fabric *fabric, const struct asim_part *part,
                       const uint64_t *list, uint64_t times);
/* Sets those of the hosts of a small part in a list of differences. */
void asim_counters_of_log(const struct asim_fabric *fabric, const struct asim_part *part,
                          const struct asim_log_row *row, uint64_t *deltas);
/* Packet-hops so far: of all, linear in the links; of a part. */
uint64_t asim_counters_hops(const struct asim_fabric *fabric);
uint64_t asim_part_hops(const struct asim_fabric *fabric, const struct asim_part *part);
/* Events so far that no replay can repeat: drops, pauses, random marks, samples of queues. */
uint64_t asim_part_unreplayable(const struct asim_fabric *fabric, const struct asim_part *part);

#endif
