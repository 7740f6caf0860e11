/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The team: every member does its part of every round once, sees what the caller wrote before the
 * round, and is seen by the caller after it; also after pauses in which members fall asleep.
 * Errands are done once each, in their order, with rounds or without.
 */
#include "check.h"

#include <stdlib.h>
#include <time.h>
#include "fabric/parallel/thread_team.h"

enum { MEMBERS = 4, ROUNDS = 1500 };

struct tally {
    uint64_t round, seen[MEMBERS], done[MEMBERS];
};

static void count(void *self, uint32_t i)
{
    struct tally *tally = self;

    tally->seen[i] = tally->round;
    tally->done[i]++;
}

static void check_crew(uint32_t n)
{
    struct asim_thread_team *team;
    struct tally tally = {0};
    uint64_t missed = 0;

    CHECK(!asim_thread_team_open(&team, n, NULL));
    for (tally.round = 1; tally.round <= ROUNDS; tally.round++) {
        if (tally.round % 500 == 0)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        asim_thread_team_run(team, count, &tally);
        for (uint32_t i = 0; i < n; i++)
            missed += tally.seen[i] != tally.round || tally.done[i] != tally.round;
    }
    CHECK_U64(missed, 0);
    asim_thread_team_close(team);
}

/* Ended at once after rounds that the caller may have done alone. */
static void check_ends(uint32_t n)
{
    struct tally tally = {0};

    for (int i = 0; i < 3000; i++) {
        struct asim_thread_team *team;

        CHECK(!asim_thread_team_open(&team, n, NULL));
        for (int round = 0; round < i % 4; round++)
            asim_thread_team_run(team, count, &tally);
        asim_thread_team_close(team);
    }
    CHECK_U64(tally.done[n - 1], 750 * (0 + 1 + 2 + 3));
}

enum { ERRANDS = 4000, MOST_LEFT = 50 };

struct list {
    uint64_t asked[ERRANDS], done, wrong;
};

static void run_errand(void *self)
{
    struct list *list = self;

    list->wrong += list->asked[list->done] != list->done + 1;
    list->done++;
}

static void check_errands(uint32_t n)
{
    struct asim_thread_team *team;
    struct tally tally = {0};
    struct list list = {.done = 0};
    uint64_t late = 0;

    CHECK(!asim_thread_team_open(&team, n, NULL));
    asim_thread_team_set_task(team, run_errand, &list);
    for (uint64_t i = 0; i < ERRANDS; i++) {
        list.asked[i] = i + 1;
        asim_thread_team_post(team);
        if (i % 3 == 0)
            asim_thread_team_run(team, count, &tally);
        if (i % 1000 == 999) /* they fall asleep, and are woken by the next */
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        if (asim_thread_team_pending(team) > MOST_LEFT)
            asim_thread_team_drain(team, MOST_LEFT / 2);
        late += asim_thread_team_pending(team) > MOST_LEFT;
    }
    asim_thread_team_drain(team, 0);
    CHECK_U64(late, 0);
    CHECK_U64(list.done, ERRANDS);
    CHECK_U64(list.wrong, 0);
    asim_thread_team_close(team);
}

int main(void)
{
    struct asim_thread_team *idle;

    for (uint32_t n = 1; n <= MEMBERS; n++) {
        check_crew(n);
        check_errands(n);
        check_ends(n);
    }
    CHECK(!asim_thread_team_open(&idle, 3, NULL));
    asim_thread_team_close(idle); /* never run */
    asim_thread_team_close(NULL);
    return CHECK_DONE();
}
