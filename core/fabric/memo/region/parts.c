/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Parts from window to window: which begin an episode, and which are looked at.
 */
#include "fabric/memo/region/parts.h"

#include <stdlib.h>

#include "fabric/link/schedule.h"
#include "fabric/memo/region/part_log.h"
#include "fabric/memo/state/part_state.h"
#include "fabric/memo/region/record.h"
#include "fabric/memo/region/replay.h"
#include "fabric/host/host.h"

/* Hashes of first sends that the memo remembers, 2 MB or so. */
enum { SEEN = 1 << 16 };
/* Search cost of a log of the whole network beside its messages, words a link: two lists of
 * counters. */
enum { LINK_WORDS = 60 };

struct asim_part *asim_parts_want(const struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    struct asim_part *part = asim_part_of(fabric, src);
    int is_open = !part || part->mode == ASIM_PART_OPEN;

    return is_open || (!part->has_uplinks && !asim_part_is_inside(fabric, src, dst)) ? NULL : part;
}

/* Of the deferred messages of the part; ASIM_NEVER: there is none. */
static uint64_t first_deferred(const struct asim_fabric *fabric, const struct asim_part *part)
{
    uint64_t first = ASIM_NEVER;

    for (uint32_t h = 0; h < part->n_hosts; h++) {
        const struct asim_memo_host *own = &fabric->memo->host[part->host[h]];

        if (own->deferred.n && own->deferred.at[0].injection.t < first)
            first = own->deferred.at[0].injection.t;
    }
    return first;
}

/* In windows of domains other threads may change the counters that a budget earns from. */
static int can_afford(const struct asim_fabric *fabric, const struct asim_part *part)
{
    struct asim_search_budget *budget = &part->of_worker->budget;

    return !part->is_whole && fabric->memo->parts->in_domains
               ? budget->left > 0
               : asim_search_budget_has(fabric, budget, 1);
}

/* Whether an episode of the whole network has begun with this hash before. Remembers the hash. */
static int is_seen(struct asim_memo *memo, uint64_t hash)
{
    uint64_t *times = memo->seen.n < SEEN ? asim_map_put(&memo->seen, hash, 0)
                                          : asim_map_get(&memo->seen, hash, 0);

    return times && (*times)++;
}

static int may_lead(struct asim_fabric *fabric, const struct asim_part *part, uint64_t hash)
{
    uint64_t words = part->is_whole ? (uint64_t)fabric->set.links * LINK_WORDS
                                    : (uint64_t)part->n_hosts * ASIM_PART_LOG_WORDS;

    if ((part->is_whole && !is_seen(fabric->memo, hash)) || !can_afford(fabric, part))
        return 0;
    asim_search_budget_spend(&part->of_worker->budget, words);
    return 1;
}

/* All deferred messages of the network stay inside their parts. */
static int have_all(struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        const struct asim_memo_host *own = &fabric->memo->host[v];

        for (size_t i = 0; i < own->deferred.n; i++)
            if (!asim_part_is_inside(fabric, v, own->deferred.at[i].msg.dst))
                return 0;
    }
    return 1;
}

/* The episode is carried frame by frame. The parts of the whole network take its messages
 * (asim_parts_take). */
static void carry(struct asim_fabric *fabric, struct asim_part *part)
{
    if (part->is_whole && fabric->memo->parts)
        asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    else
        asim_part_give_up(fabric, part);
}

/* The deferred messages of an idle part begin an episode at part->begin. */
static int begin_episode(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    uint64_t hash = asim_part_hash(fabric, part);
    struct asim_part_log *log = asim_part_log_find(fabric, part, hash, until);
    int code;

    if (log)
        return asim_part_follow(fabric, part, log);
    if (may_lead(fabric, part, hash)) {
        code = asim_part_lead(fabric, part, hash);
        asim_part_release(fabric, part);
        return code;
    }
    if (part->is_whole)
        asim_memo_carry_for(fabric, ASIM_CARRIED_FIRST);
    carry(fabric, part);
    return 0;
}

static int begin(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    if (asim_part_is_crossed(part)) /* by a message of a part that was opened just now */
        asim_part_give_up(fabric, part);
    else if (part->is_whole && fabric->memo->parts && have_all(fabric))
        carry(fabric, part);
    else
        return begin_episode(fabric, part, until);
    return 0;
}

