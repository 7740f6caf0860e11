/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Who sees every frame: up to four hooks, each called at the frame's own time, for which the
 * network goes over to W = 0 (and to no runs), since inside a window nodes are at different times.
 * Traces (mix.tr), captures and ns-3's trace sources stand behind this; what they see does not
 * depend on how many they are.
 */
#include "fabric/node.h"
#include "fabric/memo/memo.h"
#include "fabric/parallel/sharded_switch.h"

#include <stdlib.h>
#include "fabric/link/schedule.h"

/* More than one watcher: each in its turn. */
static void tell_all(void *self, enum asim_frame_event what, const uint32_t node_port[2],
                     const struct asim_frame *frame, uint64_t t)
{
    const struct asim_fabric_watch *watch = self;

    for (unsigned i = 0; i < watch->n_frames; i++)
        watch->frames[i].hook(watch->frames[i].self, what, node_port, frame, t);
}

/* Trace sinks want each frame at its own Simulator::Now(), hence W = 0 from here on. Works in the
 * middle of a run, because next[] is kept in both modes. */
int asim_fabric_watch_frames(struct asim_fabric *fabric, asim_frame_hook *hook, void *self)
{
    struct asim_fabric_watch *watch = &fabric->watch;

    if (watch->n_frames == sizeof watch->frames / sizeof *watch->frames)
        return ASIM_ENOMEM;
    watch->frames[watch->n_frames].hook = hook;
    watch->frames[watch->n_frames++].self = self;
    watch->frame = watch->n_frames == 1 ? hook : tell_all;
    watch->frame_self = watch->n_frames == 1 ? self : watch;
    if (fabric->run.per_event)
        return 0;
    if (asim_sharded_switches_close(fabric)) /* events have no rounds of workers */
        return ASIM_ENOMEM;
    asim_memo_stop(fabric);
    fabric->run.per_event = 1;
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        asim_node_push_due(fabric, v, *asim_next_of(fabric, v));
    return 0;
}

/* A network without an observer of samples has no rows of samples. */
int asim_fabric_watch_queues(struct asim_fabric *fabric,
                             void (*hook)(void *self, uint64_t t, const uint32_t node_port[2],
                                          const uint64_t all_control[2]),
                             const struct asim_queue_sampling *sampling)
{
    if (asim_sharded_switches_close(fabric))
        return ASIM_ENOMEM;
    fabric->watch.queue = hook;
    fabric->watch.sampling = *sampling;
    for (uint32_t v = 0; sampling->every_ns && v < fabric->set.nodes - fabric->set.hosts; v++) {
        struct asim_switch *sw = &fabric->sw[v];

        if (!sw->samples)
            sw->samples = calloc(sw->n_ports + 1, sizeof *sw->samples);
        if (!sw->samples)
            return ASIM_ENOMEM;
    }
    return 0;
}
