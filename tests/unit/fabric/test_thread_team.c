/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The thread team: in every epoch each thread runs the job once, sees what the caller wrote before
 * it, and the caller sees what it wrote; also after pauses in which threads fall asleep. A team
 * rests after time that was lost.
 */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "fabric/clock/thread_team.h"

enum { THREADS = 4, EPOCHS = 1500 };

struct tally {
    uint64_t epoch, seen[THREADS], done[THREADS];
};

static void count(void *self, uint32_t i)
{
    struct tally *tally = self;

    tally->seen[i] = tally->epoch;
    tally->done[i]++;
}

static void check_epochs(uint32_t n)
{
    struct asim_thread_team *team;
    struct tally tally = {0};
    uint64_t missed = 0;

    CHECK(!asim_thread_team_open(&team, n, NULL));
    for (tally.epoch = 1; tally.epoch <= EPOCHS; tally.epoch++) {
        if (tally.epoch % 500 == 0)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        asim_thread_team_run(team, count, &tally);
        for (uint32_t i = 0; i < n; i++)
            missed += tally.seen[i] != tally.epoch || tally.done[i] != tally.epoch;
    }
    CHECK_U64(missed, 0);
    asim_thread_team_close(team);
}

struct place {
    struct timespec sleep[2]; /* of each job */
    pthread_t thread[2];      /* that did it */
};

static void sleep_there(void *self, uint32_t i)
{
    struct place *place = self;

    place->thread[i] = pthread_self();
    nanosleep(&place->sleep[i], NULL);
}

/* Whether the caller did the job of thread 1, which had 20 ms to begin it. */
static int is_alone(struct asim_thread_team *team, long thread_ns)
{
    struct place place = {.sleep = {{0, 20000000}, {0, thread_ns}}};

    asim_thread_team_run(team, sleep_there, &place);
    return pthread_equal(place.thread[0], place.thread[1]) != 0;
}

/* A thread that does not run amid its job makes the team rest, for a while: 50 ms are lost, and it
 * rests for 800 ms. Other programs may take the thread's or the caller's core, too, so one of many
 * tries must do it. */
static void check_rest(void)
{
    struct asim_thread_team *team;
    int rested = 0, together = 0;

    CHECK(!asim_thread_team_open(&team, 2, NULL));
    for (int i = 0; i < 500 && !rested; i++)
        rested = !is_alone(team, 70000000) && is_alone(team, 0);
    for (int i = 0; i < 500 && !together; i++)
        together = !is_alone(team, 0);
    CHECK(rested && together);
    asim_thread_team_close(team);
}

/* A team ends right after epochs whose jobs the caller may have taken over. */
static void check_ends(uint32_t n)
{
    struct tally tally = {0};

    for (int i = 0; i < 3000; i++) {
        struct asim_thread_team *team;

        CHECK(!asim_thread_team_open(&team, n, NULL));
        for (int epoch = 0; epoch < i % 4; epoch++)
            asim_thread_team_run(team, count, &tally);
        asim_thread_team_close(team);
    }
    CHECK_U64(tally.done[n - 1], 750 * (0 + 1 + 2 + 3));
}

int main(void)
{
    struct asim_thread_team *idle;

    for (uint32_t n = 1; n <= THREADS; n++) {
        check_epochs(n);
        check_ends(n);
    }
    check_rest();
    CHECK(!asim_thread_team_open(&idle, 3, NULL));
    asim_thread_team_close(idle); /* never run */
    asim_thread_team_close(NULL);
    return CHECK_DONE();
}
