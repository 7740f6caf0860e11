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
 * (search_budget.h): without it a network that often seems to be near a rest, or is at rest after
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

    return !fabric->run.per_event && !fabric->dist.part_of && !fabric->set.writes_telemetry &&
           !fabric->losses && !fabric->link_events && fabric->set.net->load_balance != ASIM_SPRAY &&
           !fabric->set.net->nic_total_pause_count && !watch->rate && !watch->frame &&
           (!watch->queue || watch->sampling.every_ns);
}

/* Of sends held back for nothing; of a rest. */
static uint64_t vain_words(const struct asim_fabric *fabric)
{
    return (uint64_t)fabric->set.nodes * NODE_WORDS;
}

static uint64_t rest_words(const struct asim_fabric *fabric)
{
    return (uint64_t)fabric->set.topo->first_port[fabric->set.nodes] * PORT_WORDS;
}

int asim_fabric_use_memo(struct asim_fabric *fabric)
{
    struct asim_memo *memo;

    if (fabric->memo || !can_run(fabric))
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
    asim_memo_found_repeat(fabric);
    asim_map_init(&memo->seen);
    memo->is_tree = fabric->set.topo->n_links + 1 == fabric->set.nodes; /* a tree */
    memo->idle_state = asim_idle_state_id(fabric, &memo->idle_states, &memo->n_idle_states);
    memo->steady.look_at = fabric->set.cc->steady ? 0 : ASIM_NEVER;
    asim_search_budget_raise(&memo->idle_budget,
                             FIRST_RESTS * (vain_words(fabric) + rest_words(fabric)));
    return 0;
}

void asim_memo_close(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;

    if (!memo)
        return;
    while (memo->episodes) {
        struct asim_episode *next = memo->episodes->next;

        asim_episode_free(memo->episodes, fabric->set.hosts);
        memo->episodes = next;
    }
    if (memo->recording)
        asim_episode_free(memo->recording, fabric->set.hosts);
    if (memo->spare)
        asim_episode_free(memo->spare, fabric->set.hosts);
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        free(memo->host[v].deferred.at);
        free(memo->host[v].accepted.at);
        free(memo->host[v].surplus.at);
    }
    for (size_t i = 0; i < memo->n_idle_states && i < ASIM_IDLE_STATES; i++)
        free(memo->idle_states[i].at);
    free(memo->idle_states);
    asim_map_fini(&memo->seen);
    asim_steady_state_fini(&memo->steady);
    free(memo->host);
    free(memo);
    fabric->memo = NULL;
}

/* The queue pair will be made by the START timer, as without runs. */
int asim_memo_start(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_memo_message *message)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_memo_host *own = &memo->host[host->node];
    uint64_t slot = asim_flow_alloc(host, &message->msg, (uint16_t)message->injection.sport);
    struct asim_injection injection = message->injection;

    if (slot == ASIM_NEVER)
        return ASIM_ENOMEM;
    asim_flow_of(fabric, host->node, (uint32_t)slot)->message_index = own->n_messages;
    asim_rx_of(fabric, host->node, (uint32_t)slot)->message_index = own->n_messages++;
    if (memo->recording) {
        injection.t -= memo->recording->begin;
        if (ASIM_VEC_PUSH(memo->recording->part[host->node].injections, injection))
            return ASIM_ENOMEM;
    }
    asim_fabric_at(fabric, host->node, message->injection.t);
    return asim_event_heap_push(&host->timers,
                                (struct asim_event_entry){message->injection.t,
                                                          message->injection.tie, host->timer_seq++,
                                                          (uint64_t)ASIM_TIMER_START << 56 | slot});
}

/* Playing: into the row of sends, if it is the one expected. The row has room for as many as the
 * episode has, because other hosts look at it; what goes beyond lies elsewhere. */
static int expect(struct asim_fabric *fabric, uint32_t node, struct asim_memo_message *message)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_memo_host *own = &memo->host[node];
    const struct asim_episode_part *part = &memo->replaying->part[node];

    message->injection.t -= memo->replay_begin;
    if (own->accepted.n == part->injections.n || own->surplus.n) {
        atomic_store_explicit(&memo->mismatch, 1, memory_order_relaxed);
        return ASIM_VEC_PUSH(own->surplus, *message);
    }
    asim_injection_route(fabric, node, &message->injection);
    if (!asim_injection_is_same(&message->injection, &part->injections.at[own->accepted.n]))
        atomic_store_explicit(&memo->mismatch, 1, memory_order_relaxed);
    own->accepted.at[own->accepted.n++] = *message;
    return 0;
}

