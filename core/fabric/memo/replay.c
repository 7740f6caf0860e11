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

#include <stdlib.h>
#include <string.h>

#include "fabric/node.h"

/* What a recording costs beside the messages in it, words: counters, twice. */
enum { LINK_WORDS = 60 };

/* Cues are put among the timers one by one: a host's heap stays as small as without them. Their key
 * is that of the event they stand for, so they meet the rank's own wakes in the right order. */
static int cue_timer(struct asim_fabric *fabric, struct asim_host *host)
{
    const struct asim_runs *runs = fabric->runs;
    const struct asim_runs_host *own = &runs->host[host->node];
    const struct asim_episode_part *part = &runs->playing->part[host->node];
    uint64_t t;

    if (own->cue == part->cues.n)
        return 0;
    t = runs->begin + part->cues.at[own->cue].t;
    asim_fabric_at(fabric, host->node, t);
    return asim_event_heap_push(&host->timers,
                                (struct asim_event_entry){t, part->cues.at[own->cue].tie, own->cue,
                                                          (uint64_t)ASIM_TIMER_CUE << 56});
}

/* The log and the callback, as when the last ACK comes in (qp.c), or the notice (host.c). */
void asim_runs_cue(struct asim_fabric *fabric, struct asim_host *host)
{
    struct asim_runs *runs = fabric->runs;
    struct asim_runs_host *own = &runs->host[host->node];
    const struct asim_cue *cue = &runs->playing->part[host->node].cues.at[own->cue++];
    const struct asim_given *given = &runs->host[cue->src].given.at[cue->feed];
    const struct asim_run_send *feed = &runs->playing->part[cue->src].feeds.at[cue->feed];
    struct asim_msg msg = given->msg;
    struct asim_fct row = {.start = asim_to_ns(fabric, runs->begin + feed->start),
                           .end = asim_to_ns(fabric, host->now),
                           .bytes = msg.bytes,
                           .ideal = feed->ideal,
                           .src = msg.src,
                           .dst = msg.dst,
                           .sport = (uint16_t)given->feed.sport};

    if (cue_timer(fabric, host))
        host->lane->failed = ASIM_ENOMEM;
    if (cue->is_arrival) {
        fabric->user.arrived(fabric->user.self, &msg);
        return;
    }
    if (fabric->watch.fct)
        fabric->watch.fct(fabric->watch.self, &row);
    fabric->user.sent(fabric->user.self, &msg);
}

/* The held sends are the first of those given. Room is made for all sends of the episode at once:
 * other threads read the row. */
static int play_host(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_runs_host *own = &fabric->runs->host[v];

    if (ASIM_VEC_RESERVE(own->given, fabric->runs->playing->part[v].feeds.n))
        return ASIM_ENOMEM;
    for (size_t i = 0; i < own->held.n; i++) {
        own->given.at[i] = own->held.at[i];
        own->given.at[i].feed.t -= fabric->runs->begin;
    }
    own->given.n = own->held.n;
    own->held.n = 0;
    return cue_timer(fabric, &fabric->host[v]);
}

/* From here on no frame exists until the episode ends, or a rank does something else. */
static void play(struct asim_fabric *fabric, struct asim_episode *episode, uint64_t begin)
{
    struct asim_runs *runs = fabric->runs;

    runs->mode = ASIM_RUNS_PLAY;
    asim_runs_found(fabric);
    runs->playing = episode;
    runs->begin = begin;
    runs->hold_from = begin + episode->length;
    runs->differs = 0;
    for (size_t i = 0; i < episode->who.n; i++)
        if (play_host(fabric, episode->who.at[i]))
            fabric->failed = ASIM_ENOMEM;
    for (uint32_t l = 0; l < fabric->n_lanes; l++)
        fabric->lane[l].holders.n = 0; /* all of them are among `who` */
}

/* They keep their times, though their hosts have gone past them: nothing else there did. */
static void release_host(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_runs_host *own = &fabric->runs->host[v];

    for (size_t i = 0; i < own->held.n; i++)
        if (asim_runs_start(fabric, &fabric->host[v], &own->held.at[i]))
            fabric->failed = ASIM_ENOMEM;
    own->held.n = 0;
}

void asim_runs_release(struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->n_lanes; l++) {
        for (size_t h = 0; h < fabric->lane[l].holders.n; h++)
            release_host(fabric, fabric->lane[l].holders.at[h]);
        fabric->lane[l].holders.n = 0;
    }
}

/* From `begin` on, which may lie before now: frame by frame, and written down. */
static void record(struct asim_fabric *fabric, uint64_t begin, uint64_t hash)
{
    struct asim_runs *runs = fabric->runs;

    runs->mode = ASIM_RUNS_RECORD;
    runs->hold_from = ASIM_NEVER;
    runs->recording = runs->spare ? runs->spare : asim_episode_new(fabric);
    runs->spare = NULL;
    if (!runs->recording) {
        fabric->failed = ASIM_ENOMEM;
        return;
    }
    if (asim_episode_begin(fabric, runs->recording, begin))
        fabric->failed = ASIM_ENOMEM;
    runs->recording->hash = hash;
    for (uint32_t v = 0; v < fabric->hosts; v++)
        runs->host[v].begun = 0;
}

