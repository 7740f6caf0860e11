/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Playing an episode, and what is done where the ranks do not follow it (memo.h).
 *
 * A rank is told something at least a window after the sends that led to it, so what is told within
 * a window is right whatever is sent in it. Hence the sends are held against the episode once a
 * window, and where they differ nothing wrong has been said yet: the frames up to the window's end
 * are simulated with the sends there were, and nobody is told a second time.
 *
 * What simulating after all has cost is added up. Ranks that begin alike and go on differently each
 * time would otherwise make a run slower than it is without all this; they are left alone once the
 * account is far enough in the red.
 */
#include "fabric/memo/memo.h"
#include "fabric/window.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/node.h"

/* What a recording costs beside the messages in it, words: counters, twice. */
enum { LINK_WORDS = 60 };

/* Cues are put among the timers one by one: a host's heap stays as small as without them. Their key
 * is that of the event they stand for, so they meet the rank's own wakes in the right order. */
static int cue_timer(struct asim_fabric *fabric, struct asim_host *host)
{
    const struct asim_memo *memo = fabric->memo;
    const struct asim_memo_host *own = &memo->host[host->node];
    const struct asim_episode_part *part = &memo->replaying->part[host->node];
    uint64_t t;

    if (own->next_completion == part->completions.n)
        return 0;
    t = memo->replay_begin + part->completions.at[own->next_completion].t;
    asim_fabric_at(fabric, host->node, t);
    return asim_event_heap_push(
        &host->timers,
        (struct asim_event_entry){t, part->completions.at[own->next_completion].tie,
                                  own->next_completion, (uint64_t)ASIM_TIMER_REPLAY << 56});
}

/* The log and the callback, as when the last ACK comes in (qp.c), or the notice (host.c). */
void asim_memo_complete(struct asim_fabric *fabric, struct asim_host *host)
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
                           .ideal = injection->ideal,
                           .src = msg.src,
                           .dst = msg.dst,
                           .sport = (uint16_t)message->injection.sport};

    if (cue_timer(fabric, host))
        host->worker->failed = ASIM_ENOMEM;
    if (completion->is_arrival) {
        fabric->set.user.arrived(fabric->set.user.self, &msg);
        return;
    }
    if (fabric->watch.fct)
        fabric->watch.fct(fabric->watch.self, &row);
    fabric->set.user.sent(fabric->set.user.self, &msg);
}

/* The held sends are the first of those given. Room is made for all sends of the episode at once:
 * other threads read the row. */
static int play_host(struct asim_fabric *fabric, uint32_t v)
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
    return cue_timer(fabric, &fabric->host[v]);
}

/* From here on no frame exists until the episode ends, or a rank does something else. */
static void play(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin)
{
    struct asim_memo *memo = fabric->memo;

    memo->mode = ASIM_MEMO_REPLAY;
    asim_memo_found_repeat(fabric);
    memo->replaying = episode;
    memo->replay_begin = begin;
    memo->defer_from = begin + episode->length;
    memo->mismatch = 0;
    for (size_t i = 0; i < episode->who.n; i++)
        if (play_host(fabric, episode->who.at[i]))
            fabric->run.failed = ASIM_ENOMEM;
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        fabric->workers.at[l].deferring.n = 0; /* all of them are among `who` */
}

/* They keep their times, though their hosts have gone past them: nothing else there did. */
static void release_host(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_memo_host *own = &fabric->memo->host[v];

    for (size_t i = 0; i < own->deferred.n; i++)
        if (asim_memo_start(fabric, &fabric->host[v], &own->deferred.at[i]))
            fabric->run.failed = ASIM_ENOMEM;
    own->deferred.n = 0;
}

void asim_memo_release(struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->workers.n; l++) {
        for (size_t h = 0; h < fabric->workers.at[l].deferring.n; h++)
            release_host(fabric, fabric->workers.at[l].deferring.at[h]);
        fabric->workers.at[l].deferring.n = 0;
    }
}

/* From `begin` on, which may lie before now: frame by frame, and written down. */
static void record(struct asim_fabric *fabric, uint64_t begin, uint64_t hash)
{
    struct asim_memo *memo = fabric->memo;

    memo->mode = ASIM_MEMO_RECORD;
    memo->defer_from = ASIM_NEVER;
    memo->recording = memo->spare ? memo->spare : asim_episode_new(fabric);
    memo->spare = NULL;
    if (!memo->recording) {
        fabric->run.failed = ASIM_ENOMEM;
        return;
    }
    if (asim_episode_begin(fabric, memo->recording, begin))
        fabric->run.failed = ASIM_ENOMEM;
    memo->recording->hash = hash;
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        memo->host[v].n_messages = 0;
}

void asim_memo_begin(struct asim_fabric *fabric, uint64_t until)
{
    uint64_t hash, begin = asim_lookup_first(fabric, &hash);
    struct asim_episode *episode =
        asim_lookup_episode(fabric, hash, (const uint64_t[2]){begin, until - begin});

    if (episode && fabric->memo->wasted <= ASIM_MEMO_WASTE + fabric->memo->saved / 16) {
        play(fabric, episode, begin);
        return;
    }
    if (asim_lookup_seen(fabric->memo, hash) &&
        asim_search_budget_has(fabric, &fabric->memo->idle_budget, 1)) {
        asim_search_budget_spend(&fabric->memo->idle_budget,
                                 (uint64_t)fabric->set.topo->n_links * LINK_WORDS);
        record(fabric, begin, hash);
    }
    fabric->memo->mode = ASIM_MEMO_RECORD;
    fabric->memo->defer_from = ASIM_NEVER;
    asim_memo_release(fabric);
}

