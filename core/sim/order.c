/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Estimates the events of a run, and decides whether it keeps ns-3's order of simultaneous events
 * (rdma-network.md#order-of-simultaneous-events), which costs more than that of tie keys. The
 * decision rests on the inputs alone, so it is the same with any number of threads and processes.
 */
#include "asim/trace.h"
#include "base/text.h"
#include "conf/netconf_keys.h"
#include "coll/coll.h"
#include "asim/asim.h"
#include "net/net.h"
#include "net/packets.h"
#include "sim/world.h"
#include "topo/pair.h"
#include "net/carried.h"

/* A trial pays for runs of so many events, and may carry one frame for so many of them. */
enum { TRIAL_EVENTS = 1000000, TRIAL_SHARE = 32, TRIAL_LOOK = 64 };
enum order { ORDER_AUTO, ORDER_EXACT, ORDER_FAST }; /* the words of --order */

/* The op's group; NULL: all ranks. */
static const struct asim_group *group_of(const struct asim_world_job *job, const struct asim_op *op)
{
    int64_t id;

    if (op->pg_name && !asim_text_i64(op->pg_name, &id) && id)
        for (size_t g = 0; g < job->groups.n; g++)
            if (job->groups.at[g].id == id)
                return &job->groups.at[g];
    return NULL;
}

/* Steps of a ring in each dimension. */
static double steps_of(const struct asim_world_job *job, const struct asim_group *group)
{
    double steps = 0;

    if (group)
        return group->n - 1.0;
    for (size_t d = 0; d < job->dims.n; d++)
        steps += job->dims.at[d] - 1.0;
    return steps;
}

/* What a direct exchange or a ring sends: a message of each chunk a step. */
double asim_order_packets(const struct asim_world *world, const struct asim_world_job *job,
                          const struct asim_op *op)
{
    const struct asim_group *group = group_of(job, op);
    double steps = steps_of(job, group), bytes = (double)op->comm_bytes, again = 1;
    uint32_t kind = op->comm_type;

    if (op->type == ASIM_OP_COMM_SEND)
        return bytes / world->set.net.payload_bytes + 1;
    if (op->type != ASIM_OP_COMM_COLL)
        return 0;
    if (kind == ASIM_ALL_GATHER)
        bytes *= (group ? group->n : job->n) - 1;
    if (kind == ASIM_ALL_REDUCE)
        again = 2;
    else if (kind == ASIM_ALL_TO_ALL && world->set.n_choices[kind] &&
             world->set.choices[kind]->algo == world->set.ring.algo)
        again = (steps + 1) / 2; /* a ring forwards what is for others */
    return again * (bytes / world->set.net.payload_bytes + steps * world->set.system.splits);
}

int asim_order_is_long(const struct asim_world *world, double packets)
{
    return packets * world->set.packet_events > (double)world->set.settings.exact_events;
}

/* Links between some pairs: neighbours, and far ends. Pairs without a path do not count. */
static double mean_hops(const struct asim_world *world)
{
    const uint32_t n = world->set.n_ranks, to[] = {1, n / 2, n - 1};
    uint32_t hops = 0, paths = 0;
    struct asim_pair pair;

    for (size_t i = 0; i < sizeof to / sizeof *to && n > 1; i++) {
        struct asim_host_pair hosts = {0, to[i]};

        if (asim_pair_get(&pair, world->set.route, hosts, world->set.net.payload_bytes, NULL))
            continue;
        hops += pair.hops;
        paths += pair.hops > 0;
    }
    return paths ? (double)hops / paths : 1;
}

/* ns-3's list has no such events. */
static int may_lose_frames(const struct asim_world *world)
{
    const struct asim_netconf *net = &world->set.net;
    int may = net->link_downs > 0 || net->error_rate > 0 || world->set.plan;

    for (size_t l = 0; l < world->set.topo.n_links && !may; l++)
        may = world->set.topo.links[l].error_rate > 0;
    return may;
}

/* A packet and its ACK have two events a link each: the end of the transmission, and the arrival.
 */
void asim_order_open(struct asim_world *world)
{
    const struct asim_settings *settings = &world->set.settings;

    if (!asim_settings_has(settings, ASIM_NET_FRAMES) || settings->order == ORDER_FAST ||
        may_lose_frames(world))
        world->set.settings.exact_events = 0;
    world->set.packet_events = world->set.settings.exact_events && settings->order == ORDER_AUTO
                                   ? 4 * mean_hops(world)
                                   : 0;
}

void asim_order_decide(struct asim_world *world, double packets)
{
    if (asim_order_is_long(world, packets))
        world->set.settings.exact_events = 0;
    world->set.packet_events *= packets; /* of the run from now on */
}

/* The run without reports in the fast order. */
struct trial {
    const struct asim_world *of;
    struct asim_world *world;
    uint64_t calls;
    int contested;
};

/* Ends the trial where the fast order is uncertain, or fast-forward saves too little. */
static int stop_trial(void *self)
{
    struct trial *trial = self;
    const struct asim_hooks *hooks = &trial->of->hooks;
    struct asim_fabric_stats net;
    struct asim_memo_use use;

    if (hooks->stop && hooks->stop(hooks->self))
        return 1;
    if (!trial->world || trial->calls++ % TRIAL_LOOK)
        return 0;
    trial->world->via.packets->stats(trial->world->via.packet_net, &net);
    trial->world->via.packets->memo_use(trial->world->via.packet_net, &use);
    trial->contested |= net.contested;
    return trial->contested || (double)use.carried * TRIAL_SHARE > trial->of->set.packet_events;
}

/* Whether the run, in the fast order, ends soon and meets no contested tie. */
static int is_uncontested(const struct asim_world *world,
                          const struct asim_world_functions *functions)
{
    struct trial trial = {.of = world};
    const struct asim_hooks hooks = {.self = &trial, .stop = stop_trial};
    struct asim_settings settings = world->set.settings;
    struct asim_err err = {0};
    int code;

    settings.out = settings.reports = settings.pcap = settings.logging_folder = NULL;
    settings.order = ORDER_FAST;
    settings.threads = 1;
    settings.process = settings.processes = 0;
    code = functions->open(&trial.world, &settings, &hooks, &err);
    if (!code)
        code = functions->run(trial.world, &err);
    trial.calls = 0;
    code = code || stop_trial(&trial);
    functions->close(trial.world);
    return !code;
}

void asim_order_try(struct asim_world *world, const struct asim_world_functions *functions)
{
    const struct asim_settings *settings = &world->set.settings;
    int pays = settings->fast_forward && !settings->per_event && !settings->process &&
               settings->exact_events && world->set.packet_events >= TRIAL_EVENTS &&
               !world->set.system.track_local_mem;

    world->set.is_listed = settings->exact_events && !(pays && is_uncontested(world, functions));
}
