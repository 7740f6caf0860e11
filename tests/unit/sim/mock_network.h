/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A network for tests of shards and processes. Every message takes at least one window. Ranks
 * advance in windows of a common grid: the ranks of a shard one after the other, the shards in any
 * order or each on a thread of its own. Messages of a window are delivered after it. The network
 * joins the ranks of one world, or of several worlds that share a run.
 *
 * Of one rank and time, arrivals come first, by id; then ends of sends, by id; then wakes in the
 * order of registration. So nothing depends on the order of ranks inside a window.
 */
#ifndef ASIM_TESTS_MOCK_NETWORK_H
#define ASIM_TESTS_MOCK_NETWORK_H

#include <pthread.h>
#include <stdlib.h>
#include "fabric/clock/engine.h"
#include "sim/distributed/state.h"
#include "runs.h"

enum { MOCK_RANKS = 16, MOCK_SHARDS = 4, MOCK_WORLDS = 4, MOCK_DUE = 1024 };
enum mock_kind { MOCK_ARRIVED, MOCK_SENT, MOCK_WAKE };

struct mock_event {
    uint64_t t, key;
    enum mock_kind kind;
    struct asim_msg msg;
};

struct mock_rank {
    struct mock *net;
    uint64_t now, wakes;
    ASIM_VEC(struct mock_event) due, out; /* out: arrivals at other ranks, until the window ends */
    struct asim_world *world;
    uint32_t shard;
};

struct mock {
    struct asim_world *worlds[MOCK_WORLDS];
    struct asim_net_user user[MOCK_WORLDS];
    uint32_t n_worlds, n_ranks, n_shards;
    uint16_t of[2 * MOCK_RANKS]; /* shard of each node */
    uint64_t window, latency, until;
    int threads, backwards; /* a thread for each shard; shards and ranks in descending order */
    struct mock_rank ranks[MOCK_RANKS];
};

static inline int mock_is_before(const struct mock_event *a, const struct mock_event *b)
{
    if (a->t != b->t)
        return a->t < b->t;
    return a->kind != b->kind ? a->kind < b->kind : a->key < b->key;
}

static inline size_t mock_first(const struct mock_rank *rank)
{
    size_t first = 0;

    for (size_t i = 1; i < rank->due.n; i++)
        if (mock_is_before(&rank->due.at[i], &rank->due.at[first]))
            first = i;
    return first;
}

static inline uint64_t mock_now(const struct asim_net *net, uint32_t rank)
{
    return ((const struct mock *)(const void *)net)->ranks[rank].now;
}

static inline int mock_wake_after(struct asim_net *net, uint32_t r, uint64_t delay_ns)
{
    struct mock_rank *rank = &((struct mock *)(void *)net)->ranks[r];
    struct mock_event event = {rank->now + delay_ns, rank->wakes++, MOCK_WAKE, {0}};

    return ASIM_VEC_PUSH(rank->due, event);
}

/* Adds 1 ns for each 16 bytes, so that messages end at different times. */
static inline int mock_send(struct asim_net *net, const struct asim_msg *msg)
{
    struct mock *mock = (struct mock *)(void *)net;
    struct mock_rank *rank = &mock->ranks[msg->src];
    uint64_t t = rank->now + mock->latency + msg->bytes / 16;
    struct mock_event sent = {t, msg->id, MOCK_SENT, *msg}, arrived = sent;

    arrived.kind = MOCK_ARRIVED;
    return ASIM_VEC_PUSH(rank->due, sent) ? ASIM_ENOMEM : ASIM_VEC_PUSH(rank->out, arrived);
}

static inline void mock_close(struct asim_net *net)
{
    (void)net; /* worlds share it; mock_end frees it */
}

static const struct asim_net_backend mock_backend = {.member = {.name = "mock"},
                                                     .traits = ASIM_NET_LATE_RECEIVE_NOW,
                                                     .now = mock_now,
                                                     .wake_after = mock_wake_after,
                                                     .send = mock_send,
                                                     .close = mock_close};

