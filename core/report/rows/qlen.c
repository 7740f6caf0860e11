/* SPDX-License-Identifier: GPL-2.0-only
 *
 * qlen.txt: every 100 ns from QLEN_MON_START on, a line for each switch that holds at least 1000
 * bytes at one port, naming these ports (rdma-network.md#output-files). Written
 * where QLEN_MON_FILE names it. ASTRA-sim's monitor is an event every 100 ns for ever; here
 * changes drive it, and a sample without a long queue costs nothing. QLEN_MON_END is ignored, as in
 * ASTRA-sim.
 *
 * A sample shows the state before its own ns. As in ASTRA-sim, it counts neither the frame being
 * sent nor PFC frames, which wait in queue 0.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "report/report.h"

struct qlen {
    struct asim_report_file own;
    const struct asim_topo *topo;
    uint64_t *bytes;      /* [port of the topology] */
    uint64_t next;        /* time of the next sample */
    uint32_t *long_ports; /* [node] how many of its ports are to be named */
    size_t n_long;
};

static void write_sample(const struct qlen *q)
{
    const struct asim_topo *topo = q->topo;

    for (uint32_t v = topo->hosts; v < topo->nodes; v++) {
        if (!q->long_ports[v])
            continue;
        asim_out_printf(q->own.out, "time %" PRIu64 " %u ", q->next,
                        asim_topo_external_id(topo, v));
        for (uint32_t p = topo->first_port[v]; p < topo->first_port[v + 1]; p++)
            if (q->bytes[p] >= ASIM_QLEN_BYTES)
                asim_out_printf(q->own.out, "j %u %" PRIu64 " ", p - topo->first_port[v] + 1,
                                q->bytes[p]);
        asim_out_printf(q->own.out, "\n");
    }
}

/* Samples up to and including t; skips empty ones together. */
static void sample(struct qlen *q, uint64_t t)
{
    for (; q->n_long && q->next <= t; q->next += ASIM_QLEN_NS)
        write_sample(q);
    if (q->next <= t)
        q->next += (t - q->next) / ASIM_QLEN_NS * ASIM_QLEN_NS + ASIM_QLEN_NS;
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct qlen *q = self;
    uint64_t *bytes = &q->bytes[q->topo->first_port[event->rank] + event->of.queue.port - 1];
    int before = *bytes >= ASIM_QLEN_BYTES, after;

    (void)world;
    after = event->of.queue.bytes - event->of.queue.control >= ASIM_QLEN_BYTES;
    if (before || after)
        sample(q, event->t); /* other reports let shorter lengths be reported, too */
    *bytes = event->of.queue.bytes - event->of.queue.control;
    q->long_ports[event->rank] += (uint32_t)(after - before);
    q->n_long += (size_t)(after - before);
}

static const char *path(const struct asim_world *world)
{
    return world->set.net.qlen_output;
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    struct qlen *q = self;

    q->topo = topo;
    q->next = world->set.net.qlen_start_ns;
    q->bytes = calloc((size_t)topo->first_port[topo->nodes] + 1, sizeof *q->bytes);
    q->long_ports = calloc(topo->nodes, sizeof *q->long_ports);
    return q->bytes && q->long_ports ? 0 : asim_err_nomem(err, "sampling queues");
}

static int end(void *self, const struct asim_world *world, struct asim_err *err)
{
    (void)err;
    sample(self, asim_report_end_ns(world));
    return 0;
}

static void drop(void *self)
{
    struct qlen *q = self;

    ASIM_FREE(q->bytes, q->long_ports);
}

const struct asim_report asim_report_qlen = {
    .member = {.name = "qlen", .about = "qlen.txt: queues of switch ports every 100 ns"},
    .needs = ASIM_NET_QUEUES,
    .path = path,
    .wants = 1u << ASIM_EV_QUEUE_SAMPLE,
    .see = see,
    .size = sizeof(struct qlen),
    .begin = begin,
    .end = end,
    .drop = drop,
};
