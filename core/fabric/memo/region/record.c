/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Recording of episodes (record.h).
 */
#include "fabric/memo/region/record.h"
#include "fabric/link/schedule.h"
#include "fabric/memo/region/part_log.h"
#include "fabric/memo/region/part_messages.h"

#include <stdlib.h>

/* A longer recording takes more memory than the network, and seldom repeats. */
enum { MOST_MESSAGES = 1 << 20 };
enum { EPISODES_BYTES = 256 << 20 }; /* for all episodes */

/* Counts the message, and writes it into the log that its part leads. */
static int record_in_part(struct asim_fabric *fabric, uint32_t host,
                          const struct asim_injection *injection, uint32_t slot)
{
    struct asim_part *part = asim_part_of(fabric, host);

    asim_part_started(fabric, host, injection->dst);
    if (!part || part->mode != ASIM_PART_LEAD || part->log->is_dead ||
        !asim_part_is_inside(fabric, host, injection->dst))
        return 0;
    asim_flow_of(fabric, host, slot)->message_index =
        (uint32_t)part->log->row[fabric->memo->parts->number[host]].injections.n;
    return asim_part_log_sent(fabric, part, injection, host);
}

/* The START timer creates the queue pair, as without the memo. */
int asim_record_start(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_memo_message *message)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_memo_host *own = &memo->host[host->node];
    struct asim_injection injection = message->injection;
    uint64_t slot = asim_flow_alloc(host, &message->msg, (uint16_t)injection.sport),
             t = injection.t;

    if (slot == ASIM_NEVER)
        return ASIM_ENOMEM;
    asim_flow_of(fabric, host->node, (uint32_t)slot)->message_index = own->n_messages;
    asim_rx_of(fabric, host->node, (uint32_t)slot)->message_index = own->n_messages++;
    if (memo->parts && record_in_part(fabric, host->node, &injection, (uint32_t)slot))
        return ASIM_ENOMEM;
    if (memo->recording) {
        injection.t -= memo->recording->begin;
        if (ASIM_VEC_PUSH(memo->recording->part[host->node].injections, injection))
            return ASIM_ENOMEM;
    }
    asim_node_schedule(fabric, host->node, t);
    return asim_event_heap_push(&host->timers,
                                (struct asim_event_entry){t, injection.tie, host->timer_seq++,
                                                          (uint64_t)ASIM_TIMER_START << 56 | slot});
}

/* The messages keep their times. Their hosts are past these times, but did nothing else there. */
static void release_host(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_memo_host *own = &fabric->memo->host[v];

    for (size_t i = 0; i < own->deferred.n; i++)
        if (asim_record_start(fabric, &fabric->host[v], &own->deferred.at[i]))
            fabric->run.failed = ASIM_ENOMEM;
    own->deferred.n = 0;
}

void asim_record_release(struct asim_fabric *fabric)
{
    for (uint32_t l = 0; l < fabric->workers.n; l++) {
        for (size_t h = 0; h < fabric->workers.at[l].deferring.n; h++)
            release_host(fabric, fabric->workers.at[l].deferring.at[h]);
        fabric->workers.at[l].deferring.n = 0;
    }
}

void asim_record_begin(struct asim_fabric *fabric, uint64_t begin, uint64_t hash)
{
    struct asim_memo *memo = fabric->memo;

    asim_memo_carry_for(fabric, ASIM_CARRIED_RECORDED);
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

/* Into the row of the host that runs now. */
static void record_completion(struct asim_fabric *fabric, struct asim_host *host,
                              struct asim_recorded_completion *completion)
{
    struct asim_episode *recording = fabric->memo->recording;

    completion->t = host->now - recording->begin;
    completion->tie = host->tie;
    if (ASIM_VEC_PUSH(recording->part[host->node].completions, *completion))
        host->worker->failed = ASIM_ENOMEM;
}

void asim_record_sent(struct asim_fabric *fabric, struct asim_host *host,
                      const struct asim_flow *flow)
{
    struct asim_recorded_completion completion = {.src = host->node,
                                                  .injection = flow->message_index & INT32_MAX};
    struct asim_episode *recording = fabric->memo->recording;
    struct asim_injection *injection;

    if (fabric->memo->parts)
        asim_part_sent(fabric, host, flow);
    if (!recording)
        return;
    injection = &recording->part[host->node].injections.at[flow->message_index];
    injection->start = flow->start - recording->begin;
    injection->ideal = flow->ideal;
    record_completion(fabric, host, &completion);
}

void asim_record_arrived(struct asim_fabric *fabric, struct asim_host *host, uint32_t src,
                         uint32_t slot)
{
    struct asim_recorded_completion completion = {.src = src, .is_arrival = 1};

    if (fabric->memo->parts)
        asim_part_arrived(fabric, src, host->node);
    if (!fabric->memo->recording)
        return;
    completion.injection = asim_rx_of(fabric, src, slot)->message_index & INT32_MAX;
    record_completion(fabric, host, &completion);
}

/* Takes the episode over. If the memory is exceeded, the least recently used episodes go. */
static void keep(struct asim_fabric *fabric, struct asim_episode *episode)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_episode **link = &memo->episodes;
    size_t bytes = 0;

    episode->next = memo->episodes;
    memo->episodes = episode;
    for (; *link && bytes + (*link)->bytes <= EPISODES_BYTES; link = &(*link)->next)
        bytes += (*link)->bytes;
    while (*link) {
        struct asim_episode *gone = *link;

        *link = gone->next;
        asim_episode_free(gone, fabric->set.hosts);
    }
}

/* 0 if a path has no number. */
static int route_all(struct asim_fabric *fabric, struct asim_episode *episode)
{
    for (size_t h = 0; h < episode->who.n; h++) {
        uint32_t v = episode->who.at[h];

        for (size_t i = 0; i < episode->part[v].injections.n; i++) {
            asim_injection_route(fabric, v, &episode->part[v].injections.at[i]);
            if (episode->part[v].injections.at[i].path == UINT64_MAX)
                return 0;
        }
    }
    return 1;
}

void asim_record_end(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    struct asim_episode *episode = memo->recording;
    int code;

    memo->recording = NULL;
    if (!episode)
        return;
    code = asim_episode_end(fabric, episode, memo->last_completion);
    if (code == ASIM_ENOMEM)
        fabric->run.failed = ASIM_ENOMEM;
    if (!episode->not_replayable && !code && route_all(fabric, episode)) {
        asim_memo_carried_for(fabric, ASIM_CARRIED_RECORDED);
        memo->tally.episodes++;
        keep(fabric, episode);
    } else {
        asim_memo_carried_for(fabric,
                              episode->not_replayable ? ASIM_CARRIED_PAUSES : ASIM_CARRIED_ORDER);
        memo->spare = episode;
    }
    memo->tally.reason = ASIM_CARRIED_FIRST;
}

void asim_record_limit(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;
    uint64_t messages = 0;

    for (uint32_t v = 0; memo->recording && v < fabric->set.hosts; v++)
        messages += memo->host[v].n_messages;
    if (messages <= MOST_MESSAGES)
        return;
    asim_memo_carry_for(fabric, ASIM_CARRIED_LONG);
    asim_episode_free(memo->recording, fabric->set.hosts);
    memo->recording = NULL;
}
