/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_state.h.
 */
#include "fabric/memo/state/part_state.h"

#include "fabric/memo/memo.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"

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

static int port_is_idle(const struct asim_port *port)
{
    return !asim_link_ring_count(port->in) && !port->paused && !port->down;
}

static int switch_port_is_idle(const struct asim_switch_port *port)
{
    return port_is_idle(&port->port) && !port->frames && !port->pausing;
}

/* Both ends of each. */
static int uplinks_are_idle(const struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t i = 0; i < part->n_uplinks; i++) {
        const struct asim_switch_port *port = &switch_of(fabric, part)->ports[part->uplink[i]];
        const struct asim_wire *out = port->port.out;

        if (!switch_port_is_idle(port) ||
            !switch_port_is_idle(&fabric->sw[out->to - fabric->set.hosts].ports[out->to_port]))
            return 0;
    }
    return 1;
}

/* A log has no finished queue pairs that wait for a scan. Timers of congestion control may be left.
 */
static int nic_is_idle(const struct asim_nic *nic)
{
    return port_is_idle(&nic->port) && !nic->acks.n && !nic->qps.n && nic->wake_at == ASIM_NEVER;
}

int asim_part_is_idle(const struct asim_fabric *fabric, const struct asim_part *part)
{
    if (part->open || !uplinks_are_idle(fabric, part))
        return 0;
    for (uint32_t i = 0; i < part->n_hosts; i++)
        if (!nic_is_idle(nic_of(fabric, part, i)) || !switch_port_is_idle(port_of(fabric, part, i)))
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
 * of its link the words of a port, then round robin and peak; in the end the count of the switch.
 */
enum { PORT_WORDS = 5, AFTER_WORDS = 3 + 2 * PORT_WORDS + 2 };

size_t asim_part_after_size(const struct asim_part *part)
{
    return (size_t)part->n_hosts * AFTER_WORDS + 1;
}

static uint64_t *put_port(const struct asim_port *port, uint64_t *at)
{
    *at++ = port->in->in_seq;
    *at++ = port->start_seq;
    *at++ = port->start_recency;
    *at++ = port->tx_start;
    *at++ = port->busy_until;
    return at;
}

static void put_all(const struct asim_fabric *fabric, const struct asim_part *part, uint64_t *at)
{
    for (uint32_t i = 0; i < part->n_hosts; i++) {
        const struct asim_nic *nic = nic_of(fabric, part, i);
        const struct asim_switch_port *port = port_of(fabric, part, i);

        *at++ = fabric->host[part->host[i]].seq;
        *at++ = nic->qps.cursor;
        *at++ = nic->qps.last_position;
        at = put_port(&nic->port, at);
        at = put_port(&port->port, at);
        *at++ = port->rr;
        *at++ = port->peak_bytes;
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

/* A port that the episode did not use has the same words before and after: it gets ASIM_NEVER as
 * its first. seq: event count of its node at the begin. */
static void make_relative(uint64_t *after, const uint64_t *before, uint64_t seq, uint64_t begin)
{
    after[0] = after[0] != before[0] ? after[0] - seq : ASIM_NEVER;
    after[1] = after[1] != before[1] ? after[1] - seq : ASIM_NEVER;
    after[3] -= begin;
    after[4] -= begin;
}

void asim_part_after_save(struct asim_fabric *fabric, const struct asim_part *part,
                          const uint64_t *before, uint64_t *after)
{
    size_t last = (size_t)part->n_hosts * AFTER_WORDS;

    put_all(fabric, part, after);
    for (uint32_t i = 0; i < part->n_hosts; i++) {
        uint64_t *to = after + (size_t)i * AFTER_WORDS;
        const uint64_t *from = before + (size_t)i * AFTER_WORDS;

        make_relative(to + 3, from + 3, from[0], part->begin);
        make_relative(to + 3 + PORT_WORDS, from + 3 + PORT_WORDS, before[last], part->begin);
        to[0] -= from[0];
    }
    after[last] -= before[last];
    asim_part_before_drop(fabric, part);
}

static void apply_port(struct asim_port *port, const uint64_t *at, uint64_t seq, uint64_t begin)
{
    if (at[0] != ASIM_NEVER)
        port->in->in_seq = seq + at[0];
    if (at[1] == ASIM_NEVER)
        return;
    port->start_seq = seq + at[1];
    port->start_recency = (uint32_t)at[2];
    port->tx_start = begin + at[3];
    port->busy_until = begin + at[4];
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

        apply_port(&nic->port, at + 3, host->seq, begin);
        apply_port(&port->port, at + 3 + PORT_WORDS, sw->seq, begin);
        host->seq += at[0];
        nic->qps.cursor = (uint32_t)at[1];
        nic->qps.last_position = (uint32_t)at[2];
        port->rr = (uint8_t)at[3 + 2 * PORT_WORDS];
        if (at[4 + 2 * PORT_WORDS] > port->peak_bytes)
            port->peak_bytes = at[4 + 2 * PORT_WORDS];
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
