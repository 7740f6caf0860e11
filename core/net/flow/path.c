/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Connections, their paths and the closed forms of a message that nothing disturbs
 * (flow.md#latency): tandem queues with constant service times, the last packet shorter, on the
 * path that routes and hashes give to packets.
 */
#include "net/flow/path.h"
#include "topo/pair.h"
#include "topo/topo.h"

#include <math.h>
#include <string.h>

static int fill_conn(struct asim_fluid *fluid, struct asim_fluid_conn *conn, uint32_t src,
                     uint32_t dst)
{
    struct asim_pair pair;

    if (asim_pair_get(&pair, fluid->all_routes, (struct asim_host_pair){src, dst}, fluid->payload,
                      &fluid->err))
        return fluid->failed = ASIM_ENOMEM;
    conn->rtt_ns = pair.rtt_ns;
    conn->rate_bps = pair.rate_bps;
    if (fluid->has_window)
        conn->window = fluid->worst_window > 0 ? fluid->worst_window
                                               : ceil((double)pair.bdp_bytes / fluid->payload);
    return 0;
}

struct asim_fluid_conn *asim_fluid_conn(struct asim_fluid *fluid, uint32_t src, uint32_t dst,
                                        uint32_t number)
{
    uint64_t *slot = asim_map_put(&fluid->conns, number, (uint64_t)src << 32 | dst);
    struct asim_fluid_conn *conn;

    if (!slot)
        return NULL;
    if (*slot)
        return (struct asim_fluid_conn *)(uintptr_t)*slot;
    conn = asim_pool_get(&fluid->conn_pool);
    if (!conn || fill_conn(fluid, conn, src, dst))
        return NULL;
    conn->is_single = !fluid->qps || number == ASIM_FLUID_TRAFFIC_QP;
    *slot = (uint64_t)(uintptr_t)conn;
    return conn;
}

/* Of a frame, in the time base of the packet network (rdma-network.md#rounding). */
static double time_of(const struct asim_fluid *fluid, uint64_t bytes, uint64_t rate_bps)
{
    double ns = (double)bytes * 8e9 / (double)rate_bps;

    return fluid->is_whole_ns ? ceil(ns - 0.5) : ns;
}

void asim_fluid_set_rate(const struct asim_fluid *fluid, uint32_t l, uint64_t rate_bps)
{
    const double least_ns = 1e-3; /* a frame of a fast link may round to 0 ns */
    struct asim_fluid_link *link = &fluid->link[l];

    link->rate_bps = rate_bps;
    link->packet_ns = fmax(time_of(fluid, fluid->payload + fluid->overhead, rate_bps), least_ns);
    link->step_ns = link->packet_ns;
    link->ack_ns = link->ack_step_ns = time_of(fluid, fluid->ack_wire, rate_bps);
}

int asim_fluid_is_cut(const struct asim_fluid *fluid, const struct asim_fluid_path *path)
{
    for (uint32_t i = 0; fluid->down && i < path->n + path->n_acks; i++)
        if (fluid->down[path->link[i] / 2])
            return 1;
    return 0;
}

/* Returns the number of links; sets *has_choice where a hash chooses. */
static uint32_t walk(struct asim_fluid *fluid, const struct asim_ecmp_tuple *tuple,
                     uint32_t link[ASIM_FLUID_HOPS], int *has_choice)
{
    const struct asim_topo *topo = fluid->topo;
    struct asim_hop hops[ASIM_FLUID_HOPS];
    uint32_t n = asim_ecmp_path(fluid->routes, tuple, hops, ASIM_FLUID_HOPS);

    if (!n) /* cut off: the path that it waits for */
        n = asim_ecmp_path(fluid->all_routes, tuple, hops, ASIM_FLUID_HOPS);
    if (!n || n > ASIM_FLUID_HOPS) {
        asim_fluid_fail(fluid, ASIM_EINVAL,
                        "the path from host %u to host %u of %s has %u links; the flow level "
                        "takes 1 to %d (--model=packet takes any)",
                        asim_topo_external_id(topo, tuple->src),
                        asim_topo_external_id(topo, tuple->dst), topo->source, n, ASIM_FLUID_HOPS);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t l = topo->ports[topo->first_port[hops[i].node] + hops[i].port - 1].link;

        link[i] = l * 2 + (topo->links[l].a != hops[i].node);
        *has_choice |= hops[i].n > 1 && !(fluid->is_sprayed && i);
    }
    if (fluid->is_sprayed && !(n = asim_fluid_spray(fluid, tuple->dst, link)))
        asim_fluid_fail(
            fluid, ASIM_EINVAL,
            "LOAD_BALANCE spray: packets from host %u to host %u of %s share some of "
            "their ways with packets that do not take all of them, which the flow level "
            "does not know; take --model=packet, or LOAD_BALANCE flow.",
            asim_topo_external_id(topo, tuple->src), asim_topo_external_id(topo, tuple->dst),
            topo->source);
    return n;
}

/* The round trip of a full packet: store and forward on each link, and the ACK's way. */
static void fill_path(const struct asim_fluid *fluid, struct asim_fluid_path *path)
{
    double most = 0;

    for (uint32_t i = 0; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        path->rtt_ns += asim_fluid_pass_ns(link);
        if (link->step_ns > most)
            path->slowest = i, most = link->step_ns;
    }
    path->line = 1 / most;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        path->rtt_ns += fluid->link[path->link[i]].ack_ns + fluid->link[path->link[i]].delay_ns;
}

struct asim_fluid_path *asim_fluid_path(struct asim_fluid *fluid, struct asim_fluid_conn *conn,
                                        const struct asim_msg *msg, uint16_t sport)
{
    struct asim_ecmp_tuple there = {msg->src, msg->dst, sport, ASIM_DPORT};
    struct asim_ecmp_tuple back = {msg->dst, msg->src, ASIM_DPORT, sport};
    struct asim_fluid_path *path;
    int has_choice = 0;

    if (conn->path)
        return conn->path;
    path = asim_pool_take(&fluid->path_pool);
    if (!path) {
        fluid->failed = ASIM_ENOMEM;
        return NULL;
    }
    memset(path, 0, sizeof *path);
    path->n = walk(fluid, &there, path->link, &has_choice);
    if (has_choice && !(fluid->parts & ASIM_FLUID_COLLISIONS))
        asim_fluid_spread(fluid, msg->src, msg->dst, path->link);
    path->n_acks = walk(fluid, &back, path->link + path->n, &has_choice);
    if (fluid->failed) {
        asim_pool_give(&fluid->path_pool, path);
        return NULL;
    }
    fill_path(fluid, path);
    path->has_choice = has_choice != 0;
    path->is_shared = !has_choice || (!conn->is_single && fluid->parts & ASIM_FLUID_COLLISIONS);
    if (path->is_shared)
        conn->path = path;
    return path;
}

/* When the last packet, of `tail` bytes on the wire, and the full one before it have passed the
 * path of the data; the latter is only meant where there are two. */
struct passage {
    double full_ns, last_ns;
};

static struct passage pass_data(const struct asim_fluid *fluid, const struct asim_fluid_path *path,
                                uint64_t frames, uint64_t tail)
{
    struct passage at = {0};
    double first = 0, most = 0; /* of the first packet; the slowest link so far */

    for (uint32_t i = 0; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        first += link->packet_ns;
        most = fmax(most, link->step_ns);
        at.full_ns = first + (double)(frames - 2) * most;
        if (frames > 1)
            at.last_ns = fmax(at.last_ns, at.full_ns);
        at.last_ns += time_of(fluid, tail, link->rate_bps) + link->delay_ns;
        at.full_ns += link->delay_ns;
        first += link->delay_ns;
    }
    return at;
}

static double pass_acks(const struct asim_fluid *fluid, const struct asim_fluid_path *path,
                        uint64_t frames, struct passage at)
{
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        at.full_ns += link->ack_ns;
        if (frames > 1)
            at.last_ns = fmax(at.last_ns, at.full_ns);
        at.last_ns += link->ack_ns + link->delay_ns;
        at.full_ns += link->delay_ns;
    }
    return at.last_ns;
}

