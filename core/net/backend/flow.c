/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The flow level as a backend (net/flow/): messages as fluids on the paths of their packets.
 */
#include "asim/settings.h"
#include "cc/cc.h"
#include "cc/flow.h"
#include "conf/netconf.h"
#include "net/flow/bursts.h"
#include "net/flow/events.h"
#include "net/flow/repeats.h"
#include "net/net.h"
#include "topo/pair.h"
#include "topo/topo.h"

#include <math.h>
#include <stdlib.h>

static uint64_t flow_now(const struct asim_net *net, uint32_t rank)
{
    (void)rank;
    return ((const struct asim_fluid *)(const void *)net)->queue.now_ns;
}

static int flow_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    struct asim_due *call = asim_pool_take(&fluid->call_pool);
    uint64_t now = fluid->queue.now_ns;

    if (!call)
        return ASIM_ENOMEM;
    *call = (struct asim_due){.kind = ASIM_FLUID_WAKE, .rank = rank};
    return asim_due_add(&fluid->queue,
                        delay_ns < ASIM_NEVER - 1 - now ? now + delay_ns : ASIM_NEVER - 1, call);
}

static struct asim_due_queue *queue_of(struct asim_net *net)
{
    return &asim_fluid_of(net)->queue;
}

static double value_of(const struct asim_rate_map *map, uint64_t rate_bps)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i].rate_bps == rate_bps)
            return (double)map->at[i].value;
    return 0;
}

static void fill_link(const struct asim_fluid *fluid, const struct asim_netconf *net, uint32_t l)
{
    const struct asim_link *link = &fluid->topo->links[l / 2];
    struct asim_fluid_link *here = &fluid->link[l];

    here->level = ASIM_FLUID_NONE;
    here->share = 1;
    here->has_queue = net->has_win && fluid->parts & ASIM_FLUID_QUEUES &&
                      (l % 2 ? link->b : link->a) >= fluid->topo->hosts;
    asim_fluid_set_rate(fluid, l, link->rate_bps);
    here->kmin_bytes = value_of(&net->kmin, link->rate_bps);
    here->kmax_bytes = net->enable_qcn ? value_of(&net->kmax, link->rate_bps) : -1;
    here->pmax = value_of(&net->pmax, link->rate_bps);
    here->delay_ns = (double)link->delay_fs / 1e6;
    if (fluid->is_whole_ns)
        here->delay_ns = floor(here->delay_ns);
}

static int open_tables(struct asim_fluid *fluid, const struct asim_netconf *net,
                       struct asim_err *err)
{
    struct asim_pair worst;
    uint32_t room;

    fluid->n_links = (uint32_t)(2 * fluid->topo->n_links);
    room = fluid->n_links + (fluid->is_sprayed ? fluid->n_links / 2 : 0);
    fluid->link = asim_calloc_lines(room, sizeof *fluid->link);
    fluid->chains = calloc(fluid->topo->hosts, sizeof *fluid->chains);
    if (!fluid->link || !fluid->chains)
        return asim_err_nomem(err, "opening the flow level");
    for (uint32_t l = 0; l < fluid->n_links; l++)
        fill_link(fluid, net, l);
    if (asim_fluid_order(fluid))
        return asim_err_nomem(err, "opening the flow level");
    if (!fluid->has_window || !net->global_t)
        return 0;
    if (asim_pair_max(&worst, fluid->routes, fluid->payload, err))
        return ASIM_ENOMEM;
    fluid->worst_rtt_ns = worst.rtt_ns;
    fluid->worst_window = ceil((double)worst.bdp_bytes / fluid->payload);
    return 0;
}

static void flow_close(struct asim_net *net)
{
    struct asim_fluid *fluid = asim_fluid_of(net);

    for (uint32_t l = 0; fluid->link && l < fluid->n_links + fluid->n_groups; l++)
        ASIM_FREE(fluid->link[l].flows.at, fluid->link[l].ack_flows.at);
    asim_fluid_events_close(fluid);
    ASIM_FREE(fluid->traffic, fluid->traffic_use);
    asim_due_fini(&fluid->queue);
    asim_map_fini(&fluid->conns);
    asim_map_fini(&fluid->relays);
    asim_map_fini(&fluid->rings);
    asim_fluid_repeats_close(fluid);
    asim_index_set_fini(&fluid->work);
    asim_pool_fini(&fluid->relay_pool);
    asim_pool_fini(&fluid->ring_pool);
    asim_pool_fini(&fluid->conn_pool);
    asim_pool_fini(&fluid->path_pool);
    asim_pool_fini(&fluid->flow_pool);
    asim_pool_fini(&fluid->call_pool);
    asim_pool_fini(&fluid->control_pool);
    asim_pool_fini(&fluid->burst_pool);
    asim_pool_fini(&fluid->train_pool);
    ASIM_FREE(fluid->flow.at, fluid->free_ids.at, fluid->heap.at, fluid->touched.at,
              fluid->to_fold.at, fluid->members.at, fluid->limits.at, fluid->waters.at,
              fluid->chains, fluid->by_order, fluid->link, fluid);
}

/* What packets would do in another way, at each message or from a time on. */
static int check(const struct asim_netconf *net, const struct asim_topo *topo, uint32_t without,
                 struct asim_err *err)
{
    int has_losses = !(without & ASIM_FLUID_LOSSES);

