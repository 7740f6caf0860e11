/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Threads that run one job together, again and again. Each job is an epoch of a barrier. The caller
 * raises `epoch`; each thread has a counter `done`, the last epoch it finished, and a counter
 * `claimed`, the last epoch somebody began for it. A thread that waits for a counter spins for a
 * while and then sleeps on a condition; `sleepers` counts sleeping threads. A sleeper raises
 * `sleepers` before its last look at the counter, and the other side reads `sleepers` after it
 * changed the counter. Both happen in one total order, so no wake-up is lost.
 *
 * Beside another busy program a thread may lose its core amid a job, and the caller waits, often
 * for a time slice. Or the thread shares the caller's core: then it takes time in which the caller
 * would do all jobs itself. In both cases the team rests for some time: the caller does all jobs,
 * and the other threads sleep.
 *
 * Costs: an epoch of two threads on idle cores takes about 0.3 us more than its longest job: four
 * times a cache line moves between cores. To keep it at four, the job lies in the cache line of
 * `epoch`, and every counter has one writer.
 */
#include "base/mem.h"
#include "fabric/clock/thread_team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Spins before sleeping, about 100 us in all: a window or so. After BUSY_SPINS the thread offers
 * its core to others, because a thread that spins where another should run costs more than it
 * saves. */
enum { BUSY_SPINS = 4000, YIELDING_SPINS = 50 };

/* Spins of the caller, some 2 us, for a thread that has not begun its job when the caller has
 * finished its own. Then that thread is asleep or its core is busy, and the caller takes the job
 * over. If the caller did so in the last epoch too, it waits less: a thread that was back would
 * have begun with this epoch. */
enum { PATIENT_SPINS = 80, IMPATIENT_SPINS = 8 };

/* A rest takes so many times the time that was lost in a job: losses stay below a seventeenth. Less
 * than LEAST_LOST_NS may be the caller's own way back from sleep. */
enum { REST = 16, LEAST_LOST_NS = 100000, MOST_REST_NS = 1000000000 };

/* A thread that begins no job for so long, though there are some, has no core: even one that slept
 * would be awake by then. The rest is twice as long as the last one, if that was less than SOON_NS
 * ago. */
enum {
    MOST_LATE_NS = 1000000,
    LATE_REST_NS = 32000000,
    MOST_LATE_REST_NS = 512000000,
    SOON_NS = 16000000
};

struct team_thread {
    _Alignas(ASIM_LINE_BYTES) atomic_uint done; /* last epoch whose job was finished */
    atomic_uint claimed;                        /* last epoch whose job was begun */
    unsigned taken_over; /* last epoch whose job the caller did; only the caller uses this */
    uint64_t late_since; /* ns; the first of such epochs in a row, behind the last rest; same */
    struct asim_thread_team *team;
    pthread_t handle;
    uint32_t i;
};

struct asim_thread_team {
    _Alignas(ASIM_LINE_BYTES) atomic_uint epoch;
    atomic_int ending;
    void (*job)(void *self, uint32_t i);
    void *self;
    /* seldom written */
    _Alignas(ASIM_LINE_BYTES) atomic_uint sleepers;
    uint32_t n, started;
    int is_resting;
    uint64_t rests_until; /* ns of the monotonic clock; of the last rest */
    uint64_t late_rest;   /* ns; the last rest because of a late thread */
    struct team_thread *threads;
    pthread_mutex_t lock;
    pthread_cond_t change;
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Wait until the counter is `value` (is_equal = 1) or no longer is (0). */
struct wait {
    atomic_uint *counter;
    unsigned value;
    int is_equal;
};

/* Sequentially consistent, as all accesses to counters here: `sleepers` relies on it. */
static int is_over(const struct wait *wait)
{
    return (atomic_load(wait->counter) == wait->value) == wait->is_equal;
}

/* 1 when the wait is over, 0 after so many spins. */
static int spin(const struct wait *wait, uint32_t spins)
{
    for (uint32_t i = 0; i < spins; i++) {
        if (is_over(wait))
            return 1;
        if (i < BUSY_SPINS)
            relax();
        else
            sched_yield();
    }
    return 0;
}

static void wait_for(struct asim_thread_team *team, const struct wait *wait)
{
    while (!spin(wait, BUSY_SPINS + YIELDING_SPINS)) {
        pthread_mutex_lock(&team->lock);
        atomic_fetch_add(&team->sleepers, 1);
        while (!is_over(wait))
            pthread_cond_wait(&team->change, &team->lock);
        atomic_fetch_sub(&team->sleepers, 1);
        pthread_mutex_unlock(&team->lock);
    }
}

/* Call after changing a counter. The lock makes sure that a sleeper is asleep or sees the change.
 */
static void wake(struct asim_thread_team *team)
{
    if (!atomic_load(&team->sleepers))
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->change);
    pthread_mutex_unlock(&team->lock);
}

/* 1 if nobody had begun the thread's job of the present epoch: the calling thread then does it.
 * `claimed` is read first: were its epoch over by now, `epoch` would already be another. */
static int claim(struct team_thread *thread, unsigned *epoch)
{
    unsigned last = atomic_load(&thread->claimed);

    *epoch = atomic_load(&thread->team->epoch);
    return last != *epoch && atomic_compare_exchange_strong(&thread->claimed, &last, *epoch);
}

