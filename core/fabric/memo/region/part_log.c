/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Comparison of logs with what parts do, and the rows of logs.
 */
#include "fabric/memo/region/part_log.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/memo/state/counters.h"
#include "fabric/clock/domains.h"
#include "fabric/host/flow.h"
#include "fabric/host/host.h"
#include "fabric/switch/switch.h"

/* NUMBER_BITS: of a completion, its place in the list. HASHED_PATHS: messages whose paths go into a
 * hash. */
enum { NUMBER_BITS = 40, HASHED_PATHS = 256 };

/* 0 where there is one path only: in a tree and inside a small part. */
static uint64_t path_of(struct asim_fabric *fabric, const struct asim_part *part, uint32_t src,
                        const struct asim_injection *injection)
{
    return part->is_whole && !fabric->memo->is_tree ? asim_injection_path(fabric, src, injection)
                                                    : 0;
}

/* Of one host. Destinations count from it, so the sum over hosts is the same in all rotations. The
 * whole network is not rotated. */
static uint64_t hash_host(struct asim_fabric *fabric, const struct asim_part *part, uint32_t h,
                          uint32_t *paths)
{
    const struct asim_memo_host *own = &fabric->memo->host[part->host[h]];
    uint64_t hash = part->is_whole ? h : asim_part_hash_state(fabric, part, h);

    for (size_t i = 0; i < own->deferred.n; i++) {
        const struct asim_injection *injection = &own->deferred.at[i].injection;
        uint32_t dst = asim_part_number(fabric, part, injection->dst);

        if (injection->t != part->begin)
            continue;
        hash = asim_mix_word(asim_mix_word(asim_mix_word(hash, injection->bytes), injection->tie),
                             dst >= h ? dst - h : dst + part->n_hosts - h);
        if ((*paths)++ < HASHED_PATHS)
            hash = asim_mix_word(hash, path_of(fabric, part, part->host[h], injection));
    }
    return hash;
}

uint64_t asim_part_hash(struct asim_fabric *fabric, const struct asim_part *part)
{
    uint64_t sum = 0;
    uint32_t paths = 0;

    for (uint32_t h = 0; h < part->n_hosts; h++)
        sum += hash_host(fabric, part, h, &paths);
    return asim_mix_word(asim_mix_word(1, part->part_class), sum);
}

static int allocate(struct asim_fabric *fabric, const struct asim_part *part,
                    struct asim_part_log *log)
{
    log->row = calloc(part->n_hosts, sizeof *log->row);
    log->counters = asim_part_counters_new(fabric, part);
    log->first = part->is_whole ? NULL : malloc(part->n_hosts * sizeof *log->first);
    return log->row && log->counters && (part->is_whole || log->first) ? 0 : ASIM_ENOMEM;
}

struct asim_part_log *asim_part_log_new(struct asim_fabric *fabric, struct asim_part *part,
                                        uint64_t hash)
{
    struct asim_part_log *log = calloc(1, sizeof *log);

    if (!log)
        return NULL;
    log->n_hosts = part->n_hosts;
    log->part_class = part->part_class;
    log->hash = hash;
    log->begin = part->begin;
    log->length = log->defer_from = ASIM_NEVER;
    if (allocate(fabric, part, log) || asim_part_logs_add(part->of_worker, log)) {
        asim_part_log_free(log);
        return NULL;
    }
    return log;
}

void asim_part_log_leave(struct asim_part *part)
{
    struct asim_part_log *log = part->log;

    part->log = NULL;
    if (log && !--log->users && (log->is_dead || log->length == ASIM_NEVER))
        asim_part_logs_remove(part->of_worker, log);
}

int asim_part_log_has(struct asim_fabric *fabric, const struct asim_part *part,
                      const struct asim_part_log *log, const struct asim_memo_message *message,
                      size_t i, uint64_t start)
{
    const struct asim_injection *now = &message->injection, *logged;
    uint32_t src = message->msg.src;
    const struct asim_log_row *row =
        &log->row[asim_part_row(part, asim_part_number(fabric, part, src))];

    if (i >= row->injections.n || !asim_part_has(fabric, part, now->dst))
        return 0;
    logged = &row->injections.at[i];
    return logged->t == now->t - start && logged->tie == now->tie && logged->bytes == now->bytes &&
           logged->dst == asim_part_row(part, asim_part_number(fabric, part, now->dst)) &&
           logged->path != UINT64_MAX && logged->path == path_of(fabric, part, src, now);
}