void asim_runs_begin(struct asim_fabric *fabric, uint64_t until)
{
    uint64_t hash, begin = asim_recall_first(fabric, &hash);
    struct asim_episode *episode =
        asim_recall(fabric, hash, (const uint64_t[2]){begin, until - begin});

    if (episode && fabric->runs->wasted <= ASIM_RUNS_WASTE + fabric->runs->saved / 16) {
        play(fabric, episode, begin);
        return;
    }
    if (asim_recall_begin(fabric->runs, hash) && asim_budget_has(fabric, &fabric->runs->rests, 1)) {
        asim_budget_spend(&fabric->runs->rests, (uint64_t)fabric->topo->n_links * LINK_WORDS);
        record(fabric, begin, hash);
    }
    fabric->runs->mode = ASIM_RUNS_RECORD;
    fabric->runs->hold_from = ASIM_NEVER;
    asim_runs_release(fabric);
}

/* Takes the timers of cues out, and all others into *kept until put_back returns them. */
static int drop_cues(struct asim_host *host, struct asim_event_heap *kept)
{
    for (size_t i = 0; i < host->timers.n; i++)
        if (host->timers.at[i].value >> 56 != ASIM_TIMER_CUE &&
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

    fabric->runs->playing = episode;
    fabric->runs->hold_from = fabric->runs->begin + episode->length;
    fabric->runs->differs = 0;
    for (uint32_t v = 0; !code && v < fabric->hosts; v++) {
        struct asim_host *host = &fabric->host[v];

        if (drop_cues(host, &kept) || put_back(fabric, host, &kept) ||
            ASIM_VEC_RESERVE(fabric->runs->host[v].given, episode->part[v].feeds.n) ||
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
    struct asim_runs *runs = fabric->runs;

    for (uint32_t v = 0; v < fabric->hosts; v++) {
        struct asim_runs_host *own = &runs->host[v];

        if (drop_cues(&fabric->host[v], &kept[v]))
            return ASIM_ENOMEM;
        for (size_t i = 0; i < own->given.n + own->extra.n; i++) {
            struct asim_given *given =
                i < own->given.n ? &own->given.at[i] : &own->extra.at[i - own->given.n];

            given->feed.t += runs->begin;
            if (asim_runs_start(fabric, &fabric->host[v], given))
                return ASIM_ENOMEM;
        }
        own->given.n = own->extra.n = own->cue = 0;
    }
    asim_runs_release(fabric);
    return fabric->failed;
}

/* From the begin of the episode to the end of this window, for the frames' sake. */
static int simulate(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_event_heap *kept = calloc(fabric->hosts + 1, sizeof *kept);
    struct asim_net_user user = fabric->user;
    struct asim_fabric_watch watch = fabric->watch;
    int code = kept ? start_given(fabric, kept) : ASIM_ENOMEM;

    fabric->user.sent = fabric->user.arrived = hear_nothing;
    fabric->watch.fct = NULL;
    if (!code)
        asim_fabric_advance(fabric, until);
    fabric->user = user;
    fabric->watch = watch;
    for (uint32_t v = 0; kept && v < fabric->hosts; v++) {
        if (!code && put_back(fabric, &fabric->host[v], &kept[v]))
            code = ASIM_ENOMEM;
        asim_event_heap_fini(&kept[v]);
    }
    free(kept);
    return code;
}

static void stop_playing(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_runs *runs = fabric->runs;
    uint64_t hash = runs->playing->hash, before = asim_counts_hops(fabric);

    runs->playing = NULL;
    record(fabric, runs->begin, hash);
    if (!fabric->failed && simulate(fabric, until))
        fabric->failed = ASIM_ENOMEM;
    runs->wasted += asim_counts_hops(fabric) - before;
}

/* The network is where it would be, but for the counters, which take what the episode did. */
static void end_playing(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_runs *runs = fabric->runs;
    const struct asim_episode *played = runs->playing;

    asim_gains_add(played);
    runs->saved += played->hops;
    asim_budget_saved(&runs->rests, played->hops);
    for (size_t i = 0; i < played->who.n; i++) {
        struct asim_runs_host *own = &runs->host[played->who.at[i]];

        own->given.n = own->cue = 0;
    }
    runs->playing = NULL;
    asim_runs_rest(fabric, until);
}

/* One look at each host that sends: its next send is the earliest of those that are missing. */
uint64_t asim_runs_missed(const struct asim_fabric *fabric, uint64_t t)
{
    const struct asim_runs *runs = fabric->runs;

    for (size_t i = 0; i < runs->playing->who.n; i++) {
        uint32_t v = runs->playing->who.at[i];
        const struct asim_runs_host *own = &runs->host[v];
        const struct asim_episode_part *part = &runs->playing->part[v];

        if (own->given.n < part->feeds.n && runs->begin + part->feeds.at[own->given.n].t < t)
            t = runs->begin + part->feeds.at[own->given.n].t;
    }
    return t;
}

void asim_runs_played(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_runs *runs = fabric->runs;
    const uint64_t since[2] = {0, until - runs->begin};
    int differs = asim_runs_missed(fabric, until) < until;
    struct asim_episode *other;

    if (!differs && !runs->differs) {
        if (since[1] > runs->playing->length)
            end_playing(fabric, until);
        return;
    }
    other = asim_recall(fabric, runs->playing->hash, since);
    if (!other)
        stop_playing(fabric, until);
    else if (change_to(fabric, other))
        fabric->failed = ASIM_ENOMEM;
}

/* Before somebody begins to watch frames: those of the present episode, too, exist from now on. */
void asim_runs_stop(struct asim_fabric *fabric)
{
    if (!fabric->runs)
        return;
    if (fabric->runs->mode == ASIM_RUNS_PLAY)
        stop_playing(fabric, fabric->runs->until);
    else
        asim_runs_release(fabric);
    asim_runs_close(fabric);
}
