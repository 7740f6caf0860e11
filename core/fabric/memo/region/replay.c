/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Replay of episodes (replay.h).
 */
#include "fabric/memo/region/replay.h"
#include "fabric/clock/step.h"

#include <stdlib.h>

#include "fabric/memo/region/lookup.h"
#include "fabric/memo/region/part_follow.h"
#include "fabric/memo/region/parts.h"
#include "fabric/memo/region/record.h"
#include "fabric/memo/region/timers.h"
#include "fabric/link/schedule.h"

/* Search cost of a recording beside its messages, words a link: two lists of counters. */
enum { LINK_WORDS = 60 };

/* Arms a timer for the next completion of a host. One timer at a time keeps the event heap small.
 * The tie key of the recorded event puts the timer into the right order among the rank's wakes. */
static int arm_completion(struct asim_fabric *fabric, struct asim_host *host)
{
    const struct asim_memo *memo = fabric->memo;
    const struct asim_memo_host *own = &memo->host[host->node];
    const struct asim_episode_part *part = &memo->replaying->part[host->node];
    uint64_t t;

    if (own->next_completion == part->completions.n)
        return 0;
    t = memo->replay_begin + part->completions.at[own->next_completion].t;
    asim_node_schedule(fabric, host->node, t);
    return asim_event_heap_push(
        &host->timers,
        (struct asim_event_entry){t, part->completions.at[own->next_completion].tie,
                                  own->next_completion, (uint64_t)ASIM_TIMER_REPLAY << 56});
}

/* Log and callback as in qp.c for the last ACK, and in host.c for the notification. */
static void complete(struct asim_fabric *fabric, struct asim_host *host)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_memo_host *own = &memo->host[host->node];
    const struct asim_recorded_completion *completion =
        &memo->replaying->part[host->node].completions.at[own->next_completion++];
    const struct asim_memo_message *message =
        &memo->host[completion->src].accepted.at[completion->injection];
    const struct asim_injection *injection =
        &memo->replaying->part[completion->src].injections.at[completion->injection];
    struct asim_msg msg = message->msg;
    struct asim_fct row = {.start = asim_to_ns(fabric, memo->replay_begin + injection->start),
                           .end = asim_to_ns(fabric, host->now),
                           .bytes = msg.bytes,
                           .id = msg.id,
                           .ideal = injection->ideal,
                           .src = msg.src,
                           .dst = msg.dst,
                           .sport = (uint16_t)message->injection.sport};

    if (arm_completion(fabric, host))
        host->worker->failed = ASIM_ENOMEM;
    if (completion->is_arrival) {
        fabric->set.user.arrived(fabric->set.user.self, &msg);
        return;
    }
    if (fabric->watch.fct)
        fabric->watch.fct(fabric->watch.self, &row);
    fabric->set.user.sent(fabric->set.user.self, &msg);
}

void asim_replay_complete(struct asim_fabric *fabric, struct asim_host *host)
{
    if (fabric->memo->mode == ASIM_MEMO_REPLAY)
        complete(fabric, host);
    else if (fabric->memo->parts)
        asim_part_complete(fabric, host);
}

/* The deferred sends are the first accepted ones. The row gets its full size now, because other
 * threads read it. */
static int replay_host(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_memo_host *own = &fabric->memo->host[v];

    if (ASIM_VEC_RESERVE(own->accepted, fabric->memo->replaying->part[v].injections.n))
        return ASIM_ENOMEM;
    for (size_t i = 0; i < own->deferred.n; i++) {
        own->accepted.at[i] = own->deferred.at[i];
        own->accepted.at[i].injection.t -= fabric->memo->replay_begin;
    }
    own->accepted.n = own->deferred.n;
    own->deferred.n = 0;
    return arm_completion(fabric, &fabric->host[v]);
}

static void start_replay(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin)
{
    struct asim_memo *memo = fabric->memo;

    memo->mode = ASIM_MEMO_REPLAY;
    asim_memo_found_repeat(fabric);
    memo->replaying = episode;
    memo->replay_begin = begin;
    memo->defer_from = begin + episode->length;
    memo->mismatch = 0;
    for (size_t i = 0; i < episode->who.n; i++)
        if (replay_host(fabric, episode->who.at[i]))
            fabric->run.failed = ASIM_ENOMEM;
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        fabric->workers.at[l].deferring.n = 0; /* all of them are in `who` */
}

/* The deferred sends begin an episode. */
static void begin_episode(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_lookup lookup = {0};
    struct asim_episode *episode;

    memo->mode = ASIM_MEMO_RECORD;
    memo->defer_from = ASIM_NEVER;
    if (memo->parts && asim_parts_have_all(fabric)) {
        asim_parts_take(fabric, until);
        return;
    }
    lookup.offset = asim_lookup_first(fabric, &lookup.hash);
    lookup.until = until - lookup.offset;
    episode = asim_lookup_episode(fabric, &lookup);
    if (episode && asim_memo_may_replay(memo)) {
        start_replay(fabric, episode, lookup.offset);
        return;
    }
    if (asim_lookup_seen(memo, lookup.hash) &&
        asim_search_budget_has(fabric, &memo->idle_budget, 1)) {
        asim_search_budget_spend(&memo->idle_budget,
                                 (uint64_t)fabric->set.topo->n_links * LINK_WORDS);
        asim_record_begin(fabric, lookup.offset, lookup.hash);
    } else {
        asim_memo_carry_for(fabric, ASIM_CARRIED_FIRST);
    }
    if (memo->parts && !memo->recording)
        asim_parts_take(fabric, until);
    else
        asim_record_release(fabric);
}