/* While a message of this host is under way the network is not at rest, so what it sends is not
 * held back: nor is what it sends after that in the same window, since messages do not overtake
 * each other. A send becomes a queue pair in the ns it was made in, so those tell all but the
 * latest. */
static int is_to_hold(const struct asim_fabric *fabric, const struct asim_host *host)
{
    struct asim_memo_host *own = &fabric->memo->host[host->node];
    uint32_t open = 0;

    if (host->now < fabric->memo->defer_from)
        return 0;
    if (own->deferred.n)
        return 1;
    for (uint32_t i = 0; i < host->n_nics; i++)
        open += host->nics[i].qps.n - host->nics[i].qps.n_finished;
    if (open)
        own->undeferred_in = fabric->run.windows + 1;
    return own->undeferred_in != fabric->run.windows + 1;
}

/* The path and the episode are looked at later: most sends are never compared with anything. */
int asim_memo_inject(struct asim_fabric *fabric, struct asim_host *host, const struct asim_msg *msg)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_memo_host *own = &memo->host[host->node];
    uint64_t sport = asim_flow_sport(host, msg->dst);
    struct asim_memo_message message = {
        .injection = {.t = host->now,
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
        if (ASIM_VEC_RESERVE(own->deferred, own->deferred.n + 1) ||
            (!own->deferred.n && ASIM_VEC_PUSH(host->worker->deferring, host->node)))
            return ASIM_ENOMEM;
        return ASIM_VEC_PUSH(own->deferred, message);
    }
    if (memo->mode == ASIM_MEMO_REPLAY)
        return expect(fabric, host->node, &message);
    return asim_memo_start(fabric, host, &message);
}

/* Into the row of the host that is told, which is the one that runs now. */
static void note(struct asim_fabric *fabric, struct asim_host *host,
                 struct asim_recorded_completion *completion)
{
    struct asim_episode *recording = fabric->memo->recording;

    completion->t = host->now - recording->begin;
    completion->tie = host->tie;
    if (ASIM_VEC_PUSH(recording->part[host->node].completions, *completion))
        host->worker->failed = ASIM_ENOMEM;
}

void asim_memo_sent(struct asim_fabric *fabric, struct asim_host *host,
                    const struct asim_flow *flow)
{
    struct asim_recorded_completion completion = {.src = host->node,
                                                  .injection = flow->message_index & INT32_MAX};
    struct asim_episode *recording = fabric->memo->recording;
    struct asim_injection *injection;

    injection = &recording->part[host->node].injections.at[flow->message_index];
    injection->start = flow->start - recording->begin;
    injection->ideal = flow->ideal;
    note(fabric, host, &completion);
}

void asim_memo_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                       uint32_t slot)
{
    struct asim_recorded_completion completion = {
        .src = src,
        .injection = asim_rx_of(fabric, src, slot)->message_index & INT32_MAX,
        .is_arrival = 1};

    note(fabric, host, &completion);
}

/* Messages under way, and those of them whose completion is known. A message is known to be through
 * when the notice of it waits at its destination, which is from one window before it is through
 * until then. Asked in every window, so workers count them: their hosts are many. */
static uint64_t open_messages(const struct asim_fabric *fabric, uint64_t *known)
{
    uint64_t open = 0;

    *known = 0;
    for (uint32_t l = 0; l < fabric->workers.n; l++) {
        open += fabric->workers.at[l].open;
        *known += fabric->workers.at[l].waiting;
    }
    return open;
}

/* What sends and windows ask from now on. */
static void settle(struct asim_memo *memo)
{
    int watches = memo->mode != ASIM_MEMO_RECORD || memo->recording;

    memo->intercept_from = watches ? 0 : memo->defer_from;
    memo->is_dormant = memo->intercept_from == ASIM_NEVER && !memo->may_be_idle;
}

/* While playing, nothing happens between two windows. But a send may have been due there: then it
 * is from that tick on that all may be different, and nobody has been told anything since. */
