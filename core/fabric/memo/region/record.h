/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recording: the network advances frame by frame, and the memo writes injections and completions
 * into an episode.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_RECORD_H
#define ASIM_FABRIC_MEMO_REGION_RECORD_H

#include "fabric/memo/memo.h"

/* Starts a message frame by frame and records its injection. 0 or ASIM_ENOMEM. */
int asim_record_start(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_memo_message *message);
/* Starts the deferred messages of all hosts. */
void asim_record_release(struct asim_fabric *fabric);
/* Starts a recording at `begin`, which may lie before the present time. */
void asim_record_begin(struct asim_fabric *fabric, uint64_t begin, uint64_t hash);
/* The network is idle: keeps the recording if a replay can repeat it. */
void asim_record_end(struct asim_fabric *fabric);
/* Discards a recording that is too long to be worth its memory. */
void asim_record_limit(struct asim_fabric *fabric);

/* Hooks of the host (host/memo_hooks.h). */
void asim_record_sent(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_flow *flow);
void asim_record_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                         uint32_t slot);

#endif
