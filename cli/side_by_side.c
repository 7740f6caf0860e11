/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Threads take the next piece of work from a counter until none is left.
 */
#include "cli/side_by_side.h"

#include <pthread.h>

struct team {
    pthread_mutex_t lock;
    uint32_t next, n;
    void (*work)(void *self, uint32_t i);
    void *self;
};

static void *work_on(void *self)
{
    struct team *team = self;

    for (;;) {
        uint32_t i;

        pthread_mutex_lock(&team->lock);
        i = team->next < team->n ? team->next++ : UINT32_MAX;
        pthread_mutex_unlock(&team->lock);
        if (i == UINT32_MAX)
            return NULL;
        team->work(team->self, i);
    }
}

void asim_side_by_side(uint32_t n, uint32_t threads, void (*work)(void *self, uint32_t i),
                       void *self)
{
    enum { MOST = 256 };
    struct team team = {.n = n, .work = work, .self = self};
    pthread_t others[MOST];
    uint32_t made = 0;

    pthread_mutex_init(&team.lock, NULL);
    while (made + 1 < threads && made + 1 < n && made < MOST &&
           !pthread_create(&others[made], NULL, work_on, &team))
        made++;
    work_on(&team);
    while (made)
        pthread_join(others[--made], NULL);
    pthread_mutex_destroy(&team.lock);
}
