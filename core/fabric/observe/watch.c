/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Watchers. Frames: up to four hooks see every frame at its own time, so the network changes to
 * per-event mode and drops the memo: inside a window nodes are at different times. Traces (mix.tr),
 * captures and ns-3's trace sources use this; what a hook sees does not depend on the others.
 * Queues: one hook sees the lengths of switch queues (switch/queue_watch.c).
 */
#include "fabric/memo/region/use.h"
#include "fabric/clock/sharded_switch.h"
#include "fabric/clock/ways.h"
#include "fabric/link/schedule.h"
#include "fabric/observe/observe.h"
#include "fabric/switch/queue.h"

#include <stdlib.h>

struct asim_fabric_watch *asim_fabric_watcher(struct asim_fabric *fabric)
{
    return fabric->watch;
}

/* The hook of several watchers. */
static void call_all(void *self, enum asim_frame_event what, struct asim_port_id at,
                     const struct asim_frame *frame, uint64_t t)
{
    const struct asim_fabric_watch *watch = self;

    for (unsigned i = 0; i < watch->n_frames; i++)
        watch->frames[i].hook(watch->frames[i].self, what, at, frame, t);
}

int asim_fabric_watch_frames(struct asim_fabric *fabric, asim_frame_hook *hook, void *self)
{
    struct asim_fabric_watch *watch = fabric->watch;

    if (watch->n_frames == sizeof watch->frames / sizeof *watch->frames)
        return ASIM_ENOMEM;
    watch->frames[watch->n_frames].hook = hook;
    watch->frames[watch->n_frames++].self = self;
    watch->frame = watch->n_frames == 1 ? hook : call_all;
    watch->frame_self = watch->n_frames == 1 ? self : watch;
    asim_ways_find(fabric);
    return asim_fabric_use_per_event(fabric);
}

/* May be called in the middle of a run, because schedule.next is kept in both modes. */
int asim_fabric_use_per_event(struct asim_fabric *fabric)
{
    if (fabric->schedule.per_event)
        return 0;
    if (asim_sharded_switches_close(fabric)) /* events have no epochs of the team */
        return ASIM_ENOMEM;
    asim_memo_stop(fabric);
    fabric->schedule.per_event = 1;
    asim_ways_find(fabric);
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        asim_node_push_due(fabric, v, *asim_next_of(fabric, v));
    return 0;
}

int asim_fabric_use_classes(struct asim_fabric *fabric)
{
    fabric->set.classes = ASIM_QUEUES;
    return asim_queues_use(fabric) ? ASIM_ENOMEM : asim_fabric_use_per_event(fabric);
}

/* A network without an observer of samples has no rows of samples. */
int asim_fabric_watch_queues(struct asim_fabric *fabric,
                             void (*hook)(void *self, uint64_t t, struct asim_port_id at,
                                          struct asim_queue_length length),
                             const struct asim_queue_sampling *sampling)
{
    if (asim_sharded_switches_close(fabric))
        return ASIM_ENOMEM;
    fabric->watch->queue = hook;
    fabric->watch->sampling = *sampling;
    asim_ways_find(fabric);
    for (uint32_t v = 0; sampling->every_ns && v < fabric->set.nodes - fabric->set.hosts; v++) {
        struct asim_switch *sw = &fabric->sw[v];

        if (!sw->samples)
            sw->samples = calloc(sw->n_ports + 1, sizeof *sw->samples);
        if (!sw->samples)
            return ASIM_ENOMEM;
    }
    return 0;
}
