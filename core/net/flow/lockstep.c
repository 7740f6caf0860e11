/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rings in lock-step (flow.md#rings): where all members start at one ns, all links are alike and
 * nothing else is on them, each step is the same on each member but for the place, so one of them,
 * the leader, is carried for all. It takes the ACKs of the member before it for its own, which are
 * equal. A message of anyone else to one of these links ends that: then each member gets flows of
 * its own in the state of the leader's.
 */
#include "net/flow/rings.h"

#include <math.h>
#include <string.h>

/* Key of the relay that gets messages with this tag from src to dst. */
static uint64_t *slot_of(struct asim_fluid *fluid, uint32_t src, uint32_t dst, uint64_t tag)
{
    return asim_map_get(&fluid->relays, (uint64_t)src << 32 | dst, tag);
}

struct asim_fluid_relay *asim_fluid_receiver(struct asim_fluid *fluid,
                                             struct asim_fluid_relay *from)
{
    const struct asim_msg *msg = &from->spec.msg;
    uint64_t *slot;

    if (from->next)
        return from->next;
    slot = slot_of(fluid, msg->src, msg->dst, msg->tag);
    if (!slot)
        return NULL;
    from->next = (void *)(uintptr_t)*slot;
    if (from->next->before)
        from->next->before->next = NULL;
    from->next->before = from;
    return from->next;
}

static struct asim_fluid_conn *conn_of(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    const struct asim_msg *msg = &relay->spec.msg;
    struct asim_fluid_conn *conn = asim_fluid_conn(fluid, msg->src, msg->dst, 0);

    if (!(fluid->parts & ASIM_FLUID_COLLISIONS))
        return conn; /* a path a message, maybe */
    if (conn && asim_fluid_path(fluid, conn, msg, ASIM_FLUID_FIRST_SPORT))
        asim_fluid_shape(fluid, conn, conn->path, msg->bytes, &conn->shape);
    return conn;
}

static int is_like(const struct asim_fluid_link *link, const struct asim_fluid_link *other)
{
    const double none = 1e-9; /* what sums of shares leave */

    return !link->flows.n && !link->ack_flows.n && !link->is_planned && !link->is_stirred &&
           link->wait_ns <= 0 && !link->is_dirty && !link->ring && fabs(link->ack) < none &&
           link->ack == other->ack && link->packet_ns == other->packet_ns &&
           link->ack_ns == other->ack_ns && link->delay_ns == other->delay_ns;
}

/* Whether the member is as the leader, and its ACKs take the links of the data of its neighbours:
 * hosts at one switch. */
static int is_alike(struct asim_fluid *fluid, struct asim_fluid_relay *relay,
                    struct asim_fluid_conn *leader)
{
    struct asim_fluid_conn *conn = conn_of(fluid, relay), *next;
    const uint32_t *at, *lead = leader->path->link;

    if (!conn || !conn->path || conn->head || conn->under_way || conn->path->n != 2 ||
        conn->path->n_acks != 2 || relay->come || relay->spec.n != relay->ring->opened ||
        relay->spec.steps != relay->ring->leader->spec.steps ||
        relay->spec.delay_ns != relay->ring->leader->spec.delay_ns ||
        memcmp(&conn->shape, &leader->shape, sizeof conn->shape))
        return 0;
    next = conn_of(fluid, asim_fluid_receiver(fluid, relay));
    at = conn->path->link;
    return next && next->path && next->path->n_acks == 2 && at[2] == next->path->link[0] &&
           at[1] == next->path->link[3] && is_like(&fluid->link[at[0]], &fluid->link[lead[0]]) &&
           is_like(&fluid->link[at[1]], &fluid->link[lead[1]]);
}

static int is_in_lock_step(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    struct asim_fluid_relay *leader = ring->leader, *at = leader;
    struct asim_fluid_conn *conn;
    uint32_t n = 0;

    if (ring->started != leader->spec.n || fluid->qps != 1 ||
        leader->started_ns != fluid->queue.now_ns)
        return 0;
    conn = conn_of(fluid, leader);
    if (!conn || !conn->path || conn->path->n != 2)
        return 0;
    do {
        if (!asim_fluid_receiver(fluid, at) || asim_fluid_receiver(fluid, at)->ring != ring ||
            !is_alike(fluid, at, conn))
            return 0;
        at = at->next;
    } while (++n < leader->spec.n && at != leader);
    return at == leader && n == leader->spec.n;
}

/* Marks the links of all members; NULL: takes the marks away and gives the links the state of the
 * leader's. */
static void mark_links(struct asim_fluid *fluid, struct asim_fluid_ring *ring,
                       struct asim_fluid_ring *mark)
{
    for (struct asim_fluid_relay *at = ring->leader; at; at = at->beside)
        for (int i = 0; i < 2; i++) {
            const struct asim_fluid_link *from = &fluid->link[ring->path.link[i]];
            struct asim_fluid_link *link = &fluid->link[conn_of(fluid, at)->path->link[i]];

            link->ring = mark;
            if (mark || at == ring->leader)
                continue;
            link->level = from->level;
            link->sum = from->sum;
            link->ack = from->ack;
            link->ack_used = from->ack_used;
            link->was_full = from->was_full;
            link->share = from->share;
            link->wait_ns = from->wait_ns;
            link->slope = from->slope;
            link->target_ns = from->target_ns;
            link->left_ns = from->left_ns;
            link->told_ns = from->told_ns;
            link->wait_at = from->wait_at;
            link->lead_ns = from->lead_ns;
            link->led_ns = from->led_ns;
            if (from->is_dirty || from->is_planned)
                asim_fluid_mark(fluid, conn_of(fluid, at)->path->link[i]);
        }
}

void asim_fluid_ring_fold(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    if (!is_in_lock_step(fluid, ring))
        return;
    ring->path = *conn_of(fluid, ring->leader)->path;
    ring->path.frames = ring->path.bytes = 0;
    ring->path.link[2] = ring->path.link[0];
    ring->path.link[3] = ring->path.link[1];
    ring->is_folded = 1;
    mark_links(fluid, ring, ring);
    ring->behind = fluid->folded;
    if (fluid->folded)
        fluid->folded->ahead = ring;
    fluid->folded = ring;
}

/* Counts for all members what the leader has carried. */
void asim_fluid_ring_count(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    uint64_t frames = conn_of(fluid, ring->leader)->shape.frames;
    uint64_t messages = ring->path.frames / frames;

    for (struct asim_fluid_relay *at = ring->leader; messages && at; at = at->beside) {
        struct asim_fluid_path *path = conn_of(fluid, at)->path;

        path->frames += ring->path.frames;
        path->bytes += ring->path.bytes;
        fluid->counts.messages += at == ring->leader ? 0 : messages;
        fluid->trust.bytes +=
            at == ring->leader ? 0 : (double)messages * (double)at->spec.msg.bytes;
    }
    ring->path.frames = ring->path.bytes = 0;
}

/* Each member has the leader's state from now on; its flows follow. */
void asim_fluid_ring_end(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    const struct asim_fluid_relay *leader = ring->leader;

    asim_fluid_ring_count(fluid, ring);
    mark_links(fluid, ring, NULL);
    ring->is_folded = 0;
    if (ring->ahead)
        ring->ahead->behind = ring->behind;
    else
        fluid->folded = ring->behind;
    if (ring->behind)
        ring->behind->ahead = ring->ahead;
    for (struct asim_fluid_relay *at = leader->beside; at; at = at->beside) {
        if (at->is_queued) /* its start, of this ns */
            continue;
        at->sent = leader->sent;
        at->come = leader->come;
        at->dealt = leader->dealt;
        at->until = leader->until;
        at->deal_ns = leader->deal_ns;
        at->due_ns = leader->due_ns;
        at->is_waiting = leader->is_waiting;
    }
}

/* A message of another relay of the ring, in the same state. */
static void copy(struct asim_fluid *fluid, const struct asim_fluid_flow *of,
                 struct asim_fluid_relay *relay, struct asim_fluid_conn *conn)
{
    struct asim_fluid_flow *flow = asim_fluid_make(fluid, &of->msg);

    if (!flow) {
        fluid->failed = ASIM_ENOMEM;
        return;
    }
    flow->msg = relay->spec.msg;
    flow->msg.id += of->relay->sent - 1;
    flow->relay = relay;
    flow->conn = conn;
    flow->path = conn->path;
    flow->shape = of->shape;
    flow->sport = of->sport;
    flow->start_ns = of->start_ns;
    flow->began_ns = of->began_ns;
    flow->left = of->left;
    flow->left_at = of->left_at;
    flow->rate = of->rate;
    flow->behind_ns = of->behind_ns;
    flow->most = of->most;
    flow->acks = of->acks;
    flow->ack_rate = of->ack_rate;
    flow->is_drained = of->is_drained;
    flow->is_beside = of->is_beside;
    flow->end_ns = of->end_ns;
    if (of->is_drained) {
        asim_fluid_add(fluid, of->through_ns, &flow->through);
    } else {
        conn->head = conn->tail = flow;
        conn->under_way++;
        asim_fluid_enter(fluid, flow, 0);
        flow->is_queued = 1;
        asim_fluid_add(fluid, of->end_ns, &flow->drain);
    }
    flow->is_ack_due = of->is_ack_due;
    if (of->is_ack_due)
        asim_fluid_add(fluid, of->ack_ns, &flow->ack_due);
}

static void unfold_flow(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_relay *leader = flow->relay;

    for (struct asim_fluid_relay *at = leader->beside; at && !fluid->failed; at = at->beside) {
        if (at->is_queued)
            continue;
        at->under_way++;
        copy(fluid, flow, at, conn_of(fluid, at));
    }
    if (!flow->is_drained)
        asim_fluid_quit_acks(fluid, flow);
    flow->path = flow->conn->path;
    if (!flow->is_drained)
        asim_fluid_enter(fluid, flow, flow->path->n);
}

void asim_fluid_unfold(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    struct asim_fluid_relay *leader = ring->leader;

    asim_fluid_ring_end(fluid, ring);
    for (size_t i = 0; i < fluid->flow.n; i++) /* seldom */
        if (fluid->flow.at[i] && fluid->flow.at[i]->relay == leader &&
            !fluid->flow.at[i]->is_through)
            unfold_flow(fluid, fluid->flow.at[i]);
    for (struct asim_fluid_relay *at = leader->beside; at; at = at->beside)
        if (!at->is_queued && !at->is_waiting) {
            at->is_queued = 1;
            asim_fluid_add(fluid, at->due_ns, &at->due);
        }
}
