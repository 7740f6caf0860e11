/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A part that follows: it replays a log (part.h). What replay.h says about windows holds here, too:
 * a completion is in the log at least one window before it is due, because the leader's last ACK
 * has started on its last link by then. So sends are compared between windows.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_FOLLOW_H
#define ASIM_FABRIC_MEMO_REGION_PART_FOLLOW_H

#include "fabric/memo/region/part_log.h"

/* The part, idle until now, follows the log from part->begin on. Its deferred messages are the
 * first. 0 or ASIM_ENOMEM. */
int asim_part_follow(struct asim_fabric *fabric, struct asim_part *part, struct asim_part_log *log);
/* Time from which sends of the part may belong to its next episode. */
uint64_t asim_part_follow_end(const struct asim_part *part);
/* The replay has come to `until`: compares, ends, or returns to simulation. */
void asim_part_follow_check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until);
/* The log has more completions: arms the hosts that had none. */
void asim_part_follow_more(struct asim_fabric *fabric, struct asim_part *part);
/* Simulates the part from its begin to `until`, without callbacks. opening: it leads from then on;
 * NULL: it is open. */
void asim_part_abandon(struct asim_fabric *fabric, struct asim_part *part,
                       const struct asim_part_opening *opening, uint64_t until);

/* The timer of a completion of this host is due. */
void asim_part_complete(struct asim_fabric *fabric, struct asim_host *host);

#endif
