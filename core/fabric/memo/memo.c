/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs: rest, recording, and what a host does about them (memo.h). Whether the network is at rest
 * is asked where it may be: in the window in which the last message that is under way will be
 * through, which is known one window ahead, since the notice of its completion has been made. What
 * is sent after that time is held back to the end of the window, so that the rest is seen though
 * the ranks go on at once. Holding back changes nothing: the sends keep their times and order, and
 * no rank looks at its NIC.
 *
 * What begins as nothing has begun before is not recorded. Where nothing ever comes again, a window
 * costs two tests, a message one, and what is done for rests is bounded by a budget
 * (search_cost.h): without it a network that often seems to be near a rest, or is at rest after
 * each message, would take longer than frame by frame.
 */
#include "fabric/memo/memo.h"

#include <stdlib.h>

#include "fabric/node.h"

/* A recording of more messages than this is given up: it would take more memory than the network,
 * and what comes again after so long is seldom the same. */
enum { MOST_MESSAGES = 1 << 20 };

/* What rests cost, words: sends held back in vain make a window more; a rest is a look at each
 * port, some sorting included. And how many of them there may be to begin with. An episode that is
 * played pays for more: rests that lead to nothing are soon no longer looked for, and those that
 * lead to something go on. Recordings are paid for likewise (replay.c). */
enum { NODE_WORDS = 200, PORT_WORDS = 24, FIRST_RESTS = 2 };

/* Who looks at absolute counts or times (INT, PINT, random losses, planned link events), or sees
 * what is left out, has no runs. */
static int can_run(const struct asim_fabric *fabric)
{
    const struct asim_fabric_watch *watch = &fabric->watch;

    return !fabric->per_event && !fabric->part_of && !fabric->stamps && !fabric->losses &&
           !fabric->links && fabric->net->load_balance != ASIM_SPRAY &&
           !fabric->net->nic_total_pause_count && !watch->rate && !watch->frame &&
           (!watch->queue || watch->sampling.every_ns);
}

/* Of sends held back for nothing; of a rest. */
static uint64_t vain_words(const struct asim_fabric *fabric)
{
    return (uint64_t)fabric->nodes * NODE_WORDS;
}

static uint64_t rest_words(const struct asim_fabric *fabric)
{
    return (uint64_t)fabric->topo->first_port[fabric->nodes] * PORT_WORDS;
}

int asim_fabric_use_runs(struct asim_fabric *fabric)
{
    struct asim_runs *runs;

    if (fabric->runs || !can_run(fabric))
        return 0;
    runs = calloc(1, sizeof *runs);
    if (!runs)
        return ASIM_ENOMEM;
    runs->host = calloc(fabric->hosts + 1, sizeof *runs->host);
    if (!runs->host) {
        free(runs);
        return ASIM_ENOMEM;
    }
    fabric->runs = runs;
    asim_runs_found(fabric);
    asim_map_init(&runs->seen);
    runs->one_way = fabric->topo->n_links + 1 == fabric->nodes; /* a tree */
    runs->residue = asim_residue_id(fabric, &runs->residues, &runs->n_residues);
    runs->recur.look_at = fabric->cc->steady ? 0 : ASIM_NEVER;
    asim_budget_raise(&runs->rests, FIRST_RESTS * (vain_words(fabric) + rest_words(fabric)));
    return 0;
}

void asim_runs_close(struct asim_fabric *fabric)
{
    struct asim_runs *runs = fabric->runs;

    if (!runs)
        return;
    while (runs->kept) {
        struct asim_episode *next = runs->kept->next;

        asim_episode_free(runs->kept, fabric->hosts);
        runs->kept = next;
    }
    if (runs->recording)
        asim_episode_free(runs->recording, fabric->hosts);
    if (runs->spare)
        asim_episode_free(runs->spare, fabric->hosts);
    for (uint32_t v = 0; v < fabric->hosts; v++) {
        free(runs->host[v].held.at);
        free(runs->host[v].given.at);
        free(runs->host[v].extra.at);
    }
    for (size_t i = 0; i < runs->n_residues && i < ASIM_RESIDUES; i++)
        free(runs->residues[i].at);
    free(runs->residues);
    asim_map_fini(&runs->seen);
    asim_recur_fini(&runs->recur);
    free(runs->host);
    free(runs);
    fabric->runs = NULL;
}

/* The queue pair will be made by the START timer, as without runs. */
int asim_runs_start(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_given *given)
{
    struct asim_runs *runs = fabric->runs;
    struct asim_runs_host *own = &runs->host[host->node];
    uint64_t slot = asim_flow_alloc(host, &given->msg, (uint16_t)given->feed.sport);
    struct asim_run_send feed = given->feed;

    if (slot == ASIM_NEVER)
        return ASIM_ENOMEM;
    asim_flow_of(fabric, host->node, (uint32_t)slot)->number = own->begun;
    asim_rx_of(fabric, host->node, (uint32_t)slot)->number = own->begun++;
    if (runs->recording) {
        feed.t -= runs->recording->begin;
        if (ASIM_VEC_PUSH(runs->recording->part[host->node].feeds, feed))
            return ASIM_ENOMEM;
    }
    asim_fabric_at(fabric, host->node, given->feed.t);
    return asim_event_heap_push(
        &host->timers, (struct asim_event_entry){given->feed.t, given->feed.tie, host->timer_seq++,
                                                 (uint64_t)ASIM_TIMER_START << 56 | slot});
}

