/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Joins a world to its network, whose hooks become events.
 */
#include "sim/collective/graph_runner.h"
#include "sim/distributed/distribution.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/scenario/plan.h"
#include "sim/threads.h"
#include "sim/wake.h"
#include "sim/world.h"
#include "net/packets.h"

/* Into the events of the node's shard. The network calls its hooks in the thread that advances the
 * node, so this thread is the shard's. */
static void record(struct asim_world *world, const struct asim_event *event)
{
    asim_event_bus_record(&world->run.event_bus, asim_rank_shard_of(world, event->rank)->events,
                          event);
}

/* Makes an event of a completed message. Set as a hook only where an observer wants it (set_hooks).
 */
static void on_fct(void *self, const struct asim_fct *row)
{
    const struct asim_world *world = self;
    enum asim_event_kind kind = row->generator ? ASIM_EV_BACKGROUND : ASIM_EV_FCT;
    struct asim_event *event;

    if (!(world->run.event_bus.wants & 1u << kind))
        return;
    event = asim_event_bus_slot(&world->run.event_bus, asim_rank_shard_of(world, row->src)->events,
                                kind);
    if (!event)
        return;
    event->t = row->end;
    event->rank = row->src;
    event->of.fct.start = row->start;
    event->of.fct.bytes = row->bytes;
    event->of.fct.ideal = row->ideal;
    event->of.fct.id = row->generator ? row->generator - 1u : row->id;
    event->of.fct.dst = row->dst;
    event->of.fct.sport = row->sport;
}

/* port counts from 1. */
static void on_pfc(void *self, uint64_t t, uint32_t node, uint32_t port, int pause)
{
    struct asim_world *world = self;
    struct asim_event event = {.t = t, .kind = ASIM_EV_PFC, .rank = node};

    event.of.pfc.port = port;
    event.of.pfc.node_kind = world->set.topo.node_type[node];
    event.of.pfc.pause = pause;
    record(world, &event);
}

static void on_rate(void *self, uint64_t t, const struct asim_fct *flow, uint64_t bps)
{
    struct asim_world *world = self;
    struct asim_event event = {.t = t, .kind = ASIM_EV_RATE, .rank = flow->src};

    event.of.rate.bps = bps;
    event.of.rate.start = flow->start;
    event.of.rate.dst = flow->dst;
    event.of.rate.sport = flow->sport;
    record(world, &event);
}

static void on_queue(void *self, uint64_t t, struct asim_port_id at,
                     struct asim_queue_length length)
{
    struct asim_world *world = self;
    struct asim_event event = {.t = t, .kind = ASIM_EV_QUEUE, .rank = at.node};

    event.of.queue.bytes = length.bytes;
    event.of.queue.control = length.control;
    event.of.queue.port = at.port;
    record(world, &event);
    event.kind = ASIM_EV_QUEUE_SAMPLE;
    record(world, &event);
}

int asim_world_set_hooks(struct asim_world *world)
{
    struct asim_fabric_watch *hooks = world->via.packets->hooks(world->via.packet_net);
    unsigned all = 1u << ASIM_EV_QUEUE, samples = 1u << ASIM_EV_QUEUE_SAMPLE;
    struct asim_queue_sampling sampling = {0};

    hooks->self = world;
    hooks->fct =
        world->run.event_bus.wants & (1u << ASIM_EV_FCT | 1u << ASIM_EV_BACKGROUND) ? on_fct : NULL;
    hooks->only_choices = asim_event_bus_only_choices(&world->run.event_bus);
    if (!(world->run.event_bus.wants & 1u << ASIM_EV_PFC))
        hooks->pfc = NULL;
    hooks->rate = world->run.event_bus.wants & 1u << ASIM_EV_RATE ? on_rate : NULL;
    if (!asim_world_has(world, ASIM_NET_QUEUES) || !(world->run.event_bus.wants & (all | samples)))
        return 0;
    if (!(world->run.event_bus.wants & all))
        sampling = (struct asim_queue_sampling){ASIM_QLEN_NS, world->set.net.qlen_start_ns,
                                                ASIM_QLEN_BYTES};
    return world->via.packets->watch_queues(world->via.packet_net, on_queue, &sampling);
}

/* The packet network keeps pointers to the world's topology, routes and configuration. A world has
 * one shard until the network has several workers. */
int asim_world_connect(struct asim_world *world, struct asim_err *err)
{
    struct asim_fabric_config config = {
        .topo = &world->set.topo,
        .route = world->set.route,
        .net = &world->set.net,
        .events = world->set.plan ? &world->set.plan->events : NULL,
        .traffics = world->set.plan ? &world->set.plan->traffics : NULL,
        .ranks_done = asim_world_ranks_done,
        .held = asim_world_held,
        .user = asim_world_user(world),
        .watch = {.self = world, .fct = on_fct, .pfc = on_pfc},
        .seed = world->set.settings.seed,
        .per_event = world->set.settings.per_event,
        .without = world->set.without,
        .exact_events = world->set.is_listed ? world->set.settings.exact_events : 0,
        .process_of = asim_distribution_nodes(world),
        .self = world->set.settings.process,
    };
    int code;

    if (asim_rank_shards_open(world, 1, NULL))
        return asim_err_nomem(err, "setting up ranks");
    world->run.event_bus.in_order = world->run.memory_servers != NULL;
    world->relay_over = asim_rank_relay_over;
    world->repeat_begin = asim_rank_repeat_begin;
    world->repeat_over = asim_rank_repeat_over;
    world->repeat_release = asim_rank_repeat_release;
    if (!asim_settings_has(&world->set.settings, ASIM_NET_FRAMES))
        return asim_world_connect_analytical(world, &config.user, err);
    world->via.backend = &asim_packet_backend;
    world->via.packets = world->via.backend->extras->packets;
    if (world->via.packets->open(&world->via.packet_net, &config, err))
        return asim_world_attach_source(ASIM_EINVAL, world->set.settings.network, err);
    world->via.carrier = (struct asim_net *)world->via.packet_net;
    if (world->via.packets->diagnose(world->via.packet_net, asim_world_diagnostics(world), err))
        return ASIM_ENOMEM;
    if ((code = asim_distribution_connect(world, err)))
        return code;
    return asim_threads_connect(world, err);
}

/* Closes the network first, because it may still point at pooled objects. */
void asim_world_disconnect(struct asim_world *world)
{
    if (world->via.carrier)
        world->via.backend->close(world->via.carrier);
    for (uint32_t i = 0; i < world->run.n_shards; i++)
        asim_graph_runner_fini(&world->run.shards[i]);
    asim_rank_shards_close(world);
}
