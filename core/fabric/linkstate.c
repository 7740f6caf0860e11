/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Links that go down and come up at planned times (rdma-network.md#link-events). An event concerns
 * the whole network: a window ends at its time, and the event precedes all others of that time.
 * Frames under way on the link are lost (link/loss.c has planned the outage). Frames queued for it
 * are dropped and leave the shared buffer; ASTRA-sim leaks them there. The PFC state of both ports
 * is cleared, routes are searched again over the links that are up, and queue pairs choose their
 * NIC anew. Any number of events; ASTRA-sim has one LINK_DOWN and no LINK_UP.
 *
 * Costs: one comparison a window; at an event, a search for routes.
 */
#include "fabric/linkstate.h"
#include "fabric/host/qp.h"
#include "fabric/switch/ecmp.h"
#include "fabric/parallel/next_event.h"

#include <stdlib.h>
#include <string.h>

/* A stable order: of several events at one time the last line of the file wins. */
static void insert(struct asim_linkstate *links, struct asim_link_event event)
{
    size_t i = links->n++;

    while (i && links->at[i - 1].t > event.t) {
        links->at[i] = links->at[i - 1];
        i--;
    }
    links->at[i] = event;
}

/* One line of the configuration concerns every link between its two nodes. */
static int plan(struct asim_fabric *fabric, const struct asim_link_down *line, struct asim_err *err)
{
    const struct asim_topo *topo = fabric->set.topo;
    struct asim_linkstate *links = fabric->link_events;
    size_t before = links->n;

    for (uint32_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];

        uint32_t a = asim_topo_external_id(topo, link->a), b = asim_topo_external_id(topo, link->b);

        if (!(a == line->a && b == line->b) && !(a == line->b && b == line->a))
            continue;
        if (asim_grow(&links->at, &links->cap, links->n + 1, sizeof *links->at))
            return asim_err_nomem(err, "planning link events");
        insert(links, (struct asim_link_event){asim_to_ticks(fabric, line->at_ns), l, line->up});
    }
    if (links->n > before)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "LINK_%s names nodes %u and %u, which no link of the topology joins.",
                        line->up ? "UP" : "DOWN", line->a, line->b);
}

/* An outage is open-ended until an event brings the link up. A link has few outages, and a frame
 * searches them in order. asim_loss_close frees them. */
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

/* Turns events into intervals, which the loss test of a frame needs. */
static int plan_outages(struct asim_fabric *fabric)
{
    const struct asim_linkstate *links = fabric->link_events;

    for (size_t i = 0; i < links->n; i++) {
        struct asim_wire_loss *loss = &fabric->losses[2 * (size_t)links->at[i].link];
        int is_down = loss->n_outages && loss->outages[loss->n_outages - 1].to == ASIM_NEVER;

        if (links->at[i].up && is_down)
            loss->outages[loss->n_outages - 1].to = links->at[i].t;
        else if (!links->at[i].up && !is_down && add_outage(loss, links->at[i].t))
            return ASIM_ENOMEM;
        loss[1].outages = loss->outages;
        loss[1].n_outages = loss->n_outages;
        for (uint32_t d = 0; d < 2; d++)
            fabric->wires[2 * (size_t)links->at[i].link + d].loss = &loss[d];
    }
    return 0;
}

/* Allocates nothing without LINK_DOWN in the configuration. asim_linkstate_close takes the state of
 * any failure. Costs lines x links. */
int asim_linkstate_open(struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_netconf *net = fabric->set.net;
    int code = 0;

    if (!net->link_downs)
        return 0;
    fabric->link_events = calloc(1, sizeof *fabric->link_events);
    if (fabric->link_events)
        fabric->link_events->down = calloc(fabric->set.topo->n_links + 1, 1);
    if (!fabric->link_events || !fabric->link_events->down)
        return asim_err_nomem(err, "planning link events");
    for (size_t i = 0; !code && i < net->link_downs; i++)
        code = plan(fabric, &net->link_down[i], err);
    if (!code && plan_outages(fabric))
        code = asim_err_nomem(err, "planning link events");
    return code;
}

void asim_linkstate_close(struct asim_fabric *fabric)
{
    if (!fabric->link_events)
        return;
    asim_route_close(fabric->link_events->route);
    free(fabric->link_events->at);
    free(fabric->link_events->down);
    free(fabric->link_events);
}

