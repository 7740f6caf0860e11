/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The life of a message at the flow level: it waits for its turn in its queue pair, drains at the
 * rate of its path, and is through when its last ACK is back; its source is told first, then its
 * destination (rdma-network.md#completion).
 */
#include "net/flow/flow.h"

enum { FIRST_SPORT = 10000, CROWD = 8 };

static struct asim_fluid_flow *make_flow(struct asim_fluid *fluid, const struct asim_msg *msg)
{
    struct asim_fluid_flow *flow = asim_pool_take(&fluid->flow_pool);

    if (!flow)
        return NULL;
    if (fluid->free_ids.n)
        flow->id = ASIM_VEC_POP(fluid->free_ids);
    else if (ASIM_VEC_PUSH(fluid->flow, flow) ||
             ASIM_VEC_RESERVE(fluid->free_ids, fluid->flow.n)) /* release() never fails */
        return NULL;
    else
        flow->id = (uint32_t)fluid->flow.n - 1;
    fluid->flow.at[flow->id] = flow;
    flow->heap_at = 0;
    flow->is_touched = flow->is_queued = flow->is_moved = 0;
    flow->is_drained = flow->is_through = flow->is_control_due = 0;
    flow->control = NULL;
    flow->acks = ASIM_ACKS_NONE;
    flow->through.kind = ASIM_FLUID_THROUGH;
    flow->drain.kind = ASIM_FLUID_DRAIN;
    flow->ack_due.kind = ASIM_FLUID_ACKS;
    flow->next = NULL;
    flow->start_ns = fluid->queue.now_ns;
    flow->path = NULL;
    flow->msg = *msg;
    return flow;
}

void asim_fluid_release(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (!flow->is_through || flow->is_queued || flow->is_control_due)
        return;
    if (flow->control)
        asim_pool_give(&fluid->control_pool, flow->control);
    fluid->free_ids.at[fluid->free_ids.n++] = flow->id;
    asim_pool_give(&fluid->flow_pool, flow);
}

/* The ACKs of a short message that is alone at both hosts meet nothing. */
static int meets_acks(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;

    return flow->shape.has_ack_load &&
           (!flow->shape.is_short || fluid->link[path->link[0]].flows.n > 1 ||
            fluid->link[path->link[path->n]].flows.n > 1);
}

/* Its queue pair's turn has come. */
static void begin(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_shape *shape = &flow->shape;

    flow->left = shape->packets;
    flow->most = shape->most;
    flow->is_beside = flow->conn->under_way++ > 0;
    asim_fluid_join(fluid, flow);
    if (meets_acks(fluid, flow)) {
        flow->acks = ASIM_ACKS_WAIT;
        asim_fluid_after(fluid, shape->forward_ns, &flow->ack_due);
    }
}

/* Appends to the queue pair; with one for each message it begins at once. */
static void take_turn(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_conn *conn = flow->conn;
    int is_first = !conn->head;

    if (fluid->qps) {
        if (is_first)
            conn->head = flow;
        else
            conn->tail->next = flow;
        conn->tail = flow;
    }
    if (!fluid->qps || is_first)
        begin(fluid, flow);
}

/* As the packet network counts them, asim_connection_is_crowded: only without queue pairs. */
static void count_crowd(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_places *nic = &fluid->link[flow->path->link[0]].flows;

    fluid->counts.crowded +=
        !fluid->qps && nic->n >= CROWD &&
        asim_fluid_flow_at(fluid, nic->at[nic->n - 1])->msg.dst == flow->msg.dst;
}

int asim_fluid_send(struct asim_net *net, const struct asim_msg *msg)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    struct asim_fluid_flow *flow = make_flow(fluid, msg);
    struct asim_fluid_conn *conn;
    uint32_t number;

    if (!flow)
        return ASIM_ENOMEM;
    if (msg->src == msg->dst) {
        asim_fluid_after(fluid, 0, &flow->through);
        return 0;
    }
    conn = asim_fluid_conn(fluid, msg->src, msg->dst, 0);
    if (!conn)
        return ASIM_ENOMEM;
    number = (uint32_t)(fluid->qps ? conn->sent % fluid->qps : conn->sent);
    conn->sent++;
    flow->sport = (uint16_t)(FIRST_SPORT + number);
    if (fluid->qps > 1 && number)
        conn = asim_fluid_conn(fluid, msg->src, msg->dst, number);
    flow->conn = conn;
    flow->path = conn ? asim_fluid_path(fluid, conn, msg, flow->sport) : NULL;
    if (!flow->path)
        return fluid->err.code == ASIM_EINVAL ? 0 : ASIM_ENOMEM; /* run() tells the rest */
    if (!flow->path->is_shared)
        conn->shape.bytes = 0;
    asim_fluid_shape(fluid, conn, flow->path, msg->bytes ? msg->bytes : 1, &conn->shape);
    flow->shape = conn->shape;
    count_crowd(fluid, flow);
    take_turn(fluid, flow);
    return 0;
}

