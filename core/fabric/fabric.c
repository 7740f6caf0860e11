/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Builds the packet network from a topology, and closes it. Linear in nodes and links.
 */
#include "base/text.h"
#include "fabric/fabric.h"
#include "fabric/switch/mmu.h"
#include "fabric/clock/next_event.h"
#include "fabric/clock/workers.h"
#include "topo/partition.h"
#include "fabric/processes/exchange.h"
#include "fabric/memo/memo.h"
#include "fabric/clock/half_steps.h"
#include "fabric/host/telemetry.h"
#include "fabric/clock/insertion_order.h"
#include "fabric/events/events.h"
#include "fabric/host/traffic.h"
#include "fabric/datagrams.h"
#include "fabric/host/completion.h"
#include "fabric/host/host.h"
#include "fabric/host/recovery.h"
#include "fabric/link/loss.h"
#include "fabric/switch/bulk/switch_shard.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <unistd.h>

/* Two wires a link, 2 x link for a to b and 2 x link + 1 for b to a. Also finds the lookahead, the
 * smallest delay. */
static int open_wires(struct asim_fabric *fabric)
{
    const struct asim_topo *topo = fabric->set.topo;
    const uint64_t oldest = (1ull << ASIM_AGE_BITS) - 1;
    size_t bytes = (topo->n_links * 2 + 1) * sizeof *fabric->wires;

    fabric->wires_memory = calloc(1, bytes + ASIM_LINE_BYTES);
    if (!fabric->wires_memory)
        return ASIM_ENOMEM;
    fabric->wires = (struct asim_wire *)(((uintptr_t)fabric->wires_memory + ASIM_LINE_BYTES - 1) &
                                         ~(uintptr_t)(ASIM_LINE_BYTES - 1));
    fabric->set.lookahead = ASIM_NEVER;
    for (size_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];
        /* parity: delays are whole ns, fractions cut, as ns-3's Time at its default resolution;
         * whole ps with TIME_BASE ps. */
        uint64_t delay = asim_fs_to_ticks(fabric, link->delay_fs);

        if (delay < fabric->set.lookahead)
            fabric->set.lookahead = delay;
        if (!asim_fabric_owns(fabric, link->a) && !asim_fabric_owns(fabric, link->b))
            continue;
        for (uint32_t d = 0; d < 2; d++) {
            struct asim_wire *wire = &fabric->wires[2 * l + d];

            wire->id = (uint32_t)(2 * l + d);
            wire->delay = delay;
            wire->age_left = delay < oldest ? oldest - delay : 0;
            wire->from = d ? link->b : link->a;
            wire->to = d ? link->a : link->b;
            wire->to_port = (d ? link->port_a : link->port_b) - 1;
            wire->rate_bps = link->rate_bps;
            wire->tx = asim_rate_table_get(fabric, link->rate_bps);
            wire->in_tx = wire->tx;
            if (!wire->tx)
                return ASIM_ENOMEM;
        }
    }
    return 0;
}

/* Joins port i (0-based here, 1-based in the topology) of a node to its outgoing and its incoming
 * wire. A link may join a node to itself, so the port number decides which end this port is. */
static void open_port(struct asim_fabric *fabric, struct asim_port *port, uint32_t node, uint32_t i)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint32_t index = topo->first_port[node] + i, link = topo->ports[index].link;
    int from_a = topo->links[link].a == node && topo->links[link].port_a == i + 1;

    port->out = &fabric->wires[2 * (size_t)link + !from_a];
    port->in = &fabric->wires[2 * (size_t)link + from_a];
    fabric->ports[index] = port;
}

/* A host's NICs stand in the order of its links in the topology file: that order numbers the
 * interfaces, and ASTRA-sim's hash picks among them (rdma-network.md#nic-choice). Freed by
 * close_host, also when this fails half-way. */
static int open_host(struct asim_fabric *fabric, uint32_t node)
{
    struct asim_host *host = &fabric->host[node];
    uint32_t n = fabric->set.topo->first_port[node + 1] - fabric->set.topo->first_port[node];

    host->tie = asim_tie_key(0, 0, ASIM_CLASS_TIMER);
    host->peer = host->sport_dst = UINT32_MAX;
    host->node = node;
    host->insertion = &fabric->insertion;
    host->n_nics = n;
    asim_map_init(&host->sports);
    host->nics = &host->single_nic;
    if (n > 1)
        host->nics = asim_calloc_lines(n, sizeof *host->nics);
    if (!host->nics)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        host->nics[i].wake_at = ASIM_NEVER;
        open_port(fabric, &host->nics[i].port, node, i);
        host->nics[i].rate_bps = host->nics[i].port.out->rate_bps;
        asim_qplist_open(&host->nics[i].qps);
    }
    return 0;
}

