/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See thread_team.h. Counters carry everything: `round`, raised by the caller when there is work,
 * and each member's own `done`, the last round it has finished (or `taken`: begun). Whoever waits
 * for one of them looks at it for a while and then sleeps on a condition; `sleepers` tells the
 * other side that somebody must be woken. It is raised before the last look, and read after the
 * counter was changed, both in one total order, so that no wake-up is missed.
 *
 * Errands are two counts, posted and done, and a flag that keeps them one at a time.
 *
 * Costs: a round of two members on idle cores takes about 0.3 us more than its longest job. That is
 * four times a cache line goes from core to core: what a round is comes in the line of its number,
 * and every counter has one writer.
 */
#include "fabric/parallel/thread_team.h"
#include "base/mem.h"
#include "fabric/link/link.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Looks before sleeping: some 100 us in all, a window or so. After the first of them the core is
 * offered to others, because a thread that spins where another should run costs more than it saves.
 */
enum { BUSY_LOOKS = 4000, POLITE_LOOKS = 50 };

/* Looks for a member that has not begun its part of a round when the caller is through with its
 * own, some 2 us: then it is asleep, or its core is at something else, and the caller does it. It
 * has done so in the round before: were the member back, it would have begun with this one. */
enum { PATIENT_LOOKS = 80, IMPATIENT_LOOKS = 8 };

/* taken, done: the last round of which somebody has begun, or finished, its part. missed: the last
 * one the caller has done, which alone knows of it. */
struct member {
    _Alignas(ASIM_LINE_BYTES) atomic_uint done;
    atomic_uint taken;
    unsigned missed;
    struct asim_thread_team *team;
    pthread_t thread;
    uint32_t i;
};

struct asim_thread_team {
    _Alignas(ASIM_LINE_BYTES) atomic_uint round;
    atomic_int ending;
    void (*job)(void *self, uint32_t i);
    void *self;
    /* seldom written */
    _Alignas(ASIM_LINE_BYTES) atomic_uint sleepers;
    uint32_t n, started;
    struct member *members;
    void (*errand)(void *self);
    void *errand_self;
    pthread_mutex_t lock;
    pthread_cond_t change;
    /* errands: the caller's count, and that of those who do them */
    _Alignas(ASIM_LINE_BYTES) atomic_uint posted;
    _Alignas(ASIM_LINE_BYTES) atomic_uint through;
    atomic_flag at_one; /* somebody is doing the oldest */
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* A counter that is waited for: until it is (is = 1) or is no longer (is = 0) the value. */
struct wait {
    atomic_uint *counter;
    unsigned value;
    int is;
    int helps; /* with errands: always the same member, which has near what they need */
};

/* Sequentially consistent, as all looks and changes here: `sleepers` relies on it. */
static int is_over(const struct wait *wait)
{
    return (atomic_load(wait->counter) == wait->value) == wait->is;
}

unsigned asim_thread_team_pending(struct asim_thread_team *team)
{
    return atomic_load(&team->posted) - atomic_load(&team->through);
}

/* 1 if there was one that nobody else was at. */
static int do_errand(struct asim_thread_team *team)
{
    int one;

    if (!asim_thread_team_pending(team) || atomic_flag_test_and_set(&team->at_one))
        return 0;
    one = asim_thread_team_pending(team) > 0;
    if (one) {
        team->errand(team->errand_self);
        atomic_fetch_add(&team->through, 1);
    }
    atomic_flag_clear(&team->at_one);
    return one;
}

/* 1 when it is over, 0 when nothing has come for a while. */
static int look_for(struct asim_thread_team *team, const struct wait *wait)
{
    for (uint32_t i = 0; i < BUSY_LOOKS + POLITE_LOOKS; i++) {
        if (is_over(wait))
            return 1;
        if (wait->helps && do_errand(team))
            i = 0;
        else if (i < BUSY_LOOKS)
            relax();
        else
            sched_yield();
    }
    return 0;
}

static void wait_for(struct asim_thread_team *team, const struct wait *wait)
{
    while (!look_for(team, wait)) {
        pthread_mutex_lock(&team->lock);
        atomic_fetch_add(&team->sleepers, 1);
        while (!is_over(wait) && !(wait->helps && asim_thread_team_pending(team)))
            pthread_cond_wait(&team->change, &team->lock);
        atomic_fetch_sub(&team->sleepers, 1);
        pthread_mutex_unlock(&team->lock);
    }
}

/* After a counter was changed. Taking the lock makes sure that a sleeper is asleep, or sees it. */
static void wake(struct asim_thread_team *team)
{
    if (!atomic_load(&team->sleepers))
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->change);
    pthread_mutex_unlock(&team->lock);
}

