/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A world in simulated time: the callbacks of the network, start, end, and progress. The caller
 * (ns-3, or asim_world_run) advances the clock.
 */
#include "asim/messages.h"
#include "asim/netconf.h"
#include "sim/collective/graph_runner.h"
#include "sim/distributed/stall_report.h"
#include "sim/ops/issue.h"
#include "sim/ops/round.h"
#include "sim/rank/clock.h"
#include "sim/rank/event.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/scenario/plan.h"
#include "sim/wake.h"
#include "asim/packet.h"
#include "sim/rank/async_observers.h"
#include "sim/collective/nvswitch.h"
#include "sim/distributed/distribution.h"
#include "sim/distributed/totals.h"
#include "sim/threads.h"
#include "sim/world.h"

/* The callbacks of net.h and of the packet network's hooks. The thread of a rank's shard calls
 * those about the rank. After a rank's failure they do nothing until the network asks done(). */
static void on_wake(void *self, uint32_t r)
{
    struct asim_world *world = self;
    const struct asim_messages_hooks *own = world->own_messages;
    struct asim_rank *rank = &world->run.ranks[r];

    if (own && own->wake && r < world->set.n_ranks)
        own->wake(own->self, r);
    else if (r >= world->set.n_ranks)
        asim_nvswitch_wake(world, r);
    else if (!rank->failed)
        asim_rank_wake(rank);
}

static void on_sent(void *self, const struct asim_msg *msg)
{
    struct asim_world *world = self;
    struct asim_rank *rank = &world->run.ranks[msg->src];

    if (msg->tag == ASIM_OWN_TAG)
        return;
    if (msg->src < world->set.n_ranks && !rank->failed)
        asim_rank_sent(rank, msg);
}

/* Into the events of the node's shard. The network calls its hooks in the thread that advances the
 * node, so this thread is the shard's. */
static void record(struct asim_world *world, const struct asim_event *event)
{
    asim_event_bus_record(&world->run.event_bus, asim_rank_shard_of(world, event->rank)->events,
                          event);
}

static void record_arrival(struct asim_world *world, const struct asim_msg *msg)
{
    struct asim_event event = {
        .t = asim_node_now(world, msg->dst), .kind = ASIM_EV_ARRIVAL, .rank = msg->dst};

    event.of.arrival.id = msg->id;
    event.of.arrival.bytes = msg->bytes;
    event.of.arrival.src = msg->src;
    event.of.arrival.coll_type = asim_tag_coll_type(msg->tag);
    if (asim_topo_is_endpoint(&world->set.topo, msg->src) ||
        asim_topo_is_endpoint(&world->set.topo, msg->dst))
        event.of.arrival.coll_type = ASIM_ALL_REDUCE; /* all that NVSwitches take part in */
    record(world, &event);
}

static void on_arrived(void *self, const struct asim_msg *msg)
{
    struct asim_world *world = self;
    const struct asim_messages_hooks *own = world->own_messages;
    struct asim_rank *rank = &world->run.ranks[msg->dst];

    if (world->run.event_bus.wants & 1u << ASIM_EV_ARRIVAL)
        record_arrival(world, msg);
    if (msg->tag == ASIM_OWN_TAG) {
        if (own && own->arrived)
            own->arrived(own->self, &(struct asim_own_message){msg->src, msg->dst, msg->bytes,
                                                               msg->cookie, msg->traffic_class});
        return;
    }
    if (msg->dst >= world->set.n_ranks && asim_topo_is_endpoint(&world->set.topo, msg->dst))
        asim_nvswitch_arrived(world, msg);
    else if (msg->dst >= world->set.n_ranks)
        asim_storage_arrived(world, msg);
    else if (!rank->failed && msg->tag != ASIM_STORAGE_DROP)
        asim_rank_arrived(rank, msg);
}

static void on_receive_due(void *self, uint32_t r, uint64_t cookie)
{
    struct asim_rank *rank = &((struct asim_world *)self)->run.ranks[r];

    if (!rank->failed)
        asim_rank_received(rank, (struct asim_recv *)(uintptr_t)cookie);
}

static int on_done(void *self)
{
    return asim_world_done(self);
}

static void on_held(void *self, uint32_t r, uint64_t by_ns)
{
    struct asim_world *world = self;

    if (r < world->set.n_ranks)
        asim_clock_shift(&world->run.ranks[r], by_ns);
}

static int on_ranks_done(void *self)
{
    struct asim_world *world = self;

    asim_rank_shards_gather(world);
    return world->run.failed || world->run.ranks_done == world->set.n_here;
}

/* Events before time_ns are complete for all nodes. */
static void on_settled(void *self, uint64_t time_ns)
{
    struct asim_world *world = self;

    world->run.settled_ns = time_ns;
    asim_rank_shards_gather(world);
    if (!world->run.failed)
        asim_distribution_settle(world, time_ns);
}