int asim_memo_before_window_slow(struct asim_fabric *fabric, uint64_t t, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    uint64_t open, known, missed;

    if (memo->mode == ASIM_MEMO_REPLAY && (missed = asim_memo_overdue(fabric, t)) < t) {
        asim_memo_replayed(fabric, missed + 1);
        return 1;
    }
    if (memo->mode != ASIM_MEMO_RECORD)
        return 0; /* defer_from stands since the mode was taken */
    if (fabric->run.windows >= memo->steady.look_at &&
        asim_steady_state_detect(fabric, &memo->steady, t))
        return 1;
    open = open_messages(fabric, &known);
    memo->may_be_idle = open == known && (!open || memo->last_completion < until) &&
                        (memo->recording || asim_search_budget_has(fabric, &memo->idle_budget, 1));
    memo->defer_from = open && memo->may_be_idle ? memo->last_completion : ASIM_NEVER;
    settle(memo);
    return 0;
}

/* Takes the episode over. The least recently used go where there are too many. */
static void keep(struct asim_fabric *fabric, struct asim_episode *episode)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_episode **link = &memo->episodes;
    size_t bytes = 0;

    episode->next = memo->episodes;
    memo->episodes = episode;
    for (; *link && bytes + (*link)->bytes <= ASIM_EPISODES_BYTES; link = &(*link)->next)
        bytes += (*link)->bytes;
    while (*link) {
        struct asim_episode *gone = *link;

        *link = gone->next;
        asim_episode_free(gone, fabric->set.hosts);
    }
}

/* 0 if a path cannot be told. */
static int route_all(struct asim_fabric *fabric, struct asim_episode *episode)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        for (size_t i = 0; i < episode->part[v].injections.n; i++) {
            asim_injection_route(fabric, v, &episode->part[v].injections.at[i]);
            if (episode->part[v].injections.at[i].path == UINT64_MAX)
                return 0;
        }
    return 1;
}

/* Kept only if it leaves the network as it found it: then playing it changes nothing but counters,
 * and every later rest is the same rest. */
static void end_recording(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_episode *episode = memo->recording;
    uint64_t before = memo->idle_state;

    memo->recording = NULL;
    memo->idle_state = asim_idle_state_id(fabric, &memo->idle_states, &memo->n_idle_states);
    if (!episode)
        return;
    if (asim_episode_end(fabric, episode, memo->last_completion))
        fabric->run.failed = ASIM_ENOMEM;
    episode->idle_state = before;
    if (!episode->not_replayable && before && before == memo->idle_state &&
        route_all(fabric, episode))
        keep(fabric, episode);
    else
        memo->spare = episode;
}

/* Whether a new episode has begun: the ranks have sent since the rest. */
static int is_any_held(const struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->workers.n; l++)
        if (fabric->workers.at[l].deferring.n)
            return 1;
    return 0;
}

/* The network goes on without being recorded until its next rest. */
static void give_up_long(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    uint64_t begun = 0;

    for (uint32_t v = 0; memo->recording && v < fabric->set.hosts; v++)
        begun += memo->host[v].n_messages;
    if (begun <= MOST_MESSAGES)
        return;
    asim_episode_free(memo->recording, fabric->set.hosts);
    memo->recording = NULL;
}

void asim_memo_idle(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;

    memo->mode = ASIM_MEMO_IDLE;
    memo->defer_from = 0;
    if (is_any_held(fabric))
        asim_memo_begin(fabric, until);
}

void asim_memo_after_window_slow(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_memo *memo = fabric->memo;
    uint64_t known;

    memo->window_end = until;
    if (memo->mode == ASIM_MEMO_IDLE) {
        asim_memo_idle(fabric, until);
    } else if (memo->mode == ASIM_MEMO_REPLAY) {
        asim_memo_replayed(fabric, until);
    } else if (memo->may_be_idle && !open_messages(fabric, &known) &&
               asim_network_is_idle(fabric)) {
        end_recording(fabric);
        asim_search_budget_spend(&memo->idle_budget, rest_words(fabric));
        asim_memo_idle(fabric, until);
    } else {
        give_up_long(fabric);
        if (memo->defer_from != ASIM_NEVER) {
            asim_memo_release(fabric);
            asim_search_budget_spend(&memo->idle_budget, vain_words(fabric));
        }
        memo->defer_from = ASIM_NEVER;
        memo->may_be_idle = 0;
    }
    settle(memo);
}
