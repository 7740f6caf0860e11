/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Set-up of the memo, and its decisions between windows.
 *
 * The network can become idle in the window in which the last open message completes. That time is
 * known one window ahead, because the notification of the completion exists by then. The memo
 * defers all later sends to the end of that window. So it sees an idle network although ranks send
 * again at once. A deferred send keeps its time and order, and no rank looks at its NIC, so the
 * results stay the same.
 *
 * The memo does not record the first occurrence of an episode. If nothing ever repeats, a window
 * costs two tests and a message one. A budget (search_budget.h) bounds the cost of idle checks.
 * Without it a network that is idle after each message would take longer than frame by frame.
 */
#include "fabric/memo/memo.h"

#include <stdlib.h>

#include "fabric/memo/region/part_log.h"
#include "fabric/memo/region/parts.h"
#include "fabric/memo/region/record.h"
#include "fabric/memo/region/replay.h"
#include "fabric/clock/domains.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/hooks.h"
#include "asim/topology.h"
#include "fabric/clock/ways.h"
#include "fabric/clock/window.h"
#include "net/ways.h"

/* Search costs, words: unproductive deferrals make the window longer; an idle check looks at each
 * port and sorts. FIRST_CHECKS: idle checks that the budget allows from the start. A replayed
 * episode pays for more checks, so unproductive checks soon stop and productive ones go on. */
enum { NODE_WORDS = 200, PORT_WORDS = 24, FIRST_CHECKS = 2, MOST_STILL_PAUSE = 63 };

/* Turns of hosts in short windows, which cost 0.3 to 2 s where no period is found; a quarter of
 * them would miss the periods of 1,024 GPUs. A host with more messages than these counts as
 * several. */
enum { SHORT_TURNS = 1 << 22, MESSAGES_A_TURN = 2 };

/* Of sends deferred without an idle network; of an idle check. */
static uint64_t unproductive_words(const struct asim_fabric *fabric)
{
    return (uint64_t)fabric->set.nodes * NODE_WORDS;
}

static uint64_t check_words(const struct asim_fabric *fabric)
{
    return (uint64_t)fabric->set.topo->first_port[fabric->set.nodes] * PORT_WORDS;
}

/* The network as a whole is recorded, replayed or deferred, or its events have numbers. */
static int whole_is_active(const struct asim_fabric *fabric)
{
    const struct asim_memo *memo = fabric->memo;

    return memo->whole.mode != ASIM_PART_OPEN || fabric->insertion;
}

static const struct asim_completion_hooks completion_hooks = {
    .sent = asim_record_sent, .arrived = asim_record_arrived, .notified = asim_record_notified};
/* What sends, completions and windows ask from now on. */
static void update_dormancy(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    const struct asim_parts *parts = memo->parts;
    int intercepts = memo->whole.mode != ASIM_PART_OPEN;
    uint64_t from = intercepts ? 0 : memo->whole.defer_from;

    fabric->completion_hooks = intercepts || parts ? &completion_hooks : NULL;
    fabric->memo_from = parts ? 0 : from;
    memo->is_dormant = from == ASIM_NEVER && !memo->may_be_idle &&
                       !(parts && asim_parts_in(parts, ASIM_PART_OPEN) < parts->n_parts);
}

void asim_memo_close(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;

    if (!memo)
        return;
    asim_parts_close(fabric);
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        ASIM_FREE(memo->host[v].deferred.at, memo->host[v].accepted.at);
    }
    asim_map_fini(&memo->seen);
    asim_steady_state_fini(&memo->steady);
    ASIM_FREE(memo->host, memo);
    fabric->memo = NULL;
    fabric->memo_from = ASIM_NEVER;
    fabric->memo_hooks = NULL;
    fabric->window_hooks = NULL;
    fabric->completion_hooks = NULL;
}

/* An observer of frames is about to start: it sees the frames of the present episode, too. */
void asim_memo_stop(struct asim_fabric *fabric)
{
    struct asim_part *whole;

    if (!fabric->memo)
        return;
    whole = &fabric->memo->whole;
    if (whole->mode == ASIM_PART_FOLLOW)
        asim_part_abandon(fabric, whole, 0, fabric->memo->window_end);
    else
        asim_part_release(fabric, whole);
    if (fabric->memo->parts)
        asim_parts_stop(fabric, fabric->memo->window_end);
    asim_memo_close(fabric);
}

