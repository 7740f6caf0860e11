/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The memo's lookup: a known episode with the injections that the ranks have made. The key is a
 * hash of the injections of the first tick. The lookup then compares every injection, so the hash
 * only saves time. It prefers the episode used last, because ranks mostly repeat their last
 * iteration.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_LOOKUP_H
#define ASIM_FABRIC_MEMO_REGION_LOOKUP_H

#include "fabric/memo/memo.h"

struct asim_lookup {
    uint64_t hash;
    uint64_t offset; /* subtracted from the times of the injections */
    uint64_t until;  /* since the begin of the episode: no other injection may be due before it */
};

/* Time of the first deferred injection. Sets the hash of all injections of that time. */
uint64_t asim_lookup_first(struct asim_fabric *fabric, uint64_t *hash);
/* Whether an episode has begun with this hash before. Remembers the hash. */
int asim_lookup_seen(struct asim_memo *memo, uint64_t hash);
/* The episode that has the deferred injections, or during a replay the accepted ones, over the same
 * paths, and no other before `until`. NULL: none. Moves it to the front of the list. */
struct asim_episode *asim_lookup_episode(struct asim_fabric *fabric,
                                         const struct asim_lookup *lookup);
/* Whether the ways of the sends accepted since the last call fit the replayed episode. */
int asim_lookup_follows(struct asim_fabric *fabric);

#endif
