/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Calls from hosts and windows to the memo (memo/memo.h). They go through a table, because the memo
 * calls both: a direct call would close a circle between folders.
 */
#ifndef ASIM_FABRIC_HOST_MEMO_HOOKS_H
#define ASIM_FABRIC_HOST_MEMO_HOOKS_H

#include <stdint.h>

struct asim_domain;
struct asim_fabric;
struct asim_flow;
struct asim_host;
struct asim_notification;
struct asim_switch;
struct asim_worker;

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
    /* A message of host src to host dst has lost a frame. */
    void (*lost)(struct asim_fabric *fabric, uint32_t src, uint32_t dst);
    /* A window is over, and all its completions are known. Between windows. */
    void (*window_over)(struct asim_fabric *fabric);
    /* A recorded completion of this host is due. */
    void (*complete)(struct asim_fabric *fabric, struct asim_host *host);

    /* Something reaches a sleeping host. */
    void (*wake_host)(struct asim_fabric *fabric, struct asim_host *host);
    /* A switch with sleeping ports is about to go through a window in which none may sleep. */
    void (*wake_switch)(struct asim_fabric *fabric, struct asim_switch *sw);

    /* Windows of a domain that has a part (memo/part_domains.h). Whether the domain goes first. */
    int (*goes_first)(const struct asim_fabric *fabric, const struct asim_domain *domain);
    /* The domain is about to go through a long window. */
    void (*domain_begins)(struct asim_fabric *fabric, const struct asim_domain *domain);
    /* Its next event is at t. Returns 1 if a look at the part was due before, which may have made
     * an earlier one. */
    int (*look)(struct asim_fabric *fabric, const struct asim_domain *domain, uint64_t t);
    /* A window of short links begins at t, to end at `end` or at the time returned. */
    uint64_t (*inner_begins)(struct asim_fabric *fabric, const struct asim_domain *domain,
                             uint64_t t, uint64_t end);
    /* It is over, and all completions are known; then the part goes on. */
    void (*domain_window_over)(struct asim_worker *worker);
    void (*inner_over)(struct asim_fabric *fabric, const struct asim_domain *domain, uint64_t end);
};

#endif
