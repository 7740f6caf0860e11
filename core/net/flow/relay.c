/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rings that the network carries by itself (net/net.h): each member sends its next message when the
 * one before has come and been dealt with, so a message costs no call of the spine.
 */
#include "net/flow/rings.h"

static struct asim_fluid_relay *of(struct asim_relay *relay)
{
    return (struct asim_fluid_relay *)(void *)relay;
}

static struct asim_fluid_ring *find_ring(struct asim_fluid *fluid,
                                         const struct asim_net_relay *spec)
{
    uint64_t hi = (uint64_t)spec->first << 32 | spec->second;
    uint64_t *slot = asim_map_put(&fluid->rings, hi, spec->msg.tag);
    struct asim_fluid_ring *ring;

    if (!slot)
        return NULL;
    ring = *slot ? (void *)(uintptr_t)*slot : asim_pool_get(&fluid->ring_pool);
    if (!ring)
        return NULL;
    *slot = (uint64_t)(uintptr_t)ring;
    if (++ring->opened == spec->n) /* another phase may follow under the same key */
        asim_map_delete(&fluid->rings, hi, spec->msg.tag);
    return ring;
}

/* With several queue pairs, or where messages take the emptiest way, the order of sends at one ns
 * decides which one a message takes, and that order is another in relays. */
int asim_fluid_relay_has(struct asim_net *net)
{
    const struct asim_fluid *fluid = asim_fluid_of(net);

    return fluid->qps == 1 && fluid->parts & ASIM_FLUID_COLLISIONS;
}

struct asim_relay *asim_fluid_relay_open(struct asim_net *net, const struct asim_net_relay *spec)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    struct asim_fluid_relay *relay = asim_pool_get(&fluid->relay_pool);
    uint64_t hi = (uint64_t)spec->from << 32 | spec->msg.src;
    uint64_t *slot = asim_map_put(&fluid->relays, hi, spec->msg.tag);

    if (!relay || !slot || !(relay->ring = find_ring(fluid, spec)))
        return NULL;
    *slot = (uint64_t)(uintptr_t)relay;
    relay->spec = *spec;
    relay->due.kind = ASIM_FLUID_RELAY;
    relay->at.come = spec->present;
    relay->at.came_ns = fluid->queue.now_ns;
    return (struct asim_relay *)(void *)relay;
}

uint32_t asim_fluid_relay_come(const struct asim_relay *opaque)
{
    const struct asim_fluid_relay *relay = (const void *)opaque;

    return relay->ring->is_folded ? relay->leader->at.come : relay->at.come;
}

static void add_due(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    relay->at.is_queued = 1;
    asim_fluid_add(fluid, relay->at.due_ns, &relay->due);
}

/* Of a ring, before or behind others of this ns, which may be of the same ring. */
void asim_fluid_relay_start(struct asim_net *net, struct asim_relay *opaque)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    struct asim_fluid_relay *relay = of(opaque);
    struct asim_fluid_ring *ring = relay->ring;

    if (!ring->first)
        ring->first = relay;
    else
        ring->last->beside = relay;
    ring->last = relay;
    ring->started++;
    relay->at.due_ns = fluid->queue.now_ns;
    add_due(fluid, relay);
}

/* Flows of NCCL are dealt with as they come, and come further apart than that takes; other messages
 * one after another. */
static void deal(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    uint64_t now = fluid->queue.now_ns, from_ns = now;
    uint32_t number = relay->at.dealt++;

    relay->at.is_waiting = 0;
    if (number >= relay->at.until)
        relay->at.deal_ns = relay->spec.deal_ns(relay->spec.self, number, &relay->at.until);
    if (relay->spec.is_nccl)
        from_ns = relay->at.dealt == relay->at.come ? relay->at.came_ns : 0;
    relay->at.due_ns = from_ns + relay->at.deal_ns > now ? from_ns + relay->at.deal_ns : now;
    add_due(fluid, relay);
}

static void send(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    struct asim_msg msg = relay->spec.msg;

    msg.id += relay->at.sent++;
    if (asim_fluid_send_of(fluid, &msg, relay))
        fluid->failed = ASIM_ENOMEM;
    if (relay->at.come > relay->at.dealt)
        deal(fluid, relay);
    else
        relay->at.is_waiting = 1;
}

/* It is through. Mostly the oldest one is. */
static void lose(struct asim_fluid_relay *relay, struct asim_fluid_flow *flow)
{
    struct asim_fluid_flow *before = NULL;

    for (struct asim_fluid_flow *at = relay->flows; at != flow; at = at->beside)
        before = at;
    if (before)
        before->beside = flow->beside;
    else
        relay->flows = flow->beside;
    if (!flow->beside)
        relay->newest = before;
    relay->under_way--;
}

/* While folded, with all members that it is carried for: each is over before any is told, since
 * what the first does then may unfold the ring. */
static void end(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    struct asim_fluid_ring *ring = relay->ring;
    int is_folded = ring->is_folded;

    for (struct asim_fluid_relay *at = relay; at; at = is_folded ? at->alike : NULL) {
        const struct asim_net_relay *spec = &at->spec;

        asim_map_delete(&fluid->relays, (uint64_t)spec->from << 32 | spec->msg.src, spec->msg.tag);
        if (at->before)
            at->before->next = NULL;
        at->before = NULL;
        at->is_over = 1;
        at->under_way++; /* keeps it */
    }
    if (is_folded && ++ring->ended == ring->leaders)
        asim_fluid_ring_end(fluid, ring);
    for (struct asim_fluid_relay *at = relay, *alike; at; at = alike) {
        const struct asim_net_relay spec = at->spec;

        alike = is_folded ? at->alike : NULL;
        at->under_way--;
        asim_fluid_relay_forget(fluid, at);
        spec.over(spec.self);
    }
}

/* Messages beyond the last are of a phase that the relay's rank has not begun. */
int asim_fluid_relay_arrived(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_relay *from = flow->relay, *to = asim_fluid_receiver(fluid, from);

    if (to && from->ring->is_folded)
        to = to->leader;
    if (to && to->at.come == to->spec.steps)
        to = NULL;
    if (to) {
        to->at.come++;
        to->at.came_ns = fluid->queue.now_ns;
        if (to->at.is_waiting)
            deal(fluid, to);
    }
    lose(from, flow);
    if (from->at.is_ending && !from->under_way)
        end(fluid, from);
    else
        asim_fluid_relay_forget(fluid, from);
    return to != NULL;
}

void asim_fluid_relay_due(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    struct asim_fluid_ring *ring = relay->ring;

    if (relay->is_stale) {
        relay->is_stale = 0;
        if (relay->at.is_queued)
            asim_fluid_add(fluid, relay->at.due_ns, &relay->due);
        else
            asim_fluid_relay_forget(fluid, relay);
        return;
    }
    if (!ring->is_decided && ring->started == relay->spec.n) {
        ring->is_decided = ring->is_to_fold = 1;
        if (ASIM_VEC_PUSH(fluid->to_fold, ring))
            fluid->failed = ASIM_ENOMEM;
    }
    relay->at.is_queued = 0;
    if (relay->at.sent < relay->spec.steps)
        send(fluid, relay);
    else if (relay->spec.is_nccl && relay->under_way)
        relay->at.is_ending = 1;
    else
        end(fluid, relay);
}
