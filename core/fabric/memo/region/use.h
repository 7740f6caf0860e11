/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the memo has saved, and why it has not saved more: for summary.json. The memo says why
 * frames are carried one by one from now on; packet-hops are counted only where the reason changes,
 * since a count looks at every link.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_USE_H
#define ASIM_FABRIC_MEMO_REGION_USE_H

#include <stdint.h>
#include "net/packets.h"

struct asim_memo_tally {
    uint64_t hops[ASIM_CARRIED_REASONS], counted; /* counted: their sum */
    uint64_t episodes, replays, rotated, deviations;
    int skips_in_logs;               /* periods were skipped while a part led */
    enum asim_carried_reason reason; /* of the frames since the last count */
};

/* From now on frames are carried for this reason. */
void asim_memo_carry_for(struct asim_fabric *fabric, enum asim_carried_reason reason);
/* The frames since the last change of the reason were carried for this one. */
void asim_memo_carried_for(struct asim_fabric *fabric, enum asim_carried_reason reason);
/* Packet-hops that were simulated, without the replayed and skipped ones. Linear in the links. */
uint64_t asim_memo_carried(const struct asim_fabric *fabric);
/* The counts so far. Linear in the links. */
void asim_memo_get_use(const struct asim_fabric *fabric, struct asim_memo_use *use);

#endif