/* A window of long links in which no rank acts, no later than parts need a look. */
static uint64_t end_of_still_window(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_memo *memo = fabric->memo;
    const struct asim_parts *parts = memo->parts;
    uint64_t least = t + fabric->set.lookahead, until = asim_domains_still_until(fabric, t);

    if (parts && parts->due_at < until)
        until = parts->due_at < least ? least : parts->due_at;
    memo->still_pause = until > least ? 0 : 2 * memo->still_pause + 1;
    if (memo->still_pause > MOST_STILL_PAUSE)
        memo->still_pause = MOST_STILL_PAUSE;
    memo->still_at = engine->run.windows + memo->still_pause;
    return until;
}

/* Whether the window stays as short as links are. A host takes longer where it has many messages:
 * those of an all-to-all seldom have a period, and their ranks hear of ends in nearly every window.
 */
static int is_short(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    uint64_t turns;

    if (memo->steady.grain || !memo->short_turns)
        return 0;
    turns = asim_memo_open(fabric) / MESSAGES_A_TURN;
    turns = turns > fabric->set.hosts ? turns : fabric->set.hosts;
    memo->short_turns -= turns < memo->short_turns ? turns : memo->short_turns;
    return 1;
}

/* While idle parts may get messages, no longer than no rank acts (clock/domains.h). */
static uint64_t window_end(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct asim_memo *memo = fabric->memo;
    const struct asim_parts *parts = memo->parts;
    uint64_t until = t + fabric->set.lookahead, grain = memo->steady.grain;
    int in_domains, stays_short;

    if (engine->workers.domain_lookahead == fabric->set.lookahead)
        return until;
    in_domains = asim_part_domains_may(fabric);
    stays_short = is_short(fabric);
    if ((asim_memo_is_dormant(fabric) || in_domains) && !stays_short)
        until = t + engine->workers.domain_lookahead;
    else if (memo->whole.mode == ASIM_PART_OPEN && engine->run.windows >= memo->still_at &&
             !(parts && (parts->suspended || asim_parts_in(parts, ASIM_PART_LEAD))))
        until = end_of_still_window(fabric, t);
    if (grain && grain <= (until - t) / 2 && until - t > fabric->set.lookahead)
        until -= (until - t) % grain;
    return until;
}

static int look_before(struct asim_fabric *fabric, uint64_t until)
{
    return asim_memo_due(fabric) < until && asim_parts_look_before(fabric, until);
}

/* The whole network is idle or follows a log. */
static void look_at_whole(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;

    asim_part_after_window(fabric, &memo->whole, until);
    if (memo->parts && memo->whole.mode == ASIM_PART_OPEN)
        asim_parts_take(fabric, until);
    asim_parts_gather(fabric);
}

/* Half-steps need a dormant memo, and no repeat in the last ASIM_RETRY_WINDOWS windows. */
static int allows_half_steps(const struct asim_fabric *fabric)
{
    return asim_engine_of(fabric)->run.windows >= fabric->memo->lockstep_until &&
           asim_memo_is_dormant(fabric);
}

static int is_replaying(const struct asim_fabric *fabric)
{
    return fabric->memo->whole.mode == ASIM_PART_FOLLOW ||
           (fabric->memo->parts && asim_parts_in(fabric->memo->parts, ASIM_PART_FOLLOW));
}

static int has_parts(const struct asim_fabric *fabric)
{
    return fabric->memo->parts != NULL;
}

/* Whether a period was skipped. */
static int detect(struct asim_fabric *fabric, uint64_t t)
{
    return asim_engine_of(fabric)->run.windows >= fabric->memo->steady.look_at &&
           asim_steady_state_detect(fabric, t);
}

/* Whether the whole network may become idle in a window that ends at `until`: then it defers what
 * is sent after its last completion. */
