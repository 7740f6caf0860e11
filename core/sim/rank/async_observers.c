/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Delivers events to observers on waiting threads. The events lie in a ring of pieces. Each
 * piece is one task of the thread team: the caller fills a piece and posts it, and any waiting
 * thread delivers the oldest posted piece. Pieces are small, because a thread inside a task
 * keeps the others waiting: 16 events take some 2 us, a window takes 5 us or more.
 */
#include "sim/rank/async_observers.h"
#include "sim/rank/event_bus.h"

#include <stdlib.h>

enum { PIECES = 64, PIECE_EVENTS = 16, LINE_BYTES = 64 };

struct piece {
    uint32_t n;
    struct asim_event event[PIECE_EVENTS];
};

struct asim_async_observers {
    const struct asim_event_bus *event_bus;
    const struct asim_world *world;
    struct asim_background background;
    uint32_t filling; /* pieces posted; written by the caller only */
    _Alignas(LINE_BYTES) uint32_t delivered;
    _Alignas(LINE_BYTES) struct piece piece[PIECES];
};

static void deliver_piece(void *self)
{
    struct asim_async_observers *async = self;
    struct piece *piece = &async->piece[async->delivered++ % PIECES];

    for (uint32_t i = 0; i < piece->n; i++)
        asim_event_bus_notify(async->event_bus, async->world, ASIM_AUDIENCE_ASYNC,
                              &piece->event[i]);
    piece->n = 0;
}

int asim_async_observers_open(struct asim_async_observers **out,
                              const struct asim_event_bus *event_bus,
                              const struct asim_world *world,
                              const struct asim_background *background)
{
    struct asim_async_observers *async = asim_calloc_lines(1, sizeof *async);

    *out = async;
    if (!async)
        return ASIM_ENOMEM;
    async->event_bus = event_bus;
    async->world = world;
    async->background = *background;
    background->set_task(background->team, deliver_piece, async);
    return 0;
}

/* The next piece must be empty before the caller fills it. Where no thread has found time for
 * tasks, the caller delivers half of the ring at once, which moves the observers' data between two
 * caches only once. */
static void post(struct asim_async_observers *async)
{
    async->filling++;
    async->background.post(async->background.team);
    if (async->background.pending(async->background.team) == PIECES)
        async->background.drain(async->background.team, PIECES / 2);
}

void asim_async_observers_put(struct asim_async_observers *async, const struct asim_event *event)
{
    struct piece *piece = &async->piece[async->filling % PIECES];

    piece->event[piece->n++] = *event;
    if (piece->n == PIECE_EVENTS)
        post(async);
}

void asim_async_observers_close(struct asim_async_observers *async)
{
    if (!async)
        return;
    post(async);
    async->background.drain(async->background.team, 0);
    free(async);
}
