/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The event queue of the analytical networks: by time, first in first out at equal times.
 * ASTRA-sim's analytical programs have the same order (system-layer.md#ticks-and-event-order), and
 * cycle-exact results depend on it. An event added at the current time runs after those already
 * queued for it.
 *
 * The queue links events and copies none: a message or a link contains its struct asim_due, so an
 * event costs no allocation. The events of one time share a time bucket; a heap orders the buckets
 * by (time, age). A small cache finds the newest bucket of a time. On a miss the queue starts a
 * second bucket of that time; the order holds, because nothing is added to the older bucket any
 * more. Synchronised runs cost a few loads per event; the worst case is a heap of single events.
 *
 * Free with asim_due_fini; events still queued belong to their owners.
 */
#ifndef ASIM_NET_QUEUE_H
#define ASIM_NET_QUEUE_H

#include <stdint.h>
#include "base/heap.h"
#include "base/mem.h"

/* The kind of events the user of a network adds (net.h); the network defines the others. */
enum { ASIM_DUE_OWN };

/* An event; its owner contains it. */
struct asim_due {
    struct asim_due *next;
    uint32_t kind, rank;
};

/* The events of one time that were added while the bucket was cached. */
struct asim_time_bucket {
    struct asim_due *head, *tail;
    uint64_t time_ns;
};

enum { ASIM_DUE_CACHE = 256 };

struct asim_due_queue {
    struct asim_heap buckets; /* value = struct asim_time_bucket * */
    struct asim_pool pool;
    struct asim_time_bucket *cache[ASIM_DUE_CACHE], *current;
    /* age: number of buckets so far, which orders the buckets of one time. */
    uint64_t age, now_ns;
};

void asim_due_init(struct asim_due_queue *queue);
/* Cache slot of the newest bucket of a time: multiplication by 2^64 over the golden ratio mixes the
 * top bits best. */
static inline struct asim_time_bucket **asim_due_cached(struct asim_due_queue *queue,
                                                        uint64_t time_ns)
{
    return &queue->cache[time_ns * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}
/* The bucket to append to at that time; NULL where there is none yet. */
static inline struct asim_time_bucket *asim_due_bucket_of(struct asim_due_queue *queue,
                                                          uint64_t time_ns)
{
    struct asim_time_bucket *bucket = *asim_due_cached(queue, time_ns);

    return bucket && bucket->time_ns == time_ns ? bucket : NULL;
}
static inline void asim_due_append(struct asim_time_bucket *bucket, struct asim_due *due)
{
    due->next = NULL;
    if (bucket->head)
        bucket->tail->next = due;
    else
        bucket->head = due;
    bucket->tail = due;
}
/* Starts a bucket; for asim_due_add. */
int asim_due_add_bucket(struct asim_due_queue *queue, uint64_t time_ns, struct asim_due *due);
/* time_ns must not lie before now. Returns 0 or ASIM_ENOMEM. The caller owns the event and must not
 * move it until asim_due_take returns it. */
static inline int asim_due_add(struct asim_due_queue *queue, uint64_t time_ns, struct asim_due *due)
{
    struct asim_time_bucket *bucket = asim_due_bucket_of(queue, time_ns);

    if (!bucket) {
        due->next = NULL;
        return asim_due_add_bucket(queue, time_ns, due);
    }
    asim_due_append(bucket, due);
    return 0;
}
/* Advances now to the next bucket; 0 if there is none. Drain it with asim_due_take. */
int asim_due_next(struct asim_due_queue *queue);
/* The next event of the bucket, or NULL at its end. */
static inline struct asim_due *asim_due_take(struct asim_due_queue *queue)
{
    struct asim_due *due = queue->current->head;

    if (due)
        queue->current->head = due->next;
    return due;
}
void asim_due_fini(struct asim_due_queue *queue);

#endif