/* nic_bps: what counts as a host's speed when the buffer is shared out (mmu.c). */
static int open_switch(struct asim_fabric *fabric, uint32_t node, uint64_t nic_bps)
{
    struct asim_switch *sw = &fabric->sw[node - fabric->set.hosts];

    sw->node = node;
    sw->seed = fabric->set.seed;
    sw->draw_key = (uint64_t)asim_topo_external_id(fabric->set.topo, node) << 32;
    sw->n_ports = fabric->set.topo->first_port[node + 1] - fabric->set.topo->first_port[node];
    sw->ports = asim_calloc_lines(sw->n_ports + (size_t)1, sizeof *sw->ports);
    if (!sw->ports)
        return ASIM_ENOMEM;
    for (uint32_t i = 0; i < sw->n_ports; i++)
        open_port(fabric, &sw->ports[i].port, node, i);
    sw->calendar.at = malloc((2 * (size_t)sw->n_ports + 1) * sizeof *sw->calendar.at);
    sw->lockstep_group = malloc((sw->n_ports + (size_t)1) * sizeof *sw->lockstep_group);
    sw->in = malloc((sw->n_ports + (size_t)1) * sizeof *sw->in);
    if (!sw->in || !sw->lockstep_group || !sw->calendar.at || asim_switch_shards_open(sw, 1, NULL))
        return ASIM_ENOMEM;
    sw->shard->worker = sw->worker;
    for (uint32_t i = 0; i < sw->n_ports; i++) {
        sw->in[i] = sw->ports[i].port.in;
        sw->lockstep_group[i] = UINT32_MAX;
    }
    asim_calendar_queue_init(&sw->calendar, 2 * sw->n_ports);
    asim_mmu_init(fabric, sw, nic_bps);
    return 0;
}

/* Every array has one entry more than needed, so that no allocation asks for zero bytes. */
static int open_nodes(struct asim_fabric *fabric)
{
    uint32_t nodes = fabric->set.nodes, total = fabric->set.topo->first_port[nodes];
    uint64_t nic_bps = 0;

    fabric->host = asim_calloc_lines(fabric->set.hosts + (size_t)1, sizeof *fabric->host);
    fabric->sw = asim_calloc_lines(nodes - fabric->set.hosts + (size_t)1, sizeof *fabric->sw);
    fabric->ports = calloc(total + 1, sizeof(*fabric->ports));
    if (!fabric->host || !fabric->sw || !fabric->ports || asim_workers_open(fabric, 1, NULL) ||
        asim_workers_assign_slots(fabric))
        return ASIM_ENOMEM;
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        if (asim_fabric_owns(fabric, v) && open_host(fabric, v))
            return ASIM_ENOMEM;
    /* "NIC speed" of the buffer's shares: interface 1 of the lowest host
     * (rdma-network.md#shared-buffer). */
    if (fabric->set.topo->first_port[1])
        nic_bps = fabric->set.topo->links[fabric->set.topo->ports[0].link].rate_bps;
    for (uint32_t v = fabric->set.hosts; v < nodes; v++)
        if (asim_fabric_owns(fabric, v) && open_switch(fabric, v, nic_bps))
            return ASIM_ENOMEM;
    return 0;
}

/* Tables hold serialization times in 32 bits of ticks, which the largest frame of a very slow link
 * (17 kb/s for 9 kB) would overflow. */
static int check_rates(const struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint32_t most = asim_fabric_max_wire(fabric);

    for (size_t l = 0; l < topo->n_links; l++)
        if (asim_tx_ticks(fabric, most, topo->links[l].rate_bps) > UINT32_MAX)
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){topo->source, 0, 0},
                               "the link between nodes %u and %u has a rate of %llu bit/s, too "
                               "slow for frames of %u bytes (more than 4.29 s each, or 4.29 ms "
                               "with TIME_BASE ps); expected a "
                               "unit such as Gbps behind the number.",
                               topo->links[l].a, topo->links[l].b,
                               (unsigned long long)topo->links[l].rate_bps, most);
    return 0;
}

/* Compares the least memory of wires and switches with the machine's: without this check the system
 * would kill the process. One of several processes has a part of the network only. */
static int check_memory(const struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_topo *topo = fabric->set.topo;
    double port = sizeof(struct asim_wire) + sizeof(struct asim_switch_port);
    double node = sizeof(struct asim_switch) + sizeof(struct asim_switch_shard);
    double need = (topo->first_port[topo->nodes] * port + topo->switches * node) / 1e9;
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1e9;

    if (fabric->set.process_of || need < there || there <= 0)
        return 0;
    return asim_err_at(err, ASIM_ENOMEM, (struct asim_where){topo->source, 0, 0},
                       "%u switches and %zu links need at least %.0f GB of memory and this machine "
                       "has %.0f GB; use a smaller network.",
                       topo->switches, topo->n_links, need, there);
}

