/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Brings recorded events to the reports in one order. Each shard keeps its events in an array.
 * Between windows these arrays become one, sorted by (time, stage, rank, the rank's own order).
 * This order is the same for every window length and any number of shards. Where all ranks share
 * one clock (analytical networks, memory servers) events of one time keep the order of
 * insertion.
 *
 * Memory follows the events of one window. The bus delivers an event at T when the run has settled
 * everything before T. In a run of long windows this may be much later; the close delivers the last
 * events.
 */
#include "sim/rank/event_bus.h"
#include "base/sort_u64.h"

#include <stdlib.h>

/* --- the order of events ---------------------------------------------------------------------- */
/* Sorts events by (time, stage, rank), and events of one node as the node recorded them; where all
 * ranks share one clock by (time, insertion). The events of a window lie close together in time, so
 * time, place and insertion mostly fit in one word (base/sort_u64.h). Other windows use keys of
 * three words. */
struct key {
    uint64_t t, place, at; /* at: index into pending */
};

/* The least and greatest time and place of all pending events. */
struct key_range {
    uint64_t t, t_last, place, place_last;
};

/* The stage above the rank: one comparison for both. */
static uint64_t place_of(const struct asim_event_bus *event_bus, const struct asim_event *event)
{
    return event_bus->in_order ? 0 : (uint64_t)event->stage << 32 | event->rank;
}

/* One pass over the events of a window, which are still in the nearest cache. */
static struct key_range key_range_of(const struct asim_event_bus *event_bus)
{
    struct key_range range = {UINT64_MAX, 0, UINT64_MAX, 0};

    for (size_t i = 0; i < event_bus->pending.n; i++) {
        uint64_t t = event_bus->pending.at[i].t,
                 place = place_of(event_bus, &event_bus->pending.at[i]);

        range.t = t < range.t ? t : range.t;
        range.t_last = t > range.t_last ? t : range.t_last;
        range.place = place < range.place ? place : range.place;
        range.place_last = place > range.place_last ? place : range.place_last;
    }
    return range;
}

/* keys: room for asim_sort_u64. Events that come in order, as most do in runs of few ranks, cost
 * one pass. */
static const uint64_t *sort_words(const struct asim_event_bus *event_bus,
                                  const struct key_range *range, uint64_t *keys,
                                  unsigned place_bits)
{
    size_t n = event_bus->pending.n;
    unsigned at_bits = asim_bits_of(n);

    for (size_t i = 0; i < n; i++) {
        const struct asim_event *event = &event_bus->pending.at[i];

        keys[i] =
            ((event->t - range->t) << place_bits | (place_of(event_bus, event) - range->place))
                << at_bits |
            i;
    }
    keys = asim_sort_u64(keys, n);
    for (size_t i = 0; i < n; i++)
        keys[i] &= (1ull << at_bits) - 1;
    return keys;
}

ASIM_ORDER(by_key, struct key, ->t, ->place, ->at)

/* words: room for 3 n: the keys, then in their place the resulting order. */
static const uint64_t *sort_keys(const struct asim_event_bus *event_bus, uint64_t *words)
{
    size_t n = event_bus->pending.n;
    struct key *keys = (struct key *)(void *)words;

    for (size_t i = 0; i < n; i++) {
        const struct asim_event *event = &event_bus->pending.at[i];

        keys[i] = (struct key){event->t, place_of(event_bus, event), i};
    }
    qsort(keys, n, sizeof *keys, by_key);
    for (size_t i = 0; i < n; i++)
        words[i] = keys[i].at;
    return words;
}

/* The order of the pending events, as indices into `pending`, valid until the next call; NULL when
 * out of memory. The room stays for the next call. */
static const uint64_t *sort_pending(struct asim_event_bus *event_bus)
{
    const struct key_range range = key_range_of(event_bus);
    unsigned place_bits = asim_bits_of(range.place_last - range.place);
    unsigned bits =
        asim_bits_of(range.t_last - range.t) + place_bits + asim_bits_of(event_bus->pending.n);

    if (ASIM_VEC_RESERVE(event_bus->keys,
                         (bits <= 64 ? ASIM_SORT_U64_ROOM : 3) * event_bus->pending.n))
        return NULL;
    return bits <= 64 ? sort_words(event_bus, &range, event_bus->keys.at, place_bits)
                      : sort_keys(event_bus, event_bus->keys.at);
}

/* --- observers -------------------------------------------------------------------------------- */
int asim_event_bus_add(struct asim_event_bus *event_bus, const struct asim_event_observer *observer)
{
    uint32_t index = (uint32_t)event_bus->observers.n;

    for (int kind = 0; kind < ASIM_EV_KINDS; kind++)
        if (ASIM_VEC_RESERVE(event_bus->of_kind[kind], event_bus->of_kind[kind].n + 1))
            return ASIM_ENOMEM;
    if (ASIM_VEC_PUSH(event_bus->observers, *observer))
        return ASIM_ENOMEM;
    for (int kind = 0; kind < ASIM_EV_KINDS; kind++)
        if (observer->wants >> kind & 1)
            event_bus->of_kind[kind].at[event_bus->of_kind[kind].n++] = index;
    event_bus->wants |= observer->wants;
    return 0;
}

int asim_event_bus_only_choices(const struct asim_event_bus *event_bus)
{
    for (size_t i = 0; i < event_bus->observers.n; i++)
        if (event_bus->observers.at[i].wants & 1u << ASIM_EV_FCT &&
            !event_bus->observers.at[i].only_choices)
            return 0;
    return 1;
}

void asim_event_fini(struct asim_event *event)
{
    if (event->kind == ASIM_EV_RANK_DONE)
        free(event->of.done.facts);
    if (asim_event_has_op(event))
        free(event->of.op.name);
}

void asim_event_bus_record(const struct asim_event_bus *event_bus, struct asim_events *into,
                           const struct asim_event *event)
{
    struct asim_event copy;

    if (!(event_bus->wants & 1u << event->kind))
        return;
    copy = *event;
    copy.order = into->order++;
    copy.stage = event_bus->stage;
    if (ASIM_VEC_PUSH(*into, copy))
        into->failed = 1;
}

/* Order numbers stay comparable within a node, since a node never changes its shard. */
void asim_event_bus_gather(struct asim_event_bus *event_bus, struct asim_events *from)
{
    struct asim_events *into = &event_bus->pending;

    if (from == into)
        return;
    into->failed |= from->failed;
    if (!into->n) { /* most windows: swaps the arrays and copies nothing */
        struct asim_events empty = *into;

        *into = *from;
        into->failed = empty.failed;
        empty.order = from->order;
        *from = empty;
        return;
    }
    for (size_t i = 0; i < from->n; i++)
        if (ASIM_VEC_PUSH(*into, from->at[i]))
            into->failed = 1;
    from->n = 0;
}

/* Order numbers compare events of one node, or of the one queue of all ranks. Between two nodes at
 * one time they have no meaning. */
static int is_after(const struct asim_event_bus *event_bus, const struct asim_event *event,
                    const struct asim_event *last)
{
    if (event->t != last->t)
        return event->t > last->t;
    if (!event_bus->in_order && event->stage != last->stage)
        return event->stage > last->stage;
    if (!event_bus->in_order && event->rank != last->rank)
        return event->rank > last->rank;
    return event->order >= last->order;
}

/* The remaining events keep their places; the delivery sorts them. */
void asim_event_bus_cut(struct asim_event_bus *event_bus, const struct asim_event *last)
{
    size_t kept = 0;

    for (size_t i = 0; i < event_bus->pending.n; i++) {
        if (is_after(event_bus, &event_bus->pending.at[i], last))
            asim_event_fini(&event_bus->pending.at[i]);
        else
            event_bus->pending.at[kept++] = event_bus->pending.at[i];
    }
    event_bus->pending.n = kept;
}

/* Calls the observers that want the event's kind, in the order of adding. */
static inline void notify_one(struct asim_event_bus *event_bus, const struct asim_world *world,
                              struct asim_event *event)
{
    const struct asim_observer_list *list = &event_bus->of_kind[event->kind];

    for (size_t i = 0; i < list->n; i++) {
        const struct asim_event_observer *observer = &event_bus->observers.at[list->at[i]];

        observer->on_event(observer->self, world, event);
    }
    if (event->kind != ASIM_EV_FCT) /* the most frequent kind; it owns no memory */
        asim_event_fini(event);
}

/* The first n events of the order have been delivered. The others keep their places. */
static void keep_undelivered(struct asim_event_bus *event_bus, const uint64_t *order, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        event_bus->pending.at[order[i]].kind = ASIM_EV_KINDS; /* delivered */
    for (size_t i = 0; i < event_bus->pending.n; i++)
        if (event_bus->pending.at[i].kind != ASIM_EV_KINDS)
            event_bus->pending.at[kept++] = event_bus->pending.at[i];
    event_bus->pending.n = kept;
}

/* Events at or after `until` stay, because other nodes may still add earlier ones. A stopped bus
 * keeps its events, and the close frees them. Mostly no event is left. */
void asim_event_bus_deliver(struct asim_event_bus *event_bus, const struct asim_world *world,
                            uint64_t until)
{
    const uint64_t *order;
    size_t shown = 0, n = event_bus->pending.n;

    if (!n || event_bus->stopped)
        return;
    order = sort_pending(event_bus);
    if (!order) {
        event_bus->pending.failed = 1;
        return;
    }
    for (; shown < n && !event_bus->stopped; shown++) {
        struct asim_event *event = &event_bus->pending.at[order[shown]];

        if (event->t >= until)
            break;
        notify_one(event_bus, world, event);
    }
    if (shown < n)
        keep_undelivered(event_bus, order, shown);
    else
        event_bus->pending.n = 0;
}

/* Closes every observer even after a failure and returns the first code. The bus is empty
 * afterwards and can be closed again. */
int asim_event_bus_close(struct asim_event_bus *event_bus, const struct asim_world *world,
                         struct asim_err *err)
{
    int code = 0;

    asim_event_bus_deliver(event_bus, world, UINT64_MAX);
    for (size_t i = 0; i < event_bus->observers.n; i++) {
        const struct asim_event_observer *observer = &event_bus->observers.at[i];
        int one = observer->close ? observer->close(observer->self, world, err) : 0;

        if (one && !code)
            code = one;
        event_bus->lost |= one != 0;
    }
    if (event_bus->pending.failed && !code)
        code = asim_err_nomem(err, "keeping events for the reports");
    for (size_t i = 0; i < event_bus->pending.n; i++) /* left by a stop */
        asim_event_fini(&event_bus->pending.at[i]);
    for (int kind = 0; kind < ASIM_EV_KINDS; kind++)
        free(event_bus->of_kind[kind].at);
    ASIM_FREE(event_bus->observers.at, event_bus->pending.at, event_bus->keys.at);
    *event_bus = (struct asim_event_bus){.wants = 0};
    return code;
}
