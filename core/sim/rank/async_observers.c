/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See async_observers.h. A ring of pieces, each an task of the thread team: the caller fills the
 * piece behind those it has posted, whoever does an task shows the oldest. Pieces are small, since
 * a thread that is at one keeps the others waiting: 16 rows take some 2 us, a window 5 or more.
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
    uint32_t filling; /* the caller's: counts pieces, as `shown` does */
    _Alignas(LINE_BYTES) uint32_t shown;
    _Alignas(LINE_BYTES) struct piece piece[PIECES];
};

static void show_piece(void *self)
{
    struct asim_async_observers *async = self;
    struct piece *piece = &async->piece[async->shown++ % PIECES];

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
    background->set_task(background->team, show_piece, async);
    return 0;
}

/* The next piece to be filled must have been shown. Where there is no time for tasks, half of
 * them are done together: what they need goes from one thread to the other. */
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