/* GLOBAL_T 1 gives every flow the window and base RTT of the worst pair
 * (rdma-network.md#base-rtt-and-bdp). With GLOBAL_T 0 each flow asks for its own pair. */
static int open_global_rtt(struct asim_fabric *fabric, struct asim_err *err)
{
    struct asim_pair pair;

    if (!fabric->set.net->global_t && !(fabric->set.cc->needs & ASIM_CC_DIGEST))
        return 0;
    if (asim_pair_max(&pair, fabric->route, fabric->set.net->payload_bytes, err))
        return ASIM_EINVAL;
    fabric->set.max_rtt = pair.rtt_ns;
    fabric->set.max_bdp = pair.bdp_bytes;
    return 0;
}

/* The congestion control the configuration names, with its options. */
static int open_cc(struct asim_fabric *fabric, struct asim_err *err)
{
    const struct asim_netconf *net = fabric->set.net;
    const struct asim_cc *cc = asim_cc_choose(net->cc_name, net->cc_mode, err);
    int by_cnp; /* only an ACK with a CNP may change a rate */

    fabric->set.cc = cc;
    if (!cc)
        return ASIM_EINVAL;
    fabric->set.writes_telemetry = (cc->needs & (ASIM_CC_INT | ASIM_CC_DIGEST)) != 0;
    fabric->set.cc_idle =
        cc->on_ack == asim_cc_ack_nothing && cc->on_timer == asim_cc_timer_nothing;
    by_cnp = cc->steady && !cc->own_window;
    fabric->set.slow_acks = fabric->set.cc_idle ? 0 : by_cnp ? ASIM_CNP : ASIM_EACH_ACK;
    asim_engine_of(fabric)->cc_config = (struct asim_cc_config){
        .options = asim_netconf_cc_options(net, cc), .payload_bytes = net->payload_bytes};
    fabric->set.cc_config = &asim_engine_of(fabric)->cc_config;
    return cc->check ? cc->check(fabric->set.cc_config->options, err) : 0;
}

/* Losses come before nodes: a timeout bounds the windows of servers (clock/domains.h). */
static int open_network(struct asim_fabric *fabric, const struct asim_net_traffics *traffics,
                        struct asim_err *err)
{
    int code;

    asim_telemetry_sizes(fabric);
    if (open_wires(fabric))
        return asim_err_nomem(err, "building the packet network");
    if ((code = asim_loss_open(fabric, err)))
        return code;
    if (open_nodes(fabric))
        return asim_err_nomem(err, "building the packet network");
    if ((code = open_global_rtt(fabric, err)) || (code = asim_traffic_open(fabric, traffics, err)))
        return code;
    return asim_fabric_events_open(fabric, err);
}

/* The ways in which a run steps; after nodes and links. */
static int open_run(struct asim_fabric *fabric, const struct asim_fabric_config *config,
                    struct asim_err *err)
{
    asim_livelock_open(fabric);
    return asim_half_steps_open(fabric) || asim_insertion_open(fabric, config->exact_events)
               ? asim_err_nomem(err, "building the packet network")
               : 0;
}

/* What needs no memory and cannot fail. */
static void set_up(struct asim_fabric_engine *engine, const struct asim_fabric_config *config)
{
    struct asim_fabric *fabric = &engine->fabric;

    fabric->set.topo = config->topo;
    fabric->route = fabric->set.route = config->route;
    fabric->set.net = config->net;
    fabric->set.planned = config->events;
    fabric->set.ranks_done = config->ranks_done;
    fabric->set.held = config->held;
    fabric->set.user = config->user;
    fabric->watch = config->watch;
    fabric->set.seed = config->seed;
    fabric->set.without = config->without;
    asim_recovery_open(fabric);
    fabric->set.process_of = config->process_of;
    fabric->set.process = config->self;
    fabric->schedule.per_event = config->per_event;
    fabric->schedule.due_nodes = &engine->due_nodes;
    asim_heap_init(fabric->schedule.due_nodes);
    fabric->set.hosts = config->topo->hosts;
    fabric->set.nodes = config->topo->nodes;
    fabric->frame_hooks = &asim_host_frame_hooks;
    fabric->event_next = engine->limit = ASIM_NEVER;
    engine->workers.min_ports = ASIM_MIN_SHARDED_PORTS;
    fabric->set.tick = config->net->time_base == ASIM_BASE_PS ? 1000 : 1;
    fabric->set.fs_per_tick = ASIM_FS_PER_NS / fabric->set.tick;
    fabric->set.qps = config->net->qps_per_connection;
    fabric->set.acks_first = config->net->switch_ack_high_prio != 0;
    fabric->set.several_queues = fabric->set.acks_first;
    fabric->set.classes = 1;
    fabric->set.data_queue = config->net->priority_group;
    fabric->set.ack_queue = config->net->ack_high_prio ? 0 : fabric->set.data_queue;
    fabric->set.pauses_hold = config->net->pause_time_fs >= 1000000000u;
}

