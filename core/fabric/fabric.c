/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Builds the packet network from a topology, and closes it. Linear in nodes and links.
 */
#include "fabric/fabric.h"

#include <stdlib.h>

#include "asim/topology.h"
#include "base/heap.h"
#include "base/text.h"
#include "conf/netconf_keys.h"
#include "fabric/clock/half_steps.h"
#include "fabric/clock/insertion_order.h"
#include "fabric/clock/workers.h"
#include "fabric/datagrams.h"
#include "fabric/events/events.h"
#include "fabric/host/memo_hooks.h"
#include "fabric/host/setup.h"
#include "fabric/host/traffic.h"
#include "fabric/link/wires.h"
#include "fabric/processes/exchange.h"
#include "fabric/switch/setup.h"

/* Every array has one entry more than needed, so that no allocation asks for zero bytes. */
static int open_nodes(struct asim_fabric *fabric)
{
    fabric->ports =
        calloc(fabric->set.topo->first_port[fabric->set.nodes] + 1, sizeof(*fabric->ports));
    if (!fabric->ports || asim_hosts_allocate(fabric) || asim_switches_allocate(fabric) ||
        asim_workers_open(fabric, 1, NULL) || asim_hosts_open(fabric))
        return ASIM_ENOMEM;
    return asim_switches_open(fabric);
}

/* Losses come before nodes: a timeout bounds the windows of servers (clock/domains.h). */
static int open_network(struct asim_fabric *fabric, const struct asim_net_traffics *traffics,
                        struct asim_err *err)
{
    int code;

    asim_hosts_prepare(fabric);
    if ((code = asim_wires_open(fabric, err)))
        return code;
    if (open_nodes(fabric))
        return asim_err_nomem(err, "building the packet network");
    if ((code = asim_hosts_find_rtt(fabric, err)) ||
        (code = asim_traffic_open(fabric, traffics, err)))
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

/* The network, and the heap of its schedule. */
struct network {
    struct asim_fabric_engine engine;
    struct asim_heap due_nodes;
};

/* What needs no memory and cannot fail. */
static void set_up(struct network *network, const struct asim_fabric_config *config)
{
    struct asim_fabric_engine *engine = &network->engine;
    struct asim_fabric *fabric = &engine->fabric;

    fabric->set.topo = config->topo;
    fabric->route = fabric->set.route = config->route;
    fabric->set.net = config->net;
    fabric->set.planned = config->events;
    fabric->set.ranks_done = config->ranks_done;
    fabric->set.held = config->held;
    fabric->set.user = config->user;
    engine->watch = config->watch;
    fabric->watch = &engine->watch;
    fabric->set.seed = config->seed;
    fabric->set.without = config->without;
    fabric->set.process_of = config->process_of;
    fabric->set.process = config->self;
    fabric->schedule.per_event = config->per_event;
    fabric->schedule.due_nodes = &network->due_nodes;
    asim_heap_init(fabric->schedule.due_nodes);
    fabric->set.hosts = config->topo->hosts;
    fabric->set.nodes = config->topo->nodes;
    fabric->set.links = (uint32_t)config->topo->n_links;
    fabric->first_port = config->topo->first_port;
    fabric->set.ports = fabric->first_port[fabric->set.nodes];
    fabric->event_next = fabric->memo_from = engine->limit = ASIM_NEVER;
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
    struct network *network = asim_calloc_lines(1, sizeof *network);
    struct asim_fabric *fabric = network ? &network->engine.fabric : NULL;
    int code = 0;

    *out = fabric;
    if (!fabric)
        return asim_err_nomem(err, "building the packet network");
    set_up(network, config);
    if (asim_hosts_choose_cc(fabric, &network->engine.cc_config, err) ||
        asim_wires_check_rates(fabric, err))
        code = ASIM_EINVAL;
    else if (asim_switches_check_memory(fabric, err))
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

/* In any order: no part frees what another part owns. */
void asim_fabric_close(struct asim_fabric *fabric)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);

    if (!fabric)
        return;
    if (fabric->memo_hooks)
        fabric->memo_hooks->close(fabric);
    asim_hosts_close(fabric);
    asim_switches_close(fabric);
    asim_wires_close(fabric);
    asim_insertion_close(fabric);
    asim_fabric_events_close(fabric);
    asim_traffic_close(fabric);
    asim_fabric_datagrams_close(fabric);
    ASIM_FREE(fabric->ports, fabric->schedule.next, fabric->schedule.block_min,
              fabric->schedule.slot, fabric->set.half_of, engine->workers.sharded);
    asim_thread_team_close(engine->workers.team);
    asim_workers_close(fabric);
    asim_exchange_close(fabric);
    asim_heap_fini(fabric->schedule.due_nodes);
    free(fabric);
}
