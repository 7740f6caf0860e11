/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Idle checks, and the order of ports (idle_state.h).
 */
#include "fabric/memo/state/idle_state.h"
#include "fabric/memo/state/feedback.h"
#include "fabric/memo/state/fields.h"
#include "asim/err.h"
#include "asim/net.h"
#include "fabric/ground/ground.h"
#include "fabric/host/host.h"
#include "fabric/host/qplist.h"
#include "fabric/link/link.h"
#include "fabric/switch/switch.h"
#include "asim/topology.h"
#include "cc/cc.h"

#include <stdlib.h>

/* A port may still be marked busy with a frame that has left. */
static int port_is_idle(const struct asim_port *port)
{
    return !asim_link_ring_count(port->in) && !port->paused && !port->down;
}

/* A pending wake of a NIC delays its next one (qp.c). */
int asim_nic_is_idle(const struct asim_nic *nic)
{
    return port_is_idle(&nic->port) && !nic->acks.n && nic->wake_at == ASIM_NEVER;
}

int asim_switch_port_is_idle(const struct asim_switch_port *port)
{
    return port_is_idle(&port->port) && !port->frames && !port->pausing;
}

static int host_is_idle(const struct asim_host *host)
{
    for (uint32_t i = 0; i < host->n_nics; i++)
        if (!asim_nic_is_idle(&host->nics[i]))
            return 0;
    for (size_t i = 0; i < host->timers.n; i++) {
        uint64_t kind = host->timers.at[i].value >> 56;

        /* Timers of congestion control belong to complete messages, those of completions to a log
         * that is followed no more. */
        if (kind != ASIM_TIMER_WAKE && kind != ASIM_TIMER_CC && kind != ASIM_TIMER_REPLAY)
            return 0;
    }
    return 1;
}

int asim_network_is_idle(const struct asim_fabric *fabric)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        if (!host_is_idle(&fabric->host[v]))
            return 0;
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++)
            if (!asim_switch_port_is_idle(&fabric->sw[v].ports[p]))
                return 0;
    return 1;
}