static void may_become_idle(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_part *whole = &memo->whole;
    const struct asim_parts *parts = memo->parts;
    uint64_t open = asim_memo_open(fabric);

    memo->may_be_idle =
        fabric->ways & ASIM_WAY_WHOLE && !asim_memo_has_unknown(fabric) &&
        !(parts && asim_parts_in(parts, ASIM_PART_LEAD) + asim_parts_in(parts, ASIM_PART_FOLLOW)) &&
        (!open || whole->last_completion < until) &&
        (whole->mode == ASIM_PART_LEAD ||
         asim_search_budget_has(fabric, &memo->of_whole.budget, 1));
    whole->defer_from = open && memo->may_be_idle ? whole->last_completion : ASIM_NEVER;
}

/* During a replay nothing happens between two windows. But a send may have been due there: then
 * the ranks deviate from that tick on, and no completion has come since. */
static int decide(struct asim_fabric *fabric, uint64_t t, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_part *whole = &memo->whole;
    struct asim_parts *parts = memo->parts;
    uint64_t look_at = asim_part_look_at(whole);

    if (parts && !parts->suspended && asim_parts_look_before(fabric, t))
        return 1;
    if (whole->mode == ASIM_PART_FOLLOW && look_at < t) {
        look_at_whole(fabric, look_at + 1);
        return 1;
    }
    if (whole->mode == ASIM_PART_FOLLOW || whole->mode == ASIM_PART_IDLE)
        return 0;
    if (detect(fabric, t))
        return 1;
    may_become_idle(fabric, until);
    update_dormancy(fabric);
    if (asim_part_domains_may(fabric) && until - t > fabric->set.lookahead)
        asim_part_domains_begin(fabric, t, until);
    else if (parts && !parts->suspended)
        asim_parts_begin_window(fabric, until);
    return 0;
}

static int before_window(struct asim_fabric *fabric, uint64_t t, uint64_t until)
{
    return asim_memo_is_dormant(fabric) ? detect(fabric, t) : decide(fabric, t, until);
}

static void completions_known(struct asim_fabric *fabric, uint64_t last)
{
    if (last > fabric->memo->whole.last_completion)
        fabric->memo->whole.last_completion = last;
    asim_parts_log(fabric);
}

/* The network is idle: its log ends, and deferred messages begin the next episode. */
static void become_idle(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;

    if (memo->whole.mode == ASIM_PART_LEAD)
        asim_part_lead_end(fabric, &memo->whole);
    else
        asim_part_set_mode(fabric, &memo->whole, ASIM_PART_IDLE);
    if (memo->parts)
        asim_parts_suspend(fabric, 1);
    asim_search_budget_spend(&memo->of_whole.budget, check_words(fabric));
    look_at_whole(fabric, until);
}

/* The network is not idle: messages deferred for that start, and its parts go on. */
static void go_on(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_part *whole = &memo->whole;
    int has_deferred = !asim_part_look_at(whole);

    asim_part_lead_limit(fabric, whole);
    if (memo->parts && !memo->parts->suspended) {
        if (has_deferred)
            asim_parts_release(fabric);
        if (memo->parts->in_domains)
            asim_part_domains_end(fabric);
        else
            asim_parts_after_window(fabric, until);
    } else if (has_deferred) {
        asim_part_release(fabric, whole);
    }
    if (whole->defer_from != ASIM_NEVER)
        asim_search_budget_spend(&memo->of_whole.budget, unproductive_words(fabric));
    asim_part_look_later(whole, ASIM_NEVER);
    whole->defer_from = ASIM_NEVER;
    memo->may_be_idle = 0;
}

/* Nothing is left to happen, and messages of a part that leads have not ended: they never will. So
 * those that follow it are simulated up to now, since what they have sent counts. */
static void leave_the_stuck(struct asim_fabric *fabric, uint64_t until)
{
    const struct asim_parts *parts = fabric->memo->parts;

    if (asim_parts_in(parts, ASIM_PART_LEAD) && asim_parts_in(parts, ASIM_PART_FOLLOW) &&
        asim_window_next_event(fabric) == ASIM_NEVER)
        asim_parts_stop(fabric, until);
}

