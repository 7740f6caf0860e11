/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rings in lock-step (flow.md#rings): where a ring repeats itself every so many members, as it does
 * from leaf to leaf, and members at the same place of each repeat are in the same state once all
 * have started, these do the same at all times. So those of the first repeat, the leaders, are
 * carried for all, and the last of them sends to the first. Links repeat, too: each has at most one
 * member's data and one member's ACKs, nothing else is on them, and the links of a leader's ACKs
 * stand for those of its members' ACKs. A message of anyone else to one of these links ends that:
 * then each member gets flows of its own in the state of its leader's.
 */
#include "net/flow/repeats.h"

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

static int find_conn(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    const struct asim_msg *msg = &relay->spec.msg;
    struct asim_fluid_conn *conn = relay->conn = asim_fluid_conn(fluid, msg->src, msg->dst, 0);

    if (conn && asim_fluid_path(fluid, conn, msg, ASIM_FLUID_FIRST_SPORT))
        asim_fluid_shape(fluid, conn, conn->path, msg->bytes, &conn->shape);
    if (!conn || !conn->path || asim_fluid_is_cut(fluid, conn->path) ||
        conn->under_way != (conn->head != NULL))
        return 0;
    for (const struct asim_fluid_flow *flow = conn->head; flow; flow = flow->next)
        if (flow->relay != relay)
            return 0;
    return 1;
}

/* All members in the order of the ring, into fluid->members; 0: they are not in lock-step. */
static int find_members(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    struct asim_fluid_relay *first = ring->first, *at = first;

    fluid->members.n = 0;
    do {
        struct asim_fluid_relay *next = asim_fluid_receiver(fluid, at);

        if (!next || next->ring != ring || at->is_over || at->spec.n != ring->opened ||
            fluid->members.n == ring->opened || !find_conn(fluid, at))
            return 0;
        if (ASIM_VEC_PUSH(fluid->members, at))
            return fluid->failed = ASIM_ENOMEM, 0;
        at = next;
    } while (at != first);
    return fluid->members.n == ring->opened;
}

/* After how many members the ring repeats itself; their number where it does not. */
static uint32_t period_of(struct asim_fluid *fluid)
{
    uint32_t n = (uint32_t)fluid->members.n, k;

    for (uint32_t period = 1; period <= n / 2; period++) {
        if (n % period)
            continue;
        for (k = period; k < n; k++)
            if (!asim_fluid_are_alike(fluid, fluid->members.at[k], fluid->members.at[k - period]))
                break;
        if (k == n)
            return period;
    }
    return n;
}

/* Of the link, by ACKs of the member; relay NULL: by none. */
static int has_acks_of(const struct asim_fluid_link *link, const struct asim_fluid_relay *relay)
{
    double ack = 0;

    for (const struct asim_fluid_flow *flow = relay ? relay->flows : NULL; flow;
         flow = flow->beside)
        ack += flow->acks == ASIM_ACKS_LOAD ? link->ack_ns * flow->ack_rate : 0;
    return link->ack_flows.n == (relay && relay->conn->head) &&
           fabs(link->ack - ack) < ASIM_FLUID_NO_ACKS;
}

/* The ring has the link, for which another one is carried, which counts queues anew until then. */
static void take(struct asim_fluid *fluid, struct asim_fluid_link *link,
                 struct asim_fluid_ring *ring, uint32_t as)
{
    const struct asim_fluid_link *from = &fluid->link[as];

    if (link == from) {
        link->peak_before = link->peak_bytes;
        link->peak_bytes = 0;
    } else {
        link->marks -= from->marks;
    }
    link->ring = ring;
    link->as = as;
    link->has_data = link->has_acks = 0;
}

static int mark_data(struct asim_fluid *fluid, const struct asim_fluid_relay *relay)
{
    const struct asim_fluid_path *path = relay->conn->path, *leader = relay->leader->conn->path;

    for (uint32_t i = 0; i < path->n; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (!asim_fluid_is_like(fluid, link, &fluid->link[leader->link[i]]) ||
            link->flows.n != (relay->conn->head != NULL))
            return 0;
        take(fluid, link, relay->ring, leader->link[i]);
        link->has_data = 1;
    }
    return 1;
}

/* Behind mark_data of all. A link of ACKs stands for others with the same data, or without any.
 * Where data and ACKs meet between switches, members differ (tests/flow/rings), perhaps by the
 * order of the events of one ns. */
static int mark_acks(struct asim_fluid *fluid, const struct asim_fluid_relay *relay)
{
    const struct asim_fluid_path *path = relay->conn->path, *leader = relay->leader->conn->path;

    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        struct asim_fluid_link *link = &fluid->link[path->link[i]];
        const struct asim_fluid_link *other = &fluid->link[leader->link[i]];

        if (link->ring != relay->ring) {
            if (!asim_fluid_is_like(fluid, link, other) || link->flows.n)
                return 0;
            take(fluid, link, relay->ring, leader->link[i]);
        }
        if (link->has_acks || !has_acks_of(link, relay) || link->has_data != other->has_data ||
            link->as != other->as ||
            (link->has_data && i > path->n && i + 1 < (uint32_t)path->n + path->n_acks))
            return 0;
        link->has_acks = 1;
    }
    return 1;
}

