/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends messages of the program's own. A message of the program carries ASIM_OWN_TAG, by which
 * sim/run.c tells it from those of traces.
 */
#include "asim/messages.h"
#include "net/packets.h"
#include "sim/world.h"

#include <string.h>

int asim_messages_hook(struct asim_world *world, const struct asim_messages_hooks *hooks,
                       struct asim_err *err)
{
    const struct asim_settings *set = &world->set.settings;

    if (!asim_world_has(world, ASIM_NET_FRAMES) && !asim_world_has(world, ASIM_NET_FLOWS))
        return asim_err_set(err, ASIM_EUSAGE,
                            "messages of the program need the packet network or the flow level.");
    if (world->set.ops_total)
        return asim_err_set(err, ASIM_EUSAGE, "messages of the program need traces without nodes.");
    if (world->set.has_unjoined_ranks)
        return asim_err_set(err, ASIM_EINVAL,
                            "messages of the program need a path between any two ranks, which %s "
                            "lacks.",
                            world->set.topo.source);
    if (set->threads > 1 || set->processes > 1)
        return asim_err_set(err, ASIM_EUSAGE,
                            "messages of the program need one thread and one process.");
    world->own_messages = asim_arena_alloc(&world->arena, sizeof *hooks);
    if (!world->own_messages)
        return asim_err_nomem(err, "preparing messages of the program");
    memcpy(world->own_messages, hooks, hooks->size < sizeof *hooks ? hooks->size : sizeof *hooks);
    if (world->own_messages->traffic_classes && !asim_world_has(world, ASIM_NET_FRAMES))
        return asim_err_set(err, ASIM_EUSAGE,
                            "traffic classes of messages need the packet network.");
    if (world->own_messages->traffic_classes &&
        world->via.packets->use_classes(world->via.packet_net))
        return asim_err_nomem(err, "preparing traffic classes");
    return 0;
}

uint64_t asim_messages_now(const struct asim_world *world, uint32_t rank)
{
    return asim_node_now(world, rank);
}

int asim_messages_wake(struct asim_world *world, uint32_t rank, uint64_t delay_ns)
{
    return world->via.backend->wake_after(world->via.carrier, rank, delay_ns);
}

int asim_messages_send(struct asim_world *world, const struct asim_own_message *message)
{
    uint32_t ranks = world->set.n_ranks;
    struct asim_msg msg = {.bytes = message->bytes,
                           .tag = ASIM_OWN_TAG,
                           .src = message->src,
                           .dst = message->dst,
                           .cookie = message->cookie,
                           .traffic_class = message->traffic_class};

    if (msg.src >= ranks || msg.dst >= ranks || msg.src == msg.dst || !msg.bytes ||
        msg.bytes > ASIM_PACKET_BYTES_MAX)
        return ASIM_EINVAL;
    msg.id = asim_send_id(&world->run.ranks[msg.src]);
    return world->via.backend->send(world->via.carrier, &msg);
}
