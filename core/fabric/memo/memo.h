/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Exact fast-forward of the packet network (--fast-forward=off turns it off). Two methods give the
 * same ticks and bytes as the simulation of every frame:
 *
 * - Replay. An episode of a part, or of the whole network, is its traffic from one idle state to
 * the next. The memo records episodes. When the ranks send the same messages again, it replays the
 *   recorded completions and adds the recorded counter deltas (region/part.h).
 * - Steady state. Inside a long message the network may return to an earlier state; only the clock
 *   and the bytes sent differ. The memo then skips as many of these periods as all messages allow
 *   (period/steady_state.h).
 *
 * An observer of the fabric sees only long steps of the clock. Times, counters, reports and the
 * order of callbacks stay the same.
 *
 * If a rank deviates from the replayed episode, the memo simulates the episode from its start to
 * the present window, without callbacks. From then on the part advances frame by frame.
 */
#ifndef ASIM_FABRIC_MEMO_MEMO_H
#define ASIM_FABRIC_MEMO_MEMO_H

#include "base/map.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/memo/region/part.h"
#include "fabric/memo/period/steady_state.h"
#include "fabric/memo/region/use.h"
#include "fabric/clock/engine.h"

struct asim_memo_host {
    ASIM_VEC(struct asim_memo_message) deferred; /* sends that wait for the next episode */
    /* Of a part that follows a log: the sends so far, in the order of its injections; so many are
     * compared; the next completion in the row of the host, and the one whose timer is armed,
     * armed_t ASIM_NEVER: none. */
    ASIM_VEC(struct asim_memo_message) accepted;
    size_t n_compared, next_completion;
    uint64_t armed_t, armed_tie;
    uint64_t undeferred_in; /* 1 + the last turn in which the memo did not defer a send */
};

struct asim_memo {
    struct asim_part whole;            /* the network */
    struct asim_worker_parts of_whole; /* its logs */
    /* The memo neither records nor defers in the next windows. It waits for an idle network or a
     * period. Windows and messages then cost no more than without the memo. */
    int is_dormant;
    struct asim_memo_host *host; /* [hosts] */
    int is_tree;                 /* one path joins any two nodes */
    int may_be_idle;             /* at the end of this window */
    uint64_t window_end;         /* of the last window */
    struct asim_map seen;        /* (hash of the first sends, 0) -> number of times */
    struct asim_steady_state steady;
    /* Windows until the next search for a window of long links, and their number after a failed
     * one. */
    uint64_t still_at, still_pause;
    /* Up to this window both halves of the network advance together (half_steps.h). In half-steps
     * the network needs four times as many windows to return to a state. */
    uint64_t lockstep_until;
    /* Turns of hosts for which windows are still as short as links while no period is known
     * (steady.grain): long ones see few periods before. */
    uint64_t short_turns;
    uint64_t saved, wasted; /* packet-hops: replayed; simulated after a mismatch */
    struct asim_memo_tally tally;
    struct asim_parts *parts; /* the smaller ones; NULL: there are none (part.h) */
};

int asim_memo_inject(struct asim_fabric *fabric, struct asim_host *host,
                     const struct asim_msg *msg);

/* --- between windows ------------------------------------------------------------------------- */
/* Several processes: when a part is looked at next, even if no event is due; ASIM_NEVER: none is.
 */
static inline uint64_t asim_memo_due(const struct asim_fabric *fabric)
{
    return fabric->memo && fabric->memo->parts ? fabric->memo->parts->due_at : ASIM_NEVER;
}
/* A part needs a look at the end of a full window. */
static inline int asim_memo_is_touched(const struct asim_fabric *fabric)
{
    const struct asim_parts *parts = fabric->memo->parts;

    return parts && atomic_load_explicit(&parts->touched, memory_order_relaxed);
}
/* Open messages. Workers count them, since the memo asks in every window and hosts are many. */
static inline uint64_t asim_memo_open(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t open = 0;

    for (uint32_t l = 0; l < engine->workers.n; l++)
        open += engine->workers.at[l].open;
    return open;
}
/* The network cannot become idle while the completion of some message is unknown. It is known one
 * window ahead: the notification waits at the destination for the last window of the message. */
static inline int asim_memo_has_unknown(const struct asim_fabric *fabric)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t known = 0;

    for (uint32_t l = 0; l < engine->workers.n; l++)
        known += engine->workers.at[l].waiting;
    return asim_memo_open(fabric) != known;
}
/* The memo does nothing in a window but detect periods. */
static inline int asim_memo_is_dormant(const struct asim_fabric *fabric)
{
    return fabric->memo->is_dormant && asim_memo_has_unknown(fabric) &&
           !asim_memo_is_touched(fabric);
}

/* --- for the files of the memo ---------------------------------------------------------------- */
/* The part of a host; NULL: none. */
static inline struct asim_part *asim_part_of(const struct asim_fabric *fabric, uint32_t host)
{
    const struct asim_parts *parts = fabric->memo->parts;
    uint32_t i = parts->part_of[host];

    return i == ASIM_NO_PART ? NULL : &parts->at[i];
}
/* Whether a host is in the part, and its number there. */
static inline int asim_part_has(const struct asim_fabric *fabric, const struct asim_part *part,
                                uint32_t host)
{
    return part->is_whole || asim_part_of(fabric, host) == part;
}
static inline uint32_t asim_part_number(const struct asim_fabric *fabric,
                                        const struct asim_part *part, uint32_t host)
{
    return part->is_whole ? host : fabric->memo->parts->number[host];
}
/* Whether both hosts are in one part, and so the path between them is. */
static inline int asim_part_is_inside(const struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    const struct asim_parts *parts = fabric->memo->parts;
    uint32_t i = parts->part_of[src];

    return i == parts->part_of[dst] && i != ASIM_NO_PART && src != dst;
}
/* The number of the host's present window, of all nodes or of its domain. */
static inline uint64_t asim_memo_turn(const struct asim_fabric *fabric, uint32_t host)
{
    const struct asim_part *part = fabric->memo->parts ? asim_part_of(fabric, host) : NULL;

    return asim_engine_of(fabric)->run.windows + (part ? part->of_worker->inner : 0);
}
/* Packet-hops that simulations after mismatches may take beyond a sixteenth of the savings. */
enum { ASIM_MOST_WASTED = 1 << 20 };
static inline int asim_memo_may_replay(const struct asim_memo *memo)
{
    return memo->wasted <= ASIM_MOST_WASTED + memo->saved / 16;
}
enum { ASIM_RETRY_WINDOWS = 64 };
/* Something repeated: both halves advance together for some time. */
static inline void asim_memo_found_repeat(struct asim_fabric *fabric)
{
    fabric->memo->lockstep_until = asim_engine_of(fabric)->run.windows + ASIM_RETRY_WINDOWS;
}

#endif
