/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a part, read from its hosts and its switch and written back.
 */
#include "fabric/memo/state/part_state.h"

#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"
#include "fabric/memo/state/idle_state.h"

static struct asim_switch *switch_of(const struct asim_fabric *fabric, const struct asim_part *part)
{
    return &fabric->sw[part->sw - fabric->set.hosts];
}

static struct asim_nic *nic_of(const struct asim_fabric *fabric, const struct asim_part *part,
                               uint32_t i)
{
    return &fabric->host[part->host[i]].nics[part->nic[i]];
}

static struct asim_switch_port *port_of(const struct asim_fabric *fabric,
                                        const struct asim_part *part, uint32_t i)
{
    return &switch_of(fabric, part)->ports[part->port[i]];
}

/* Both ends of each. */
static int uplinks_are_idle(const struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t i = 0; i < part->n_uplinks; i++) {
        const struct asim_switch_port *port = &switch_of(fabric, part)->ports[part->uplink[i]];
        const struct asim_wire *out = port->port.out;

        if (!asim_switch_port_is_idle(port) ||
            !asim_switch_port_is_idle(&fabric->sw[out->to - fabric->set.hosts].ports[out->to_port]))
            return 0;
    }
    return 1;
}

/* A log has no finished queue pairs that wait for a scan. Timers of congestion control may be left.
 */
int asim_part_is_idle(const struct asim_fabric *fabric, const struct asim_part *part)
{
    if (part->open || !uplinks_are_idle(fabric, part))
        return 0;
    for (uint32_t i = 0; i < part->n_hosts; i++)
        if (!asim_nic_is_idle(nic_of(fabric, part, i)) || nic_of(fabric, part, i)->qps.n ||
            !asim_switch_port_is_idle(port_of(fabric, part, i)))
            return 0;
    return 1;
}

/* For each host: cursor and position of its queue pairs, and the round robin of its port. The order
 * of the ports' last transmissions has no influence: it breaks ties only among ports that transmit.
 */
size_t asim_part_state_size(const struct asim_part *part)
{
    return (size_t)part->n_hosts * ASIM_PART_STATE_WORDS;
}

void asim_part_state_save(const struct asim_fabric *fabric, const struct asim_part *part,
                          uint64_t *at)
{
    for (uint32_t i = 0; i < part->n_hosts; i++) {
        const struct asim_qplist *qps = &nic_of(fabric, part, i)->qps;

        *at++ = qps->cursor;
        *at++ = qps->cursor ? 0 : qps->last_position;
        *at++ = port_of(fabric, part, i)->rr;
    }
}

int asim_part_used_before(const struct asim_fabric *fabric, const struct asim_part *part,
                          uint32_t i, uint32_t j)
{
    return asim_wire_used_before(port_of(fabric, part, i)->port.in,
                                 port_of(fabric, part, j)->port.in);
}

/* For each host its event count, cursor and position of the queue pairs; for each of the two ports
 * of its link the count of its last arrival and what it keeps of its last transmission; then round
 * robin and peak; in the end the count of the switch. */
enum {
    PORT_WORDS = 1 + ASIM_PORT_LEFT_WORDS,
    NIC_PORT = 3,
    SWITCH_PORT = NIC_PORT + PORT_WORDS,
    RR = SWITCH_PORT + PORT_WORDS,
    PEAK,
    AFTER_WORDS
};

size_t asim_part_after_size(const struct asim_part *part)
{
    return (size_t)part->n_hosts * AFTER_WORDS + 1;
}

static void put_port(const struct asim_port *port, uint64_t *at)
{
    at[0] = port->in->in_seq;
    asim_port_left_save(port, 0, 0, at + 1);
}

static void put_all(const struct asim_fabric *fabric, const struct asim_part *part, uint64_t *at)
{
    for (uint32_t i = 0; i < part->n_hosts; i++, at += AFTER_WORDS) {
        const struct asim_nic *nic = nic_of(fabric, part, i);
        const struct asim_switch_port *port = port_of(fabric, part, i);

        at[0] = fabric->host[part->host[i]].seq;
        at[1] = nic->qps.cursor;
        at[2] = nic->qps.last_position;
        put_port(&nic->port, at + NIC_PORT);
        put_port(&port->port, at + SWITCH_PORT);
        at[RR] = port->rr;
        at[PEAK] = port->peak_bytes;
    }
    *at = switch_of(fabric, part)->seq;
}

