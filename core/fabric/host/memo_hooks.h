/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Calls from hosts to the memo (memo/memo.h). They go through a table, because the memo
 * calls both: a direct call would close a circle between folders.
 */
#ifndef ASIM_FABRIC_HOST_MEMO_HOOKS_H
#define ASIM_FABRIC_HOST_MEMO_HOOKS_H

#include <stdint.h>

struct asim_fabric;
struct asim_flow;
struct asim_host;
struct asim_msg;
struct asim_notification;

/* What the memo wants to know of each message, if anything. */
struct asim_completion_hooks {
    /* The source was told that a message is complete; the destination was told. */
    void (*sent)(struct asim_fabric *fabric, struct asim_host *host, const struct asim_flow *flow);
    void (*arrived)(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                    uint32_t slot);
    /* A completion that is due later is known. */
    void (*notified)(struct asim_fabric *fabric, const struct asim_notification *notification);
};

struct asim_memo_hooks {
    const struct asim_completion_hooks *completions; /* of the fabric, where the memo wants any */
    /* A rank sends, at fabric->memo_from or later, in its host's time. 0 or ASIM_ENOMEM; 1: the
     * caller starts the message, as if there was no memo. */
    int (*inject)(struct asim_fabric *fabric, struct asim_host *host, const struct asim_msg *msg);
    /* A message of host src to host dst has lost a frame. */
    void (*lost)(struct asim_fabric *fabric, uint32_t src, uint32_t dst);
    /* A recorded completion of this host is due. */
    void (*complete)(struct asim_fabric *fabric, struct asim_host *host);
    void (*close)(struct asim_fabric *fabric);
};

#endif