/* Playing: into the row of sends, if it is the one expected. The row has room for as many as the
 * episode has, because other hosts look at it; what goes beyond lies elsewhere. */
static int expect(struct asim_fabric *fabric, uint32_t node, struct asim_given *given)
{
    struct asim_runs *runs = fabric->runs;
    struct asim_runs_host *own = &runs->host[node];
    const struct asim_episode_part *part = &runs->playing->part[node];

    given->feed.t -= runs->begin;
    if (own->given.n == part->feeds.n || own->extra.n) {
        atomic_store_explicit(&runs->differs, 1, memory_order_relaxed);
        return ASIM_VEC_PUSH(own->extra, *given);
    }
    asim_run_send_route(fabric, node, &given->feed);
    if (!asim_run_send_is_same(&given->feed, &part->feeds.at[own->given.n]))
        atomic_store_explicit(&runs->differs, 1, memory_order_relaxed);
    own->given.at[own->given.n++] = *given;
    return 0;
}

/* While a message of this host is under way the network is not at rest, so what it sends is not
 * held back: nor is what it sends after that in the same window, since messages do not overtake
 * each other. A send becomes a queue pair in the ns it was made in, so those tell all but the
 * latest. */
static int is_to_hold(const struct asim_fabric *fabric, const struct asim_host *host)
{
    struct asim_runs_host *own = &fabric->runs->host[host->node];
    uint32_t open = 0;

    if (host->now < fabric->runs->hold_from)
        return 0;
    if (own->held.n)
        return 1;
    for (uint32_t i = 0; i < host->n_nics; i++)
        open += host->nics[i].qps.n - host->nics[i].qps.n_over;
    if (open)
        own->passed = fabric->windows + 1;
    return own->passed != fabric->windows + 1;
}

/* The path and the episode are looked at later: most sends are never compared with anything. */
int asim_runs_send(struct asim_fabric *fabric, struct asim_host *host, const struct asim_msg *msg)
{
    struct asim_runs *runs = fabric->runs;
    struct asim_runs_host *own = &runs->host[host->node];
    uint64_t sport = asim_flow_sport(host, msg->dst);
    struct asim_given given = {
        .feed = {.t = host->now,
                 .tie = asim_tie_key(0, asim_tie_key_age(host->tie), ASIM_CLASS_TIMER),
                 .bytes = msg->bytes,
                 .dst = msg->dst,
                 .sport = (uint16_t)sport},
        .msg = *msg,
    };

    if (sport == ASIM_NEVER)
        return ASIM_ENOMEM;
    if (is_to_hold(fabric, host)) {
        asim_fabric_at(fabric, host->node, host->now);
        if (ASIM_VEC_RESERVE(own->held, own->held.n + 1) ||
            (!own->held.n && ASIM_VEC_PUSH(host->lane->holders, host->node)))
            return ASIM_ENOMEM;
        return ASIM_VEC_PUSH(own->held, given);
    }
    if (runs->mode == ASIM_RUNS_PLAY)
        return expect(fabric, host->node, &given);
    return asim_runs_start(fabric, host, &given);
}

/* Into the row of the host that is told, which is the one that runs now. */
static void note(struct asim_fabric *fabric, struct asim_host *host, struct asim_cue *cue)
{
    struct asim_episode *recording = fabric->runs->recording;

    cue->t = host->now - recording->begin;
    cue->tie = host->tie;
    if (ASIM_VEC_PUSH(recording->part[host->node].cues, *cue))
        host->lane->failed = ASIM_ENOMEM;
}

void asim_runs_sent(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_flow *flow)
{
    struct asim_cue cue = {.src = host->node, .feed = flow->number & INT32_MAX};
    struct asim_episode *recording = fabric->runs->recording;
    struct asim_run_send *feed;

    feed = &recording->part[host->node].feeds.at[flow->number];
    feed->start = flow->start - recording->begin;
    feed->ideal = flow->ideal;
    note(fabric, host, &cue);
}

void asim_runs_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                       uint32_t slot)
{
    struct asim_cue cue = {
        .src = src, .feed = asim_rx_of(fabric, src, slot)->number & INT32_MAX, .is_arrival = 1};

    note(fabric, host, &cue);
}

/* Messages under way, and those of them whose completion is known. A message is known to be through
 * when the notice of it waits at its destination, which is from one window before it is through
 * until then. Asked in every window, so lanes count them: their hosts are many. */
static uint64_t open_messages(const struct asim_fabric *fabric, uint64_t *known)
{
    uint64_t open = 0;

    *known = 0;
    for (uint32_t l = 0; l < fabric->n_lanes; l++) {
        open += fabric->lane[l].open;
        *known += fabric->lane[l].waiting;
    }
    return open;
}

