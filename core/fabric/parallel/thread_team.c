/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See thread_team.h. Counters carry everything: `round`, raised by the caller when there is work, and
 * each member's own `done`, the last round it has finished (or `taken`: begun). Whoever waits for
 * one of them looks at it for a while and then sleeps on a condition; `sleepers` tells the other
 * side that somebody must be woken. It is raised before the last look, and read after the counter
 * was changed, both in one total order, so that no wake-up is missed.
 *
 * Errands are two counts, posted and done, and a flag that keeps them one at a time.
 *
 * Costs: a round of two members on idle cores takes about 0.3 us more than its longest job. That is
 * four times a cache line goes from core to core: what a round is comes in the line of its number,
 * and every counter has one writer.
 */
#include "fabric/parallel/thread_team.h"
#include "base/mem.h"
#include "fabric/link/port.h"

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
    struct asim_crew *crew;
    pthread_t thread;
    uint32_t i;
};

struct asim_crew {
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

unsigned asim_crew_errands_left(struct asim_crew *crew)
{
    return atomic_load(&crew->posted) - atomic_load(&crew->through);
}

/* 1 if there was one that nobody else was at. */
static int do_errand(struct asim_crew *crew)
{
    int one;

    if (!asim_crew_errands_left(crew) || atomic_flag_test_and_set(&crew->at_one))
        return 0;
    one = asim_crew_errands_left(crew) > 0;
    if (one) {
        crew->errand(crew->errand_self);
        atomic_fetch_add(&crew->through, 1);
    }
    atomic_flag_clear(&crew->at_one);
    return one;
}

/* 1 when it is over, 0 when nothing has come for a while. */
static int look_for(struct asim_crew *crew, const struct wait *wait)
{
    for (uint32_t i = 0; i < BUSY_LOOKS + POLITE_LOOKS; i++) {
        if (is_over(wait))
            return 1;
        if (wait->helps && do_errand(crew))
            i = 0;
        else if (i < BUSY_LOOKS)
            relax();
        else
            sched_yield();
    }
    return 0;
}

static void wait_for(struct asim_crew *crew, const struct wait *wait)
{
    while (!look_for(crew, wait)) {
        pthread_mutex_lock(&crew->lock);
        atomic_fetch_add(&crew->sleepers, 1);
        while (!is_over(wait) && !(wait->helps && asim_crew_errands_left(crew)))
            pthread_cond_wait(&crew->change, &crew->lock);
        atomic_fetch_sub(&crew->sleepers, 1);
        pthread_mutex_unlock(&crew->lock);
    }
}

/* After a counter was changed. Taking the lock makes sure that a sleeper is asleep, or sees it. */
static void wake(struct asim_crew *crew)
{
    if (!atomic_load(&crew->sleepers))
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->change);
    pthread_mutex_unlock(&crew->lock);
}

/* 1 if nobody has taken the member's part of the present round, which then is the calling thread's.
 * What was taken last is looked at first: were that round over by now, it would be another. */
static int take(struct member *member, unsigned *round)
{
    unsigned last = atomic_load(&member->taken);

    *round = atomic_load(&member->crew->round);
    return last != *round && atomic_compare_exchange_strong(&member->taken, &last, *round);
}

/* A member's life. Rounds it has missed were done by the caller. */
static void *work(void *arg)
{
    struct member *member = arg;
    struct asim_crew *crew = member->crew;
    unsigned round = 0;
    int mine;

    for (;;) {
        wait_for(crew, &(struct wait){&crew->round, round, 0, member->i == 1});
        mine = take(member, &round);
        if (crew->ending) /* asked last: the round may be the one that ends it */
            return NULL;
        if (!mine)
            continue;
        crew->job(crew->self, member->i);
        atomic_store(&member->done, round);
        wake(crew);
    }
}

/* What has started is ended again where the system gives fewer threads than asked for. */
int asim_crew_open(struct asim_crew **out, uint32_t n, struct asim_err *err)
{
    struct asim_crew *crew = asim_calloc_lines(1, sizeof *crew);

    *out = NULL;
    if (!crew)
        return asim_err_nomem(err, "starting threads");
    atomic_flag_clear(&crew->at_one);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->change, NULL);
    crew->n = n;
    crew->members = asim_calloc_lines(n, sizeof *crew->members);
    for (uint32_t i = 1; crew->members && i < n; i++) {
        struct member *member = &crew->members[i];

        member->crew = crew;
        member->i = i;
        if (pthread_create(&member->thread, NULL, work, member))
            break;
        crew->started++;
    }
    if (crew->members && crew->started == n - 1) {
        *out = crew;
        return 0;
    }
    n = crew->started + 1;
    asim_crew_close(crew);
    return asim_err_set(err, ASIM_ENOMEM,
                        "the system gives this process %u threads only; ask for fewer with "
                        "--threads.",
                        n);
}

static void finish(struct asim_crew *crew, struct member *member, unsigned round)
{
    uint32_t looks = member->missed + 1 == round ? IMPATIENT_LOOKS : PATIENT_LOOKS;

    for (uint32_t i = 0; i < looks; i++) {
        if (atomic_load(&member->done) == round)
            return;
        relax();
    }
    if (take(member, &round)) {
        member->missed = round;
        crew->job(crew->self, member->i);
    } else {
        wait_for(crew, &(struct wait){&member->done, round, 1, 0});
    }
}

/* The caller is member 0 and waits last. */
void asim_crew_run(struct asim_crew *crew, void (*job)(void *self, uint32_t i), void *self)
{
    unsigned round = atomic_load_explicit(&crew->round, memory_order_relaxed) + 1;

    crew->job = job;
    crew->self = self;
    atomic_store(&crew->round, round);
    wake(crew);
    job(self, 0);
    for (uint32_t i = 1; i < crew->n; i++)
        finish(crew, &crew->members[i], round);
}

void asim_crew_errands(struct asim_crew *crew, void (*errand)(void *self), void *self)
{
    crew->errand = errand;
    crew->errand_self = self;
}

void asim_crew_post(struct asim_crew *crew)
{
    atomic_fetch_add(&crew->posted, 1);
    wake(crew);
}

void asim_crew_catch_up(struct asim_crew *crew, unsigned left)
{
    for (uint32_t i = 0; asim_crew_errands_left(crew) > left; i++)
        if (!do_errand(crew) && i > BUSY_LOOKS) /* who is at one may need this core */
            sched_yield();
}

void asim_crew_close(struct asim_crew *crew)
{
    if (!crew)
        return;
    crew->ending = 1;
    atomic_fetch_add(&crew->round, 1);
    wake(crew);
    for (uint32_t i = 1; i <= crew->started; i++)
        pthread_join(crew->members[i].thread, NULL);
    free(crew->members);
    pthread_cond_destroy(&crew->change);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}
