/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The logs of a worker: an index of them, and their memory.
 *
 * Many logs begin alike: one host sends, and the others follow at times that differ from log to
 * log. A training iteration with pipeline stages writes more than ten thousand logs, and searches a
 * million times. So logs are found by the times at which their first hosts begin to send: a part in
 * which k hosts have sent looks among the logs that have these k times.
 */
#include "fabric/memo/region/part_log.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"

enum { LOGS_BYTES = 256 << 20 }; /* for all logs */

void asim_part_log_free(struct asim_part_log *log)
{
    for (uint32_t h = 0; log->row && h < log->n_hosts; h++) {
        ASIM_FREE(log->row[h].injections.at, log->row[h].completions.at);
    }
    ASIM_FREE(log->row, log->first, log->counters, log->senders.at, log->state.ports.at, log);
}

/* --- the index --------------------------------------------------------------------------------
 */

/* Of the first n times. */
static uint64_t mix_of(const struct asim_part_times *times, uint32_t n)
{
    uint64_t mix = n;

    for (uint32_t i = 0; i < n; i++)
        mix = asim_mix_word(mix, times->t[i]);
    return mix;
}

static struct asim_part_log *newest_of(const struct asim_worker_parts *own, uint64_t hash,
                                       const struct asim_part_times *times)
{
    const uint64_t *value = asim_map_get(&own->newest, hash, mix_of(times, times->n));

    return value ? (struct asim_part_log *)(uintptr_t)*value : NULL;
}

/* Among the logs with the same first n times. */
static int list(struct asim_worker_parts *own, struct asim_part_log *log, uint32_t n)
{
    uint64_t *value = asim_map_put(&own->newest, log->hash, mix_of(&log->times, n));
    struct asim_part_log *older;

    if (!value)
        return ASIM_ENOMEM;
    older = (struct asim_part_log *)(uintptr_t)*value;
    log->alike[n - 1] = (struct asim_part_neighbours){older, NULL};
    if (older)
        older->alike[n - 1].newer = log;
    *value = (uintptr_t)log;
    return 0;
}

static void unlist(struct asim_worker_parts *own, const struct asim_part_log *log, uint32_t n)
{
    struct asim_part_neighbours of = log->alike[n - 1];
    uint64_t mix = mix_of(&log->times, n);

    if (of.older)
        of.older->alike[n - 1].newer = of.newer;
    if (of.newer)
        of.newer->alike[n - 1].older = of.older;
    else if (of.older)
        *asim_map_get(&own->newest, log->hash, mix) = (uintptr_t)of.older;
    else
        asim_map_delete(&own->newest, log->hash, mix);
}

int asim_part_logs_add(struct asim_worker_parts *own, struct asim_part_log *log)
{
    log->place = (uint32_t)own->logs.n;
    log->used = own->n_searches;
    return ASIM_VEC_PUSH(own->logs, log);
}

/* The last log takes its place. */
void asim_part_logs_remove(struct asim_worker_parts *own, struct asim_part_log *log)
{
    for (uint32_t n = 1; n <= log->times.n; n++)
        unlist(own, log, n);
    own->logs.at[log->place] = own->logs.at[--own->logs.n];
    own->logs.at[log->place]->place = log->place;
    own->bytes -= log->bytes;
    asim_part_log_free(log);
}

/* How many of the times are not after t. */
static uint32_t place_of(const struct asim_part_times *times, uint64_t t)
{
    uint32_t n = times->n;

    while (n && times->t[n - 1] > t)
        n--;
    return n;
}

void asim_part_times_add(struct asim_part_times *times, uint64_t t)
{
    uint32_t place = place_of(times, t);

    times->n += times->n < ASIM_PART_TIMES;
    for (uint32_t i = times->n; --i > place;)
        times->t[i] = times->t[i - 1];
    if (place < ASIM_PART_TIMES)
        times->t[place] = t;
}

int asim_part_logs_begins(struct asim_worker_parts *own, struct asim_part_log *log, uint64_t t)
{
    uint32_t place = place_of(&log->times, t);
    int code = 0;

    if (place == ASIM_PART_TIMES)
        return 0;
    for (uint32_t n = place + 1; n <= log->times.n; n++)
        unlist(own, log, n);
    asim_part_times_add(&log->times, t);
    for (uint32_t n = place + 1; !code && n <= log->times.n; n++)
        code = list(own, log, n);
    return code;
}

/* Logs of a list may share hashes only. */
static int may_fit(const struct asim_part_log *log, const struct asim_part_search *search)
{
    uint32_t n = search->times.n;

    return log->hash == search->hash && log->times.n >= n &&
           !memcmp(log->times.t, search->times.t, n * sizeof *log->times.t) &&
           (log->times.n == n || log->times.t[n] >= search->until);
}

struct asim_part_log *asim_part_logs_next(struct asim_worker_parts *own,
                                          struct asim_part_search *search)
{
    uint32_t n = search->times.n;
    struct asim_part_log *log = search->log;

    if (!n)
        return NULL;
    if (search->is_begun++) {
        log = log->alike[n - 1].older;
    } else {
        own->n_searches++;
        log = newest_of(own, search->hash, &search->times);
    }
    while (log && !may_fit(log, search))
        log = log->alike[n - 1].older;
    search->log = log;
    return log;
}

/* --- memory ----------------------------------------------------------------------------------- */

static size_t bytes_of(const struct asim_part_log *log, size_t counters)
{
    size_t bytes = sizeof *log + (log->first ? log->n_hosts * sizeof *log->first : 0) + counters +
                   log->senders.cap * sizeof *log->senders.at +
                   log->state.ports.cap * sizeof *log->state.ports.at;

    for (uint32_t h = 0; h < log->n_hosts; h++)
        bytes += sizeof log->row[h] + log->row[h].injections.cap * sizeof *log->row->injections.at +
                 log->row[h].completions.cap * sizeof *log->row->completions.at;
    return bytes;
}

void asim_part_logs_finished(struct asim_worker_parts *own, struct asim_part_log *log,
                             size_t counters)
{
    log->bytes = bytes_of(log, counters);
    own->bytes += log->bytes;
}

void asim_part_logs_limit(struct asim_worker_parts *own, uint32_t n_workers)
{
    while (own->bytes > LOGS_BYTES / n_workers) {
        struct asim_part_log *oldest = NULL;

        for (size_t i = 0; i < own->logs.n; i++) {
            struct asim_part_log *log = own->logs.at[i];

            if (!log->users && (!oldest || log->used < oldest->used))
                oldest = log;
        }
        if (!oldest)
            return;
        asim_part_logs_remove(own, oldest);
    }
}

void asim_part_logs_free(struct asim_worker_parts *own)
{
    while (own->logs.n)
        asim_part_logs_remove(own, own->logs.at[own->logs.n - 1]);
    free(own->logs.at);
    asim_map_fini(&own->newest);
}