size_t asim_linkstate_changes(const struct asim_fabric *fabric, struct asim_link_change *changes,
                              size_t room)
{
    const struct asim_linkstate *links = fabric->link_events;

    for (size_t i = 0; links && i < links->n && i < room; i++)
        changes[i] = (struct asim_link_change){asim_to_ns(fabric, links->at[i].t), links->at[i].link,
                                               links->at[i].up};
    return links ? links->n : 0;
}

/* Drops the ACKs that wait at a NIC. Its queue pairs stay; choose_again moves them. */
static void empty_nic(struct asim_host *host, struct asim_nic *nic, uint64_t t)
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
        empty_nic(&fabric->host[node], &fabric->host[node].nics[p], t);
    else
        asim_switch_port_down(fabric, &fabric->sw[node - fabric->set.hosts], p, t);
}

/* An event that repeats the present state changes nothing. */
static void change(struct asim_fabric *fabric, const struct asim_link_event *event)
{
    const struct asim_link *link = &fabric->set.topo->links[event->link];

    if (fabric->link_events->down[event->link] == !event->up)
        return;
    fabric->link_events->down[event->link] = !event->up;
    set_end(fabric, (struct asim_port_id){link->a, link->port_a}, !event->up, event->t);
    set_end(fabric, (struct asim_port_id){link->b, link->port_b}, !event->up, event->t);
}

/* The old routes refer to `down`, so they are closed first. */
static void reroute(struct asim_fabric *fabric)
{
    struct asim_linkstate *links = fabric->link_events;

    asim_route_close(links->route);
    links->route = NULL;
    if (asim_route_open(&links->route, fabric->set.topo, links->down,
                        &fabric->workers.at->failure) ||
        (fabric->workers.team && asim_route_fill_all(links->route, &fabric->workers.at->failure)))
        fabric->workers.at->failed = fabric->workers.at->failure.code;
    fabric->route = links->route;
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        asim_ecmp_forget(&fabric->sw[v]);
}

/* Moves the queue pairs of a host with several NICs to the NICs that now lead to their
 * destinations, in the order of their old NICs and of their creation. */
static int choose_again(struct asim_fabric *fabric, struct asim_host *host)
{
    ASIM_VEC(uint32_t) slots = {0};
    int code = 0;

    for (uint32_t i = 0; !code && i < host->n_nics; i++) {
        struct asim_qplist *list = &host->nics[i].qps;
        uint32_t q = asim_qplist_next(list, 0);

        for (; !code && q != ASIM_QP_NONE; q = asim_qplist_next(list, q + 1))
            code = ASIM_VEC_PUSH(slots, asim_qplist_at(list, q)->slot);
        asim_qplist_clear(list);
    }
    for (size_t i = 0; !code && i < slots.n; i++) {
        struct asim_flow *flow = asim_own_flow(host, slots.at[i]);
        const struct asim_tuple tuple = {host->node, flow->dst, flow->sport, ASIM_DPORT};

        flow->nic = asim_flow_nic(fabric, &tuple);
        code = asim_nic_add(host, flow->nic, slots.at[i]);
    }
    free(slots.at);
    return code;
}

/* The event has the first tie key of its time, because it was planned before the run. */
static void wake_host(struct asim_fabric *fabric, struct asim_host *host, uint64_t t)
{
    host->now = t;
    host->tie = asim_tie_key(t, 0, ASIM_CLASS_FREE);
    host->peer = UINT32_MAX; /* forgets the old path */
    host->seq++;
    if (host->n_nics > 1 && choose_again(fabric, host))
        host->worker->failed = ASIM_ENOMEM;
    for (uint32_t i = 0; i < host->n_nics && !host->worker->failed; i++)
        asim_nic_kick(fabric, host, &host->nics[i], t);
}

/* Linear in the network: the routes of any pair may have changed. */
void asim_linkstate_apply(struct asim_fabric *fabric)
{
    struct asim_linkstate *links = fabric->link_events;
    uint64_t t = asim_linkstate_next(fabric);

    while (asim_linkstate_next(fabric) == t)
        change(fabric, &links->at[links->next++]);
    reroute(fabric);
    for (uint32_t v = 0; v < fabric->set.hosts && !fabric->workers.at->failed; v++)
        if (asim_fabric_owns(fabric, v))
            wake_host(fabric, &fabric->host[v], t);
    for (uint32_t v = 0; v < fabric->set.nodes && !fabric->workers.at->failed; v++) {
        if (!asim_fabric_owns(fabric, v))
            continue;
        asim_next_renew(fabric, v);
        if (fabric->run.per_event)
            asim_node_push_due(fabric, v, *asim_next_of(fabric, v));
    }
}