/* 1 if nobody has taken the member's part of the present round, which then is the calling thread's.
 * What was taken last is looked at first: were that round over by now, it would be another. */
static int take(struct member *member, unsigned *round)
{
    unsigned last = atomic_load(&member->taken);

    *round = atomic_load(&member->team->round);
    return last != *round && atomic_compare_exchange_strong(&member->taken, &last, *round);
}

/* A member's life. Rounds it has missed were done by the caller. */
static void *work(void *arg)
{
    struct member *member = arg;
    struct asim_thread_team *team = member->team;
    unsigned round = 0;
    int mine;

    for (;;) {
        wait_for(team, &(struct wait){&team->round, round, 0, member->i == 1});
        mine = take(member, &round);
        if (team->ending) /* asked last: the round may be the one that ends it */
            return NULL;
        if (!mine)
            continue;
        team->job(team->self, member->i);
        atomic_store(&member->done, round);
        wake(team);
    }
}

/* What has started is ended again where the system gives fewer threads than asked for. */
int asim_thread_team_open(struct asim_thread_team **out, uint32_t n, struct asim_err *err)
{
    struct asim_thread_team *team = asim_calloc_lines(1, sizeof *team);

    *out = NULL;
    if (!team)
        return asim_err_nomem(err, "starting threads");
    atomic_flag_clear(&team->at_one);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->change, NULL);
    team->n = n;
    team->members = asim_calloc_lines(n, sizeof *team->members);
    for (uint32_t i = 1; team->members && i < n; i++) {
        struct member *member = &team->members[i];

        member->team = team;
        member->i = i;
        if (pthread_create(&member->thread, NULL, work, member))
            break;
        team->started++;
    }
    if (team->members && team->started == n - 1) {
        *out = team;
        return 0;
    }
    n = team->started + 1;
    asim_thread_team_close(team);
    return asim_err_set(err, ASIM_ENOMEM,
                        "the system gives this process %u threads only; ask for fewer with "
                        "--threads.",
                        n);
}

static void finish(struct asim_thread_team *team, struct member *member, unsigned round)
{
    uint32_t looks = member->missed + 1 == round ? IMPATIENT_LOOKS : PATIENT_LOOKS;

    for (uint32_t i = 0; i < looks; i++) {
        if (atomic_load(&member->done) == round)
            return;
        relax();
    }
    if (take(member, &round)) {
        member->missed = round;
        team->job(team->self, member->i);
    } else {
        wait_for(team, &(struct wait){&member->done, round, 1, 0});
    }
}

/* The caller is member 0 and waits last. */
void asim_thread_team_run(struct asim_thread_team *team, void (*job)(void *self, uint32_t i),
                          void *self)
{
    unsigned round = atomic_load_explicit(&team->round, memory_order_relaxed) + 1;

    team->job = job;
    team->self = self;
    atomic_store(&team->round, round);
    wake(team);
    job(self, 0);
    for (uint32_t i = 1; i < team->n; i++)
        finish(team, &team->members[i], round);
}

void asim_thread_team_set_task(struct asim_thread_team *team, void (*errand)(void *self),
                               void *self)
{
    team->errand = errand;
    team->errand_self = self;
}

void asim_thread_team_post(struct asim_thread_team *team)
{
    atomic_fetch_add(&team->posted, 1);
    wake(team);
}

void asim_thread_team_drain(struct asim_thread_team *team, unsigned left)
{
    for (uint32_t i = 0; asim_thread_team_pending(team) > left; i++)
        if (!do_errand(team) && i > BUSY_LOOKS) /* who is at one may need this core */
            sched_yield();
}

void asim_thread_team_close(struct asim_thread_team *team)
{
    if (!team)
        return;
    team->ending = 1;
    atomic_fetch_add(&team->round, 1);
    wake(team);
    for (uint32_t i = 1; i <= team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    free(team->members);
    pthread_cond_destroy(&team->change);
    pthread_mutex_destroy(&team->lock);
    free(team);
}
