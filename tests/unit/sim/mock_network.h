/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A network for tests of shards and processes: every message takes the same time, which is at least
 * a window. Ranks advance in windows of a common grid, those of a shard one after the other, shards
 * in any order or each on a thread of its own; what a window sends is delivered behind it. It joins
 * the ranks of one world, or of several worlds that share a run.
 *
 * Of one rank and time: arrivals by id, then ends of sends by id, then wakes as they were asked
 * for. So nothing depends on who went first inside a window.
 */
#ifndef ASIM_TESTS_FAKE_H
#define ASIM_TESTS_FAKE_H

#include <pthread.h>
#include <stdlib.h>
#include "fabric/node.h"
#include "sim/distributed/distribution.h"
#include "runs.h"

enum { FAKE_RANKS = 16, FAKE_LANES = 4, FAKE_WORLDS = 4, FAKE_DUE = 1024 };
enum fake_kind { FAKE_ARRIVED, FAKE_SENT, FAKE_WAKE };

struct fake_event {
    uint64_t t, key;
    enum fake_kind kind;
    struct asim_msg msg;
};

struct fake_rank {
    struct mock *net;
    uint64_t now, wakes;
    ASIM_VEC(struct fake_event) due, out; /* out: arrivals elsewhere, until the window ends */
    struct asim_world *world;
    uint32_t shard;
};

struct mock {
    struct asim_world *worlds[FAKE_WORLDS];
    struct asim_net_user user[FAKE_WORLDS];
    uint32_t n_worlds, n_ranks, n_shards;
    uint16_t of[2 * FAKE_RANKS]; /* shard of each node */
    uint64_t window, latency, until;
    int threads, backwards; /* a thread a shard; shards and ranks in descending order */
    struct fake_rank ranks[FAKE_RANKS];
};

static inline int fake_is_before(const struct fake_event *a, const struct fake_event *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    return a->kind != b->kind ? a->kind < b->kind : a->key < b->key;
}

static inline size_t fake_first(const struct fake_rank *rank)
{
    size_t first = 0;

    for (size_t i = 1; i < rank->due.n; i++)
        if (fake_is_before(&rank->due.at[i], &rank->due.at[first]))
            first = i;
    return first;
}

static inline uint64_t fake_now(const struct asim_net *net, uint32_t rank)
{
    return ((const struct mock *)(const void *)net)->ranks[rank].now;
}

static inline int fake_wake_after(struct asim_net *net, uint32_t r, uint64_t delay_ns)
{
    struct fake_rank *rank = &((struct mock *)(void *)net)->ranks[r];
    struct fake_event event = {rank->now + delay_ns, rank->wakes++, FAKE_WAKE, {0}};

    return ASIM_VEC_PUSH(rank->due, event);
}

/* 1 ns for each 16 bytes on top, so that messages end at different times. */
static inline int fake_send(struct asim_net *net, const struct asim_msg *msg)
{
    struct mock *mock = (struct mock *)(void *)net;
    struct fake_rank *rank = &mock->ranks[msg->src];
    uint64_t t = rank->now + mock->latency + msg->bytes / 16;
    struct fake_event sent = {t, msg->id, FAKE_SENT, *msg}, arrived = sent;

    arrived.kind = FAKE_ARRIVED;
    return ASIM_VEC_PUSH(rank->due, sent) ? ASIM_ENOMEM : ASIM_VEC_PUSH(rank->out, arrived);
}

static inline void fake_close(struct asim_net *net)
{
    (void)net; /* fake_end's to free: worlds share it */
}

static const struct asim_net_backend fake_backend = {.member = {.name = "mock"},
                                                     .traits = ASIM_NET_LATE_RECEIVE_NOW,
                                                     .now = fake_now,
                                                     .wake_after = fake_wake_after,
                                                     .send = fake_send,
                                                     .close = fake_close};

static inline void fake_run_one(struct mock *mock, uint32_t r, const struct fake_event *event)
{
    for (uint32_t w = 0; w < mock->n_worlds; w++) {
        const struct asim_net_user *user = &mock->user[w];

        if (mock->worlds[w] != mock->ranks[r].world)
            continue;
        if (event->kind == FAKE_WAKE)
            user->wake(user->self, r);
        else if (event->kind == FAKE_SENT)
            user->sent(user->self, &event->msg);
        else
            user->arrived(user->self, &event->msg);
    }
}