/* Takes the timers of cues out, and all others into *kept until put_back returns them. */
static int drop_cues(struct asim_host *host, struct asim_event_heap *kept)
{
    for (size_t i = 0; i < host->timers.n; i++)
        if (host->timers.at[i].value >> 56 != ASIM_TIMER_REPLAY &&
            asim_event_heap_push(kept, host->timers.at[i]))
            return ASIM_ENOMEM;
    host->timers.n = 0;
    return 0;
}

/* The other way round; the clock hears of their times again. */
static int put_back(struct asim_fabric *fabric, struct asim_host *host,
                    struct asim_event_heap *kept)
{
    for (size_t i = 0; i < kept->n; i++) {
        asim_fabric_at(fabric, host->node, kept->at[i].t);
        if (asim_event_heap_push(&host->timers, kept->at[i]))
            return ASIM_ENOMEM;
    }
    kept->n = 0;
    return 0;
}

/* Another episode that began like this one goes on as the ranks do. What was told is the same. */
static int change_to(struct asim_fabric *fabric, struct asim_episode *episode)
{
    struct asim_event_heap kept = {0};
    int code = 0;

    fabric->memo->replaying = episode;
    fabric->memo->defer_from = fabric->memo->replay_begin + episode->length;
    fabric->memo->mismatch = 0;
    for (uint32_t v = 0; !code && v < fabric->set.hosts; v++) {
        struct asim_host *host = &fabric->host[v];

        if (drop_cues(host, &kept) || put_back(fabric, host, &kept) ||
            ASIM_VEC_RESERVE(fabric->memo->host[v].accepted, episode->part[v].injections.n) ||
            cue_timer(fabric, host))
            code = ASIM_ENOMEM;
    }
    asim_event_heap_fini(&kept);
    return code;
}

/* Who is told twice. */
static void hear_nothing(void *self, const struct asim_msg *msg)
{
    (void)self, (void)msg;
}

/* The sends that were given, at their times, also those held for after the episode's end, which is
 * the end no longer; all else waits in kept[v]. */
static int start_given(struct asim_fabric *fabric, struct asim_event_heap *kept)
{
    struct asim_memo *memo = fabric->memo;

    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        struct asim_memo_host *own = &memo->host[v];

        if (drop_cues(&fabric->host[v], &kept[v]))
            return ASIM_ENOMEM;
        for (size_t i = 0; i < own->accepted.n + own->surplus.n; i++) {
            struct asim_memo_message *message =
                i < own->accepted.n ? &own->accepted.at[i] : &own->surplus.at[i - own->accepted.n];

            message->injection.t += memo->replay_begin;
            if (asim_memo_start(fabric, &fabric->host[v], message))
                return ASIM_ENOMEM;
        }
        own->accepted.n = own->surplus.n = own->next_completion = 0;
    }
    asim_memo_release(fabric);
    return fabric->run.failed;
}

/* From the begin of the episode to the end of this window, for the frames' sake. */
static int simulate(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_event_heap *kept = calloc(fabric->set.hosts + 1, sizeof *kept);
    struct asim_net_user user = fabric->set.user;
    struct asim_fabric_watch watch = fabric->watch;
    int code = kept ? start_given(fabric, kept) : ASIM_ENOMEM;

    fabric->set.user.sent = fabric->set.user.arrived = hear_nothing;
    fabric->watch.fct = NULL;
    if (!code)
        asim_fabric_advance(fabric, until);
    fabric->set.user = user;
    fabric->watch = watch;
    for (uint32_t v = 0; kept && v < fabric->set.hosts; v++) {
        if (!code && put_back(fabric, &fabric->host[v], &kept[v]))
            code = ASIM_ENOMEM;
        asim_event_heap_fini(&kept[v]);
    }
    free(kept);
    return code;
}

static void stop_playing(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    uint64_t hash = memo->replaying->hash, before = asim_counters_hops(fabric);

    memo->replaying = NULL;
    record(fabric, memo->replay_begin, hash);
    if (!fabric->run.failed && simulate(fabric, until))
        fabric->run.failed = ASIM_ENOMEM;
    memo->wasted += asim_counters_hops(fabric) - before;
}

/* The network is where it would be, but for the counters, which take what the episode did. */
static void end_playing(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    const struct asim_episode *played = memo->replaying;

    asim_episode_add_deltas(played);
    memo->saved += played->hops;
    asim_search_budget_saved(&memo->idle_budget, played->hops);
    for (size_t i = 0; i < played->who.n; i++) {
        struct asim_memo_host *own = &memo->host[played->who.at[i]];

        own->accepted.n = own->next_completion = 0;
    }
    memo->replaying = NULL;
    asim_memo_idle(fabric, until);
}

/* One look at each host that sends: its next send is the earliest of those that are missing. */
uint64_t asim_memo_overdue(const struct asim_fabric *fabric, uint64_t t)
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

void asim_memo_replayed(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    const uint64_t since[2] = {0, until - memo->replay_begin};
    int differs = asim_memo_overdue(fabric, until) < until;
    struct asim_episode *other;

    if (!differs && !memo->mismatch) {
        if (since[1] > memo->replaying->length)
            end_playing(fabric, until);
        return;
    }
    other = asim_lookup_episode(fabric, memo->replaying->hash, since);
    if (!other)
        stop_playing(fabric, until);
    else if (change_to(fabric, other))
        fabric->run.failed = ASIM_ENOMEM;
}

/* Before somebody begins to watch frames: those of the present episode, too, exist from now on. */
void asim_memo_stop(struct asim_fabric *fabric)
{
    if (!fabric->memo)
        return;
    if (fabric->memo->mode == ASIM_MEMO_REPLAY)
        stop_playing(fabric, fabric->memo->window_end);
    else
        asim_memo_release(fabric);
    asim_memo_close(fabric);
}
