/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A network for tests of lanes and processes: every message takes the same time, which is at least
 * a window. Ranks advance in windows of a common grid, those of a lane one after the other, lanes
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
    struct fake *net;
    uint64_t now, wakes;
    ASIM_VEC(struct fake_event) due, out; /* out: arrivals elsewhere, until the window ends */
    struct asim_world *world;
    uint32_t lane;
};

struct fake {
    struct asim_world *worlds[FAKE_WORLDS];
    struct asim_net_user user[FAKE_WORLDS];
    uint32_t n_worlds, n_ranks, n_lanes;
    uint16_t of[2 * FAKE_RANKS]; /* lane of each node */
    uint64_t window, latency, until;
    int threads, backwards; /* a thread a lane; lanes and ranks in descending order */
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
    return ((const struct fake *)(const void *)net)->ranks[rank].now;
}

static inline int fake_wake_after(struct asim_net *net, uint32_t r, uint64_t delay_ns)
{
    struct fake_rank *rank = &((struct fake *)(void *)net)->ranks[r];
    struct fake_event event = {rank->now + delay_ns, rank->wakes++, FAKE_WAKE, {0}};

    return ASIM_VEC_PUSH(rank->due, event);
}

/* 1 ns for each 16 bytes on top, so that messages end at different times. */
static inline int fake_send(struct asim_net *net, const struct asim_msg *msg)
{
    struct fake *fake = (struct fake *)(void *)net;
    struct fake_rank *rank = &fake->ranks[msg->src];
    uint64_t t = rank->now + fake->latency + msg->bytes / 16;
    struct fake_event sent = {t, msg->id, FAKE_SENT, *msg}, arrived = sent;

    arrived.kind = FAKE_ARRIVED;
    return ASIM_VEC_PUSH(rank->due, sent) ? ASIM_ENOMEM : ASIM_VEC_PUSH(rank->out, arrived);
}

static inline void fake_close(struct asim_net *net)
{
    (void)net; /* fake_end's to free: worlds share it */
}

static const struct asim_net_backend fake_backend = {.member = {.name = "fake"},
                                                     .traits = ASIM_NET_LATE_RECEIVE_NOW,
                                                     .now = fake_now,
                                                     .wake_after = fake_wake_after,
                                                     .send = fake_send,
                                                     .close = fake_close};

static inline void fake_run_one(struct fake *fake, uint32_t r, const struct fake_event *event)
{
    for (uint32_t w = 0; w < fake->n_worlds; w++) {
        const struct asim_net_user *user = &fake->user[w];

        if (fake->worlds[w] != fake->ranks[r].world)
            continue;
        if (event->kind == FAKE_WAKE)
            user->wake(user->self, r);
        else if (event->kind == FAKE_SENT)
            user->sent(user->self, &event->msg);
        else
            user->arrived(user->self, &event->msg);
    }
}

static inline void fake_advance(struct fake *fake, uint32_t r)
{
    struct fake_rank *rank = &fake->ranks[r];

    while (rank->due.n) {
        size_t first = fake_first(rank);
        struct fake_event event = rank->due.at[first];

        if (event.t >= fake->until)
            return;
        rank->due.at[first] = rank->due.at[--rank->due.n];
        rank->now = event.t;
        fake_run_one(fake, r, &event);
    }
}

struct fake_job {
    struct fake *fake;
    uint32_t lane;
};

static inline void *fake_lane(void *self)
{
    const struct fake_job *job = self;
    struct fake *fake = job->fake;

    for (uint32_t i = 0; i < fake->n_ranks; i++) {
        uint32_t r = fake->backwards ? fake->n_ranks - 1 - i : i;

        if (fake->ranks[r].lane == job->lane)
            fake_advance(fake, r);
    }
    return NULL;
}

static inline void fake_window(struct fake *fake)
{
    struct fake_job jobs[FAKE_LANES];
    pthread_t threads[FAKE_LANES];

    for (uint32_t i = 0; i < fake->n_lanes; i++) {
        jobs[i] = (struct fake_job){fake, fake->backwards ? fake->n_lanes - 1 - i : i};
        if (!fake->threads)
            fake_lane(&jobs[i]);
        else if (pthread_create(&threads[i], NULL, fake_lane, &jobs[i]))
            abort();
    }
    for (uint32_t i = 0; fake->threads && i < fake->n_lanes; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t r = 0; r < fake->n_ranks; r++) {
        struct fake_rank *rank = &fake->ranks[r];

        for (size_t i = 0; i < rank->out.n; i++)
            if (ASIM_VEC_PUSH(fake->ranks[rank->out.at[i].msg.dst].due, rank->out.at[i]))
                abort();
        rank->out.n = 0;
    }
}

/* Beginning of the window in which something happens next; ASIM_NEVER where nothing will. */
static inline uint64_t fake_next(const struct fake *fake)
{
    uint64_t next = ASIM_NEVER;

    for (uint32_t r = 0; r < fake->n_ranks; r++)
        for (size_t i = 0; i < fake->ranks[r].due.n; i++)
            if (fake->ranks[r].due.at[i].t < next)
                next = fake->ranks[r].due.at[i].t;
    return next == ASIM_NEVER ? next : next - next % fake->window;
}

/* Takes the place of the network the world was opened with. All memory it needs, but in the longest
 * of runs, is asked for here: 0 or ASIM_ENOMEM. */
static inline int fake_take(struct fake *fake, struct asim_world *world)
{
    uint32_t w = fake->n_worlds++;

    fake->worlds[w] = world;
    fake->user[w] = world->fabric->set.user;
    fake->n_ranks = world->n_ranks;
    world->backend->close(world->carrier);
    world->fabric = NULL;
    world->backend = &fake_backend;
    world->carrier = (struct asim_net *)(void *)fake;
    for (uint32_t r = 0; r < world->n_ranks; r++) {
        fake->of[r] = (uint16_t)(r * fake->n_lanes / world->n_ranks);
        fake->ranks[r].lane = fake->of[r];
        if (asim_rank_is_here(&world->ranks[r]))
            fake->ranks[r].world = world;
    }
    if (world->split)
        world->split->lag_ns = fake->window;
    for (uint32_t r = 0; r < world->n_ranks; r++)
        if (ASIM_VEC_RESERVE(fake->ranks[r].due, FAKE_DUE) ||
            ASIM_VEC_RESERVE(fake->ranks[r].out, FAKE_DUE))
            return ASIM_ENOMEM;
    return asim_rank_shards_open(world, fake->n_lanes, fake->of);
}

static inline void fake_end(struct fake *fake)
{
    for (uint32_t r = 0; r < FAKE_RANKS; r++) {
        free(fake->ranks[r].due.at);
        free(fake->ranks[r].out.at);
    }
}

#endif
