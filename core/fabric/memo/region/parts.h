/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The parts of a network from window to window (part.h). They work while the memo of the whole
 * network (memo.h) has nothing to record or to replay: it goes first where the network is idle and
 * messages leave their parts.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PARTS_H
#define ASIM_FABRIC_MEMO_REGION_PARTS_H

#include "fabric/memo/memo.h"

/* The part that is idle, leads or follows, and that a message is for; NULL: none. */
struct asim_part *asim_parts_want(const struct asim_fabric *fabric, uint32_t src, uint32_t dst);
/* The messages that the memo of the whole network has deferred start, but for those inside idle
 * parts. */
void asim_parts_release(struct asim_fabric *fabric);
/* The episode of the whole network that begins is carried frame by frame: parts take the deferred
 * messages that stay inside them, others start. */
void asim_parts_take(struct asim_fabric *fabric, uint64_t until);
/* The next event is at t. Returns 1 if a look was due before, which may have made an earlier one.
 */
int asim_parts_look_before(struct asim_fabric *fabric, uint64_t t);
/* A window of all nodes begins, to end at `until`. */
void asim_parts_begin_window(struct asim_fabric *fabric, uint64_t until);
/* All has happened before `until`. */
void asim_parts_after_window(struct asim_fabric *fabric, uint64_t until);
/* The same for one part: in a window of its domain, which is over (part_domains.h), or for the
 * whole network. */
void asim_part_after_window(struct asim_fabric *fabric, struct asim_part *part, uint64_t until);
/* All domains have gone through a window with their parts. */
void asim_parts_after_domains(struct asim_fabric *fabric);
/* The memo of the whole network begins or ends to record, replay or defer. */
void asim_parts_suspend(struct asim_fabric *fabric, int is_suspended);
/* All parts are open from now on. */
void asim_parts_stop(struct asim_fabric *fabric, uint64_t until);

#endif
