/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Periods inside long messages. While no rank acts or hears of a completion, the network runs by
 * itself. If its state equals an earlier one, but for the clock and the progress of messages, the
 * network will repeat the windows in between, until a message comes near its end or a rank wakes.
 * The memo skips as many of these periods as fit: it advances all times, sequence numbers and
 * counters. It compares snapshots word by word, so the result is exact.
 *
 * R. P. Brent's method (BIT 20, 1980) selects the snapshots: the memo keeps the one after 4, 8, 16,
 * ... quiet windows, and compares each later window with it, up to twice as many. A probe of one
 * node rejects most windows at once.
 *
 * A budget bounds the cost of the search (search_budget.h).
 */
#ifndef ASIM_FABRIC_MEMO_PERIOD_STEADY_STATE_H
#define ASIM_FABRIC_MEMO_PERIOD_STEADY_STATE_H

#include <stddef.h>
#include <stdint.h>
#include "fabric/memo/region/search_budget.h"
#include "fabric/memo/state/snapshot.h"

struct asim_flow;

struct asim_common_period {
    int is_on;
    /* Windows in a row in which all processes were quiet; the number of them at which they keep
     * their states next. ASIM_NEVER: not before ranks act. */
    uint64_t quiet, keep_at;
    uint64_t look_at;      /* of the livelock: looks end the search */
    uint64_t steps;        /* windows of this process, at the last end of a common one */
    int was_quiet;         /* in the present window, so far */
    uint64_t own_quiet;    /* windows in a row in which this process was quiet */
    uint32_t busy_windows; /* so many more to vote in, though this process does nothing */
    uint64_t behind;       /* ticks; of one half, when the states were kept */
    /* Ticks; of the last comparison. Once all agree, so many of them are skipped at skip_at;
     * ASIM_NEVER: they do not. */
    uint64_t period, periods, skip_at;
};

/* This process has advanced to the end of a window: makes its vote. */
void asim_common_period_vote(struct asim_fabric *fabric);
/* All buffers of the window that ended at `end`, ticks, are unpacked. Returns the ticks that the
 * network has skipped, equal in all processes. */
uint64_t asim_common_period_skip(struct asim_fabric *fabric, uint64_t end);

struct asim_steady_state {
    uint64_t look_at;          /* number of the next window to look at; ASIM_NEVER: off */
    uint64_t calls, open;      /* at the last look: calls of all ranks, and open messages */
    uint64_t since, keep_at;   /* windows: quiet since then; the next snapshot is due then */
    int has_kept;              /* `kept` is valid */
    int is_done;               /* periods were skipped since the last call: some end is near */
    struct asim_snapshot kept; /* the state that may return */
    struct asim_snapshot now;  /* the one compared last, and its memory */
    uint32_t snapshots;        /* begun so far, modulo 2^32 */
    /* [asim_counters_size] at the time of `kept`; once `now` has equalled it, at that of `now`. */
    uint64_t *counts, *counts_now;
    uint64_t saved; /* packet-hops skipped */
    /* Ticks in which each message advanced by one packet, in the last period found; 0: unknown.
     * Windows of a multiple of it see the same state sooner again. */
    uint64_t grain;
    struct asim_search_budget budget;
    struct asim_common_period common; /* several processes */
};

/* How often a message may advance by `step` bytes and do the same each time. The last packet of the
 * last step must be as full as the first one, and must not end the message, so one more packet must
 * fit. ASIM_NEVER for a step of 0. */
uint64_t asim_flow_most_steps(const struct asim_fabric *fabric, const struct asim_flow *flow,
                              uint64_t step);
/* Whether no rank has heard, woken or sent since the last call. */
int asim_steady_state_is_quiet(const struct asim_fabric *fabric, struct asim_steady_state *steady);
/* Whether the budget is not used up. */
int asim_steady_state_may_search(const struct asim_fabric *fabric,
                                 struct asim_steady_state *steady);
/* Whether the search may take a snapshot now. */
int asim_steady_state_can_afford(const struct asim_fabric *fabric,
                                 struct asim_steady_state *steady);
/* Keeps the state at t, if it may be part of a period. The fabric records a lack of memory. */
void asim_steady_state_keep(struct asim_fabric *fabric, struct asim_steady_state *steady,
                            uint64_t t);
/* Whether the state at t is the kept one, so that the time between is a period. The fabric records
 * a lack of memory. */
int asim_steady_state_is_kept(struct asim_fabric *fabric, struct asim_steady_state *steady,
                              uint64_t t);
/* How many of the periods found last the messages allow. *advances: some message advances. */
uint64_t asim_steady_state_periods(struct asim_fabric *fabric, struct asim_steady_state *steady,
                                   int *advances);
/* How many periods from t on end before a rank wakes. */
uint64_t asim_steady_state_before_wakes(const struct asim_fabric *fabric, uint64_t t,
                                        uint64_t period);
/* Skips so many of them, each of `ticks`, from t on: the time at which the period was found, or a
 * whole number of periods later. */
void asim_steady_state_skip(struct asim_fabric *fabric, struct asim_steady_state *steady,
                            uint64_t t, uint64_t periods, uint64_t ticks);
/* Looks for a period at the start of a window, at t; call it from window `look_at` on. Returns 1 if
 * it skipped periods. The fabric records a lack of memory. */
int asim_steady_state_detect(struct asim_fabric *fabric, uint64_t t);
void asim_steady_state_fini(struct asim_steady_state *steady);

#endif
