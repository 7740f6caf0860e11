/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the watcher of queues is told: every change, or, where samples are all that is wanted
 * (qlen.txt), only what a sample can show: a length of at least `least` bytes, or the end of
 * one, that held over a whole ns at the grid of samples. Nearly all changes of a queue are neither.
 */
#include "fabric/parallel/sharded_switch.h"

#include <stdlib.h>

static void report(const struct asim_fabric *fabric, const struct asim_switch *sw, uint32_t p,
                   const uint64_t t_all_control[3])
{
    fabric->watch.queue(fabric->watch.self, asim_to_ns(fabric, t_all_control[0]),
                        (const uint32_t[2]){sw->node, p + 1}, &t_all_control[1]);
}

/* A length that nobody would write follows one that nobody has written. */
static int is_news(const struct asim_fabric *fabric, const struct asim_queue_sample *sample)
{
    uint64_t length = sample->bytes - sample->control, least = fabric->watch.sampling.least;

    return length != sample->reported && (length >= least || sample->reported >= least);
}

/* The first sample after t. One at first_ns + k x every_ns shows what has held before that ns. */
static uint64_t sample_after(const struct asim_fabric *fabric, uint64_t t)
{
    const struct asim_queue_sampling *s = &fabric->watch.sampling;
    uint64_t first = s->first_ns % s->every_ns, ns = asim_to_ns(fabric, t);

    return asim_to_ticks(fabric, ((ns + s->every_ns - first) / s->every_ns) * s->every_ns + first);
}

static void report_sample(const struct asim_fabric *fabric, const struct asim_switch *sw,
                          uint32_t p)
{
    struct asim_queue_sample *sample = &sw->samples[p];

    sample->reported = sample->bytes - sample->control;
    report(fabric, sw, p, (const uint64_t[3]){sample->since, sample->bytes, sample->control});
}

void asim_queue_changed(const struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                        uint64_t t)
{
    const struct asim_switch_port *port = &sw->ports[p];
    uint64_t control = asim_switch_control(port);
    struct asim_queue_sample *sample;

    if (!sw->samples) {
        report(fabric, sw, p, (const uint64_t[3]){t, port->bytes, control});
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

/* The switch may now be left alone for long: what holds now is said, whenever the next sample. */
void asim_queue_flush_samples(const struct asim_fabric *fabric, struct asim_switch *sw)
{
    for (uint32_t p = 0; p < sw->n_ports; p++)
        if (is_news(fabric, &sw->samples[p]))
            report_sample(fabric, sw, p);
}

/* The rows of samples are made here, so that a network nobody samples has none. */
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
