/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A log of a part (part.h): writing one, and finding one that begins as a part does. The key is a
 * hash of the sends of the first tick. A search then compares every send, so the hash only saves
 * time.
 */
#ifndef ASIM_FABRIC_MEMO_REGION_PART_LOG_H
#define ASIM_FABRIC_MEMO_REGION_PART_LOG_H

#include "fabric/memo/region/part.h"
#include "fabric/memo/state/part_state.h"

/* A rank hears that a message is complete: its source, or its destination. `number` makes the order
 * of several at one time. */
struct asim_logged_completion {
    uint64_t t, tie, number;
    uint32_t src;            /* the message's source, a number in the part, */
    uint32_t injection : 31; /* and its index there */
    uint32_t is_arrival : 1;
};

/* The rows of one host. Completions are in the order in which they happen; all that are due before
 * the leader's time are there, and some later ones. */
struct asim_log_row {
    ASIM_VEC(struct asim_injection) injections;
    ASIM_VEC(struct asim_logged_completion) completions;
};

/* The first frame that a host sent to the switch. Frames that arrive there with equal t and tie
 * come in the order in which their links were used last, before the episode. */
struct asim_logged_first {
    struct asim_first_arrival arrival; /* of the leader; t: ticks since the start */
    uint32_t row;
};

/* When the first hosts of a part begin to send, ascending, in ticks since the start of the episode:
 * n times, of which all rotations of a log have the same. */
enum { ASIM_PART_TIMES = 8 };
struct asim_part_times {
    uint32_t n;
    uint64_t t[ASIM_PART_TIMES];
};

struct asim_part_log {
    uint64_t hash; /* of class and sends of the first tick */
    struct asim_part_times times;
    /* [k]: its neighbours among the logs that have the same hash and the same first k + 1 times. */
    struct asim_part_neighbours {
        struct asim_part_log *older, *newer;
    } alike[ASIM_PART_TIMES];
    uint32_t place; /* in the logs of its worker */
    uint32_t part_class, n_hosts;
    uint64_t used;   /* the search that has found it last */
    uint64_t begin;  /* of the leader */
    uint64_t length; /* ticks; ASIM_NEVER while it is being written */
    /* While it is being written: sends at or after this time, ticks since the start, may belong to
     * the next episode. ASIM_NEVER: none. */
    uint64_t defer_from;
    uint32_t users;                 /* parts that lead or follow it */
    int is_dead;                    /* the leader met something that no replay can repeat */
    int has_grown;                  /* completions or first frames were added in this window */
    const struct asim_part *leader; /* of the log while it is being written */
    int is_rigid;  /* the numbers of hosts have ordered completions, so it fits unrotated only */
    size_t bytes;  /* 0 while it is being written */
    uint64_t hops; /* packet-hops in it; while it is being written, those before it */
    struct asim_episode_state state;
    uint64_t *counters;         /* at the start; in the end their change (state/counters.h) */
    ASIM_VEC(uint32_t) senders; /* of the whole network, once it is written: hosts that took part */
    struct asim_log_row *row;   /* [n_hosts] */
    /* [n_hosts], n_first used, in the order in which they arrived. */
    struct asim_logged_first *first;
    uint32_t n_first;
};

/* The hosts that may have rows in a log of the part: all, or of the whole network those that took
 * part. */
static inline uint32_t asim_part_log_hosts(const struct asim_part *part)
{
    return part->is_whole ? (uint32_t)part->log->senders.n : part->n_hosts;
}
static inline uint32_t asim_part_log_host(const struct asim_part *part, uint32_t i)
{
    return part->is_whole ? part->log->senders.at[i] : i;
}

/* Of the class of the part and those of the messages given by each host that were sent at
 * part->begin; equal for all rotations. The times of `deferred` messages are absolute. Of the whole
 * network the paths of some go into it. */
uint64_t asim_part_hash(struct asim_fabric *fabric, const struct asim_part *part);
/* An empty log for a part that leads from part->begin on, with its state and counters, among those
 * of its worker; NULL: no memory. */
struct asim_part_log *asim_part_log_new(struct asim_fabric *fabric, struct asim_part *part,
                                        uint64_t hash);
/* The part leaves its log. A dead log without users, and an unfinished one without a leader, go. */
void asim_part_log_leave(struct asim_part *part);

/* Whether the message is the i-th of its host in the log, whose start is `start` in its time. */
int asim_part_log_has(struct asim_fabric *fabric, const struct asim_part *part,
                      const struct asim_part_log *log, const struct asim_memo_message *message,
                      size_t i, uint64_t start);
/* Whether the first frames of the part come to the switch in the order of the log, as far as it is
 * known, and its rotation does not matter. */
int asim_part_log_keeps_order(const struct asim_fabric *fabric, const struct asim_part *part,
                              const struct asim_part_log *log);
/* A log with this hash that fits, with part->rotation set for it; NULL: none, or simulations after
 * mismatches have taken too much. */
struct asim_part_log *asim_part_log_find(struct asim_fabric *fabric, struct asim_part *part,
                                         uint64_t hash, uint64_t until);

/* The leader has started a message of the host: appends it. 0 or ASIM_ENOMEM. */
int asim_part_log_sent(struct asim_fabric *fabric, struct asim_part *part,
                       const struct asim_injection *injection, uint32_t host);
/* Appends the first frames that came to the leader's switch since the last call. */
void asim_part_log_arrived(const struct asim_fabric *fabric, struct asim_part *part);
/* A completion of the leader is known: adds both of its rows. 0 or ASIM_ENOMEM. */
int asim_part_log_completes(struct asim_fabric *fabric, struct asim_part *part,
                            const struct asim_notification *notification);

/* --- the logs of a worker (part_logs.c) ----------------------------------------------------- */
/* The log joins the index; it has no injections yet. 0 or ASIM_ENOMEM. */
int asim_part_logs_add(struct asim_worker_parts *own, struct asim_part_log *log);
/* The log leaves the index and is freed. */
void asim_part_logs_remove(struct asim_worker_parts *own, struct asim_part_log *log);
/* A host begins to send in the log, t ticks after its start. 0 or ASIM_ENOMEM. */
int asim_part_logs_begins(struct asim_worker_parts *own, struct asim_part_log *log, uint64_t t);
/* Of a log that is not in the index. */
void asim_part_log_free(struct asim_part_log *log);

/* A search for logs with this hash, and these times up to `until`, ticks since the start. */
struct asim_part_search {
    uint64_t hash, until;
    struct asim_part_times times;
    struct asim_part_log *log; /* found last */
    int is_begun;
};

/* A host begins to send at t. */
void asim_part_times_add(struct asim_part_times *times, uint64_t t);
/* The next log that may fit; NULL: there is none. No log is written or removed meanwhile. */
struct asim_part_log *asim_part_logs_next(struct asim_worker_parts *own,
                                          struct asim_part_search *search);

/* The log is finished: from now on its memory counts, with so many bytes of counters. */
void asim_part_logs_finished(struct asim_worker_parts *own, struct asim_part_log *log,
                             size_t counters);
/* Frees logs that were not used for long if all of the worker take too much memory. */
void asim_part_logs_limit(struct asim_worker_parts *own, uint32_t n_workers);
void asim_part_logs_free(struct asim_worker_parts *own);

#endif
