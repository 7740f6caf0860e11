/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The crew: every member does its part of every round once, sees what the caller wrote before the
 * round, and is seen by the caller after it; also after pauses in which members fall asleep.
 */
#include "check.h"

#include <stdlib.h>
#include <time.h>
#include "fabric/threads.h"

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
    struct asim_crew *crew;
    struct tally tally = {0};
    uint64_t missed = 0;

    CHECK(!asim_crew_open(&crew, n, NULL));
    for (tally.round = 1; tally.round <= ROUNDS; tally.round++) {
        if (tally.round % 500 == 0)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        asim_crew_run(crew, count, &tally);
        for (uint32_t i = 0; i < n; i++)
            missed += tally.seen[i] != tally.round || tally.done[i] != tally.round;
    }
    CHECK_U64(missed, 0);
    asim_crew_close(crew);
}

int main(void)
{
    struct asim_crew *idle;

    for (uint32_t n = 1; n <= MEMBERS; n++)
        check_crew(n);
    CHECK(!asim_crew_open(&idle, 3, NULL));
    asim_crew_close(idle); /* never run */
    asim_crew_close(NULL);
    return CHECK_DONE();
}
