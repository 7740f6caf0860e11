/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim/packet.h: each function finds the world's packet network and calls it.
 */
#include "asim/packet.h"
#include "fabric/observe/frame_headers.h"
#include "fabric/processes/grid.h"
#include "fabric/events/events.h"
#include "fabric/processes/exchange.h"
#include "fabric/clock/step.h"
#include "fabric/observe/observe.h"
#include "net/packets.h"
#include "sim/sim.h"

int asim_packet_is_used(const struct asim_world *world)
{
    return asim_world_has(world, ASIM_NET_FRAMES);
}

uint64_t asim_packet_lookahead(const struct asim_world *world)
{
    return asim_fabric_window(world->via.packet_net);
}

uint64_t asim_packet_next(struct asim_world *world)
{
    return asim_fabric_next(world->via.packet_net);
}

uint64_t asim_packet_step(struct asim_world *world, struct asim_err *err)
{
    return asim_fabric_step(world->via.packet_net, err);
}

size_t asim_packet_link_changes(const struct asim_world *world, struct asim_link_change *changes,
                                size_t room)
{
    const struct asim_fabric_events *events = asim_fabric_events_of(world->via.packet_net);
    size_t n = 0;

    for (size_t i = 0; events && i < events->n; i++) {
        const struct asim_net_event *what = &events->at[i].what;

        if (what->kind > ASIM_NET_LINK_UP)
            continue;
        if (n < room)
            changes[n] =
                (struct asim_link_change){what->at_ns, what->of, what->kind == ASIM_NET_LINK_UP};
        n++;
    }
    return n;
}

/* The caller's hook behind one of the fabric's; it lives in the world's arena. */
struct watcher {
    asim_frame_seen_hook *hook;
    void *self;
};

static void on_frame(void *self, enum asim_frame_event event, struct asim_port_id at,
                     const struct asim_frame *frame, uint64_t t)
{
    const struct watcher *watcher = self;
    struct asim_frame_seen seen = {event, at.node, at.port, t, frame};

    watcher->hook(watcher->self, &seen);
}

int asim_packet_watch_frames(struct asim_world *world, asim_frame_seen_hook *hook, void *self,
                             struct asim_err *err)
{
    struct watcher *watcher = asim_arena_alloc(&world->arena, sizeof *watcher);

    if (!watcher)
        return asim_err_nomem(err, "watching frames");
    *watcher = (struct watcher){hook, self};
    if (asim_fabric_watch_frames(world->via.packet_net, on_frame, watcher))
        return asim_err_set(err, ASIM_ENOMEM, "four hooks watch the frames of this run already");
    return 0;
}

void asim_packet_decode(const struct asim_world *world, const struct asim_frame_seen *seen,
                        struct asim_decoded_headers *headers)
{
    const struct asim_port_id at = {seen->node, seen->port};

    asim_fabric_decode_headers(world->via.packet_net, seen->frame, at, headers);
}

uint32_t asim_packet_directions(const struct asim_world *world)
{
    return (uint32_t)(2 * world->set.topo.n_links);
}

void asim_packet_link_use(const struct asim_world *world, uint32_t direction,
                          struct asim_link_use *use)
{
    world->via.packets->link_use(world->via.packet_net, direction, use);
}

int asim_packet_is_here(const struct asim_world *world, uint32_t node)
{
    return asim_exchange_is_local(world->via.packet_net, node);
}

uint64_t asim_packet_common_lookahead(const struct asim_world *world)
{
    return asim_exchange_lookahead(world->via.packet_net);
}

int asim_packet_may_use_half_steps(const struct asim_world *world)
{
    return asim_grid_may_use_half_steps(world->via.packet_net);
}

void asim_packet_use_half_steps(struct asim_world *world)
{
    asim_grid_use_half_steps(world->via.packet_net);
}

uint64_t asim_packet_window_end(struct asim_world *world, uint64_t now_ns)
{
    return asim_grid_window_end(world->via.packet_net, now_ns);
}

uint64_t asim_packet_window_begin(struct asim_world *world, uint64_t end_ns, uint64_t next_ns)
{
    return asim_grid_window_begin(world->via.packet_net, end_ns, next_ns);
}

uint64_t asim_packet_next_common(struct asim_world *world)
{
    return asim_grid_next(world->via.packet_net);
}

int asim_packet_advance(struct asim_world *world, uint64_t until_ns, struct asim_err *err)
{
    return asim_grid_advance(world->via.packet_net, until_ns, err);
}