void asim_replay_idle(struct asim_fabric *fabric, uint64_t until)
{
    size_t deferring = 0;

    fabric->memo->mode = ASIM_MEMO_IDLE;
    fabric->memo->defer_from = 0;
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        deferring += fabric->workers.at[l].deferring.n;
    if (deferring)
        begin_episode(fabric, until);
}

/* Continues with another episode that has begun alike: its completions so far are the same. */
static int switch_episode(struct asim_fabric *fabric, struct asim_episode *episode)
{
    struct asim_event_heap kept = {0};
    int code = 0;

    fabric->memo->replaying = episode;
    fabric->memo->defer_from = fabric->memo->replay_begin + episode->length;
    fabric->memo->mismatch = 0;
    for (uint32_t v = 0; !code && v < fabric->set.hosts; v++) {
        struct asim_host *host = &fabric->host[v];

        if (asim_memo_cancel_completions(host, &kept) ||
            asim_memo_restore_timers(fabric, host, &kept) ||
            ASIM_VEC_RESERVE(fabric->memo->host[v].accepted, episode->part[v].injections.n) ||
            arm_completion(fabric, host))
            code = ASIM_ENOMEM;
    }
    asim_event_heap_fini(&kept);
    return code;
}

/* Starts all sends so far at their times, including those deferred past the episode's end. All
 * other timers wait in kept[v]. */
static int start_accepted(struct asim_fabric *fabric, struct asim_event_heap *kept)
{
    struct asim_memo *memo = fabric->memo;

    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        struct asim_memo_host *own = &memo->host[v];

        if (asim_memo_cancel_completions(&fabric->host[v], &kept[v]))
            return ASIM_ENOMEM;
        for (size_t i = 0; i < own->accepted.n + own->surplus.n; i++) {
            struct asim_memo_message *message =
                i < own->accepted.n ? &own->accepted.at[i] : &own->surplus.at[i - own->accepted.n];

            message->injection.t += memo->replay_begin;
            if (asim_record_start(fabric, &fabric->host[v], message))
                return ASIM_ENOMEM;
        }
        own->accepted.n = own->surplus.n = own->next_completion = 0;
    }
    asim_record_release(fabric);
    return fabric->run.failed;
}

/* From the begin of the episode to the end of this window, without callbacks. */
static int simulate(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_event_heap *kept = calloc(fabric->set.hosts + 1, sizeof *kept);
    int code = kept ? start_accepted(fabric, kept) : ASIM_ENOMEM;

    if (!code)
        asim_fabric_advance_silently(fabric, until);
    for (uint32_t v = 0; kept && v < fabric->set.hosts; v++) {
        if (!code && asim_memo_restore_timers(fabric, &fabric->host[v], &kept[v]))
            code = ASIM_ENOMEM;
        asim_event_heap_fini(&kept[v]);
    }
    free(kept);
    return code;
}

void asim_replay_abandon(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    uint64_t hash = memo->replaying->hash, before = asim_counters_hops(fabric);

    memo->replaying = NULL;
    asim_record_begin(fabric, memo->replay_begin, hash);
    if (!fabric->run.failed && simulate(fabric, until))
        fabric->run.failed = ASIM_ENOMEM;
    memo->wasted += asim_counters_hops(fabric) - before;
    memo->tally.deviations++;
    asim_memo_carried_for(fabric, ASIM_CARRIED_DEVIATED);
}

/* Puts the network into the state in which the episode ends. */
static void end_replay(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    const struct asim_episode *episode = memo->replaying;

    asim_counter_deltas_add(&episode->deltas);
    asim_episode_state_apply(fabric, episode, memo->replay_begin);
    memo->saved += episode->hops;
    memo->tally.replays++;
    asim_search_budget_saved(&memo->idle_budget, episode->hops);
    for (size_t i = 0; i < episode->who.n; i++) {
        struct asim_memo_host *own = &memo->host[episode->who.at[i]];

        own->accepted.n = own->next_completion = 0;
    }
    memo->replaying = NULL;
    asim_replay_idle(fabric, until);
}

/* Looks at one injection of each host: the next one is the earliest that can be missing. */
uint64_t asim_replay_overdue(const struct asim_fabric *fabric, uint64_t t)
{
    const struct asim_memo *memo = fabric->memo;

    for (size_t i = 0; i < memo->replaying->who.n; i++) {
        uint32_t v = memo->replaying->who.at[i];
        const struct asim_memo_host *own = &memo->host[v];
        const struct asim_episode_part *part = &memo->replaying->part[v];

        if (own->accepted.n < part->injections.n &&
            memo->replay_begin + part->injections.at[own->accepted.n].t < t)
            t = memo->replay_begin + part->injections.at[own->accepted.n].t;
    }
    return t;
}

void asim_replay_check(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    const struct asim_lookup lookup = {.hash = memo->replaying->hash,
                                       .until = until - memo->replay_begin};
    struct asim_episode *other;

    if (asim_replay_overdue(fabric, until) >= until && !memo->mismatch &&
        asim_lookup_follows(fabric)) {
        if (lookup.until > memo->replaying->length)
            end_replay(fabric, until);
        return;
    }
    other = asim_lookup_episode(fabric, &lookup);
    if (!other)
        asim_replay_abandon(fabric, until);
    else if (switch_episode(fabric, other))
        fabric->run.failed = ASIM_ENOMEM;
}
