/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reports to the observer of queues: every change, or samples only (qlen.txt). A sample can show a
 * length of at least `least` bytes, or the end of one, that held over a whole ns on the grid of
 * samples. Nearly all changes of a queue are shorter.
 */
#include "fabric/switch/queue.h"

/* The length of a queue since t; control: bytes of it in queue 0. */
struct length {
    uint64_t t, bytes, control;
};

static void report(const struct asim_fabric *fabric, const struct asim_switch *sw, uint32_t p,
                   struct length length)
{
    fabric->watch->queue(fabric->watch->self, asim_to_ns(fabric, length.t),
                         (struct asim_port_id){sw->node, p + 1},
                         (struct asim_queue_length){length.bytes, length.control});
}

/* Whether the length differs from the reported one, and one of the two is worth a report. */
static int is_news(const struct asim_fabric *fabric, const struct asim_queue_sample *sample)
{
    uint64_t length = sample->bytes - sample->control, least = fabric->watch->sampling.least;

    return length != sample->reported && (length >= least || sample->reported >= least);
}

/* The first sample after t. The sample at first_ns + k x every_ns shows the length before that ns.
 */
static uint64_t sample_after(const struct asim_fabric *fabric, uint64_t t)
{
    const struct asim_queue_sampling *s = &fabric->watch->sampling;
    uint64_t first = s->first_ns % s->every_ns, ns = asim_to_ns(fabric, t);

    return asim_to_ticks(fabric, ((ns + s->every_ns - first) / s->every_ns) * s->every_ns + first);
}

static void report_sample(const struct asim_fabric *fabric, const struct asim_switch *sw,
                          uint32_t p)
{
    struct asim_queue_sample *sample = &sw->samples[p];

    sample->reported = sample->bytes - sample->control;
    report(fabric, sw, p, (struct length){sample->since, sample->bytes, sample->control});
}

void asim_queue_changed(const struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                        uint64_t t)
{
    const struct asim_switch_port *port = &sw->ports[p];
    uint64_t control = asim_queue_control_bytes(port);
    struct asim_queue_sample *sample;

    if (!sw->samples) {
        report(fabric, sw, p, (struct length){t, port->bytes, control});
        return;
    }
    sample = &sw->samples[p];
    if (t > sample->since && is_news(fabric, sample)) {
        sw->reported++;
        if (t >= sample->due)
            report_sample(fabric, sw, p);
    }
    if (t >= sample->due)
        sample->due = sample_after(fabric, t);
    sample->since = t;
    sample->bytes = port->bytes;
    sample->control = control;
}

/* The switch may have no event for a long time, so the observer gets the present lengths now. */
void asim_queue_flush_samples(const struct asim_fabric *fabric, struct asim_switch *sw)
{
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        if (!is_news(fabric, &sw->samples[p]))
            continue;
        sw->reported++;
        report_sample(fabric, sw, p);
    }
}

uint64_t asim_queue_control_bytes(const struct asim_switch_port *port)
{
    const struct asim_ring *queue = &port->queue[0];
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < queue->n; i++)
        bytes += queue->at[(queue->head + i) & (queue->cap - 1)].wire;
    return bytes;
}