#define IS_LEFT(KIND)                                                                              \
    (ASIM_STATE_##KIND == ASIM_STATE_ORDER || ASIM_STATE_##KIND == ASIM_STATE_SENT ||              \
     ASIM_STATE_##KIND == ASIM_STATE_SENT_AT)
#define PLACE(KIND, MEMBER) AT_##MEMBER, BEFORE_##MEMBER = AT_##MEMBER - !IS_LEFT(KIND)
enum { ASIM_PORT_STATE(PLACE), WORDS };
_Static_assert((int)WORDS == (int)ASIM_PORT_LEFT_WORDS,
               "set ASIM_PORT_LEFT_WORDS to the number of rows");

/* What the word of a row counts from. */
#define FROM(KIND)                                                                                 \
    (ASIM_STATE_##KIND == ASIM_STATE_ORDER     ? seq                                               \
     : ASIM_STATE_##KIND == ASIM_STATE_SENT_AT ? start                                             \
                                               : 0)
#define SAVE(KIND, MEMBER)                                                                         \
    (IS_LEFT(KIND)                                                                                 \
         ? (void)(*left++ = asim_state_word(&port->MEMBER, sizeof port->MEMBER) - FROM(KIND))      \
         : (void)0)
#define APPLY(KIND, MEMBER)                                                                        \
    (IS_LEFT(KIND) ? asim_state_set(&port->MEMBER, sizeof port->MEMBER, *left++ + FROM(KIND))      \
                   : (void)0)

void asim_port_left_save(const struct asim_port *port, uint64_t seq, uint64_t start, uint64_t *left)
{
    ASIM_PORT_STATE(SAVE);
}

void asim_port_left_apply(struct asim_port *port, uint64_t seq, uint64_t start,
                          const uint64_t *left)
{
    ASIM_PORT_STATE(APPLY);
}

/* Of the first flow of a host's NIC. */
static uint64_t probe_flow(const struct asim_fabric *fabric, const struct asim_nic *nic)
{
    uint32_t q = fabric->set.cc->fields ? asim_qplist_next(&nic->qps, 0) : ASIM_QP_NONE;

    if (q == ASIM_QP_NONE || !asim_qplist_at(&nic->qps, q)->cc.state)
        return 0;
    return asim_feedback_probe(fabric, asim_qplist_at(&nic->qps, q));
}

uint64_t asim_ports_probe(const struct asim_fabric *fabric, uint32_t node, uint64_t t)
{
    const uint32_t *first_port = fabric->set.topo->first_port;
    uint64_t word = 0;

    for (uint32_t i = first_port[node]; i < first_port[node + 1] && fabric->ports[i]; i++) {
        const struct asim_port *port = fabric->ports[i];
        const struct asim_frame *head = asim_link_ring_head(port->in);

        if (port->busy && port->busy_until >= t)
            word += port->busy_until - t + 1;
        word = word * 31 + (head ? head->t - t + 1 : 0);
        if (node < fabric->set.hosts)
            word += probe_flow(fabric, &fabric->host[node].nics[i - first_port[node]]);
    }
    return word;
}

/* A port, with the event count of its last use (tie_key.h). */
struct used_port {
    uint64_t seq;
    uint32_t port;
};

/* Unused ports have count 0; the port number orders them. */
ASIM_ORDER(by_seq, struct used_port, ->seq, ->port)

/* The ports of a node, ordered by the last arrival or by the last start of a transmission. */
enum last { ARRIVED, STARTED };
static void sort_by(struct used_port *ports, const struct asim_fabric *fabric, uint32_t node,
                    enum last last)
{
    uint32_t first = fabric->set.topo->first_port[node],
             n = fabric->set.topo->first_port[node + 1] - first;

    for (uint32_t i = 0; i < n; i++) {
        const struct asim_port *port = fabric->ports[first + i];

        ports[i] = (struct used_port){last == ARRIVED ? port->in->in_seq : port->start_seq, i};
    }
    qsort(ports, n, sizeof *ports, by_seq);
}

void asim_port_order_save(const struct asim_fabric *fabric, uint64_t *at)
{
    for (uint32_t i = 0; i < fabric->set.topo->first_port[fabric->set.nodes]; i++, at += 2)
        if (fabric->ports[i]) {
            at[0] = fabric->ports[i]->in->in_seq;
            at[1] = fabric->ports[i]->start_seq;
        }
}

/* Whether the saved counts rise in the order of the present ones. */
static int rises(const struct used_port *ports, uint32_t n, const uint64_t *kept)
{
    for (uint32_t i = 1; i < n; i++) {
        const struct used_port a = {kept[2 * (size_t)ports[i - 1].port], ports[i - 1].port};
        const struct used_port b = {kept[2 * (size_t)ports[i].port], ports[i].port};

        if (by_seq(&a, &b) > 0)
            return 0;
    }
    return 1;
}

int asim_port_order_is_same(const struct asim_fabric *fabric, const uint64_t *at)
{
    const uint32_t *first = fabric->set.topo->first_port;
    struct used_port *ports = malloc((first[fabric->set.nodes] + 1) * sizeof *ports);
    int code = ports ? 1 : ASIM_ENOMEM;

    for (uint32_t v = 0; code == 1 && v < fabric->set.nodes; v++) {
        uint32_t n = first[v + 1] - first[v];
        const uint64_t *kept = at + 2 * (size_t)first[v];

        if (!asim_fabric_owns(fabric, v))
            continue;
        sort_by(ports, fabric, v, ARRIVED);
        code = rises(ports, n, kept);
        sort_by(ports, fabric, v, STARTED);
        code = code && rises(ports, n, kept + 1);
    }
    free(ports);
    return code;
}