/* The n parts in `due`, in the order of the starts of their episodes. */
static void sort_due(struct asim_parts *parts, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t p = parts->due[i], k = i;

        for (; k && parts->at[parts->due[k - 1]].begin > parts->at[p].begin; k--)
            parts->due[k] = parts->due[k - 1];
        parts->due[k] = p;
    }
}

/* Idle parts with deferred messages, in the order of their starts: a part can follow only one that
 * began before it. */
static void begin_all(struct asim_fabric *fabric, uint32_t n, uint64_t until)
{
    struct asim_parts *parts = fabric->memo->parts;

    sort_due(parts, n);
    for (uint32_t i = 0; i < n; i++)
        if (begin(fabric, &parts->at[parts->due[i]], until))
            fabric->failed = ASIM_ENOMEM;
}

/* Lists the idle parts whose deferred messages begin an episode. */
static uint32_t list_begins(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;
    uint32_t n = 0;

    for (uint32_t i = 0; i < parts->n_parts; i++) {
        struct asim_part *part = &parts->at[i];

        part->begin = part->mode == ASIM_PART_IDLE ? first_deferred(fabric, part) : part->begin;
        if (part->mode == ASIM_PART_IDLE && part->begin != ASIM_NEVER)
            parts->due[n++] = i;
    }
    return n;
}

/* The frames of an open part may be gone. */
static void look_at_open(struct asim_fabric *fabric, struct asim_part *part)
{
    if (part->open || asim_part_is_crossed(part))
        asim_part_set_mode(fabric, part, ASIM_PART_OPEN);
    else if (!can_afford(fabric, part))
        return;
    else if (asim_part_is_idle(fabric, part))
        asim_part_set_mode(fabric, part, ASIM_PART_IDLE);
    else
        asim_part_touch(fabric, part);
}

static int is_due(const struct asim_part *part, uint64_t until)
{
    switch (part->mode) {
    case ASIM_PART_OPEN:
        return !asim_part_look_at(part);
    case ASIM_PART_IDLE:
        return asim_part_is_crossed(part);
    case ASIM_PART_FOLLOW:
        return asim_part_look_at(part) < until || part->log->is_dead || part->log->has_grown;
    default:
        return 1;
    }
}

static void check(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    if (part->mode == ASIM_PART_LEAD)
        asim_part_lead_check(fabric, part, until);
    else if (part->mode == ASIM_PART_FOLLOW)
        asim_part_follow_check(fabric, part, until);
    else if (part->mode == ASIM_PART_IDLE)
        asim_part_give_up(fabric, part);
    else
        look_at_open(fabric, part);
}

/* Those in one mode, in the order of their starts, so that the first follower to deviate can lead
 * the others. */
static void check_all(struct asim_fabric *fabric, enum asim_part_mode mode, uint64_t until)
{
    struct asim_parts *parts = fabric->memo->parts;
    uint32_t n = 0;

    for (uint32_t i = 0; i < parts->n_parts && asim_parts_in(parts, mode); i++)
        if (parts->at[i].mode == mode && is_due(&parts->at[i], until))
            parts->due[n++] = i;
    sort_due(parts, n);
    for (uint32_t i = 0; i < n; i++)
        check(fabric, &parts->at[parts->due[i]], until);
}

static void tell_followers(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    parts->due_at = ASIM_NEVER;
    for (uint32_t i = 0; i < parts->n_parts && asim_parts_in(parts, ASIM_PART_FOLLOW); i++) {
        struct asim_part *part = &parts->at[i];

        if (part->mode != ASIM_PART_FOLLOW)
            continue;
        if (part->log->has_grown)
            asim_part_follow_more(fabric, part);
        if (asim_part_look_at(&parts->at[i]) < parts->due_at)
            parts->due_at = asim_part_look_at(&parts->at[i]);
    }
    for (uint32_t i = 0; i < parts->n_parts; i++)
        if (parts->at[i].log)
            parts->at[i].log->has_grown = 0;
}

