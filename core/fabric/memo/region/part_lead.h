/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A part that leads: it is simulated frame by frame, and its log is written (part.h).
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_LEAD_H
#define ASIM_FABRIC_MEMO_REGION_PART_LEAD_H

#include "fabric/memo/region/part_log.h"

/* The part leads from part->begin on; nothing has been started yet. 0 or ASIM_ENOMEM. */
int asim_part_lead(struct asim_fabric *fabric, struct asim_part *part,
                   const struct asim_part_opening *opening);
/* A window begins: whether the part may become idle in it, and from when on sends are deferred. */
void asim_part_lead_window(struct asim_part *part, uint64_t until);
/* A window is over: the episode ends, or its log dies, or deferred messages start. */
void asim_part_lead_check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until);
/* The part is open from now on: its log dies, and its deferred messages start. */
void asim_part_give_up(struct asim_fabric *fabric, struct asim_part *part);
/* Starts the deferred messages of the part. */
void asim_part_release(struct asim_fabric *fabric, struct asim_part *part);

/* The completions of a window are known: logs that are being written get them. */
void asim_parts_log(struct asim_fabric *fabric);
/* The same for one worker. */
void asim_parts_log_worker(struct asim_worker *worker);
/* A completion of a message is known (host/memo_hooks.h). */
void asim_parts_notified(struct asim_fabric *fabric, const struct asim_notification *notification);

#endif