/* What sends and windows ask from now on. */
static void settle(struct asim_runs *runs)
{
    int watches = runs->mode != ASIM_RUNS_RECORD || runs->recording;

    runs->ask_from = watches ? 0 : runs->hold_from;
    runs->is_idle = runs->ask_from == ASIM_NEVER && !runs->may_rest;
}

/* While playing, nothing happens between two windows. But a send may have been due there: then it
 * is from that tick on that all may be different, and nobody has been told anything since. */
int asim_runs_before_slow(struct asim_fabric *fabric, uint64_t t, uint64_t until)
{
    struct asim_runs *runs = fabric->runs;
    uint64_t open, known, missed;

    if (runs->mode == ASIM_RUNS_PLAY && (missed = asim_runs_missed(fabric, t)) < t) {
        asim_runs_played(fabric, missed + 1);
        return 1;
    }
    if (runs->mode != ASIM_RUNS_RECORD)
        return 0; /* hold_from stands since the mode was taken */
    if (fabric->windows >= runs->recur.look_at && asim_recur_look(fabric, &runs->recur, t))
        return 1;
    open = open_messages(fabric, &known);
    runs->may_rest = open == known && (!open || runs->last_notice < until) &&
                     (runs->recording || asim_budget_has(fabric, &runs->rests, 1));
    runs->hold_from = open && runs->may_rest ? runs->last_notice : ASIM_NEVER;
    settle(runs);
    return 0;
}

/* Takes the episode over. The least recently used go where there are too many. */
static void keep(struct asim_fabric *fabric, struct asim_episode *episode)
{
    struct asim_runs *runs = fabric->runs;
    struct asim_episode **link = &runs->kept;
    size_t bytes = 0;

    episode->next = runs->kept;
    runs->kept = episode;
    for (; *link && bytes + (*link)->bytes <= ASIM_EPISODES_BYTES; link = &(*link)->next)
        bytes += (*link)->bytes;
    while (*link) {
        struct asim_episode *gone = *link;

        *link = gone->next;
        asim_episode_free(gone, fabric->hosts);
    }
}

/* 0 if a path cannot be told. */
static int route_all(struct asim_fabric *fabric, struct asim_episode *episode)
{
    for (uint32_t v = 0; v < fabric->hosts; v++)
        for (size_t i = 0; i < episode->part[v].feeds.n; i++) {
            asim_run_send_route(fabric, v, &episode->part[v].feeds.at[i]);
            if (episode->part[v].feeds.at[i].path == UINT64_MAX)
                return 0;
        }
    return 1;
}

/* Kept only if it leaves the network as it found it: then playing it changes nothing but counters,
 * and every later rest is the same rest. */
static void end_recording(struct asim_fabric *fabric)
{
    struct asim_runs *runs = fabric->runs;
    struct asim_episode *episode = runs->recording;
    uint64_t before = runs->residue;

    runs->recording = NULL;
    runs->residue = asim_residue_id(fabric, &runs->residues, &runs->n_residues);
    if (!episode)
        return;
    if (asim_episode_end(fabric, episode, runs->last_notice))
        fabric->failed = ASIM_ENOMEM;
    episode->residue = before;
    if (!episode->spoiled && before && before == runs->residue && route_all(fabric, episode))
        keep(fabric, episode);
    else
        runs->spare = episode;
}

/* Whether a new episode has begun: the ranks have sent since the rest. */
static int is_any_held(const struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->n_lanes; l++)
        if (fabric->lane[l].holders.n)
            return 1;
    return 0;
}

/* The network goes on without being recorded until its next rest. */
static void give_up_long(struct asim_fabric *fabric)
{
    struct asim_runs *runs = fabric->runs;
    uint64_t begun = 0;

    for (uint32_t v = 0; runs->recording && v < fabric->hosts; v++)
        begun += runs->host[v].begun;
    if (begun <= MOST_MESSAGES)
        return;
    asim_episode_free(runs->recording, fabric->hosts);
    runs->recording = NULL;
}

void asim_runs_rest(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_runs *runs = fabric->runs;

    runs->mode = ASIM_RUNS_REST;
    runs->hold_from = 0;
    if (is_any_held(fabric))
        asim_runs_begin(fabric, until);
}

void asim_runs_after_slow(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_runs *runs = fabric->runs;
    uint64_t known;

    runs->until = until;
    if (runs->mode == ASIM_RUNS_REST) {
        asim_runs_rest(fabric, until);
    } else if (runs->mode == ASIM_RUNS_PLAY) {
        asim_runs_played(fabric, until);
    } else if (runs->may_rest && !open_messages(fabric, &known) && asim_is_at_rest(fabric)) {
        end_recording(fabric);
        asim_budget_spend(&runs->rests, rest_words(fabric));
        asim_runs_rest(fabric, until);
    } else {
        give_up_long(fabric);
        if (runs->hold_from != ASIM_NEVER) {
            asim_runs_release(fabric);
            asim_budget_spend(&runs->rests, vain_words(fabric));
        }
        runs->hold_from = ASIM_NEVER;
        runs->may_rest = 0;
    }
    settle(runs);
}