void asim_parts_after_window(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_parts *parts = fabric->memo->parts;
    int touched = (int)atomic_load_explicit(&parts->touched, memory_order_relaxed);

    if (!touched && !asim_parts_in(parts, ASIM_PART_LEAD) && parts->due_at >= until)
        return;
    /* A part that is opened may start a message that crosses another one. */
    do {
        atomic_store_explicit(&parts->touched, 0, memory_order_relaxed);
        atomic_store_explicit(&parts->is_crossed, 0, memory_order_relaxed);
        check_all(fabric, ASIM_PART_LEAD, until);
        check_all(fabric, ASIM_PART_FOLLOW, until);
        if (touched) {
            check_all(fabric, ASIM_PART_OPEN, until);
            check_all(fabric, ASIM_PART_IDLE, until);
            begin_all(fabric, list_begins(fabric), until);
        }
        touched = 1;
    } while (atomic_load_explicit(&parts->is_crossed, memory_order_relaxed));
    tell_followers(fabric);
    asim_parts_gather(fabric);
}

void asim_part_after_window(struct asim_fabric *fabric, struct asim_part *part, uint64_t until)
{
    if (is_due(part, until))
        check(fabric, part, until);
    if (part->mode != ASIM_PART_IDLE)
        return;
    part->begin = first_deferred(fabric, part);
    if (part->begin != ASIM_NEVER && begin(fabric, part, until))
        fabric->failed = ASIM_ENOMEM;
}

void asim_parts_after_domains(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    atomic_store_explicit(&parts->touched, 0, memory_order_relaxed);
    tell_followers(fabric);
    asim_parts_gather(fabric);
}

int asim_parts_look_before(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (parts->due_at >= t)
        return 0;
    asim_parts_after_window(fabric, parts->due_at + 1);
    return 1;
}

void asim_parts_begin_window(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_parts *parts = fabric->memo->parts;

    for (uint32_t i = 0; i < parts->n_parts && asim_parts_in(parts, ASIM_PART_LEAD); i++)
        if (parts->at[i].mode == ASIM_PART_LEAD)
            asim_part_lead_window(&parts->at[i], until);
}

/* Beginning: the whole network is idle, so no part leads or follows. */
void asim_parts_suspend(struct asim_fabric *fabric, int is_suspended)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (parts->suspended == is_suspended)
        return;
    parts->suspended = is_suspended;
    for (uint32_t i = 0; i < parts->n_parts; i++) {
        asim_part_set_mode(fabric, &parts->at[i], ASIM_PART_OPEN);
        if (!is_suspended)
            asim_part_touch(fabric, &parts->at[i]);
    }
}

/* Starts the deferred messages of a host but those that an idle part takes, which stay deferred. */
static int start_others(struct asim_fabric *fabric, uint32_t v)
{
    struct asim_memo_host *own = &fabric->memo->host[v];
    struct asim_part *part = asim_part_of(fabric, v);
    size_t kept = 0;

    for (size_t i = 0; i < own->deferred.n; i++) {
        uint32_t dst = own->deferred.at[i].msg.dst;

        if (asim_parts_want(fabric, v, dst) && part->mode == ASIM_PART_IDLE) {
            part->leaves |= !asim_part_is_inside(fabric, v, dst);
            own->deferred.at[kept++] = own->deferred.at[i];
        } else if (asim_record_start(fabric, &fabric->host[v], &own->deferred.at[i])) {
            return ASIM_ENOMEM;
        }
    }
    own->deferred.n = kept;
    if (kept)
        asim_part_touch(fabric, part);
    return 0;
}

void asim_parts_release(struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        if (fabric->memo->host[v].deferred.n && start_others(fabric, v))
            fabric->failed = ASIM_ENOMEM;
}

void asim_parts_take(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_parts *parts = fabric->memo->parts;

    parts->suspended = 0;
    for (uint32_t i = 0; i < parts->n_parts; i++)
        look_at_open(fabric, &parts->at[i]);
    asim_parts_release(fabric);
    atomic_store_explicit(&parts->touched, 1, memory_order_relaxed);
    asim_parts_after_window(fabric, until);
}

void asim_parts_stop(struct asim_fabric *fabric, uint64_t until)
{
    struct asim_parts *parts = fabric->memo->parts;

    for (uint32_t i = 0; i < parts->n_parts; i++) {
        struct asim_part *part = &parts->at[i];

        if (part->mode == ASIM_PART_FOLLOW)
            asim_part_abandon(fabric, part, 0, until);
        else
            asim_part_give_up(fabric, part);
    }
    asim_parts_gather(fabric);
}
