/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A part that follows a log (part.h), and its return to simulation if the ranks deviate.
 *
 * A rank hears of a completion at least one lookahead window after the injections that led to it.
 * So all completions inside a window are right, whatever ranks inject in it. Sends are therefore
 * compared between windows, and a mismatch is found before any completion is wrong. The part is
 * then simulated up to the end of the window with the real injections, and no rank hears of a
 * completion twice. Of a log that is still being written the same holds: its leader's last ACK has
 * started on its last link one window before the completion is due.
 *
 * The memo adds up the packet-hops of such simulations. Ranks that begin alike and continue
 * differently each time would make the run slower than without the memo. So replay stops when the
 * sum is large compared with the savings.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_REPLAY_H
#define ASIM_FABRIC_MEMO_REGION_REPLAY_H

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
/* Simulates the part from its start to `until`, without callbacks. From then on it leads, or is
 * open. */
void asim_part_abandon(struct asim_fabric *fabric, struct asim_part *part, int leads,
                       uint64_t until);

/* Hook of the host: the timer of a completion is due. */
void asim_part_complete(struct asim_fabric *fabric, struct asim_host *host);

#endif