static int has_no_acks(const struct asim_fluid *fluid, const struct asim_fluid_relay *relay)
{
    const struct asim_fluid_path *path = relay->conn->path;

    for (uint32_t i = 0; i < path->n; i++)
        if (!fluid->link[path->link[i]].has_acks && !has_acks_of(&fluid->link[path->link[i]], NULL))
            return 0;
    return 1;
}

static void set_state(struct asim_fluid *fluid, uint32_t l)
{
    struct asim_fluid_link *link = &fluid->link[l];
    const struct asim_fluid_link *from = &fluid->link[link->as];

    if (link == from)
        return;
    link->level = from->level;
    link->share = from->share;
    link->arrive = from->arrive;
    link->sum = from->sum;
    link->ack = from->ack;
    link->ack_used = from->ack_used;
    link->wait_ns = from->wait_ns;
    link->slope = from->slope;
    link->target_ns = from->target_ns;
    link->told_ns = from->told_ns;
    link->wait_at = from->wait_at;
    asim_fluid_mark_like(fluid, l, from);
    if (from->is_planned)
        asim_fluid_plan(fluid, link, from->refresh_ns - (double)fluid->queue.now_ns);
}

/* Takes the ring off a link, of leaders last. has_run: the link gets the state of the one that was
 * carried for it. */
static void free_link(struct asim_fluid *fluid, uint32_t l, int has_run)
{
    struct asim_fluid_link *link = &fluid->link[l];

    link->marks = asim_fluid_marks(fluid, link);
    if (has_run)
        set_state(fluid, l);
    link->peak_bytes = asim_fluid_peak(fluid, link);
    link->peak_before = 0;
    link->ring = NULL;
}

static void free_links_of(struct asim_fluid *fluid, struct asim_fluid_ring *ring, int has_run,
                          int of_leaders)
{
    for (const struct asim_fluid_relay *at = ring->first; at; at = at->beside) {
        const struct asim_fluid_path *path = at->conn->path;

        for (uint32_t i = 0; i < path->n + path->n_acks; i++) {
            uint32_t l = path->link[i];

            if (fluid->link[l].ring == ring && (fluid->link[l].as == l) == of_leaders)
                free_link(fluid, l, has_run);
        }
    }
}

static void free_links(struct asim_fluid *fluid, struct asim_fluid_ring *ring, int has_run)
{
    free_links_of(fluid, ring, has_run, 0);
    free_links_of(fluid, ring, has_run, 1);
}

static int mark_links(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    const struct asim_fluid_relay *at = ring->first;
    int is_free = 1;

    for (size_t k = 0; is_free && k < fluid->members.n; k++)
        is_free = mark_data(fluid, fluid->members.at[k]);
    for (size_t k = 0; is_free && k < fluid->members.n; k++)
        is_free = mark_acks(fluid, fluid->members.at[k]);
    for (size_t k = 0; is_free && k < fluid->members.n; k++)
        is_free = has_no_acks(fluid, fluid->members.at[k]);
    if (!is_free)
        free_links(fluid, at->ring, 0);
    return is_free;
}

