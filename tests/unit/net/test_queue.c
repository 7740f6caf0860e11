/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event queue against a list that is sorted by (time, order of adding), with events that add
 * further events, some of them at the time being run.
 */
#include "net/queue.h"

#include "asim/err.h"
#include "check.h"

enum { EVENTS = 20000 };

struct plan {
    struct asim_due due;
    uint64_t t, order;
};

static struct plan plans[EVENTS];
static uint32_t added;
static uint64_t random_state = 1;

static uint64_t draw(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 33;
}

static void add(struct asim_due_queue *queue, uint64_t spread)
{
    struct plan *plan = &plans[added];

    plan->t = queue->now_ns + draw() % spread;
    plan->order = added++;
    CHECK(!asim_due_add(queue, plan->t, &plan->due));
}

/* spread 1: everything at one time; large: hardly two at one, so the cache misses. */
static void run(uint64_t spread)
{
    struct asim_due_queue queue;
    struct asim_due *due;
    const struct plan *last = NULL;
    uint32_t taken = 0;

    added = 0;
    asim_due_init(&queue);
    for (int i = 0; i < 1000; i++)
        add(&queue, spread);
    while (asim_due_next(&queue))
        while ((due = asim_due_take(&queue))) {
            const struct plan *plan = (const struct plan *)(const void *)due;

            CHECK_U64(queue.now_ns, plan->t);
            CHECK(!last || last->t < plan->t || (last->t == plan->t && last->order < plan->order));
            last = plan;
            taken++;
            for (uint64_t more = draw() % 3; more && added < EVENTS; more--)
                add(&queue, spread);
        }
    CHECK_U64(taken, added);
    asim_due_fini(&queue);
}

int main(void)
{
    static const uint64_t spreads[] = {1, 3, 100, 1000, 100000, 1ull << 40};

    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
        run(spreads[i]);
    return CHECK_DONE();
}