static void after_window(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    enum asim_part_mode mode = memo->whole.mode;

    if (memo->is_dormant && !asim_memo_is_touched(fabric))
        return;
    if (memo->is_dormant && asim_engine_of(fabric)->run.half != ASIM_BOTH_HALVES)
        return; /* a part is looked at when both halves are at one time */
    memo->window_end = until;
    if (mode == ASIM_PART_IDLE || mode == ASIM_PART_FOLLOW) {
        if (asim_part_look_at(&memo->whole) < until)
            look_at_whole(fabric, until);
    } else if (memo->may_be_idle && !asim_memo_open(fabric) && asim_network_is_idle(fabric)) {
        become_idle(fabric, until);
    } else {
        go_on(fabric, until);
    }
    if (memo->parts) {
        leave_the_stuck(fabric, until);
        asim_parts_suspend(fabric, whole_is_active(fabric));
    }
    update_dormancy(fabric);
}

/* --- set-up ----------------------------------------------------------------------------------- */

static const struct asim_memo_hooks hooks = {.completions = &completion_hooks,
                                             .inject = asim_memo_inject,
                                             .lost = asim_part_lost,
                                             .complete = asim_part_complete,
                                             .close = asim_memo_close};
static const struct asim_window_hooks window_hooks = {.window_end = window_end,
                                                      .before_window = before_window,
                                                      .before_half_step = detect,
                                                      .completions_known = completions_known,
                                                      .after_window = after_window,
                                                      .allows_half_steps = allows_half_steps,
                                                      .is_replaying = is_replaying,
                                                      .goes_first = asim_part_goes_first,
                                                      .domain_begins = asim_part_domain_begins,
                                                      .look = asim_part_look,
                                                      .inner_begins = asim_part_inner_begins,
                                                      .domain_window_over = asim_parts_log_worker,
                                                      .inner_over = asim_part_inner_over,
                                                      .has_parts = has_parts,
                                                      .look_due = asim_memo_due,
                                                      .look_before = look_before,
                                                      .vote = asim_common_period_vote,
                                                      .skip = asim_common_period_skip};

static void open_steady_state(struct asim_fabric *fabric)
{
    struct asim_steady_state *steady = &fabric->memo->steady;

    if (!(fabric->ways & ASIM_WAY_OWN_PERIOD))
        steady->look_at = ASIM_NEVER;
    steady->common.is_on = (fabric->ways & ASIM_WAY_COMMON_PERIOD) != 0;
    steady->budget.is_eager = 1;
}

int asim_fabric_use_memo(struct asim_fabric *fabric)
{
    struct asim_memo *memo;

    asim_ways_find(fabric);
    if (fabric->memo || !(fabric->ways & ASIM_WAY_FAST_FORWARD))
        return 0;
    memo = calloc(1, sizeof *memo);
    if (!memo)
        return ASIM_ENOMEM;
    memo->host = calloc(fabric->set.hosts + 1, sizeof *memo->host);
    if (!memo->host) {
        free(memo);
        return ASIM_ENOMEM;
    }
    fabric->memo = memo;
    fabric->memo_from = 0;
    fabric->memo_hooks = &hooks;
    fabric->window_hooks = &window_hooks;
    asim_memo_found_repeat(fabric);
    asim_map_init(&memo->seen);
    memo->is_tree = fabric->set.topo->n_links + 1 == fabric->set.nodes;
    if (asim_part_open_whole(fabric))
        return ASIM_ENOMEM;
    open_steady_state(fabric);
    if (fabric->ways & ASIM_WAY_STEADY_STATE)
        memo->short_turns = SHORT_TURNS;
    /* As after an episode that is not recorded; with numbers until the network becomes idle behind
     * them. */
    if (!(fabric->ways & ASIM_WAY_WHOLE) || fabric->insertion) {
        memo->whole.mode = ASIM_PART_OPEN;
        fabric->memo_from = ASIM_NEVER;
        memo->is_dormant = 1;
    }
    if (fabric->ways & ASIM_WAY_PARTS && asim_parts_open(fabric))
        return ASIM_ENOMEM;
    if (memo->parts)
        asim_part_domains_open(fabric);
    if (fabric->set.process_of && !memo->parts && !memo->steady.common.is_on) {
        asim_memo_close(fabric);
        return 0;
    }
    if (fabric->set.process_of && memo->parts) {
        asim_parts_suspend(fabric, 0);
        memo->tally.reason = ASIM_CARRIED_OUTSIDE;
    }
    update_dormancy(fabric);
    asim_search_budget_raise(&memo->of_whole.budget,
                             FIRST_CHECKS * (unproductive_words(fabric) + check_words(fabric)));
    return 0;
}
