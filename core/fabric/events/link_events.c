/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Links that go down, come up, change their rate or lose more frames at planned times
 * (rdma-network.md#link-events). Frames under way on a link that goes down are lost (link/loss.c
 * has planned the outage). Frames queued for it are dropped and leave the shared buffer; ASTRA-sim
 * leaks them there. The PFC state of both ports is cleared. Routes are searched again over the
 * links that are up, at once or one reconvergence delay later; in between, switches drop the frames
 * that they would send over the link. Any number of events; ASTRA-sim has one LINK_DOWN and no
 * LINK_UP.
 *
 * A link may be down for several reasons (itself, the switches at its ends), and is up when all
 * have ended.
 */
#include "asim/topology.h"
#include "fabric/events/events.h"
#include "fabric/host/completion.h"
#include "fabric/host/traffic.h"
#include "fabric/switch/ecmp.h"
#include "fabric/switch/mmu.h"
#include "fabric/host/host.h"
#include "fabric/link/loss.h"
#include "fabric/switch/advance.h"
#include "net/watch.h"
#include "topo/route.h"

#include <stdlib.h>
#include <string.h>

/* An outage is open-ended until an event brings the link up. asim_loss_close frees them. */
static int add_outage(struct asim_wire_loss *loss, uint64_t from)
{
    struct asim_outage *outages =
        realloc(loss->outages, (loss->n_outages + 1) * sizeof *loss->outages);

    if (!outages)
        return ASIM_ENOMEM;
    loss->outages = outages;
    loss->outages[loss->n_outages++] = (struct asim_outage){from, ASIM_NEVER};
    return 0;
}

/* The state of a link after the event. */
static uint32_t down_after(uint32_t down, const struct asim_fabric_event *event)
{
    int goes_down = event->what.kind == ASIM_NET_LINK_DOWN;
    uint32_t others = down & ~ASIM_DOWN_BY_CONFIG;

    if (event->is_own)
        return goes_down ? down | ASIM_DOWN_BY_CONFIG : others;
    if (goes_down)
        return down + 1;
    return others ? down - 1 : down;
}

/* Follows the state of each link through the list. */
static int plan_outage(struct asim_fabric *fabric, uint32_t *down,
                       const struct asim_fabric_event *event)
{
    struct asim_wire_loss *loss = &fabric->losses[2 * (size_t)event->what.of];
    uint32_t before = down[event->what.of], after = down_after(before, event);

    down[event->what.of] = after;
    if (before && !after)
        loss->outages[loss->n_outages - 1].to = event->t;
    else if (!before && after && add_outage(loss, event->t))
        return ASIM_ENOMEM;
    loss[1].outages = loss->outages;
    loss[1].n_outages = loss->n_outages;
    return 0;
}

/* Only wires of such links test their frames. Makes the tables of new rates, too, because applying
 * an event allocates nothing that it can know before. */
int asim_link_events_plan(struct asim_fabric *fabric)
{
    const struct asim_fabric_events *events = fabric->events;
    uint32_t *down = calloc(fabric->set.topo->n_links + 1, sizeof *down);
    int code = down ? 0 : ASIM_ENOMEM;

    for (size_t i = 0; !code && i < events->n; i++) {
        const struct asim_net_event *what = &events->at[i].what;

        if (what->kind == ASIM_NET_LINK_RATE && what->rate_bps &&
            !asim_rate_table_get(fabric, what->rate_bps))
            code = ASIM_ENOMEM;
        if (what->kind > ASIM_NET_LINK_UP && what->kind != ASIM_NET_LINK_LOSS)
            continue;
        for (uint32_t d = 0; d < 2; d++)
            fabric->wires[2 * (size_t)what->of + d].loss =
                &fabric->losses[2 * (size_t)what->of + d];
        if (what->kind != ASIM_NET_LINK_LOSS)
            code = plan_outage(fabric, down, &events->at[i]);
    }
    free(down);
    return code;
}

/* Drops the ACKs and datagrams that wait at a NIC. Its queue pairs stay; they may choose another
 * NIC later. */
