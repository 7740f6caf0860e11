/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The memo turned on and off; what it has saved, and why it has not saved more: for summary.json.
 * It says why frames are carried one by one from now on; packet-hops are counted only where the
 * reason changes, since a count looks at every link.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_USE_H
#define ASIM_FABRIC_MEMO_REGION_USE_H

#include <stdint.h>
#include "net/carried.h"

struct asim_fabric;

struct asim_memo_tally {
    uint64_t hops[ASIM_CARRIED_REASONS], counted; /* counted: their sum */
    uint64_t episodes, replays, rotated, deviations;
    int skips_in_logs;               /* periods were skipped while a part led */
    enum asim_carried_reason reason; /* of the frames since the last count */
};

/* Exact fast-forward from now on, with the same results. Call it before the first message and after
 * hooks are set. It does nothing where the configuration excludes it: per-event mode, losses, link
 * events, PINT, packet spraying, hooks for rates, frames or every change of queues. 0 or
 * ASIM_ENOMEM. */
int asim_fabric_use_memo(struct asim_fabric *fabric);
void asim_memo_close(struct asim_fabric *fabric);
/* Simulates frame by frame from now on. Call it between windows. */
void asim_memo_stop(struct asim_fabric *fabric);

/* From now on frames are carried for this reason. */
void asim_memo_carry_for(struct asim_fabric *fabric, enum asim_carried_reason reason);
/* The frames since the last change of the reason were carried for this one. */
void asim_memo_carried_for(struct asim_fabric *fabric, enum asim_carried_reason reason);
/* Packet-hops that were simulated, without the replayed and skipped ones. Linear in the links. */
uint64_t asim_memo_carried(const struct asim_fabric *fabric);
/* The counts so far. Linear in the links. */
void asim_memo_get_use(const struct asim_fabric *fabric, struct asim_memo_use *use);

#endif
