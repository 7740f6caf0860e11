/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The calendar queue (link/calendar_queue.h) against a search of all entries: windows of one tick
 * to many ticks a bucket, random times with many ties, entries that come while others are taken.
 */
#include "fabric/link/calendar_queue.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = 64, ROUNDS = 200 };

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 33) % below;
}

/* The first entry of the queue by a search; ASIM_CALENDAR_END: none. */
static int32_t first_of(const struct asim_calendar_queue *queue)
{
    int32_t first = ASIM_CALENDAR_END;

    for (int32_t v = 0; v < VALUES; v++)
        if (queue->at[v].next != ASIM_CALENDAR_ABSENT &&
            (first == ASIM_CALENDAR_END || asim_calendar_queue_before(queue, v, first)))
            first = v;
    return first;
}

/* Puts a random absent value in, at `t` or later. */
static void put(struct asim_calendar_queue *queue, uint64_t t, uint64_t until, uint32_t spread)
{
    int32_t v = (int32_t)draw(VALUES);
    uint64_t left = until - t;

    if (queue->at[v].next != ASIM_CALENDAR_ABSENT)
        return;
    queue->at[v].t = t + draw(spread < left ? spread : (uint32_t)left);
    queue->at[v].tie = draw(3);
    queue->at[v].seq = draw(3);
    asim_calendar_queue_put(queue, v);
}

/* Fills the queue for a window, then takes everything out; later entries come in between. */
static void window(struct asim_calendar_queue *queue, uint64_t begin, uint64_t ticks,
                   uint32_t spread)
{
    uint64_t until = begin + ticks, last = begin;
    int32_t value, want;
    uint32_t more = 2 * VALUES;

    asim_calendar_queue_begin(queue, begin, until);
    for (uint32_t i = draw(VALUES); i-- > 0;)
        put(queue, begin, until, spread);
    do {
        want = first_of(queue);
        value = asim_calendar_queue_take(queue);
        CHECK(value == want);
        if (value == ASIM_CALENDAR_END)
            break;
        CHECK(queue->at[value].t >= last);
        last = queue->at[value].t;
        for (uint32_t i = draw(3); i-- > 0 && more; more--)
            put(queue, last, until, spread);
    } while (check_failures < 10);
    CHECK(asim_calendar_queue_take(queue) == ASIM_CALENDAR_END);
}

int main(void)
{
    static const struct {
        uint64_t ticks;
        uint32_t spread; /* times are so close together */
    } at[] = {{1, 1},        {500, 500}, {500, 3},           {512, 512},
              {513, 513},    {1000, 10}, {100000, 100000},   {1u << 30, 1u << 30},
              {1u << 30, 5}, {7, 7},     {1000000, 1000000}, {2, 2}};
    struct asim_calendar_queue *queue = calloc(1, sizeof *queue);

    queue->at = calloc(VALUES, sizeof *queue->at);
    asim_calendar_queue_init(queue, VALUES);
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        state = seed;
        for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
            window(queue, seed * 1000003, at[i].ticks, at[i].spread);
    }
    free(queue->at);
    free(queue);
    return CHECK_DONE();
}
