/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Periods (steady_state.h) of a network in several processes. Each process compares its own part of
 * the network at the same times: between windows of the common grid (processes/grid.h), when the
 * frames of others have come. The processes vote with the buffers of each window:
 *
 *     kept           same?       votes known             skip
 *     |-- window --| ... |-- window --| ...           |
 *     |------ a period --|------ a period ------------|
 *
 * The whole network is in the kept state if every process is. Each knows of that one window later,
 * when the state is another one, with frames in other processes. So they skip a period later. All
 * see the same votes and take the same decisions; a process without a vote was not quiet, or has no
 * memo.
 *
 * A vote makes a buffer, and windows without buffers can be left out. So a process votes after some
 * quiet windows, while its own messages are under way, or to answer one that does.
 *
 * Telemetry of packets (INT, timestamps) has no periods here: its records belong to several
 * processes.
 */
#include "fabric/memo/period/steady_state.h"

#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/processes/exchange.h"
#include "fabric/processes/peers.h"
#include "fabric/processes/period_vote.h"

/* OWN_QUIET: quiet windows of a process before its first vote. FIRST_QUIET: those of all before the
 * first snapshot. BUSY_WINDOWS: in half-steps a process may have nothing to do in every second
 * window. */
enum { OWN_QUIET = 2, FIRST_QUIET = 4, BUSY_WINDOWS = 2 };

static uint64_t window(const struct asim_fabric *fabric)
{
    return asim_to_ticks(fabric, asim_exchange_lookahead(fabric));
}

/* In half-steps one half of the network is a window behind, and the state has the same half behind
 * after two windows. */
static uint64_t behind(const struct asim_fabric *fabric)
{
    return asim_engine_of(fabric)->exchange->half_steps ? window(fabric) : 0;
}

static int moved(struct asim_fabric *fabric, struct asim_common_period *common)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t steps = common->steps;

    common->steps = engine->run.windows;
    return engine->run.windows != steps;
}

void asim_common_period_vote(struct asim_fabric *fabric)
{
    struct asim_steady_state *steady = fabric->memo ? &fabric->memo->steady : NULL;
    struct asim_common_period *common = steady ? &steady->common : NULL;
    struct asim_period_vote *own = &asim_engine_of(fabric)->exchange->own_vote;

    if (!common || !common->is_on)
        return;
    common->was_quiet &= asim_steady_state_is_quiet(fabric, steady);
    own->is_busy |= moved(fabric, common) && steady->open;
    own->processes = common->was_quiet && common->own_quiet >= OWN_QUIET &&
                     (own->is_busy || common->busy_windows);
}

/* The state at the end of the next window will be kept if all processes can. */
static int can_keep(struct asim_fabric *fabric, struct asim_steady_state *steady)
{
    return steady->common.quiet + 1 >= steady->common.keep_at &&
           asim_steady_state_may_search(fabric, steady) &&
           asim_steady_state_can_afford(fabric, steady);
}

/* From t on. No period may end behind a wake, nor near a look for a livelock, at which all
 * processes meet. */
static uint64_t periods_before(const struct asim_fabric *fabric, uint64_t t, uint64_t period)
{
    uint64_t look_at = asim_engine_of(fabric)->livelock.look_at, w = window(fabric);
    uint64_t wakes = asim_steady_state_before_wakes(fabric, t + w, period);
    uint64_t looks = look_at > t + 3 * w ? (look_at - t - 3 * w) / period : 0;

    return wakes < looks ? wakes : looks;
}

static int is_kept(struct asim_fabric *fabric, struct asim_steady_state *steady, uint64_t t)
{
    return steady->has_kept && steady->common.behind == behind(fabric) &&
           (t - steady->kept.t) % (window(fabric) + behind(fabric)) == 0 &&
           asim_steady_state_may_search(fabric, steady) &&
           asim_snapshot_may_be_same(fabric, &steady->kept, t) &&
           asim_steady_state_is_kept(fabric, steady, t);
}

/* Sets how many periods this process allows behind the next one, which is not skipped. */
static void compare(struct asim_fabric *fabric, struct asim_steady_state *steady, uint64_t t)
{
    struct asim_period_vote *own = &asim_engine_of(fabric)->exchange->own_vote;
    uint64_t period = t - steady->kept.t, messages, others;
    int advances;

    if (!is_kept(fabric, steady, t))
        return;
    steady->common.period = period;
    messages = asim_steady_state_periods(fabric, steady, &advances);
    others = periods_before(fabric, t + period, period);
    messages -= messages != 0;
    own->periods = messages < others ? messages : others;
    own->advances = (uint32_t)advances;
}

static void restart(struct asim_fabric *fabric, struct asim_steady_state *steady)
{
    steady->common.quiet = 0;
    steady->common.keep_at = FIRST_QUIET;
    steady->common.look_at = asim_engine_of(fabric)->livelock.look_at;
    steady->common.skip_at = ASIM_NEVER;
    steady->has_kept = 0;
}

static void keep(struct asim_fabric *fabric, struct asim_steady_state *steady, uint64_t t)
{
    if (asim_engine_of(fabric)->exchange->votes.can_keep)
        asim_steady_state_keep(fabric, steady, t);
    steady->common.behind = behind(fabric);
    steady->common.keep_at = 2 * steady->common.quiet;
}

/* All processes were in the kept state a window ago. */
static void agree(struct asim_fabric *fabric, struct asim_steady_state *steady)
{
    struct asim_common_period *common = &steady->common;

    common->skip_at = steady->kept.t + 2 * common->period;
    common->periods = asim_engine_of(fabric)->exchange->votes.periods;
    common->keep_at = ASIM_NEVER;
    steady->has_kept = 0;
}

/* All processes were quiet in the window before t. */
static uint64_t go_on(struct asim_fabric *fabric, struct asim_steady_state *steady, uint64_t t)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_common_period *common = &steady->common;

    common->quiet++;
    if (engine->exchange->votes.periods && engine->exchange->votes.advances)
        agree(fabric, steady);
    else if (common->quiet >= common->keep_at)
        keep(fabric, steady, t);
    else
        compare(fabric, steady, t);
    if (t != common->skip_at)
        return 0;
    common->skip_at = ASIM_NEVER;
    asim_steady_state_skip(fabric, steady, t, common->periods, common->period);
    return common->periods * common->period;
}

uint64_t asim_common_period_skip(struct asim_fabric *fabric, uint64_t end)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_steady_state *steady = fabric->memo ? &fabric->memo->steady : NULL;
    struct asim_period_vote *own = &engine->exchange->own_vote, *votes = &engine->exchange->votes;
    uint64_t skipped = 0;

    if (!steady || !steady->common.is_on)
        return 0;
    steady->common.own_quiet = steady->common.was_quiet ? steady->common.own_quiet + 1 : 0;
    asim_period_vote_add(votes, own);
    memset(own, 0, sizeof *own);
    if (votes->processes == asim_exchange_size(fabric) &&
        steady->common.look_at == engine->livelock.look_at)
        skipped = go_on(fabric, steady, end - behind(fabric));
    else
        restart(fabric, steady);
    own->can_keep = (uint32_t)can_keep(fabric, steady);
    steady->common.was_quiet = 1;
    if (votes->is_busy)
        steady->common.busy_windows = BUSY_WINDOWS;
    else
        steady->common.busy_windows -= steady->common.busy_windows != 0;
    memset(votes, 0, sizeof *votes);
    return skipped;
}