/* 0, or ASIM_ENOMEM. */
static int lead(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    struct asim_fluid_path *path = relay->path = asim_pool_take(&fluid->path_pool);

    if (!path)
        return ASIM_ENOMEM;
    *path = *relay->conn->path;
    path->frames = path->bytes = 0;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        path->link[i] = fluid->link[path->link[i]].as;
    return 0;
}

/* Its messages take that path. */
static void change_path(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                        struct asim_fluid_path *path)
{
    int is_on_links = flow == flow->conn->head && !flow->is_joining;

    if (!is_on_links) {
        flow->path = path;
        return;
    }
    asim_fluid_quit(fluid, flow, path->n);
    asim_fluid_swap_path(fluid, flow, path);
    asim_fluid_enter(fluid, flow, path->n);
}

/* The leader is carried for it from now on. */
static void drop(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    for (struct asim_fluid_flow *flow = relay->flows, *beside; flow; flow = beside) {
        beside = flow->beside;
        if (flow == relay->conn->head)
            asim_fluid_quit(fluid, flow, 0);
        asim_fluid_drop_end(fluid, flow);
        flow->acks = ASIM_ACKS_OVER;
        flow->is_through = flow->is_gone = 1;
        asim_fluid_release(fluid, flow);
    }
    relay->flows = NULL;
    relay->under_way = relay->conn->under_way = 0;
    relay->conn->head = NULL;
    relay->is_stale = relay->at.is_queued;
    relay->at.is_queued = 0;
}

void asim_fluid_ring_fold(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    struct asim_fluid_relay **at;
    uint32_t n;

    ring->is_to_fold = 0;
    if (ring->gone == ring->opened) { /* it was over in this ns */
        asim_pool_put(&fluid->ring_pool, ring);
        return;
    }
    if (ring->gone || fluid->has_traffic || !find_members(fluid, ring))
        return;
    at = fluid->members.at;
    n = ring->opened;
    ring->leaders = period_of(fluid);
    /* Controllers other than by marks hear of the first queue, which some steps have at once. */
    if (ring->leaders == n || (ring->leaders > 1 && fluid->cc && !fluid->cc->by_marks))
        return;
    for (uint32_t k = 0; k < n; k++) {
        at[k]->leader = at[k % ring->leaders];
        at[k]->alike = k + ring->leaders < n ? at[k + ring->leaders] : NULL;
    }
    if (!mark_links(fluid, ring))
        return;
    for (uint32_t k = ring->leaders; k < n; k++)
        drop(fluid, at[k]);
    for (uint32_t k = 0; k < ring->leaders; k++) {
        if (lead(fluid, at[k])) {
            fluid->failed = ASIM_ENOMEM;
            return;
        }
        for (struct asim_fluid_flow *flow = at[k]->flows; flow; flow = flow->beside)
            change_path(fluid, flow, at[k]->path);
    }
    ring->is_folded = 1;
    ring->behind = fluid->folded;
    if (fluid->folded)
        fluid->folded->ahead = ring;
    fluid->folded = ring;
}

void asim_fluid_ring_count(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    uint64_t frames = (ring->first->spec.msg.bytes - 1) / fluid->payload + 1; /* of each message */

    for (struct asim_fluid_relay *at = ring->first; at; at = at->beside) {
        struct asim_fluid_path *path = at->conn->path;
        const struct asim_fluid_path *carried = at->leader->path;

        path->frames += carried->frames;
        path->bytes += carried->bytes;
        fluid->counts.messages += at == at->leader ? 0 : carried->frames / frames;
    }
    for (struct asim_fluid_relay *at = ring->first; at; at = at->beside)
        if (at == at->leader)
            at->path->frames = at->path->bytes = 0;
}

static void follow(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    const struct asim_fluid_relay *leader = relay->leader;

    if (relay->is_over || relay == leader)
        return;
    relay->at = leader->at;
    if (relay->at.is_queued && !relay->is_stale)
        asim_fluid_add(fluid, relay->at.due_ns, &relay->due);
}

void asim_fluid_relay_keep(struct asim_fluid_relay *relay, struct asim_fluid_flow *flow)
{
    flow->relay = relay;
    flow->beside = NULL;
    if (relay->flows)
        relay->newest->beside = flow;
    else
        relay->flows = flow;
    relay->newest = flow;
    relay->under_way++;
}