void asim_part_before_save(struct asim_fabric *fabric, const struct asim_part *part,
                           uint64_t *before)
{
    put_all(fabric, part, before);
    for (uint32_t i = 0; i < part->n_hosts; i++)
        asim_switch_port_restart_peak(port_of(fabric, part, i));
}

void asim_part_before_drop(struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t i = 0; i < part->n_hosts; i++)
        asim_switch_port_join_peaks(port_of(fabric, part, i));
}

/* A port that the episode did not use has the same words before and after: it gets ASIM_NEVER. seq:
 * event count of its node at the start. */
static void make_relative(const struct asim_port *port, uint64_t *after, const uint64_t *before,
                          uint64_t seq, uint64_t start)
{
    int has_sent = memcmp(after + 1, before + 1, ASIM_PORT_LEFT_WORDS * sizeof *after) != 0;

    after[0] = after[0] != before[0] ? after[0] - seq : ASIM_NEVER;
    after[1] = ASIM_NEVER;
    if (has_sent)
        asim_port_left_save(port, seq, start, after + 1);
}

void asim_part_after_save(struct asim_fabric *fabric, const struct asim_part *part,
                          const uint64_t *before, uint64_t *after)
{
    size_t last = (size_t)part->n_hosts * AFTER_WORDS;

    put_all(fabric, part, after);
    for (uint32_t i = 0; i < part->n_hosts; i++) {
        uint64_t *to = after + (size_t)i * AFTER_WORDS;
        const uint64_t *from = before + (size_t)i * AFTER_WORDS;

        make_relative(&nic_of(fabric, part, i)->port, to + NIC_PORT, from + NIC_PORT, from[0],
                      part->begin);
        make_relative(&port_of(fabric, part, i)->port, to + SWITCH_PORT, from + SWITCH_PORT,
                      before[last], part->begin);
        to[0] -= from[0];
    }
    after[last] -= before[last];
    asim_part_before_drop(fabric, part);
}

static void apply_port(struct asim_port *port, const uint64_t *at, uint64_t seq, uint64_t start)
{
    if (at[0] != ASIM_NEVER)
        port->in->in_seq = seq + at[0];
    if (at[1] != ASIM_NEVER)
        asim_port_left_apply(port, seq, start, at + 1);
}

void asim_part_after_apply(struct asim_fabric *fabric, const struct asim_part *part,
                           const uint64_t *after, uint64_t begin)
{
    struct asim_switch *sw = switch_of(fabric, part);

    for (uint32_t i = 0; i < part->n_hosts; i++) {
        const uint64_t *at = after + (size_t)asim_part_row(part, i) * AFTER_WORDS;
        struct asim_host *host = &fabric->host[part->host[i]];
        struct asim_nic *nic = nic_of(fabric, part, i);
        struct asim_switch_port *port = port_of(fabric, part, i);

        apply_port(&nic->port, at + NIC_PORT, host->seq, begin);
        apply_port(&port->port, at + SWITCH_PORT, sw->seq, begin);
        host->seq += at[0];
        nic->qps.cursor = (uint32_t)at[1];
        nic->qps.last_position = (uint32_t)at[2];
        port->rr = (uint8_t)at[RR];
        if (at[PEAK] > port->peak_bytes)
            port->peak_bytes = at[PEAK];
    }
    sw->seq += after[(size_t)part->n_hosts * AFTER_WORDS];
}

uint64_t asim_part_hops(const struct asim_fabric *fabric, const struct asim_part *part)
{
    uint64_t hops = 0;

    for (uint32_t i = 0; i < part->n_hosts; i++) {
        const struct asim_port *port = &nic_of(fabric, part, i)->port;

        hops += port->in->frames + port->out->frames;
    }
    return hops;
}
