/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See queue.h. Cost of an event that finds its lane: one hash, two stores. Of one that does not:
 * O(log lanes). A lane leaves the cache when it is drained, so a cached lane is always one that
 * will still be run.
 *
 * Invariant: at most one lane of a time is in the cache, and it is the newest of that time. Lanes
 * come from a pool and go back when drained; events belong to their owners, and one that is in the
 * queue must not be freed or added again.
 */
#include "net/queue.h"

#include "asim/err.h"
#include <string.h>

void asim_due_init(struct asim_due_queue *queue)
{
    memset(queue, 0, sizeof *queue);
    asim_heap_init(&queue->lanes);
    asim_pool_init(&queue->pool, sizeof(struct asim_due_lane), 0);
}

int asim_due_add_lane(struct asim_due_queue *queue, uint64_t time_ns, struct asim_due *due)
{
    struct asim_due_lane *lane = asim_pool_take(&queue->pool);

    if (!lane)
        return ASIM_ENOMEM;
    *lane = (struct asim_due_lane){due, due, time_ns};
    if (asim_heap_push(&queue->lanes, (struct asim_heap_entry){time_ns, queue->age++,
                                                               (uint64_t)(uintptr_t)lane})) {
        asim_pool_give(&queue->pool, lane);
        return ASIM_ENOMEM;
    }
    *asim_due_cached(queue, time_ns) = lane;
    return 0;
}

int asim_due_next(struct asim_due_queue *queue)
{
    if (queue->current) {
        struct asim_due_lane **slot = asim_due_cached(queue, queue->current->time_ns);

        if (*slot == queue->current)
            *slot = NULL;
        asim_pool_give(&queue->pool, queue->current);
        queue->current = NULL;
    }
    if (!queue->lanes.n)
        return 0;
    queue->current = (void *)(uintptr_t)asim_heap_pop(&queue->lanes).value;
    queue->now_ns = queue->current->time_ns;
    return 1;
}

void asim_due_fini(struct asim_due_queue *queue)
{
    asim_heap_fini(&queue->lanes);
    asim_pool_fini(&queue->pool);
}
