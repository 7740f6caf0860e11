/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_log.h.
 */
#include "fabric/memo/part_log.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/memo/part_state.h"

enum { LOGS_BYTES = 256 << 20 }; /* for all logs */
enum { LOGS_A_LOOK = 64 };       /* logs between two looks at the memory of all */
enum { NUMBER_BITS = 40 };       /* of a completion: its place in the list */

/* A host of a part, and the end of the window. */
struct asim_part_place {
    uint32_t host;
    uint64_t until;
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

uint64_t asim_part_hash(const struct asim_fabric *fabric, const struct asim_part *part,
                        const uint64_t *state)
{
    const struct asim_parts *parts = fabric->memo->parts;
    uint64_t hash = mix(1, part->part_class);

    for (size_t i = 0; i < asim_part_state_size(part); i++)
        hash = mix(hash, state[i]);
    for (uint32_t h = 0; h < part->n_hosts; h++) {
        const struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        for (size_t i = 0; i < own->deferred.n; i++) {
            const struct asim_injection *injection = &own->deferred.at[i].injection;

            if (injection->t == part->begin)
                hash = mix(mix(mix(mix(hash, h), injection->bytes), injection->tie),
                           parts->number[injection->dst]);
        }
    }
    return hash;
}

static void free_log(struct asim_part_log *log)
{
    for (uint32_t h = 0; log->row && h < log->n_hosts; h++) {
        free(log->row[h].injections.at);
        free(log->row[h].completions.at);
    }
    free(log->row);
    free(log->state);
    free(log->after);
    free(log->deltas);
    free(log);
}

struct asim_part_log *asim_part_log_new(struct asim_fabric *fabric, struct asim_part *part,
                                        const struct asim_part_opening *opening)
{
    struct asim_part_log *log = calloc(1, sizeof *log);
    size_t words = asim_part_state_size(part);

    if (!log)
        return NULL;
    log->n_hosts = part->n_hosts;
    log->part_class = part->part_class;
    log->hash = opening->hash;
    log->begin = part->begin;
    log->length = log->defer_from = ASIM_NEVER;
    log->state = malloc(words * sizeof *log->state);
    log->after = malloc(asim_part_after_size(part) * sizeof *log->after);
    log->deltas = malloc(asim_part_counters_size(part) * sizeof *log->deltas);
    log->row = calloc(part->n_hosts, sizeof *log->row);
    if (!log->state || !log->after || !log->deltas || !log->row) {
        free_log(log);
        return NULL;
    }
    memcpy(log->state, opening->state, words * sizeof *log->state);
    log->next = fabric->memo->parts->logs;
    fabric->memo->parts->logs = log;
    return log;
}

void asim_part_log_leave(struct asim_fabric *fabric, struct asim_part *part)
{
    struct asim_part_log *log = part->log;
    struct asim_part_log **link = &fabric->memo->parts->logs;

    part->log = NULL;
    if (!log || --log->users || (!log->is_dead && log->length != ASIM_NEVER))
        return;
    while (*link != log)
        link = &(*link)->next;
    *link = log->next;
    free_log(log);
}

static size_t bytes_of(const struct asim_part_log *log)
{
    size_t bytes = sizeof *log;

    for (uint32_t h = 0; h < log->n_hosts; h++)
        bytes += sizeof log->row[h] + log->row[h].injections.cap * sizeof *log->row->injections.at +
                 log->row[h].completions.cap * sizeof *log->row->completions.at;
    return bytes;
}

void asim_part_logs_limit(struct asim_fabric *fabric)
{
    struct asim_part_log **link = &fabric->memo->parts->logs, *log;
    size_t bytes = 0;

    if (fabric->memo->parts->n_finished++ % LOGS_A_LOOK)
        return;
    while ((log = *link)) {
        if (!log->bytes || log->users)
            log->bytes = bytes_of(log);
        bytes += log->bytes;
        if (log->users || bytes <= LOGS_BYTES) {
            link = &log->next;
            continue;
        }
        *link = log->next;
        free_log(log);
    }
}

void asim_part_logs_free(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    while (parts && parts->logs) {
        struct asim_part_log *next = parts->logs->next;

        free_log(parts->logs);
        parts->logs = next;
    }
}

int asim_part_log_has(const struct asim_fabric *fabric, const struct asim_part_log *log,
                      const struct asim_memo_message *message, size_t i)
{
    const struct asim_parts *parts = fabric->memo->parts;
    const struct asim_log_row *row = &log->row[parts->number[message->msg.src]];
    const struct asim_logged_injection *logged;

    if (i >= row->injections.n)
        return 0;
    logged = &row->injections.at[i];
    return logged->t == message->injection.t && logged->tie == message->injection.tie &&
           logged->bytes == message->injection.bytes &&
           parts->part_of[message->msg.dst] == parts->part_of[message->msg.src] &&
           logged->dst == parts->number[message->msg.dst];
}

/* The accepted messages of a host, then the deferred ones. */
static int host_fits(const struct asim_fabric *fabric, const struct asim_part *part,
                     const struct asim_part_log *log, struct asim_part_place place)
{
    const struct asim_memo_host *own = &fabric->memo->host[part->host[place.host]];
    const struct asim_log_row *row = &log->row[place.host];
    size_t n = own->accepted.n + own->deferred.n;

    if (own->surplus.n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        struct asim_memo_message message;

        if (i < own->accepted.n) {
            message = own->accepted.at[i];
        } else {
            message = own->deferred.at[i - own->accepted.n];
            message.injection.t -= part->begin;
        }
        if (!asim_part_log_has(fabric, log, &message, i))
            return 0;
    }
    return n >= row->injections.n || row->injections.at[n].t >= place.until - part->begin;
}

int asim_part_log_fits(const struct asim_fabric *fabric, const struct asim_part *part,
                       const struct asim_part_log *log, uint64_t until)
{
    if (log->is_dead || (log->length == ASIM_NEVER && log->begin > part->begin))
        return 0;
    if (log->length != ASIM_NEVER && until - part->begin > log->length)
        return 0;
    for (uint32_t h = 0; h < part->n_hosts; h++)
        if (!host_fits(fabric, part, log, (struct asim_part_place){h, until}))
            return 0;
    return 1;
}

struct asim_part_log *asim_part_log_find(struct asim_fabric *fabric, const struct asim_part *part,
                                         const struct asim_part_opening *opening, uint64_t until)
{
    for (struct asim_part_log **link = &fabric->memo->parts->logs, *log; (log = *link);
         link = &log->next) {
        if (log->hash != opening->hash || log->part_class != part->part_class ||
            memcmp(log->state, opening->state, asim_part_state_size(part) * sizeof *log->state) !=
                0 ||
            !asim_part_log_fits(fabric, part, log, until))
            continue;
        *link = log->next;
        log->next = fabric->memo->parts->logs;
        fabric->memo->parts->logs = log;
        return log;
    }
    return NULL;
}

int asim_part_log_sent(struct asim_fabric *fabric, struct asim_part *part,
                       const struct asim_injection *injection, uint32_t host)
{
    const struct asim_parts *parts = fabric->memo->parts;
    struct asim_logged_injection logged = {.t = injection->t - part->begin,
                                           .tie = injection->tie,
                                           .bytes = injection->bytes,
                                           .dst = parts->number[injection->dst]};

    part->log->has_grown = 1;
    return ASIM_VEC_PUSH(part->log->row[parts->number[host]].injections, logged);
}

static int is_before(const struct asim_logged_completion *a, const struct asim_logged_completion *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    return a->tie != b->tie ? a->tie < b->tie : a->number < b->number;
}

/* Mostly the new one is the last. */
static int insert(struct asim_log_row *row, const struct asim_logged_completion *completion)
{
    size_t i = row->completions.n;

    if (ASIM_VEC_PUSH(row->completions, *completion))
        return ASIM_ENOMEM;
    for (; i && is_before(completion, &row->completions.at[i - 1]); i--)
        row->completions.at[i] = row->completions.at[i - 1];
    row->completions.at[i] = *completion;
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
    struct asim_log_row *at = &log->row[parts->number[notification->msg.dst]];
    struct asim_logged_injection *injection;
    struct asim_logged_completion completion = {.t = notification->t - part->begin,
                                                .tie = notification->tie,
                                                .src = src,
                                                .injection = flow->message_index & INT32_MAX};

    injection = &log->row[src].injections.at[flow->message_index];
    injection->ideal = flow->ideal;
    log->has_grown = 1;
    if (insert(&log->row[src], &completion))
        return ASIM_ENOMEM;
    completion.is_arrival = 1;
    completion.number = (notification->seq >> NUMBER_BITS) << NUMBER_BITS | at->completions.n;
    return insert(at, &completion);
}