/* The accepted messages of a host, then the deferred ones. */
static int host_fits(struct asim_fabric *fabric, const struct asim_part *part,
                     const struct asim_part_log *log, uint32_t h, uint64_t until)
{
    const struct asim_memo_host *own = &fabric->memo->host[part->host[h]];
    const struct asim_log_row *row = &log->row[asim_part_row(part, h)];
    size_t n = own->accepted.n + own->deferred.n;

    for (size_t i = 0; i < own->accepted.n; i++)
        if (!asim_part_log_has(fabric, part, log, &own->accepted.at[i], i, 0))
            return 0;
    for (size_t i = own->accepted.n; i < n; i++)
        if (!asim_part_log_has(fabric, part, log, &own->deferred.at[i - own->accepted.n], i,
                               part->begin))
            return 0;
    return n >= row->injections.n || row->injections.at[n].t >= until - part->begin;
}

int asim_part_log_keeps_order(const struct asim_fabric *fabric, const struct asim_part *part,
                              const struct asim_part_log *log)
{
    if (log->is_rigid && part->rotation)
        return 0;
    for (uint32_t i = 1; i < log->n_first; i++) {
        const struct asim_logged_first *a = &log->first[i - 1], *b = &log->first[i];

        if (a->arrival.t == b->arrival.t && a->arrival.tie == b->arrival.tie &&
            !asim_part_used_before(fabric, part, asim_part_host(part, a->row),
                                   asim_part_host(part, b->row)))
            return 0;
    }
    return 1;
}

/* Whether the leader is so far that no part runs out of completions in this window: in windows of
 * domains it must have gone through the long window. */
static int is_ahead(const struct asim_fabric *fabric, const struct asim_part_log *log)
{
    const struct asim_parts *parts = fabric->memo->parts;
    const struct asim_worker *worker = fabric->host[log->leader->host[0]].worker;

    return !parts->in_domains || worker->domains->at[log->leader->domain].reached == parts->until;
}

/* Whether the part may follow the log from its start: it has made the sends of the log up to
 * `until`, and no others. The times of its accepted messages are relative, of its deferred ones
 * absolute. */
static int fits(struct asim_fabric *fabric, const struct asim_part *part,
                const struct asim_part_log *log, uint64_t until)
{
    if (log->is_dead)
        return 0;
    if (log->length == ASIM_NEVER && (log->begin > part->begin || !is_ahead(fabric, log)))
        return 0;
    if (log->length != ASIM_NEVER && until - part->begin > log->length)
        return 0;
    for (uint32_t h = 0; h < part->n_hosts; h++)
        if (!host_fits(fabric, part, log, h, until))
            return 0;
    return asim_part_log_keeps_order(fabric, part, log); /* last, since the hosts seldom fit */
}

/* When a host made its first send of the episode, ticks since the start; ASIM_NEVER: not yet. */
static uint64_t first_send(const struct asim_fabric *fabric, const struct asim_part *part,
                           uint32_t host)
{
    const struct asim_memo_host *own = &fabric->memo->host[part->host[host]];

    if (own->accepted.n)
        return own->accepted.at[0].injection.t;
    return own->deferred.n ? own->deferred.at[0].injection.t - part->begin : ASIM_NEVER;
}

/* Sets the rotation with which the log fits. */
static int fits_rotated(struct asim_fabric *fabric, struct asim_part *part,
                        const struct asim_part_log *log, uint64_t until)
{
    uint32_t before = part->rotation, n = part->is_regular ? part->n_hosts : 1;

    if (log->part_class != part->part_class)
        return 0;
    for (part->rotation = 0; part->rotation < n; part->rotation++)
        if (fits(fabric, part, log, until) && asim_episode_state_fits(fabric, part, &log->state))
            return 1;
    part->rotation = before;
    return 0;
}

struct asim_part_log *asim_part_log_find(struct asim_fabric *fabric, struct asim_part *part,
                                         uint64_t hash, uint64_t until)
{
    struct asim_part_search search = {.hash = hash, .until = until - part->begin};
    struct asim_part_log *log;

    if (!asim_memo_may_replay(fabric->memo))
        return NULL;
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        uint64_t t = first_send(fabric, part, h);

        if (t != ASIM_NEVER)
            asim_part_times_add(&search.times, t);
    }
    while ((log = asim_part_logs_next(part->of_worker, &search)))
        if (fits_rotated(fabric, part, log, until)) {
            log->used = part->of_worker->n_searches;
            return log;
        }
    return NULL;
}

