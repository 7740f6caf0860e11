/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What switches add to the telemetry record of a packet: INT's hops, PINT's digest.
 */
#include "cc/cc.h"
#include "fabric/switch/stamp.h"
#include "fabric/host/telemetry.h"
#include "base/draw.h"

#include <math.h>

enum { QLEN_MASK = (1 << 17) - 1, QLEN_UNIT = 80 };

/* Adds an INT record. The frame counts as sent already; the record holds the bytes sent before it
 * (rdma-network.md#telemetry-headers). */
static void push_hop(const struct asim_fabric *fabric, const struct asim_switch_port *port,
                     struct asim_telemetry *record, const struct asim_frame *frame, uint64_t now)
{
    uint64_t before = port->port.out->bytes - frame->wire;
    struct asim_int_hop *hop = &record->hop[record->hops++ % ASIM_INT_HOPS];

    hop->rate_bps = port->port.out->rate_bps;
    hop->time = now & ASIM_INT_TIME_MASK;
    hop->bytes = before / asim_telemetry_unit(fabric) & ASIM_INT_BYTES_MASK;
    hop->qlen = port->bytes / (QLEN_UNIT * asim_telemetry_multi(fabric)) & QLEN_MASK;
    hop->wire = port->port.out->id;
}

/* Updates the port's utilisation estimate; the record keeps the highest digest of the path.
 * ASTRA-sim computes this with 20-bit logarithm tables and random rounding. */
static void pint(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                 struct asim_telemetry *record, uint64_t now)
{
    struct asim_switch_port *port = &sw->ports[p];
    double rtt = (double)fabric->set.max_rtt, rate = (double)port->port.out->rate_bps / 8;
    double dt = fmin((double)(now - port->sent_t), rtt), exact;
    uint32_t digest;

    if (rtt <= 0)
        return;
    port->pint_u = (double)port->bytes * dt * 1e9 / (rate * rtt * rtt) +
                   port->sent_bytes * 1e9 / (rate * rtt) + port->pint_u * (rtt - dt) / rtt;
    exact = fmax(0, log(fmax(1, ceil(ASIM_PINT_SCALE * port->pint_u))) /
                        log(fabric->set.net->pint_log_base));
    digest = (uint32_t)exact;
    if (asim_draw(fabric->set.seed, (uint64_t)sw->node << 32 | port->port.out->id, port->draws++) <
        exact - digest)
        digest++;
    if (record && digest > record->digest)
        record->digest = digest;
}

void asim_telemetry_write(struct asim_fabric *fabric, struct asim_switch *sw, uint32_t p,
                          const struct asim_frame *frame, uint64_t now)
{
    struct asim_switch_port *port = &sw->ports[p];

    if (frame->type == ASIM_DATA) {
        struct asim_telemetry *record = asim_telemetry_lock(fabric, frame);

        if (record && fabric->set.cc->needs & ASIM_CC_INT)
            push_hop(fabric, port, record, frame, now);
        else if (fabric->set.cc->needs & ASIM_CC_DIGEST)
            pint(fabric, sw, p, record, now);
        asim_telemetry_unlock(fabric, frame);
    }
    port->sent_t = now;
    port->sent_bytes = frame->wire;
}
