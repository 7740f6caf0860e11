/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A part that leads: it is simulated frame by frame, and its log is written (part.h).
 */
#ifndef ASIM_FABRIC_MEMO_REGION_RECORD_H
#define ASIM_FABRIC_MEMO_REGION_RECORD_H

#include "fabric/memo/region/part_log.h"

struct asim_worker;

/* Starts a message frame by frame, and logs it if its part leads. 0 or ASIM_ENOMEM. */
int asim_record_start(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_memo_message *message);
/* The part leads from part->begin on, which may lie before the present time; nothing has been
 * started yet. 0 or ASIM_ENOMEM. */
int asim_part_lead(struct asim_fabric *fabric, struct asim_part *part, uint64_t hash);
/* A window begins: whether the part may become idle in it, and from when on sends are deferred. */
void asim_part_lead_window(struct asim_part *part, uint64_t until);
/* A window is over: the episode ends, or its log dies, or deferred messages start. */
void asim_part_lead_check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until);
/* The whole network: its log dies if it has become too long. */
void asim_part_lead_limit(struct asim_fabric *fabric, struct asim_part *part);
/* The part is idle: its log is finished, or dead if no replay can repeat it. */
void asim_part_lead_end(struct asim_fabric *fabric, struct asim_part *part);
/* The part is open from now on: its log dies, and its deferred messages start. */
void asim_part_give_up(struct asim_fabric *fabric, struct asim_part *part);
/* Starts the deferred messages of the part. */
void asim_part_release(struct asim_fabric *fabric, struct asim_part *part);

/* A window is over, and its completions are known: logs that are being written get them. */
void asim_parts_log(struct asim_fabric *fabric);
/* The same for one worker. */
void asim_parts_log_worker(struct asim_worker *worker);

/* --- hooks of completions (host/memo_hooks.h) --------------------------------------------------
 */
void asim_record_notified(struct asim_fabric *fabric, const struct asim_notification *notification);
void asim_record_sent(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_flow *flow);
void asim_record_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                         uint32_t slot);

#endif
