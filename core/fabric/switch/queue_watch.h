/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reports of queue lengths to the observer of queues (fabric.h, watch.queue).
 */
#ifndef ASIM_FABRIC_SWITCH_QUEUE_WATCH_H
#define ASIM_FABRIC_SWITCH_QUEUE_WATCH_H

#include "fabric/ground/ground.h"
#include "fabric/switch/switch.h"

struct asim_fabric;
struct asim_switch;
struct asim_switch_port;

/* The bytes queued at port p have changed at t. An observer must exist. */
void asim_queue_changed(const struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                        uint64_t t);
/* The end of a window, for switches with samples: reports what holds now. */
void asim_queue_flush_samples(const struct asim_fabric *fabric, struct asim_switch *sw);
/* Bytes in queue 0: PFC frames, and ACKs with priority. */
uint64_t asim_queue_control_bytes(const struct asim_switch_port *port);

/* Reports a change. With samples it skips changes that no sample shows: a short length between two
 * samples, if the reported length is short, too. */
static inline void asim_queue_notify(const struct asim_fabric *fabric, struct asim_switch *sw,
                                     uint32_t p, uint64_t t)
{
    const struct asim_switch_port *port = &sw->ports[p];
    struct asim_queue_sample *sample;
    uint64_t least = fabric->watch.sampling.least;

    if (!fabric->watch.queue)
        return;
    sample = sw->samples ? &sw->samples[p] : NULL;
    if (!sample || t >= sample->due || sample->bytes >= least || sample->reported >= least ||
        port->waiting & 1) {
        asim_queue_changed(fabric, sw, p, t);
        return;
    }
    sample->since = t;
    sample->bytes = port->bytes;
    sample->control = 0;
}

#endif