    if (net->error_rate > 0 && has_losses)
        return asim_err_set(err, ASIM_EINVAL,
                            "the network configuration has ERROR_RATE_PER_LINK, which the flow "
                            "level does not know; "
                            "take --model=packet, or leave it out.");
    for (size_t l = 0; has_losses && l < topo->n_links; l++)
        if (topo->links[l].error_rate > 0)
            return asim_err_set(err, ASIM_EINVAL,
                                "the topology %s has a link from %u to %u with the error rate %g, "
                                "but the flow level knows no losses; take --model=packet, or "
                                "state 0.",
                                topo->source, asim_topo_external_id(topo, topo->links[l].a),
                                asim_topo_external_id(topo, topo->links[l].b),
                                topo->links[l].error_rate);
    return 0;
}

/* Of the buffer of a switch: what comes by one port pauses it from an eighth of the free part on
 * (rdma-network.md#shared-buffer). */
static const double pausing_share = 1.0 / 9;

static int flow_open(struct asim_net **out, const struct asim_net_config *config,
                     struct asim_err *err)
{
    const struct asim_netconf *net = config->netconf;
    const struct asim_cc *cc = asim_cc_choose(net->cc_name, net->cc_mode, err);
    struct asim_fluid *fluid = cc ? calloc(1, sizeof *fluid) : NULL;
    struct asim_cc_frames frames;
    uint32_t without = 0;

    if (!cc || asim_fluid_parts(config->settings->flow_without, cc, &without, err) ||
        check(net, config->topo, without, err)) {
        free(fluid);
        return ASIM_EINVAL;
    }
    if (!fluid)
        return asim_err_nomem(err, "opening the flow level");
    frames = asim_cc_frames(cc, net->pint_log_base);
    fluid->user = config->user;
    fluid->topo = config->topo;
    fluid->net = net;
    fluid->routes = fluid->all_routes = config->routes;
    fluid->parts = ~without;
    fluid->is_sprayed = net->load_balance == ASIM_SPRAY && fluid->parts & ASIM_FLUID_COLLISIONS;
    fluid->payload = net->payload_bytes;
    fluid->overhead = frames.overhead + net->frame_extra_bytes;
    fluid->ack_wire = frames.ack;
    fluid->has_control = cc->number != 12;
    fluid->qps = net->qps_per_connection;
    fluid->has_window = net->has_win;
    fluid->has_bursts = fluid->has_window && fluid->parts & ASIM_FLUID_QUEUES &&
                        fluid->parts & ASIM_FLUID_COLLISIONS;
    fluid->is_whole_ns = net->time_base == ASIM_BASE_NS;
    fluid->pause_bytes = (double)net->buffer_bytes * pausing_share;
    asim_due_init(&fluid->queue);
    asim_map_init(&fluid->conns);
    asim_map_init(&fluid->relays);
    asim_map_init(&fluid->rings);
    asim_map_init(&fluid->repeats);
    asim_map_init(&fluid->sites);
    asim_map_init(&fluid->records);
    fluid->catch_up = asim_fluid_catch_up;
    asim_pool_init(&fluid->relay_pool, sizeof(struct asim_fluid_relay), 0);
    asim_pool_init(&fluid->ring_pool, sizeof(struct asim_fluid_ring), 0);
    asim_pool_init(&fluid->conn_pool, sizeof(struct asim_fluid_conn), 0);
    asim_pool_init(&fluid->path_pool, asim_pool_lines(sizeof(struct asim_fluid_path)), 0);
    asim_pool_init(&fluid->flow_pool, asim_pool_lines(sizeof(struct asim_fluid_flow)), 0);
    if (fluid->has_control && fluid->parts & ASIM_FLUID_CONTROL_PART && net->has_win) {
        fluid->cc = cc;
        fluid->cc_config = (struct asim_cc_config){.options = asim_netconf_cc_options(net, cc),
                                                   .payload_bytes = net->payload_bytes};
        fluid->min_bps = net->min_rate_bps;
        fluid->has_var_window = net->var_win;
    }
    asim_pool_init(&fluid->control_pool, asim_fluid_control_size(cc), 0);
    asim_pool_init(&fluid->burst_pool, sizeof(struct asim_fluid_burst), 0);
    asim_pool_init(&fluid->train_pool, sizeof(struct asim_fluid_train), 0);
    asim_pool_init(&fluid->call_pool, sizeof(struct asim_due), 0);
    if (open_tables(fluid, net, err)) {
        flow_close((struct asim_net *)(void *)fluid);
        return ASIM_ENOMEM;
    }
    *out = (struct asim_net *)(void *)fluid;
    return 0;
}

static const struct asim_net_extras extras = {.queue = queue_of,
                                              .plan = asim_fluid_plan_events,
                                              .add_traffic = asim_fluid_add_traffic,
                                              .packets = &asim_fluid_reports,
                                              .relay_has = asim_fluid_relay_has,
                                              .relay_open = asim_fluid_relay_open,
                                              .relay_start = asim_fluid_relay_start,
                                              .relay_come = asim_fluid_relay_come,
                                              .repeat_has = asim_fluid_repeat_has,
                                              .repeat_start = asim_fluid_repeat_start,
                                              .repeat_over = asim_fluid_repeat_over};

const struct asim_net_backend asim_net_backend_flow = {
    .member = {.name = "flow", .about = "messages as fluids on the real topology"},
    .traits = ASIM_NET_LATE_RECEIVE_NOW | ASIM_NET_OVER_TOPOLOGY | ASIM_NET_LINKS | ASIM_NET_HOSTS |
              ASIM_NET_FLOWS,
    .open = flow_open,
    .now = flow_now,
    .wake_after = flow_wake_after,
    .send = asim_fluid_send,
    .run = asim_fluid_run,
    .close = flow_close,
    .extras = &extras,
};