static inline void fake_advance(struct mock *mock, uint32_t r)
{
    struct fake_rank *rank = &mock->ranks[r];

    while (rank->due.n) {
        size_t first = fake_first(rank);
        struct fake_event event = rank->due.at[first];

        if (event.t >= mock->until)
            return;
        rank->due.at[first] = rank->due.at[--rank->due.n];
        rank->now = event.t;
        fake_run_one(mock, r, &event);
    }
}

struct fake_job {
    struct mock *mock;
    uint32_t shard;
};

static inline void *fake_lane(void *self)
{
    const struct fake_job *job = self;
    struct mock *mock = job->mock;

    for (uint32_t i = 0; i < mock->n_ranks; i++) {
        uint32_t r = mock->backwards ? mock->n_ranks - 1 - i : i;

        if (mock->ranks[r].shard == job->shard)
            fake_advance(mock, r);
    }
    return NULL;
}

static inline void fake_window(struct mock *mock)
{
    struct fake_job jobs[FAKE_LANES];
    pthread_t threads[FAKE_LANES];

    for (uint32_t i = 0; i < mock->n_shards; i++) {
        jobs[i] = (struct fake_job){mock, mock->backwards ? mock->n_shards - 1 - i : i};
        if (!mock->threads)
            fake_lane(&jobs[i]);
        else if (pthread_create(&threads[i], NULL, fake_lane, &jobs[i]))
            abort();
    }
    for (uint32_t i = 0; mock->threads && i < mock->n_shards; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t r = 0; r < mock->n_ranks; r++) {
        struct fake_rank *rank = &mock->ranks[r];

        for (size_t i = 0; i < rank->out.n; i++)
            if (ASIM_VEC_PUSH(mock->ranks[rank->out.at[i].msg.dst].due, rank->out.at[i]))
                abort();
        rank->out.n = 0;
    }
}

/* Beginning of the window in which something happens next; ASIM_NEVER where nothing will. */
static inline uint64_t fake_next(const struct mock *mock)
{
    uint64_t next = ASIM_NEVER;

    for (uint32_t r = 0; r < mock->n_ranks; r++)
        for (size_t i = 0; i < mock->ranks[r].due.n; i++)
            if (mock->ranks[r].due.at[i].t < next)
                next = mock->ranks[r].due.at[i].t;
    return next == ASIM_NEVER ? next : next - next % mock->window;
}

/* Takes the place of the network the world was opened with. All memory it needs, but in the longest
 * of runs, is asked for here: 0 or ASIM_ENOMEM. */
static inline int fake_take(struct mock *mock, struct asim_world *world)
{
    uint32_t w = mock->n_worlds++;

    mock->worlds[w] = world;
    mock->user[w] = world->via.fabric->set.user;
    mock->n_ranks = world->set.n_ranks;
    world->via.backend->close(world->via.carrier);
    world->via.fabric = NULL;
    world->via.backend = &fake_backend;
    world->via.carrier = (struct asim_net *)(void *)mock;
    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        mock->of[r] = (uint16_t)(r * mock->n_shards / world->set.n_ranks);
        mock->ranks[r].shard = mock->of[r];
        if (asim_rank_is_here(&world->run.ranks[r]))
            mock->ranks[r].world = world;
    }
    if (world->dist)
        world->dist->lag_ns = mock->window;
    for (uint32_t r = 0; r < world->set.n_ranks; r++)
        if (ASIM_VEC_RESERVE(mock->ranks[r].due, FAKE_DUE) ||
            ASIM_VEC_RESERVE(mock->ranks[r].out, FAKE_DUE))
            return ASIM_ENOMEM;
    return asim_rank_shards_open(world, mock->n_shards, mock->of);
}

static inline void fake_end(struct mock *mock)
{
    for (uint32_t r = 0; r < FAKE_RANKS; r++) {
        free(mock->ranks[r].due.at);
        free(mock->ranks[r].out.at);
    }
}

#endif
