/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What the network calls: wakes, ends of messages, the settled time. The thread of a rank's shard
 * calls what is about the rank. After a rank's failure the calls do nothing until the network asks
 * done().
 */
#include "asim/messages.h"
#include "asim/packet.h"
#include "sim/collective/nvswitch.h"
#include "sim/distributed/distribution.h"
#include "sim/ops/round.h"
#include "sim/rank/clock.h"
#include "sim/rank/event_bus.h"
#include "sim/rank/rank_shard.h"
#include "sim/wake.h"
#include "sim/world.h"

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

static __attribute__((noinline)) void record_arrival(struct asim_world *world,
                                                     const struct asim_msg *msg)
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
    asim_event_bus_record(&world->run.event_bus, asim_rank_shard_of(world, event.rank)->events,
                          &event);
}

/* A message that is not for the collectives and receives of a rank. */
static __attribute__((noinline)) void take_other(struct asim_world *world,
                                                 const struct asim_msg *msg)
{
    const struct asim_messages_hooks *own = world->own_messages;

    if (msg->tag == ASIM_OWN_TAG && own && own->arrived)
        own->arrived(own->self, &(struct asim_own_message){msg->src, msg->dst, msg->bytes,
                                                           msg->cookie, msg->traffic_class});
    if (msg->tag == ASIM_OWN_TAG || msg->dst < world->set.n_ranks)
        return;
    if (asim_topo_is_endpoint(&world->set.topo, msg->dst))
        asim_nvswitch_arrived(world, msg);
    else
        asim_storage_arrived(world, msg);
}

/* Every message comes by here: what is rare is out of line. */
static void on_arrived(void *self, const struct asim_msg *msg)
{
    struct asim_world *world = self;
    struct asim_rank *rank = &world->run.ranks[msg->dst];

    if (world->run.event_bus.wants & 1u << ASIM_EV_ARRIVAL)
        record_arrival(world, msg);
    if (msg->dst >= world->set.n_ranks || msg->tag == ASIM_OWN_TAG || msg->tag == ASIM_STORAGE_DROP)
        take_other(world, msg);
    else if (!rank->failed)
        asim_rank_arrived(rank, msg);
}

static void on_receive_due(void *self, uint32_t r, uint64_t cookie)
{
    struct asim_rank *rank = &((struct asim_world *)self)->run.ranks[r];

    if (!rank->failed)
        asim_rank_received(rank, (struct asim_recv *)(uintptr_t)cookie);
}

/* The network asks between windows. A run is done after a stop or a failure, or when all ranks have
 * finished and no frame is under way. It waits for frames of repeats and resumes, because these
 * count on the links, and the end of a window must not decide which of them count. */
int asim_world_done(struct asim_world *world)
{
    return asim_world_is_stopped(world) || asim_world_is_over(world);
}

static int on_done(void *self)
{
    struct asim_world *world = self;

    /* Ranks without nodes are done at once; the program is when nothing is left to do. */
    return world->own_messages ? asim_world_is_stopped(world) : asim_world_done(world);
}

void asim_world_held(void *self, uint32_t r, uint64_t by_ns)
{
    struct asim_world *world = self;

    if (r < world->set.n_ranks)
        asim_clock_shift(&world->run.ranks[r], by_ns);
}

int asim_world_ranks_done(void *self)
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

struct asim_net_user asim_world_user(struct asim_world *world)
{
    return (struct asim_net_user){world,          on_wake, on_sent,   on_arrived,
                                  on_receive_due, on_done, on_settled};
}
