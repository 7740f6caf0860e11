/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The state of a part before and after an episode, its comparison, and its idle check.
 */
#include "fabric/memo/state/part_state.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/region/part.h"
#include "asim/topology.h"
#include "fabric/ground/ground.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"
#include "fabric/switch/switch.h"

/* --- the ports of a part ---------------------------------------------------------------------- */

static struct asim_switch *switch_of(const struct asim_fabric *fabric, const struct asim_part *part)
{
    return &fabric->sw[part->sw - fabric->set.hosts];
}

static struct asim_nic *nic_of(const struct asim_fabric *fabric, const struct asim_part *part,
                               uint32_t i)
{
    return &fabric->host[part->host[i]].nics[part->nic[i]];
}

static struct asim_switch_port *switch_port_of(const struct asim_fabric *fabric,
                                               const struct asim_part *part, uint32_t i)
{
    return &switch_of(fabric, part)->ports[part->port[i]];
}

uint32_t asim_part_ports(const struct asim_fabric *fabric, const struct asim_part *part)
{
    return part->is_whole ? fabric->set.topo->first_port[fabric->set.nodes] : 2 * part->n_hosts;
}

struct asim_port *asim_part_port(const struct asim_fabric *fabric, const struct asim_part *part,
                                 uint32_t row)
{
    if (part->is_whole)
        return fabric->ports[row];
    if (row < part->n_hosts)
        return &nic_of(fabric, part, asim_part_host(part, row))->port;
    return &switch_port_of(fabric, part, asim_part_host(part, row - part->n_hosts))->port;
}

/* The node of a port is a host or a switch: one of the two is NULL. */
struct owner {
    struct asim_nic *nic;
    struct asim_switch_port *port;
    uint64_t *seq; /* event count of the node */
};

static struct owner owner_of(const struct asim_fabric *fabric, const struct asim_port *port)
{
    uint32_t node = port->in->to, i = port->in->to_port;
    struct asim_switch *sw;

    if (node < fabric->set.hosts)
        return (struct owner){&fabric->host[node].nics[i], NULL, &fabric->host[node].seq};
    sw = &fabric->sw[node - fabric->set.hosts];
    return (struct owner){NULL, &sw->ports[i], &sw->seq};
}

/* --- idle ------------------------------------------------------------------------------------- */

/* Its ports, and the other ends of its uplinks. */
static int switch_is_idle(const struct asim_fabric *fabric, const struct asim_switch *sw)
{
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        const struct asim_wire *out = sw->ports[p].port.out;

        if (!asim_switch_port_is_idle(&sw->ports[p]) ||
            (out->to >= fabric->set.hosts &&
             !asim_switch_port_is_idle(
                 &fabric->sw[out->to - fabric->set.hosts].ports[out->to_port])))
            return 0;
    }
    return 1;
}

/* A log has no finished queue pairs that wait for a scan. Timers of congestion control may be left.
 */
int asim_part_is_idle(const struct asim_fabric *fabric, const struct asim_part *part)
{
    if (part->is_whole)
        return asim_network_is_idle(fabric);
    if (part->open)
        return 0;
    for (uint32_t i = 0; i < part->n_hosts; i++)
        if (!asim_nic_is_idle(nic_of(fabric, part, i)) || nic_of(fabric, part, i)->qps.n)
            return 0;
    return switch_is_idle(fabric, switch_of(fabric, part));
}

/* --- before and after an episode -------------------------------------------------------------- */

/* The cursor of an empty list counts by itself; in a list of finished ones only its position does.
 */
static struct asim_nic_state nic_state(const struct asim_nic *nic)
{
    const struct asim_qplist *qps = &nic->qps;

    if (qps->n)
        return (struct asim_nic_state){qps->n, 0, asim_qplist_position(qps)};
    return (struct asim_nic_state){0, qps->cursor, qps->cursor ? 0 : qps->last_position};
}

static int nics_are_same(const struct asim_nic_state *a, const struct asim_nic_state *b)
{
    return a->n == b->n && a->cursor == b->cursor && a->position == b->position;
}

uint64_t asim_part_hash_state(const struct asim_fabric *fabric, const struct asim_part *part,
                              uint32_t h)
{
    struct asim_nic_state nic = nic_state(nic_of(fabric, part, h));

    return asim_mix_word(asim_mix_word((uint64_t)nic.cursor << 32 | nic.position, 1),
                         switch_port_of(fabric, part, h)->rr);
}

/* seq, begin: what the counts and the times of the last transmission count from. */
static struct asim_port_state state_of(const struct asim_fabric *fabric,
                                       const struct asim_port *port, uint64_t seq, uint64_t begin)
{
    struct owner owner = owner_of(fabric, port);
    struct asim_port_state state = {.in_seq = port->in->in_seq - seq, .node_seq = *owner.seq - seq};

    asim_port_left_save(port, seq, begin, state.left);
    if (owner.nic) {
        state.nic = nic_state(owner.nic);
    } else {
        state.rr = owner.port->rr;
        state.peak = owner.port->peak_bytes;
    }
    return state;
}

int asim_episode_state_begin(struct asim_fabric *fabric, const struct asim_part *part,
                             struct asim_episode_state *state)
{
    state->ports.n = asim_part_ports(fabric, part);
    if (ASIM_VEC_RESERVE(state->ports, state->ports.n))
        return ASIM_ENOMEM;
    for (uint32_t row = 0; row < state->ports.n; row++) {
        struct asim_port *port = asim_part_port(fabric, part, row);
        struct owner owner = owner_of(fabric, port);

        state->ports.at[row] =
            (struct asim_port_change){row, 1, 1, .before = state_of(fabric, port, 0, 0)};
        if (owner.port)
            asim_switch_port_restart_peak(owner.port);
    }
    return 0;
}