static void empty_nic(struct asim_fabric *fabric, struct asim_host *host, struct asim_nic *nic,
                      uint64_t t)
{
    const struct asim_port_id at = {host->node, (uint32_t)(nic - host->nics) + 1};

    nic->port.paused = 0;
    for (; nic->acks.n; asim_ring_drop(&nic->acks)) {
        const struct asim_frame *frame = asim_ring_head(&nic->acks);

        if (frame->type == ASIM_PAUSE || frame->type == ASIM_RESUME)
            host->counts.pfc_dropped++;
        else
            host->counts.acks_dropped++;
        asim_loss_report(host->worker, frame, t, at);
    }
    if (fabric->datagrams)
        asim_nic_lose_datagrams(fabric, host, nic, t);
}

/* Changes one end of a link. A frame that is being serialized keeps the port busy to its end: it
 * was counted as lost when it started. */
static void set_end(struct asim_fabric *fabric, struct asim_port_id at, int down, uint64_t t)
{
    uint32_t node = at.node, p = at.port - 1;
    struct asim_port *port = fabric->ports[fabric->set.topo->first_port[node] + p];

    if (!asim_fabric_owns(fabric, node))
        return;
    port->down = (uint8_t)down;
    if (!down)
        return;
    if (node < fabric->set.hosts)
        empty_nic(fabric, &fabric->host[node], &fabric->host[node].nics[p], t);
    else
        asim_switch_port_down(fabric, &fabric->sw[node - fabric->set.hosts], p, t);
}

/* An event that repeats the present state changes nothing. Without a delay routes follow at once.
 */
void asim_link_event_state(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    const struct asim_link *link = &fabric->set.topo->links[event->what.of];
    uint32_t before = fabric->events->down[event->what.of], after = down_after(before, event);

    fabric->events->links_changed = 1;
    fabric->events->routes_changed |= !fabric->set.planned || !fabric->set.planned->reconverge_ns;
    fabric->events->down[event->what.of] = after;
    if (!before == !after)
        return;
    set_end(fabric, (struct asim_port_id){link->a, link->port_a}, after != 0, event->t);
    set_end(fabric, (struct asim_port_id){link->b, link->port_b}, after != 0, event->t);
}

/* Frames that start from now on take the new time. What was configured by the link's rate stays:
 * headroom, shares of the buffer, ECN thresholds, base RTT, send windows, rates of messages that
 * have begun. */
void asim_link_event_rate(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    const struct asim_link *link = &fabric->set.topo->links[event->what.of];
    uint64_t bps = event->what.rate_bps ? event->what.rate_bps : link->rate_bps;
    const uint32_t *tx = asim_rate_table_get(fabric, bps); /* exists: the plan made it */
    const struct asim_port_id ends[2] = {{link->a, link->port_a}, {link->b, link->port_b}};

    for (uint32_t d = 0; d < 2; d++) {
        struct asim_wire *wire = &fabric->wires[2 * (size_t)event->what.of + d];

        wire->rate_bps = bps;
        wire->tx = wire->in_tx = tx;
    }
    for (uint32_t d = 0; d < 2; d++) {
        uint32_t node = ends[d].node;

        if (!asim_fabric_owns(fabric, node))
            continue;
        if (node < fabric->set.hosts)
            fabric->host[node].nics[ends[d].port - 1].rate_bps = bps;
        else
            asim_mmu_rate_changed(fabric, &fabric->sw[node - fabric->set.hosts]);
    }
}

/* Losses beside the link's own error rate, independent of these. */
void asim_link_event_loss(struct asim_fabric *fabric, const struct asim_fabric_event *event)
{
    for (uint32_t d = 0; d < 2; d++) {
        struct asim_wire_loss *loss = &fabric->losses[2 * (size_t)event->what.of + d];

        loss->rate = 1 - (1 - loss->own_rate) * (1 - event->what.loss);
    }
}

/* The old routes refer to `routed_down`, so they are closed first. */
void asim_link_events_reroute(struct asim_fabric *fabric)
{
    struct asim_fabric_events *events = fabric->events;
    struct asim_worker *worker = fabric->caller;

    asim_route_close(events->route);
    events->route = NULL;
    for (size_t l = 0; l < fabric->set.topo->n_links; l++)
        events->routed_down[l] = events->down[l] != 0;
    if (asim_route_open(&events->route, fabric->set.topo, events->routed_down, &worker->failure) ||
        (fabric->set.threads > 1 && asim_route_fill_all(events->route, &worker->failure)))
        worker->failed = worker->failure.code;
    fabric->route = events->route;
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        asim_ecmp_forget(&fabric->sw[v]);
}
