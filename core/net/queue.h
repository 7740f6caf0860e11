/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Events in order of time, first come first served at equal times: the order of the analytical
 * reference (system-layer.md#ticks-and-event-order), on which cycle-exact results depend. An event
 * added at the time now running comes behind all that are already there.
 *
 * Events are linked, not copied: a struct asim_due stands inside whatever is due (a message, a
 * link), so nothing is allocated per event here. Events of one time share a lane; lanes stand in a
 * heap by (time, age). A small cache finds the newest lane of a time. Where it misses, a second
 * lane of that time is begun, which keeps the order because the older one is never added to again.
 * Synchronised runs therefore cost a few loads per event; the worst case is a heap of single
 * events.
 *
 * Free with asim_due_fini; events still in it belong to their owners and are forgotten.
 */
#ifndef ASIM_NET_QUEUE_H
#define ASIM_NET_QUEUE_H

#include <stdint.h>
#include "base/heap.h"
#include "base/mem.h"

/* The kind of dues that the user of a network adds himself (net.h); others are the owner's. */
enum { ASIM_DUE_OWN };

/* Something due at a time. */
struct asim_due {
    struct asim_due *next;
    uint32_t kind, rank;
};

/* All events of one time that came while the lane was in the cache. */
struct asim_due_lane {
    struct asim_due *head, *tail;
    uint64_t time_ns;
};

enum { ASIM_DUE_CACHE = 256 };

struct asim_due_queue {
    struct asim_heap lanes; /* value = struct asim_due_lane * */
    struct asim_pool pool;
    struct asim_due_lane *cache[ASIM_DUE_CACHE], *current;
    /* age: lanes made so far, the tie between lanes of one time. */
    uint64_t age, now_ns;
};

void asim_due_init(struct asim_due_queue *queue);
/* Where the newest lane of a time stands if it is cached: 2^64 over the golden ratio mixes the top
 * bits best. */
static inline struct asim_due_lane **asim_due_cached(struct asim_due_queue *queue, uint64_t time_ns)
{
    return &queue->cache[time_ns * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}
/* The lane to append to at that time; NULL where one has to be begun. */
static inline struct asim_due_lane *asim_due_lane_of(struct asim_due_queue *queue, uint64_t time_ns)
{
    struct asim_due_lane *lane = *asim_due_cached(queue, time_ns);

    return lane && lane->time_ns == time_ns ? lane : NULL;
}
static inline void asim_due_append(struct asim_due_lane *lane, struct asim_due *due)
{
    due->next = NULL;
    if (lane->head)
        lane->tail->next = due;
    else
        lane->head = due;
    lane->tail = due;
}
/* Begins a lane; for asim_due_add. */
int asim_due_add_lane(struct asim_due_queue *queue, uint64_t time_ns, struct asim_due *due);
/* time_ns must not lie before now. 0 or ASIM_ENOMEM. The due is the caller's, and must stay where
 * it is until it is taken. */
static inline int asim_due_add(struct asim_due_queue *queue, uint64_t time_ns, struct asim_due *due)
{
    struct asim_due_lane *lane = asim_due_lane_of(queue, time_ns);

    if (!lane) {
        due->next = NULL;
        return asim_due_add_lane(queue, time_ns, due);
    }
    asim_due_append(lane, due);
    return 0;
}
/* Moves on to the next lane and sets now; 0 if there is none. Drain it with asim_due_take. */
int asim_due_next(struct asim_due_queue *queue);
/* The next event of the lane, or NULL at its end. */
static inline struct asim_due *asim_due_take(struct asim_due_queue *queue)
{
    struct asim_due *due = queue->current->head;

    if (due)
        queue->current->head = due->next;
    return due;
}
void asim_due_fini(struct asim_due_queue *queue);

#endif