void asim_episode_state_join_peaks(struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t row = 0; row < asim_part_ports(fabric, part); row++) {
        struct owner owner = owner_of(fabric, asim_part_port(fabric, part, row));

        if (owner.port)
            asim_switch_port_join_peaks(owner.port);
    }
}

ASIM_ORDER(by_use, struct asim_port_change, ->before.in_seq, ->row)

/* Completes the change of a port. Returns whether the episode used it. */
static int complete(const struct asim_fabric *fabric, const struct asim_part *part,
                    struct asim_port_change *change)
{
    const struct asim_port *port = asim_part_port(fabric, part, change->row);
    struct asim_port_state now = state_of(fabric, port, 0, 0);

    change->has_received = now.in_seq != change->before.in_seq;
    change->has_sent = memcmp(now.left, change->before.left, sizeof now.left) != 0;
    change->after = state_of(fabric, port, change->before.node_seq, part->begin);
    return change->has_received || change->has_sent;
}

static int leaves_other_qps(const struct asim_port_change *change)
{
    const struct asim_nic_state *before = &change->before.nic, *after = &change->after.nic;

    return (before->n || after->n) && !nics_are_same(before, after);
}

/* Completes the changes of a node's ports, from i on, up to *next. Returns whether the episode used
 * the node. */
static int complete_node(const struct asim_fabric *fabric, const struct asim_part *part,
                         struct asim_episode_state *state, size_t i, size_t *next)
{
    struct asim_port_change *at = state->ports.at;
    uint32_t node = asim_part_port(fabric, part, at[i].row)->in->to;
    int used = 0;

    for (*next = i; *next < state->ports.n; ++*next) {
        if (asim_part_port(fabric, part, at[*next].row)->in->to != node)
            break;
        used |= complete(fabric, part, &at[*next]);
    }
    return used;
}

int asim_episode_state_end(struct asim_fabric *fabric, const struct asim_part *part,
                           struct asim_episode_state *state)
{
    struct asim_port_change *at = state->ports.at;
    size_t kept = 0, next;
    int others = 0;

    for (size_t i = 0; i < state->ports.n; i = next) {
        if (!complete_node(fabric, part, state, i, &next))
            continue;
        qsort(at + i, next - i, sizeof *at, by_use);
        for (; i < next; i++) {
            others |= leaves_other_qps(&at[i]);
            at[kept++] = at[i];
        }
    }
    state->ports.n = kept;
    at = realloc(at, (kept + 1) * sizeof *at);
    if (at) {
        state->ports.at = at;
        state->ports.cap = kept + 1;
    }
    asim_episode_state_join_peaks(fabric, part);
    return others;
}

/* Whether a port does not hinder the episode; last: the wire into its node that comes before it.
 * First frames of small parts are compared in more detail (part_log.h). */
static int fits(const struct asim_fabric *fabric, const struct asim_part *part,
                const struct asim_port_change *change, const struct asim_wire *last)
{
    const struct asim_port *port = asim_part_port(fabric, part, change->row);
    struct owner owner = owner_of(fabric, port);
    struct asim_nic_state now;

    if (owner.nic) {
        now = nic_state(owner.nic);
        if (!nics_are_same(&now, &change->before.nic))
            return 0;
    } else if (change->has_sent && owner.port->rr != change->before.rr) {
        return 0;
    }
    return !last || last->to != port->in->to || asim_wire_used_before(last, port->in);
}

int asim_episode_state_fits(const struct asim_fabric *fabric, const struct asim_part *part,
                            const struct asim_episode_state *state)
{
    const struct asim_wire *last = NULL;

    for (size_t i = 0; i < state->ports.n; i++) {
        const struct asim_port_change *change = &state->ports.at[i];

        if (!fits(fabric, part, change, change->has_received ? last : NULL))
            return 0;
        if (part->is_whole && change->has_received)
            last = asim_part_port(fabric, part, change->row)->in;
    }
    return 1;
}

static void apply(const struct owner *owner, struct asim_port *port, uint64_t begin,
                  const struct asim_port_change *change)
{
    const struct asim_port_state *after = &change->after;

    if (change->has_received)
        port->in->in_seq = *owner->seq + after->in_seq;
    if (change->has_sent)
        asim_port_left_apply(port, *owner->seq, begin, after->left);
    if (owner->nic && !after->nic.n) { /* else it is as before */
        owner->nic->qps.cursor = after->nic.cursor;
        owner->nic->qps.last_position = after->nic.position;
    }
    if (owner->port && change->has_sent)
        owner->port->rr = after->rr;
    if (owner->port && after->peak > owner->port->peak_bytes)
        owner->port->peak_bytes = after->peak;
}

/* The counts of a node move behind its last port. */
void asim_episode_state_apply(struct asim_fabric *fabric, const struct asim_part *part,
                              const struct asim_episode_state *state)
{
    uint64_t *seq = NULL, events = 0;

    for (size_t i = 0; i < state->ports.n; i++) {
        const struct asim_port_change *change = &state->ports.at[i];
        struct asim_port *port = asim_part_port(fabric, part, change->row);
        struct owner owner = owner_of(fabric, port);

        if (seq && seq != owner.seq)
            *seq += events;
        seq = owner.seq;
        events = change->after.node_seq;
        apply(&owner, port, part->begin, change);
    }
    if (seq)
        *seq += events;
}

int asim_part_used_before(const struct asim_fabric *fabric, const struct asim_part *part,
                          uint32_t i, uint32_t j)
{
    return asim_wire_used_before(switch_port_of(fabric, part, i)->port.in,
                                 switch_port_of(fabric, part, j)->port.in);
}