/* Makes an event of a completed message. Set as a hook only where an observer wants it (set_hooks).
 */
static void on_fct(void *self, const struct asim_fct *row)
{
    const struct asim_world *world = self;
    struct asim_event *event = asim_event_bus_slot(
        &world->run.event_bus, asim_rank_shard_of(world, row->src)->events, ASIM_EV_FCT);

    if (!event)
        return;
    event->t = row->end;
    event->rank = row->src;
    event->of.fct.start = row->start;
    event->of.fct.bytes = row->bytes;
    event->of.fct.ideal = row->ideal;
    event->of.fct.id = row->id;
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

/* Sets hooks on hot paths only where an observer wants them. */
static int set_hooks(struct asim_world *world)
{
    struct asim_fabric_watch *hooks = world->via.packets->hooks(world->via.packet_net);
    unsigned all = 1u << ASIM_EV_QUEUE, samples = 1u << ASIM_EV_QUEUE_SAMPLE;
    struct asim_queue_sampling sampling = {0};

    hooks->self = world;
    hooks->fct = world->run.event_bus.wants & 1u << ASIM_EV_FCT ? on_fct : NULL;
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
        .ranks_done = on_ranks_done,
        .held = on_held,
        .user = {world, on_wake, on_sent, on_arrived, on_receive_due, on_done, on_settled},
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

/* The network asks between windows. A run is done after a stop or a failure, or when all ranks have
 * finished and no frame is under way. It waits for frames of repeats and resumes, because these
 * count on the links, and the end of a window must not decide which of them count. */
int asim_world_done(struct asim_world *world)
{
    return asim_world_is_stopped(world) || asim_world_is_over(world);
}

/* rank-start-delay delays only the first ops. */
static void start_rank(struct asim_rank *rank)
{
    if (rank->start_delay_ns)
        asim_clock_add(rank, rank->start_delay_ns,
                       &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_START});
    else
        asim_issue_first(rank);
}

/* Gives each rank of this process a pointer to its time, where the network has one. */
static void set_clocks(struct asim_world *world)
{
    for (uint32_t r = 0; r < world->set.n_ranks; r++) {
        struct asim_rank *rank = &world->run.ranks[r];

        if (!asim_rank_is_here(rank))
            continue;
        if (world->via.queue)
            rank->clock = &world->via.queue->now_ns;
        else if (world->via.backend->clock)
            rank->clock = world->via.backend->clock(world->via.carrier, r);
    }
}

/* 0 or ASIM_ENOMEM. */
static int observe_async(struct asim_world *world)
{
    struct asim_background background = {NULL};

    if (asim_world_has(world, ASIM_NET_THREADS))
        background = world->via.packets->background(world->via.packet_net);
    if (!background.team || !world->run.event_bus.async_wants || !asim_distribution_reports(world))
        return 0;
    return asim_async_observers_open(&world->run.event_bus.async, &world->run.event_bus, world,
                                     &background);
}

int asim_world_start(struct asim_world *world, struct asim_err *err)
{
    if (asim_world_has(world, ASIM_NET_FLOWS) && set_hooks(world))
        return asim_err_nomem(err, "watching queues");
    if (asim_world_has(world, ASIM_NET_REPLAYS) && world->set.settings.fast_forward &&
        world->via.packets->use_memo(world->via.packet_net))
        return asim_err_nomem(err, "preparing the fast-forward");
    set_clocks(world);
    if (observe_async(world))
        return asim_err_nomem(err, "showing rows aside");
    for (uint32_t r = 0; r < world->set.n_ranks; r++)
        if (asim_rank_is_here(&world->run.ranks[r]))
            start_rank(&world->run.ranks[r]);
    world->run.event_bus.stage = ASIM_STAGE_NODES;
    asim_rank_shards_gather(world);
    if (world->run.failed && err)
        *err = world->run.failure.err;
    return world->run.failed ? world->run.failure.err.code : 0;
}

/* Delivers the remaining events and closes the reports, which keep their files unless the run
 * failed. */
static int close_reports(struct asim_world *world, struct asim_err *err)
{
    asim_event_bus_deliver(&world->run.event_bus, world, UINT64_MAX);
    asim_rank_shards_gather(world); /* an observer may fail a rank by reading its trace again */
    if (world->run.event_bus.pending.failed) {
        asim_err_nomem(&world->run.failure.err, "keeping events for the reports");
        world->run.failed = 1;
    }
    return asim_event_bus_close(&world->run.event_bus, world, err);
}

/* The end in a process other than process 0: its reports write to /dev/null, except files about its
 * own ranks, which follow the verdict of process 0. */
static int finish_follower(struct asim_world *world, int verdict, struct asim_err *err)
{
    struct asim_err closing = {.code = 0};
    int code;

    asim_distribution_end(world, verdict);
    world->run.failed = 1;
    code = asim_event_bus_close(&world->run.event_bus, world, &closing);
    if (!code)
        return verdict;
    if (err)
        *err = closing;
    return code;
}

/* Closes reports in any case and returns the first failure. */
int asim_world_finish(struct asim_world *world, int code, struct asim_err *err)
{
    struct asim_err run = {.code = 0}, closing = {.code = 0};
    struct asim_totals totals;

    if (!asim_distribution_reports(world))
        return finish_follower(world, code, err);
    if (code && err)
        run = *err;
    run.code = code;
    asim_record_unfinished(world);
    asim_world_finish_failures(world, &run);
    if (asim_is_distributed(world))
        asim_world_diagnose_traces(world);
    close_reports(world, &closing);
    asim_world_diagnose_run(world); /* the last events have been delivered */
    if (asim_world_has(world, ASIM_NET_LINKS) && !run.code)
        world->via.packets->diagnose_end(world->via.packet_net, asim_world_diagnostics(world));
    if (world->run.failed)
        closing = world->run.failure.err;
    if (closing.code) {
        if (err)
            *err = closing;
        return closing.code;
    }
    asim_totals_all(world, &totals);
    if (world->run.stopped && totals.ranks_done < world->set.n_ranks)
        return asim_err_set(err, ASIM_EINTR,
                            "interrupted at %llu ns: %u of %u ranks had finished; the reports hold "
                            "what was known by then",
                            (unsigned long long)totals.settled_ns, totals.ranks_done,
                            world->set.n_ranks);
    return totals.ranks_cut ? 0 : asim_stall_report(world, err);
}

/* For backends that advance their own clock. */
int asim_world_go(struct asim_world *world, struct asim_err *err)
{
    return world->via.backend->run(world->via.carrier, err);
}

int asim_world_run(struct asim_world *world, struct asim_err *err)
{
    int code = asim_world_start(world, err);

    if (!code)
        code = asim_world_go(world, err);
    return asim_world_finish(world, code, err);
}

static void tell_memo_use(const struct asim_world *world, struct asim_progress *progress)
{
    struct asim_memo_use use;

    world->via.packets->memo_use(world->via.packet_net, &use);
    progress->hops_replayed = use.replayed;
    progress->hops_skipped = use.skipped;
    for (int i = 0; i < ASIM_CARRIED_REASONS; i++) {
        if (progress->carried_most_why && use.reasons[i].hops <= progress->hops_carried_most)
            continue;
        progress->hops_carried_most = use.reasons[i].hops;
        progress->carried_most_why =
            i == ASIM_CARRIED_OFF && use.off ? use.off : use.reasons[i].why;
    }
}

/* Linear in ranks and nodes: meant for a display a few times a second. With several processes it
 * tells the progress of this process. */
void asim_world_progress(const struct asim_world *world, struct asim_progress *progress)
{
    struct asim_totals totals;

    asim_totals_all(world, &totals);
    *progress = (struct asim_progress){.time_ns = totals.settled_ns,
                                       .ops_done = totals.ops_done,
                                       .ops_total = totals.ops_total,
                                       .bytes_done = totals.bytes_done,
                                       .bytes_total = totals.bytes_total,
                                       .messages = totals.messages,
                                       .hops = totals.net.hops,
                                       .ranks_done = totals.ranks_done,
                                       .ranks = world->set.n_here};
    if (asim_world_has(world, ASIM_NET_REPLAYS))
        tell_memo_use(world, progress);
}

uint64_t asim_world_cycles(const struct asim_world *world, uint32_t rank)
{
    return rank < world->set.n_ranks && world->run.ranks[rank].finished
               ? world->run.ranks[rank].cycles
               : UINT64_MAX;
}

uint64_t asim_world_job_ns(const struct asim_world *world, uint32_t i)
{
    const struct asim_world_job *job = &world->set.jobs[i];
    uint64_t last = 0;

    if (i >= world->set.n_jobs)
        return UINT64_MAX;
    for (uint32_t r = job->first; r < job->first + job->n; r++) {
        uint64_t cycles = asim_world_cycles(world, r);

        if (cycles == UINT64_MAX)
            return UINT64_MAX;
        last = cycles > last ? cycles : last;
    }
    return last - (last > job->start_ns ? job->start_ns : last);
}

uint32_t asim_world_ranks(const struct asim_world *world)
{
    return world->set.n_ranks;
}

/* For programs that build objects around the network (ns-3); constant, lives as long as the world.
 */
const struct asim_topo *asim_world_topo(const struct asim_world *world)
{
    return &world->set.topo;
}

const struct asim_netconf *asim_world_netconf(const struct asim_world *world)
{
    return &world->set.net;
}
