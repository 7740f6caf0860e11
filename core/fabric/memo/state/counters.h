/* SPDX-License-Identifier: GPL-2.0-only
 *
 * All counters of the network that users may see, as one list of asim_counters_size words. Peaks
 * are not in the list (episode_state.h).
 */
#ifndef ASIM_FABRIC_MEMO_STATE_COUNTERS_H
#define ASIM_FABRIC_MEMO_STATE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>
#include "base/mem.h"

struct asim_fabric;

/* One episode adds `by` to the counter. Counters never move in memory. */
struct asim_counter_delta {
    uint64_t *counter, by;
};
struct asim_counter_deltas {
    struct asim_counter_delta *at;
    size_t n, cap;
};

size_t asim_counters_size(struct asim_fabric *fabric);
/* Writes the present values into the list. */
void asim_counters_save(struct asim_fabric *fabric, uint64_t *list);
/* Adds each word of the list `times` times to its counter. */
void asim_counters_add(struct asim_fabric *fabric, uint64_t *list, uint64_t times);
/* Appends present value - word for each counter that changed. 0 or ASIM_ENOMEM. */
int asim_counters_deltas(struct asim_fabric *fabric, uint64_t *list,
                         struct asim_counter_deltas *deltas);
void asim_counter_deltas_add(const struct asim_counter_deltas *deltas);
/* Packet-hops so far. Linear in the links. */
uint64_t asim_counters_hops(const struct asim_fabric *fabric);
/* Events so far that no replay can repeat: drops, pauses, random marks, samples of queues. */
uint64_t asim_counters_unreplayable(const struct asim_fabric *fabric);

#endif
