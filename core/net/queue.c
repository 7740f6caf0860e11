/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Orders the events of the analytical networks by time. An event costs one hash and two stores if
 * its bucket is cached, else O(log buckets). A drained bucket leaves the cache and returns to its
 * pool.
 *
 * Invariant: the cache has at most one bucket of a time, the newest. Owners must not free or add an
 * event again while it is queued.
 */
#include "net/queue.h"

#include "asim/err.h"
#include <string.h>

void asim_due_init(struct asim_due_queue *queue)
{
    memset(queue, 0, sizeof *queue);
    asim_heap_init(&queue->buckets);
    asim_pool_init(&queue->pool, sizeof(struct asim_time_bucket), 0);
}

int asim_due_add_bucket(struct asim_due_queue *queue, uint64_t time_ns, struct asim_due *due)
{
    struct asim_time_bucket *bucket = asim_pool_take(&queue->pool);

    if (!bucket)
        return ASIM_ENOMEM;
    *bucket = (struct asim_time_bucket){due, due, time_ns};
    if (asim_heap_push(&queue->buckets, (struct asim_heap_entry){time_ns, queue->age++,
                                                                 (uint64_t)(uintptr_t)bucket})) {
        asim_pool_give(&queue->pool, bucket);
        return ASIM_ENOMEM;
    }
    *asim_due_cached(queue, time_ns) = bucket;
    return 0;
}

int asim_due_next(struct asim_due_queue *queue)
{
    if (queue->current) {
        struct asim_time_bucket **slot = asim_due_cached(queue, queue->current->time_ns);

        if (*slot == queue->current)
            *slot = NULL;
        asim_pool_give(&queue->pool, queue->current);
        queue->current = NULL;
    }
    if (!queue->buckets.n)
        return 0;
    queue->current = (void *)(uintptr_t)asim_heap_pop(&queue->buckets).value;
    queue->now_ns = queue->current->time_ns;
    return 1;
}

void asim_due_fini(struct asim_due_queue *queue)
{
    asim_heap_fini(&queue->buckets);
    asim_pool_fini(&queue->pool);
}