void asim_fluid_drained(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_conn *conn = flow->conn;
    const struct asim_fluid_shape *shape = &flow->shape;
    double late = asim_fluid_late(fluid, flow);

    flow->is_drained = 1;
    conn->under_way--;
    asim_fluid_judge(fluid, flow);
    asim_fluid_leave(fluid, flow);
    if (flow->acks == ASIM_ACKS_LOAD)
        asim_fluid_after(fluid, shape->forward_ns, &flow->ack_due);
    asim_fluid_after(fluid, shape->forward_ns + shape->back_ns + late, &flow->through);
    if (!fluid->qps)
        return;
    conn->head = flow->next;
    if (conn->head) {
        begin(fluid, conn->head);
        conn->head->behind_ns = 0; /* its packets have been in the queue with those before */
    }
}

void asim_fluid_acks(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->acks == ASIM_ACKS_WAIT && flow->is_drained) {
        flow->acks = ASIM_ACKS_OVER;
    } else if (flow->acks == ASIM_ACKS_WAIT) {
        flow->acks = ASIM_ACKS_LOAD;
        flow->ack_rate = flow->rate;
        asim_fluid_load_acks(fluid, flow, flow->ack_rate);
    } else {
        flow->acks = ASIM_ACKS_OVER;
        asim_fluid_load_acks(fluid, flow, -flow->ack_rate);
    }
}

static void tell_fct(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    enum { LOG_OVERHEAD = 48 }; /* parity: rdma-network.md#output-files */
    const struct asim_fluid_conn *conn = flow->conn;
    uint64_t bytes = flow->shape.bytes + flow->shape.frames * LOG_OVERHEAD;
    struct asim_fct row = {
        .start = flow->start_ns,
        .end = fluid->queue.now_ns,
        .bytes = flow->shape.bytes,
        .ideal = conn->rtt_ns + (uint64_t)((long double)bytes * 8e9L / (long double)conn->rate_bps),
        .id = flow->msg.id,
        .src = flow->msg.src,
        .dst = flow->msg.dst,
        .sport = flow->sport,
    };

    fluid->watch.fct(fluid->watch.self, &row);
}

static void count(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_path *path = flow->path;

    path->frames += flow->shape.frames;
    path->bytes += flow->shape.bytes + flow->shape.frames * fluid->overhead;
    fluid->counts.messages++;
    fluid->counts.last_ns = fluid->queue.now_ns;
    if (fluid->watch.fct)
        tell_fct(fluid, flow);
    if (path->is_shared)
        return;
    asim_fluid_fold(fluid, path);
    asim_pool_give(&fluid->path_pool, path);
}

void asim_fluid_through(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->path)
        count(fluid, flow);
    if (flow->msg.cookie != ASIM_NEVER)
        fluid->user.sent(fluid->user.self, &flow->msg);
    fluid->user.arrived(fluid->user.self, &flow->msg);
    flow->is_through = 1;
    asim_fluid_release(fluid, flow);
}