static int has_ack_load(const struct asim_fluid *fluid, const struct asim_fluid_path *path)
{
    if (!(fluid->parts & ASIM_FLUID_ACK_LOAD))
        return 0;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        if (fluid->link[path->link[i]].ack_ns > 0)
            return 1;
    return 0;
}

void asim_fluid_shape(const struct asim_fluid *fluid, const struct asim_fluid_conn *conn,
                      const struct asim_fluid_path *path, uint64_t bytes,
                      struct asim_fluid_shape *shape)
{
    const struct asim_fluid_link *slow = &fluid->link[path->link[path->slowest]];
    uint64_t frames = (bytes - 1) / fluid->payload + 1;
    uint64_t tail = bytes - (frames - 1) * fluid->payload + fluid->overhead;
    struct passage at;

    if (shape->bytes == bytes)
        return;
    at = pass_data(fluid, path, frames, tail);
    shape->bytes = bytes;
    shape->frames = frames;
    shape->packets = (double)(frames - 1) + time_of(fluid, tail, slow->rate_bps) / slow->packet_ns;
    shape->forward_ns = at.last_ns - shape->packets * slow->step_ns;
    shape->back_ns = pass_acks(fluid, path, frames, at) - at.last_ns;
    /* A message that fits into its window never waits for an ACK. */
    shape->most = conn->window > 0 && (double)frames > conn->window ? conn->window / path->rtt_ns
                                                                    : ASIM_FLUID_NONE;
    shape->is_windowed = shape->most < ASIM_FLUID_NONE;
    shape->window = shape->is_windowed ? conn->window : ASIM_FLUID_NONE;
    shape->needs_acks = shape->is_windowed || has_ack_load(fluid, path);
    shape->is_short = shape->packets * slow->step_ns <= shape->forward_ns;
}

void asim_fluid_expect(struct asim_fluid *fluid, const struct asim_fluid_flow *flow, int by)
{
    const struct asim_fluid_path *path = flow->path;

    for (uint32_t i = 0; i < (uint32_t)path->n + path->n_acks; i++)
        fluid->link[path->link[i]].expected += by;
}

void asim_fluid_take_path(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                          struct asim_fluid_path *path)
{
    struct asim_fluid_conn *conn = flow->conn;

    if (flow->is_burst)
        asim_fluid_expect(fluid, flow, -1);
    flow->path = path;
    conn->shape.bytes = path->is_shared ? conn->shape.bytes : 0;
    asim_fluid_shape(fluid, conn, path, flow->shape.bytes, &conn->shape);
    flow->shape = conn->shape;
    if (!flow->is_burst)
        return;
    asim_fluid_unbind(flow);
    asim_fluid_expect(fluid, flow, 1);
}
