/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See part_state.h.
 */
#include "fabric/memo/state/part_state.h"

#include <string.h>

#include "fabric/memo/memo.h"
#include "fabric/node.h"

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

/* For each host: messages and counters of frames and bytes, which only the log tells apart from
 * those of its other NICs; then the counters of its link and its NIC. */
enum {
    MESSAGES,
    DATA,
    ACKS,
    ACKS_GENERATED,
    DATA_RECEIVED,
    ACKS_RECEIVED,
    IN_ORDER,
    COMPLETED,
    HOST_COUNTS,
    FRAMES_OUT = HOST_COUNTS,
    FRAMES_IN = FRAMES_OUT + 4,
    COUNTS = FRAMES_IN + 4 + 3 + 1,
    SWITCH_COUNTS = 5
};

size_t asim_part_counters_size(const struct asim_part *part)
{
    return (size_t)part->n_hosts * COUNTS + SWITCH_COUNTS;
}

/* What to do with each counter and its word of a list. */
enum operation { SAVE, ADD };

static uint64_t *visit(uint64_t *counter, size_t n, uint64_t *at, enum operation operation)
{
    for (size_t i = 0; i < n; i++, at++) {
        if (operation == ADD)
            counter[i] += *at;
        else
            *at = counter[i];
    }
    return at;
}

static void add_host(struct asim_host *host, const uint64_t *at)
{
    host->messages += at[MESSAGES];
    host->counts.data += at[DATA];
    host->counts.acks += at[ACKS];
    host->counts.acks_generated += at[ACKS_GENERATED];
    host->counts.data_received += at[DATA_RECEIVED];
    host->counts.acks_received += at[ACKS_RECEIVED];
    host->counts.in_order += at[IN_ORDER];
    host->counts.completed += at[COMPLETED];
}

static void visit_all(struct asim_fabric *fabric, const struct asim_part *part, uint64_t *list,
                      enum operation operation)
{
    struct asim_switch *sw = switch_of(fabric, part);
    uint64_t *const of[SWITCH_COUNTS] = {&sw->drops, &sw->pauses, &sw->drop_bytes,
                                         &sw->pfc_generated, &sw->pfc_received};

    for (uint32_t i = 0; i < part->n_hosts; i++) {
        struct asim_port *nic = &nic_of(fabric, part, i)->port;
        struct asim_switch_port *port = port_of(fabric, part, i);
        uint64_t *at = list + (size_t)asim_part_row(part, i) * COUNTS;

        if (operation == ADD)
            add_host(&fabric->host[part->host[i]], at);
        else
            memset(at, 0, HOST_COUNTS * sizeof *at);
        at += HOST_COUNTS;
        at = visit(&nic->out->frames, 2, at, operation); /* and bytes */
        at = visit(&nic->out->received, 2, at, operation);
        at = visit(&nic->in->frames, 2, at, operation);
        at = visit(&nic->in->received, 2, at, operation);
        at = visit(&port->marks, 1, at, operation);
        at = visit(&port->pauses, 1, at, operation);
        at = visit(&port->drops, 1, at, operation);
        visit(&nic_of(fabric, part, i)->crowded, 1, at, operation);
    }
    for (size_t i = 0; i < SWITCH_COUNTS; i++)
        visit(of[i], 1, list + (size_t)part->n_hosts * COUNTS + i, operation);
}

/* Without losses each packet is sent once, and every other frame is an ACK. */
void asim_part_counters_of_log(const struct asim_fabric *fabric, const struct asim_part *part,
                               const struct asim_log_row *row, uint64_t *deltas)
{
    for (uint32_t h = 0; h < part->n_hosts; h++)
        for (size_t i = 0; i < row[h].injections.n; i++) {
            const struct asim_injection *injection = &row[h].injections.at[i];
            uint64_t size = injection->bytes ? injection->bytes : 1;
            uint64_t packets = (size - 1) / fabric->set.net->payload_bytes + 1;
            uint64_t *src = deltas + (size_t)h * COUNTS;
            uint64_t *dst = deltas + (size_t)injection->dst * COUNTS;

            src[MESSAGES]++;
            src[DATA] += packets;
            src[COMPLETED] += size;
            dst[DATA_RECEIVED] += packets;
            dst[IN_ORDER] += size;
        }
    for (uint32_t h = 0; h < part->n_hosts; h++, deltas += COUNTS) {
        deltas[ACKS] = deltas[ACKS_GENERATED] = deltas[FRAMES_OUT] - deltas[DATA];
        deltas[ACKS_RECEIVED] = deltas[FRAMES_IN] - deltas[DATA_RECEIVED];
    }
}

void asim_part_counters_save(struct asim_fabric *fabric, const struct asim_part *part,
                             uint64_t *list)
{
    visit_all(fabric, part, list, SAVE);
}

void asim_part_counters_add(struct asim_fabric *fabric, const struct asim_part *part,
                            const uint64_t *list)
{
    visit_all(fabric, part, (uint64_t *)list, ADD);
}

uint64_t asim_part_hops_in(const struct asim_part *part, const uint64_t *list)
{
    uint64_t hops = 0;

    for (uint32_t i = 0; i < part->n_hosts; i++, list += COUNTS)
        hops += list[FRAMES_OUT] + list[FRAMES_IN];
    return hops;
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

/* Losses and retransmissions follow drops, so the switch tells all. */
uint64_t asim_part_unreplayable(const struct asim_fabric *fabric, const struct asim_part *part)
{
    const struct asim_switch *sw = switch_of(fabric, part);
    uint64_t events = sw->drops + sw->pfc_generated + sw->pfc_received + sw->reported;

    for (uint32_t i = 0; i < part->n_hosts; i++)
        events += port_of(fabric, part, i)->draws;
    return events;
}
