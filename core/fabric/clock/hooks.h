/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Calls from the clock to what stands above it. They go through tables: the memo and the processes
 * call the clock, and a direct call back would close a circle between folders.
 */
#ifndef ASIM_FABRIC_CLOCK_HOOKS_H
#define ASIM_FABRIC_CLOCK_HOOKS_H

#include <stdint.h>

struct asim_domain;
struct asim_fabric;
struct asim_notification;
struct asim_worker;

/* The memo (memo/memo.h), as the clock and the grid of processes see it. */
struct asim_window_hooks {
    /* The end of a window of both halves that begins at t: no link event or look is known here. */
    uint64_t (*window_end)(struct asim_fabric *fabric, uint64_t t);
    /* A window of both halves, from the next event at t to `until`, is about to begin; a half-step
     * is. Both return 1 if an earlier event may have appeared: the caller then asks again. */
    int (*before_window)(struct asim_fabric *fabric, uint64_t t, uint64_t until);
    int (*before_half_step)(struct asim_fabric *fabric, uint64_t t);
    /* All completions of a window are known, the latest of them at `last`. Then the window is over
     * at `until`, and its notifications are delivered. The fabric records failures. */
    void (*completions_known)(struct asim_fabric *fabric, uint64_t last);
    void (*after_window)(struct asim_fabric *fabric, uint64_t until);
    int (*allows_half_steps)(const struct asim_fabric *fabric);
    /* Messages advance at the end of a replay only. */
    int (*is_replaying)(const struct asim_fabric *fabric);

    /* Windows of a domain that has a part (memo/region/part_domains.c). Whether the domain goes
     * first. */
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

    /* Several processes (processes/grid.h). Whether this one has parts. */
    int (*has_parts)(const struct asim_fabric *fabric);
    /* When a part is looked at next, even if no event is due; ASIM_NEVER: none is. */
    uint64_t (*look_due)(const struct asim_fabric *fabric);
    /* No event before `until` is left. Returns 1 if a look may have made one. */
    int (*look_before)(struct asim_fabric *fabric, uint64_t until);
    /* The process has advanced to the end of a window: makes its vote on a period. */
    void (*vote)(struct asim_fabric *fabric);
    /* All buffers of the window that ended at `end`, ticks, are unpacked. Returns the ticks that
     * the network has skipped, equal in all processes. */
    uint64_t (*skip)(struct asim_fabric *fabric, uint64_t end);
};

/* The other processes (processes/exchange.h). Between windows; 0 or ASIM_ENOMEM. */
struct asim_process_hooks {
    /* A notification for a host of another process. */
    int (*notification)(struct asim_fabric *fabric, const struct asim_notification *note);
    /* Packs the releases that a worker has collected. */
    int (*releases)(struct asim_fabric *fabric, struct asim_worker *worker);
};

#endif