void asim_fluid_relay_forget(struct asim_fluid *fluid, struct asim_fluid_relay *relay)
{
    struct asim_fluid_ring *ring = relay->ring;
    uint32_t n;

    if (!relay->is_over || relay->is_stale || relay->under_way || ring->is_folded)
        return;
    if (relay->next)
        relay->next->before = NULL;
    n = relay->spec.n;
    asim_pool_put(&fluid->relay_pool, relay);
    if (++ring->gone == n && !ring->is_to_fold)
        asim_pool_put(&fluid->ring_pool, ring);
}

void asim_fluid_ring_end(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    asim_fluid_ring_count(fluid, ring);
    free_links(fluid, ring, 1);
    ring->is_folded = 0;
    if (ring->ahead)
        ring->ahead->behind = ring->behind;
    else
        fluid->folded = ring->behind;
    if (ring->behind)
        ring->behind->ahead = ring->ahead;
    for (struct asim_fluid_relay *at = ring->first, *beside; at; at = beside) {
        beside = at->beside;
        if (at == at->leader)
            asim_pool_give(&fluid->path_pool, at->path);
        asim_fluid_relay_forget(fluid, at);
    }
}

static void enter(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint64_t end_ns)
{
    if (flow->is_joining) {
        asim_fluid_come_to_join(fluid, flow);
        return;
    }
    asim_fluid_enter(fluid, flow, 0);
    flow->is_queued = 1;
    asim_fluid_add(fluid, end_ns, &flow->drain);
}

/* A message of a member, in the state of the leader's. */
static void copy(struct asim_fluid *fluid, const struct asim_fluid_flow *of,
                 struct asim_fluid_relay *relay)
{
    struct asim_fluid_flow *flow = asim_fluid_make(fluid, &of->msg);
    struct asim_fluid_conn *conn = relay->conn;
    uint32_t id;

    if (!flow) {
        fluid->failed = ASIM_ENOMEM;
        return;
    }
    id = flow->id;
    *flow = *of;
    flow->id = id;
    flow->heap_at = 0;
    flow->is_touched = flow->is_queued = flow->is_moved = flow->is_to_control = 0;
    flow->msg = relay->spec.msg;
    flow->msg.id += of->msg.id - of->relay->spec.msg.id;
    flow->conn = conn;
    flow->path = conn->path;
    flow->next = NULL;
    asim_fluid_relay_keep(relay, flow);
    if (of->is_touched)
        asim_fluid_touch(fluid, flow);
    if (of->is_drained) {
        if (!of->is_ending)
            asim_fluid_add(fluid, of->through_ns, &flow->through);
    } else if (of != of->conn->head) { /* its turn has not come */
        conn->tail = conn->tail->next = flow;
    } else {
        conn->head = conn->tail = flow;
        conn->under_way++;
        enter(fluid, flow, of->end_ns);
    }
    if (of->is_ack_due)
        asim_fluid_add(fluid, of->ack_ns, &flow->ack_due);
    if (of->is_to_control)
        asim_fluid_begin_control(fluid, flow);
}

static void unfold_flow(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    for (struct asim_fluid_relay *at = flow->relay->alike; at && !fluid->failed; at = at->alike)
        copy(fluid, flow, at);
    change_path(fluid, flow, flow->conn->path);
    if (flow->is_to_control)
        asim_fluid_begin_control(fluid, flow);
}

void asim_fluid_unfold(struct asim_fluid *fluid, struct asim_fluid_ring *ring)
{
    for (struct asim_fluid_relay *at = ring->first; at; at = at->beside)
        for (struct asim_fluid_flow *flow = at == at->leader ? at->flows : NULL; flow;
             flow = flow->beside)
            unfold_flow(fluid, flow);
    for (struct asim_fluid_relay *at = ring->first; at; at = at->beside)
        follow(fluid, at);
    asim_fluid_ring_end(fluid, ring);
}

void asim_fluid_unfold_steered(struct asim_fluid *fluid)
{
    for (struct asim_fluid_ring *ring = fluid->folded, *behind; ring; ring = behind) {
        behind = ring->behind;
        if (ring->is_steered)
            asim_fluid_unfold(fluid, ring);
    }
}