/* Hosts of several threads send in the whole network; its log goes into the index at its end. */
int asim_part_log_sent(struct asim_fabric *fabric, struct asim_part *part,
                       const struct asim_injection *injection, uint32_t host)
{
    struct asim_part_log *log = part->log;
    struct asim_log_row *row = &log->row[asim_part_number(fabric, part, host)];
    struct asim_injection logged = *injection;

    logged.t -= part->begin;
    logged.dst = asim_part_number(fabric, part, injection->dst);
    logged.path = path_of(fabric, part, host, injection);
    if (!part->is_whole) {
        if (!row->injections.n && asim_part_logs_begins(part->of_worker, log, logged.t))
            return ASIM_ENOMEM;
        log->has_grown = 1;
    }
    return ASIM_VEC_PUSH(row->injections, logged);
}

/* As the switch orders them (tie_order.c). */
static int arrived_before(const struct asim_first_arrival *a, const struct asim_first_arrival *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    if (a->tie != b->tie)
        return a->tie < b->tie;
    return a->seq != b->seq ? a->seq < b->seq : a->port < b->port;
}

void asim_part_log_arrived(const struct asim_fabric *fabric, struct asim_part *part)
{
    const struct asim_switch *sw = &fabric->sw[part->sw - fabric->set.hosts];
    struct asim_part_log *log = part->log;

    for (size_t k = 0; k < part->first.list.n; k++) {
        struct asim_logged_first first = {.arrival = part->first.list.at[k]};
        uint32_t i = log->n_first++;

        first.arrival.t -= part->begin;
        first.row = fabric->memo->parts->number[sw->in[first.arrival.port]->from];
        for (; i && arrived_before(&first.arrival, &log->first[i - 1].arrival); i--)
            log->first[i] = log->first[i - 1];
        log->first[i] = first;
        log->has_grown = 1;
    }
    part->first.list.n = 0;
}

static int is_before(const struct asim_logged_completion *a, const struct asim_logged_completion *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    return a->tie != b->tie ? a->tie < b->tie : a->number < b->number;
}

static int has_same_key(const struct asim_logged_completion *a,
                        const struct asim_logged_completion *b)
{
    return a->t == b->t && a->tie == b->tie && a->is_arrival == b->is_arrival;
}

/* Mostly the new one is the last. Two of equal kind, time and tie key have the order of the numbers
 * of their wires. */
static int insert(struct asim_part_log *log, uint32_t host,
                  const struct asim_logged_completion *completion)
{
    struct asim_log_row *row = &log->row[host];
    struct asim_logged_completion *at;
    size_t i = row->completions.n;

    if (ASIM_VEC_PUSH(row->completions, *completion))
        return ASIM_ENOMEM;
    at = row->completions.at;
    for (; i && is_before(completion, &at[i - 1]); i--)
        at[i] = at[i - 1];
    at[i] = *completion;
    log->is_rigid |= i && has_same_key(completion, &at[i - 1]);
    log->is_rigid |= i + 1 < row->completions.n && has_same_key(completion, &at[i + 1]);
    return 0;
}

/* The source takes the last ACK, then the destination its notification; several notifications of
 * one time come in the order of their links. */
int asim_part_log_completes(struct asim_fabric *fabric, struct asim_part *part,
                            const struct asim_notification *notification)
{
    const struct asim_parts *parts = fabric->memo->parts;
    struct asim_part_log *log = part->log;
    const struct asim_flow *flow = asim_flow_of(fabric, notification->msg.src, notification->slot);
    uint32_t src = parts->number[notification->msg.src];
    uint32_t dst = parts->number[notification->msg.dst];
    struct asim_injection *injection;
    struct asim_logged_completion completion = {.t = notification->t - part->begin,
                                                .tie = notification->tie,
                                                .src = src,
                                                .injection = flow->message_index & INT32_MAX};

    injection = &log->row[src].injections.at[flow->message_index];
    injection->ideal = flow->ideal;
    log->has_grown = 1;
    if (insert(log, src, &completion))
        return ASIM_ENOMEM;
    completion.is_arrival = 1;
    completion.number =
        (notification->seq >> NUMBER_BITS) << NUMBER_BITS | log->row[dst].completions.n;
    return insert(log, dst, &completion);
}
