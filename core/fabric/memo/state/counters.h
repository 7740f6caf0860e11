/* SPDX-License-Identifier: GPL-2.0-only
 *
 * All counters that users may see: of the network as one list of asim_counters_size words; of a
 * part as a list that is read by the rows of its ports. Peaks are not among them (part_state.h).
 */
#ifndef ASIM_FABRIC_MEMO_STATE_COUNTERS_H
#define ASIM_FABRIC_MEMO_STATE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

struct asim_episode_state;
struct asim_fabric;
struct asim_log_row;
struct asim_part;

size_t asim_counters_size(struct asim_fabric *fabric);
/* Writes the present values into the list. */
void asim_counters_save(struct asim_fabric *fabric, uint64_t *list);
/* Adds each word of the list `times` times to its counter. */
void asim_counters_add(struct asim_fabric *fabric, uint64_t *list, uint64_t times);

/* The present values, a malloc'ed list; NULL: no memory. */
uint64_t *asim_part_counters_new(struct asim_fabric *fabric, const struct asim_part *part);
size_t asim_part_counters_bytes(const struct asim_fabric *fabric, const struct asim_part *part);
/* The list gets what has been added since, of hosts of small parts by the rows of the log. */
void asim_part_counters_end(struct asim_fabric *fabric, const struct asim_part *part,
                            const struct asim_log_row *row, uint64_t *list);
/* Adds it to the counters of the nodes that the episode used. */
void asim_part_counters_add(struct asim_fabric *fabric, const struct asim_part *part,
                            const struct asim_episode_state *state, uint64_t *list);

/* Packet-hops so far: of all, linear in the links; of a part. */
uint64_t asim_counters_hops(const struct asim_fabric *fabric);
uint64_t asim_part_hops(const struct asim_fabric *fabric, const struct asim_part *part);
/* Events so far that no replay can repeat: drops, pauses, random marks, samples of queues. */
uint64_t asim_part_unreplayable(const struct asim_fabric *fabric, const struct asim_part *part);

#endif