/* The main function of a thread. The caller has done the jobs of epochs the thread missed. */
static void *work(void *arg)
{
    struct team_thread *thread = arg;
    struct asim_thread_team *team = thread->team;
    unsigned epoch = 0;
    int mine;

    for (;;) {
        wait_for(team, &(struct wait){&team->epoch, epoch, 0});
        mine = claim(thread, &epoch);
        if (team->ending) /* read last: this epoch may be the one that ends the team */
            return NULL;
        if (!mine)
            continue;
        team->job(team->self, thread->i);
        atomic_store(&thread->done, epoch);
        wake(team);
    }
}

/* Ends the threads again where the system gives fewer than asked for. */
int asim_thread_team_open(struct asim_thread_team **out, uint32_t n, struct asim_err *err)
{
    struct asim_thread_team *team = asim_calloc_lines(1, sizeof *team);

    *out = NULL;
    if (!team)
        return asim_err_nomem(err, "starting threads");
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->change, NULL);
    team->n = n;
    team->threads = asim_calloc_lines(n, sizeof *team->threads);
    for (uint32_t i = 1; team->threads && i < n; i++) {
        struct team_thread *thread = &team->threads[i];

        thread->team = team;
        thread->i = i;
        if (pthread_create(&thread->handle, NULL, work, thread))
            break;
        team->started++;
    }
    if (team->threads && team->started == n - 1) {
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

static uint64_t ns_of(clockid_t clock)
{
    struct timespec time = {0};

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void rest(struct asim_thread_team *team, uint64_t ns)
{
    team->is_resting = 1;
    team->rests_until = ns_of(CLOCK_MONOTONIC) + ns;
}

/* Waits for a job that the thread has begun. If that takes long, it has much to do, or it does not
 * run; its own clock tells which. */
static void wait_for_job(struct asim_thread_team *team, struct team_thread *thread, unsigned epoch)
{
    struct wait wait = {&thread->done, epoch, 1};
    uint64_t began, took, ran, lost;
    clockid_t clock;

    if (spin(&wait, BUSY_SPINS) || pthread_getcpuclockid(thread->handle, &clock)) {
        wait_for(team, &wait);
        return;
    }
    began = ns_of(CLOCK_MONOTONIC);
    ran = ns_of(clock);
    wait_for(team, &wait);
    took = ns_of(CLOCK_MONOTONIC) - began;
    ran = ns_of(clock) - ran;
    lost = took > ran ? took - ran : 0;
    if (lost >= LEAST_LOST_NS)
        rest(team, lost < MOST_REST_NS / REST ? lost * REST : MOST_REST_NS);
}

static void rest_for_late(struct asim_thread_team *team, uint64_t now)
{
    uint64_t ns = now - team->rests_until < SOON_NS ? 2 * team->late_rest : 0;

    if (ns < LATE_REST_NS) /* the last rest had another reason */
        ns = LATE_REST_NS;
    team->late_rest = ns < MOST_LATE_REST_NS ? ns : MOST_LATE_REST_NS;
    rest(team, team->late_rest);
}

/* The thread did not begin the job of an epoch in time. */
static void note_late(struct asim_thread_team *team, struct team_thread *thread, unsigned epoch)
{
    uint64_t now = ns_of(CLOCK_MONOTONIC);

    if (thread->taken_over + 1 != epoch || thread->late_since < team->rests_until)
        thread->late_since = now;
    else if (now - thread->late_since > MOST_LATE_NS)
        rest_for_late(team, now);
    thread->taken_over = epoch;
}

static int rests(struct asim_thread_team *team)
{
    if (team->is_resting && ns_of(CLOCK_MONOTONIC) >= team->rests_until)
        team->is_resting = 0;
    return team->is_resting;
}

/* Waits for the thread's job, or does it. */
static void finish(struct asim_thread_team *team, struct team_thread *thread, unsigned epoch)
{
    uint32_t spins = thread->taken_over + 1 == epoch ? IMPATIENT_SPINS : PATIENT_SPINS;

    for (uint32_t i = 0; i < spins; i++) {
        if (atomic_load(&thread->done) == epoch)
            return;
        relax();
    }
    if (claim(thread, &epoch)) {
        note_late(team, thread, epoch);
        team->job(team->self, thread->i);
    } else {
        wait_for_job(team, thread, epoch);
    }
}

void asim_thread_team_run(struct asim_thread_team *team, void (*job)(void *self, uint32_t i),
                          void *self)
{
    unsigned epoch = atomic_load_explicit(&team->epoch, memory_order_relaxed) + 1;

    if (rests(team)) {
        for (uint32_t i = 0; i < team->n; i++)
            job(self, i);
        return;
    }
    team->job = job;
    team->self = self;
    atomic_store(&team->epoch, epoch);
    wake(team);
    job(self, 0);
    for (uint32_t i = 1; i < team->n; i++)
        finish(team, &team->threads[i], epoch);
}

void asim_thread_team_close(struct asim_thread_team *team)
{
    if (!team)
        return;
    team->ending = 1;
    atomic_fetch_add(&team->epoch, 1);
    wake(team);
    for (uint32_t i = 1; i <= team->started; i++)
        pthread_join(team->threads[i].handle, NULL);
    free(team->threads);
    pthread_cond_destroy(&team->change);
    pthread_mutex_destroy(&team->lock);
    free(team);
}
