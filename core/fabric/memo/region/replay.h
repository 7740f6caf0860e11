/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replay of an episode, and the return to simulation if the ranks deviate.
 *
 * A rank hears of a completion at least one lookahead window after the injections that led to it.
 * So all completions inside a window are right, whatever ranks inject in it. The memo therefore
 * compares injections once a window, and a mismatch is found before any completion is wrong. The
 * memo then simulates the frames up to the end of the window with the real injections, and no rank
 * hears of a completion twice.
 *
 * The memo adds up the packet-hops of such simulations. Ranks that begin alike and continue
 * differently each time would make the run slower than without the memo. So replay stops when the
 * sum is large compared with the savings.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_REPLAY_H
#define ASIM_FABRIC_MEMO_REGION_REPLAY_H

#include "fabric/memo/memo.h"

/* The network is idle at the end of a window. Deferred injections begin an episode: the memo
 * replays a known one, or records. */
void asim_replay_idle(struct asim_fabric *fabric, uint64_t until);
/* The replay has come to `until`: compares, ends, or returns to simulation. */
void asim_replay_check(struct asim_fabric *fabric, uint64_t until);
/* Time of the first injection of the episode that was due before t and has not come; t: none. */
uint64_t asim_replay_overdue(const struct asim_fabric *fabric, uint64_t t);
/* Simulates the episode from its begin to `until`. */
void asim_replay_abandon(struct asim_fabric *fabric, uint64_t until);

/* Hook of the host: the next recorded completion is due. */
void asim_replay_complete(struct asim_fabric *fabric, struct asim_host *host);

#endif