/* After any failure asim_fabric_close can take the fabric, so there is one clean-up path. */
int asim_fabric_open(struct asim_fabric **out, const struct asim_fabric_config *config,
                     struct asim_err *err)
{
    struct asim_fabric_engine *engine = asim_calloc_lines(1, sizeof *engine);
    struct asim_fabric *fabric = engine ? &engine->fabric : NULL;
    int code = 0;

    *out = fabric;
    if (!fabric)
        return asim_err_nomem(err, "building the packet network");
    set_up(engine, config);
    if (open_cc(fabric, err) || check_rates(fabric, err))
        code = ASIM_EINVAL;
    else if (check_memory(fabric, err))
        code = ASIM_ENOMEM;
    else
        code = open_network(fabric, config->traffics, err);
    if (!fabric->set.lookahead) /* a link without delay leaves no lookahead */
        fabric->schedule.per_event = 1;
    if (!code)
        code = open_run(fabric, config, err);
    if (code) {
        asim_fabric_close(fabric);
        *out = NULL;
    }
    return code;
}

/* Also for a host that open_host did not finish or begin: its pointers are NULL then. */
static void close_host(struct asim_host *host)
{
    struct asim_rx **rx = atomic_load(&host->rx);

    for (uint32_t i = 0; host->nics && i < host->n_nics; i++) {
        asim_ring_fini(&host->nics[i].acks);
        asim_qplist_close(&host->nics[i].qps);
    }
    for (size_t i = 0; i < host->n_chunks; i++) {
        for (uint32_t f = 0; f < ASIM_FLOW_CHUNK; f++) {
            free(host->chunks[i][f].cc.state);
            asim_recovery_fini(&host->chunks[i][f]);
        }
        free(host->chunks[i]);
    }
    free(host->chunks);
    for (size_t i = 0; i < host->cap_rx; i++) {
        for (uint32_t f = 0; rx[i] && f < ASIM_FLOW_CHUNK; f++) {
            free(rx[i][f].seen);
            asim_ranges_fini(&rx[i][f].out_of_order);
        }
        free(rx[i]);
    }
    free(rx);
    if (host->nics != &host->single_nic)
        free(host->nics);
    free(host->free_slots.at);
    free(host->draining.at);
    free(host->held.at);
    free(host->free_notifications.at);
    free(host->notifications);
    asim_event_heap_fini(&host->timers);
    asim_map_fini(&host->sports);
}

static void close_switch(struct asim_switch *sw)
{
    for (uint32_t p = 0; sw->ports && p < sw->n_ports; p++) {
        for (int q = 0; q < ASIM_QUEUES; q++)
            asim_ring_fini(&sw->ports[p].queue[q]);
        free(sw->ports[p].scheduler);
    }
    asim_switch_shards_close(sw);
    free(sw->ports);
    free(sw->samples);
    free(sw->ecmp_cache);
    free(sw->calendar.at);
    free(sw->in);
    free(sw->lockstep_group);
}

static void close_wire(struct asim_wire *wire)
{
    free(wire->at);
    free(wire->overflow.at);
}

struct asim_thread_team *asim_fabric_thread_team(const struct asim_fabric *fabric)
{
    return asim_engine_of(fabric)->workers.team;
}

/* In any order: no part frees what another part owns. */
void asim_fabric_close(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    if (!fabric)
        return;
    asim_memo_close(fabric);
    for (uint32_t v = 0; fabric->host && v < fabric->set.hosts; v++)
        close_host(&fabric->host[v]);
    for (uint32_t v = fabric->set.hosts; fabric->sw && v < fabric->set.nodes; v++)
        close_switch(&fabric->sw[v - fabric->set.hosts]);
    for (size_t w = 0; fabric->wires && w < fabric->set.topo->n_links * 2; w++)
        close_wire(&fabric->wires[w]);
    asim_insertion_close(fabric);
    asim_fabric_events_close(fabric);
    asim_traffic_close(fabric);
    asim_fabric_datagrams_close(fabric);
    asim_loss_close(fabric);
    for (size_t i = 0; i < fabric->n_rates; i++)
        free(fabric->rates[i].tx);
    free(fabric->rates);
    free(fabric->wires_memory);
    free(fabric->host);
    free(fabric->sw);
    free(fabric->ports);
    free(fabric->schedule.next);
    free(fabric->schedule.block_min);
    free(fabric->schedule.slot);
    free(fabric->set.half_of);
    free(engine->workers.sharded);
    asim_thread_team_close(engine->workers.team);
    asim_workers_close(fabric);
    asim_exchange_close(fabric);
    asim_heap_fini(fabric->schedule.due_nodes);
    free(fabric);
}