static inline void mock_run_one(struct mock *mock, uint32_t r, const struct mock_event *event)
{
    for (uint32_t w = 0; w < mock->n_worlds; w++) {
        const struct asim_net_user *user = &mock->user[w];

        if (mock->worlds[w] != mock->ranks[r].world)
            continue;
        if (event->kind == MOCK_WAKE)
            user->wake(user->self, r);
        else if (event->kind == MOCK_SENT)
            user->sent(user->self, &event->msg);
        else
            user->arrived(user->self, &event->msg);
    }
}

static inline void mock_advance(struct mock *mock, uint32_t r)
{
    struct mock_rank *rank = &mock->ranks[r];

    while (rank->due.n) {
        size_t first = mock_first(rank);
        struct mock_event event = rank->due.at[first];

        if (event.t >= mock->until)
            return;
        rank->due.at[first] = rank->due.at[--rank->due.n];
        rank->now = event.t;
        mock_run_one(mock, r, &event);
    }
}

struct mock_job {
    struct mock *mock;
    uint32_t shard;
};

static inline void *mock_shard(void *self)
{
    const struct mock_job *job = self;
    struct mock *mock = job->mock;

    for (uint32_t i = 0; i < mock->n_ranks; i++) {
        uint32_t r = mock->backwards ? mock->n_ranks - 1 - i : i;

        if (mock->ranks[r].shard == job->shard)
            mock_advance(mock, r);
    }
    return NULL;
}

static inline void mock_window(struct mock *mock)
{
    struct mock_job jobs[MOCK_SHARDS];
    pthread_t threads[MOCK_SHARDS];

    for (uint32_t i = 0; i < mock->n_shards; i++) {
        jobs[i] = (struct mock_job){mock, mock->backwards ? mock->n_shards - 1 - i : i};
        if (!mock->threads)
            mock_shard(&jobs[i]);
        else if (pthread_create(&threads[i], NULL, mock_shard, &jobs[i]))
            abort();
    }
    for (uint32_t i = 0; mock->threads && i < mock->n_shards; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t r = 0; r < mock->n_ranks; r++) {
        struct mock_rank *rank = &mock->ranks[r];

        for (size_t i = 0; i < rank->out.n; i++)
            if (ASIM_VEC_PUSH(mock->ranks[rank->out.at[i].msg.dst].due, rank->out.at[i]))
                abort();
        rank->out.n = 0;
    }
}

/* The beginning of the window of the next event; ASIM_NEVER where there is no event. */
static inline uint64_t mock_next(const struct mock *mock)
{
    uint64_t next = ASIM_NEVER;

    for (uint32_t r = 0; r < mock->n_ranks; r++)
        for (size_t i = 0; i < mock->ranks[r].due.n; i++)
            if (mock->ranks[r].due.at[i].t < next)
                next = mock->ranks[r].due.at[i].t;
    return next == ASIM_NEVER ? next : next - next % mock->window;
}

/* Replaces the network of an open world. Allocates all memory of all but the longest runs: 0 or
 * ASIM_ENOMEM. */
static inline int mock_replace(struct mock *mock, struct asim_world *world)
{
    uint32_t w = mock->n_worlds++;

    mock->worlds[w] = world;
    mock->user[w] = world->via.packet_net->set.user;
    mock->n_ranks = world->set.n_ranks;
    world->via.backend->close(world->via.carrier);
    world->via.packet_net = NULL;
    world->via.backend = &mock_backend;
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
        if (ASIM_VEC_RESERVE(mock->ranks[r].due, MOCK_DUE) ||
            ASIM_VEC_RESERVE(mock->ranks[r].out, MOCK_DUE))
            return ASIM_ENOMEM;
    return asim_rank_shards_open(world, mock->n_shards, mock->of);
}

static inline void mock_end(struct mock *mock)
{
    for (uint32_t r = 0; r < MOCK_RANKS; r++) {
        free(mock->ranks[r].due.at);
        free(mock->ranks[r].out.at);
    }
}

#endif
