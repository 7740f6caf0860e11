/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See event_bus.h. Each lane keeps its events in an array; between windows they become one and are
 * sorted by (time, turn, rank, the rank's own order), which is the same for every window length
 * and for any number of lanes. Where all ranks share one clock (analytical networks, memory shared
 * between ranks) the order within a time is that of insertion.
 *
 * Memory follows the events of one window. An event recorded at T is shown when everything before T
 * is settled, which may be much later in a run of long windows; the last ones at the close.
 */
#include "sim/event_bus.h"
#include "sim/async_observer.h"
#include "sim/event.h"

#include <stdlib.h>

/* The table is fixed: reports are few, and known before the start. */
int asim_event_bus_add(struct asim_event_bus *show, const struct asim_event_observer *viewer)
{
    if (show->n == ASIM_EVENT_OBSERVERS)
        return ASIM_ENOMEM;
    for (int kind = 0; kind < ASIM_EV_KINDS; kind++)
        show->seers[kind] |= (viewer->wants >> kind & 1) << show->n;
    show->aside_viewers |= (uint32_t)(viewer->aside != 0) << show->n;
    show->viewers[show->n++] = *viewer;
    show->wants |= viewer->wants;
    return 0;
}

void asim_event_bus_record(const struct asim_event_bus *show, struct asim_events *into,
                           const struct asim_event *event)
{
    struct asim_event copy;

    if (!(show->wants & 1u << event->kind))
        return;
    copy = *event;
    copy.order = into->order++;
    copy.turn = show->turn;
    if (ASIM_VEC_PUSH(*into, copy))
        into->failed = 1;
}

/* Order numbers stay comparable within a node, since a node never changes its lane. */
void asim_event_bus_gather(struct asim_event_bus *show, struct asim_events *from)
{
    struct asim_events *into = &show->pending;

    if (from == into)
        return;
    into->failed |= from->failed;
    if (!into->n) { /* most windows: nothing is copied */
        struct asim_events empty = *into;

        *into = *from;
        empty.order = from->order;
        *from = empty;
        return;
    }
    for (size_t i = 0; i < from->n; i++)
        if (ASIM_VEC_PUSH(*into, from->at[i]))
            into->failed = 1;
    from->n = 0;
}

/* Order numbers are those of one node, or of the one queue of all: between two nodes that act at
 * the same time they say only who was looked at first. */
static int is_after(const struct asim_event_bus *show, const struct asim_event *event,
                    const struct asim_event *last)
{
    if (event->t != last->t)
        return event->t > last->t;
    if (!show->in_order && event->turn != last->turn)
        return event->turn > last->turn;
    if (!show->in_order && event->rank != last->rank)
        return event->rank > last->rank;
    return event->order >= last->order;
}

/* The rest stays as it lies; it is sorted when it is shown. */
void asim_event_bus_cut(struct asim_event_bus *show, const struct asim_event *last)
{
    size_t kept = 0;

    for (size_t i = 0; i < show->pending.n; i++) {
        if (is_after(show, &show->pending.at[i], last))
            asim_event_fini(&show->pending.at[i]);
        else
            show->pending.at[kept++] = show->pending.at[i];
    }
    show->pending.n = kept;
}

static inline void show_to(const struct asim_event_bus *show, const struct asim_world *world,
                           uint32_t viewers, const struct asim_event *event)
{
    for (viewers &= show->seers[event->kind]; viewers; viewers &= viewers - 1) {
        const struct asim_event_observer *viewer = &show->viewers[__builtin_ctz(viewers)];

        viewer->see(viewer->self, world, event);
    }
}

void asim_event_bus_notify(const struct asim_event_bus *show, const struct asim_world *world,
                           uint32_t viewers, const struct asim_event *event)
{
    show_to(show, world, viewers, event);
}

static inline void show_one(struct asim_event_bus *show, const struct asim_world *world,
                            struct asim_event *event)
{
    uint32_t aside = show->aside ? show->aside_viewers : 0;

    if (aside & show->seers[event->kind])
        asim_async_observers_put(show->aside, event);
    show_to(show, world, ~aside, event);
    if (event->kind != ASIM_EV_FCT) /* a row a message: nothing hangs on it */
        asim_event_fini(event);
}

/* The first n in that order have been shown: the others stay, as they lie. */
static void keep_rest(struct asim_event_bus *show, const uint64_t *order, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        show->pending.at[order[i]].kind = ASIM_EV_KINDS; /* gone */
    for (size_t i = 0; i < show->pending.n; i++)
        if (show->pending.at[i].kind != ASIM_EV_KINDS)
            show->pending.at[kept++] = show->pending.at[i];
    show->pending.n = kept;
}

/* What lies at or after `until` stays, in its old order: other nodes may still add earlier rows. A
 * run that is stopped keeps the rest, for the close to free. Mostly nothing is left. */
void asim_event_bus_deliver(struct asim_event_bus *show, const struct asim_world *world,
                            uint64_t until)
{
    const uint64_t *order;
    size_t shown = 0, n = show->pending.n;

    if (!n || show->stopped)
        return;
    order = asim_event_bus_sort(show);
    if (!order) {
        show->pending.failed = 1;
        return;
    }
    for (; shown < n && !show->stopped; shown++) {
        struct asim_event *event = &show->pending.at[order[shown]];

        if (event->t >= until)
            break;
        show_one(show, world, event);
    }
    if (shown < n)
        keep_rest(show, order, shown);
    else
        show->pending.n = 0;
}

/* Every viewer is closed even after a failure; the first one's code is returned. The show is empty
 * afterwards and can be closed again. */
int asim_event_bus_close(struct asim_event_bus *show, const struct asim_world *world,
                         struct asim_err *err)
{
    int code = 0;

    asim_event_bus_deliver(show, world, UINT64_MAX);
    asim_async_observers_close(show->aside);
    for (size_t v = 0; v < show->n; v++) {
        int one =
            show->viewers[v].close ? show->viewers[v].close(show->viewers[v].self, world, err) : 0;

        if (one && !code)
            code = one;
        show->lost |= one != 0;
    }
    if (show->pending.failed && !code)
        code = asim_err_nomem(err, "keeping events for the reports");
    for (size_t i = 0; i < show->pending.n; i++) /* stopped */
        asim_event_fini(&show->pending.at[i]);
    free(show->pending.at);
    free(show->keys.at);
    *show = (struct asim_event_bus){.n = 0};
    return code;
}
