/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The life of a message at the flow level: it waits for its turn in its queue pair, drains at the
 * rate of its path, and is through when its last ACK is back; its source is told first, then its
 * destination (rdma-network.md#completion).
 */
#include "net/flow/bursts.h"
#include "net/flow/repeats.h"

#include <stdlib.h>

enum { CROWD = 8, TRAFFIC_BESIDE = 2 }; /* beside traffic pieces are as of two at a NIC */

/* Rings in lock-step must have their links for themselves. */
static void unfold_others(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;

    for (int i = 0; fluid->folded && i < path->n + path->n_acks; i++) {
        struct asim_fluid_ring *ring = fluid->link[path->link[i]].ring;

        if (ring && !(flow->relay && flow->relay->ring == ring))
            asim_fluid_unfold(fluid, ring);
    }
}

/* The ACKs of a short message that is alone at both hosts, and in its queue pair, meet nothing. */
static int meets_acks(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                      int is_behind)
{
    const struct asim_fluid_path *path = flow->path;

    return flow->shape.needs_acks &&
           (!flow->shape.is_short || is_behind || flow->next ||
            fluid->link[path->link[0]].flows.n > 1 || fluid->link[path->link[path->n]].flows.n > 1);
}

static void plan_acks(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double ns)
{
    flow->ack_ns = asim_fluid_after(fluid, ns, &flow->ack_due);
    flow->is_ack_due = 1;
}

/* Its queue pair's turn has come. */
static void begin(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_shape *shape = &flow->shape;

    flow->left = shape->packets;
    flow->most = shape->most;
    flow->is_beside = flow->conn->under_way++ > 0;
    flow->began_ns = fluid->queue.now_ns;
    flow->is_joining = 1;
    asim_fluid_judge_first(fluid, flow);
    asim_fluid_come_to_join(fluid, flow);
}

/* As the packet network counts them, asim_connection_is_crowded: only without queue pairs. */
static void count_crowd(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_places *nic = &fluid->link[flow->path->link[0]].flows;

    fluid->counts.crowded += !fluid->qps && !asim_msg_is_traffic(&flow->msg) && nic->n >= CROWD &&
                             nic->at[nic->n - 1].flow->msg.dst == flow->msg.dst;
}

static void join(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_path *path = flow->path;

    flow->is_joining = 0;
    if (path->has_choice && !(fluid->parts & ASIM_FLUID_COLLISIONS)) /* the emptiest way now */
        asim_fluid_spread(fluid, flow->msg.src, flow->msg.dst, path->link);
    count_crowd(fluid, flow);
    if (flow->is_burst)
        asim_fluid_take_round(fluid, flow);
    asim_fluid_join(fluid, flow);
    asim_fluid_judge_start(fluid, flow);
    if (!flow->is_burst && meets_acks(fluid, flow, asim_fluid_is_behind(fluid, flow))) {
        flow->acks = ASIM_ACKS_WAIT;
        plan_acks(fluid, flow, flow->shape.forward_ns);
    }
}

/* Messages that fit into their windows, and those that are not much longer where their NIC sends
 * many at once, go from queue to queue; but those of rings, which may be in lock-step. */
static int is_burst(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                    uint32_t beside)
{
    const uint32_t many = 4;
    const double windows = 3;

    return fluid->has_traffic ||
           (!flow->msg.is_uniform &&
            (!flow->shape.is_windowed ||
             (beside >= many && flow->shape.packets < windows * flow->shape.window)));
}

static void choose_bursts(struct asim_fluid *fluid)
{
    size_t n = fluid->joining.n;

    for (size_t i = 0; i < n; i++)
        asim_fluid_round_of(fluid, i)->all++;
    for (size_t i = 0; i < n; i++) {
        struct asim_fluid_joining *joining = &fluid->joining.at[i];
        struct asim_fluid_flow *flow = joining->flow;
        struct asim_fluid_round *round = asim_fluid_round_of(fluid, i);
        uint32_t beside = round->all + (uint32_t)fluid->link[flow->path->link[0]].flows.n;

        flow->is_burst = is_burst(fluid, flow, beside);
        if (!flow->is_burst)
            continue;
        round->joining++;
        joining->ends &= ~(uint64_t)UINT32_MAX; /* NICs send bursts as they were sent */
        if (flow->shape.is_windowed)
            asim_fluid_begin_train(fluid, flow, fluid->has_traffic ? TRAFFIC_BESIDE : beside);
        asim_fluid_unbind(flow);
        flow->most = ASIM_FLUID_NONE;
        asim_fluid_expect(fluid, flow, 1);
    }
}

int asim_fluid_join_all(struct asim_fluid *fluid)
{
    size_t n = fluid->joining.n;

    if (fluid->has_bursts && !fluid->has_traffic)
        asim_fluid_take_turns(fluid);
    if (fluid->has_bursts)
        choose_bursts(fluid);
    asim_fluid_sort_joining(fluid);
    for (size_t i = 0; i < n; i++)
        join(fluid, fluid->joining.at[i].flow);
    for (size_t i = 0; i < n && fluid->has_bursts; i++)
        asim_fluid_round_of(fluid, i)->all = asim_fluid_round_of(fluid, i)->joining = 0;
    fluid->joining.n = 0;
    return n > 0;
}

/* Appends to the queue pair; with one for each message it begins at once. */
static void take_turn(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_conn *conn = flow->conn;
    int is_first = !conn->head;

    if (!conn->is_single) {
        if (is_first)
            conn->head = flow;
        else
            conn->tail->next = flow;
        conn->tail = flow;
    }
    if (conn->is_single || is_first)
        begin(fluid, flow);
}

void asim_fluid_set_out(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    unfold_others(fluid, flow);
    take_turn(fluid, flow);
}

/* By its connection and source port. */
static int carry(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_conn *conn = flow->conn;
    const struct asim_fluid_relay *relay = flow->relay;
    uint64_t bytes = flow->msg.bytes ? flow->msg.bytes : 1;

    flow->path = conn ? asim_fluid_path(fluid, conn, &flow->msg, flow->sport) : NULL;
    if (!flow->path)
        return fluid->err.code == ASIM_EINVAL ? 0 : ASIM_ENOMEM; /* run() tells the rest */
    if (!flow->path->is_shared)
        conn->shape.bytes = 0;
    asim_fluid_shape(fluid, conn, flow->path, bytes, &conn->shape);
    flow->shape = conn->shape;
    if (relay && relay->ring->is_folded)
        flow->path = relay->path;
    if (asim_fluid_repeat_of_others(fluid, flow))
        return ASIM_VEC_PUSH(fluid->held, flow) ? ASIM_ENOMEM : 0;
    asim_fluid_set_out(fluid, flow);
    return 0;
}

int asim_fluid_send_of(struct asim_fluid *fluid, const struct asim_msg *msg,
                       struct asim_fluid_relay *relay)
{
    struct asim_fluid_flow *flow = asim_fluid_make(fluid, msg);
    struct asim_fluid_conn *conn;
    uint32_t number;

    if (!flow)
        return ASIM_ENOMEM;
    if (relay)
        asim_fluid_relay_keep(relay, flow);
    if (msg->src == msg->dst) {
        flow->through_ns = asim_fluid_after(fluid, 0, &flow->through);
        return 0;
    }
    conn = asim_fluid_conn(fluid, msg->src, msg->dst, 0);
    if (!conn)
        return ASIM_ENOMEM;
    number = (uint32_t)(fluid->qps ? conn->sent % fluid->qps : conn->sent);
    conn->sent++;
    flow->sport = (uint16_t)(ASIM_FLUID_FIRST_SPORT + number);
    if (fluid->qps > 1 && number)
        conn = asim_fluid_conn(fluid, msg->src, msg->dst, number);
    flow->conn = conn;
    return carry(fluid, flow);
}

int asim_fluid_send_traffic(struct asim_fluid *fluid, const struct asim_msg *msg, uint16_t sport)
{
    struct asim_fluid_flow *flow = asim_fluid_make(fluid, msg);

    if (!flow)
        return ASIM_ENOMEM;
    flow->sport = sport;
    flow->conn = asim_fluid_conn(fluid, msg->src, msg->dst, ASIM_FLUID_TRAFFIC_QP);
    return carry(fluid, flow);
}

int asim_fluid_send(struct asim_net *net, const struct asim_msg *msg)
{
    return asim_fluid_send_of(asim_fluid_of(net), msg, NULL);
}

/* The next message of its queue pair begins. */
static void pass_turn(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_conn *conn = flow->conn;

    if (conn->is_single)
        return;
    conn->under_way--;
    conn->passed_ns = fluid->queue.now_ns;
    conn->head = flow->next;
    if (conn->head) {
        conn->head->chain_ns = flow->chain_ns;
        begin(fluid, conn->head);
    }
}

/* Its NIC has sent it, or a piece of it. */
static void send_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    asim_fluid_leave(fluid, flow);
    asim_fluid_touch(fluid, flow);
    asim_fluid_end_burst(fluid, flow->burst);
    if (asim_fluid_next_piece(fluid, flow))
        return;
    flow->is_sent = 1;
    pass_turn(fluid, flow);
}

static void end_acks(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->acks == ASIM_ACKS_LOAD)
        asim_fluid_load_acks(fluid, flow, -flow->ack_rate);
    flow->acks = ASIM_ACKS_OVER;
}

void asim_fluid_arrived_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow,
                              double passed_ns)
{
    double waited_ns = (double)(fluid->queue.now_ns - flow->end_ns) - passed_ns;

    flow->is_drained = flow->is_coming = 1;
    end_acks(fluid, flow);
    asim_fluid_judge_queues(fluid, flow);
    passed_ns -= asim_fluid_max(0, flow->turn_ns - waited_ns);
    /* Where a link behind the NIC is the slowest, its frame may have counted there and at the NIC.
     */
    flow->through_ns = asim_fluid_after(
        fluid, asim_fluid_max(0, flow->shape.forward_ns - passed_ns), &flow->through);
    if (flow->again_ns > flow->through_ns)
        flow->through_ns = flow->again_ns;
}

void asim_fluid_drained(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->is_parked) { /* its timeout */
        asim_fluid_join(fluid, flow);
        return;
    }
    if (flow->is_burst) {
        send_burst(fluid, flow);
        return;
    }
    flow->is_drained = flow->is_ending = 1;
    asim_fluid_judge_queues(fluid, flow);
    asim_fluid_leave(fluid, flow);
    asim_fluid_touch(fluid, flow);
    if (flow->acks == ASIM_ACKS_LOAD)
        plan_acks(fluid, flow, flow->shape.forward_ns);
    pass_turn(fluid, flow);
}

static void plan_through(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    double late = asim_fluid_late(fluid, flow);

    asim_fluid_judge(fluid, flow, late);
    flow->through_ns = asim_fluid_after(fluid, flow->shape.forward_ns + flow->shape.back_ns + late,
                                        &flow->through);
}

int asim_fluid_come(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    uint32_t hop = flow->is_coming++ - 1U;

    if (!hop)
        asim_fluid_judge(fluid, flow, 0);
    if (hop >= flow->path->n_acks)
        return 1;
    flow->through_ns = asim_fluid_after(
        fluid,
        asim_fluid_pass_ack(fluid, flow->path, hop, flow->train ? 0 : (double)flow->shape.frames),
        &flow->through);
    return 0;
}

void asim_fluid_end_of_ns(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->touched.n; i++) {
        struct asim_fluid_flow *flow = fluid->flow.at[fluid->touched.at[i]];

        if (flow && flow->is_ending) {
            flow->is_ending = 0;
            plan_through(fluid, flow);
        } else if (flow && flow->has_first_ack && !flow->is_drained)
            flow->left += asim_fluid_first_window(fluid, flow);
        if (flow)
            flow->has_first_ack = 0;
    }
}

void asim_fluid_acks(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    flow->is_ack_due = 0;
    if (flow->acks == ASIM_ACKS_WAIT) {
        double began = (double)fluid->queue.now_ns - flow->shape.forward_ns;

        unfold_others(fluid, flow);
        flow->acks = ASIM_ACKS_LOAD;
        flow->back_until = 0;
        flow->ack_rate = flow->rate;
        if (flow->is_drained) {
            double took = asim_fluid_max(1, (double)flow->end_ns - began);

            flow->ack_rate = flow->shape.packets / took;
            plan_acks(fluid, flow, took);
        } else if (flow->shape.is_windowed) {
            if (fluid->parts & ASIM_FLUID_ACK_WAIT && flow->began_ns == flow->start_ns) {
                flow->has_first_ack = 1;
                asim_fluid_touch(fluid, flow);
            }
            asim_fluid_mark(fluid, flow->path->link[0]); /* its ACKs wait from now on */
        }
        asim_fluid_load_acks(fluid, flow, flow->ack_rate);
    } else {
        end_acks(fluid, flow);
    }
}

uint64_t asim_fluid_ideal_ns(const struct asim_fluid_flow *flow)
{
    enum { LOG_OVERHEAD = 48 }; /* parity: rdma-network.md#output-files */
    const struct asim_fluid_conn *conn = flow->conn;
    uint64_t bytes = flow->shape.bytes + flow->shape.frames * LOG_OVERHEAD;

    return conn->rtt_ns + (uint64_t)((long double)bytes * 8e9L / (long double)conn->rate_bps);
}

static void tell_fct(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                     const struct asim_msg *msg)
{
    int is_traffic = asim_msg_is_traffic(msg);
    struct asim_fct row = {
        .start = flow->start_ns,
        .end = fluid->queue.now_ns,
        .bytes = flow->shape.bytes,
        .ideal = asim_fluid_ideal_ns(flow),
        .id = is_traffic ? 0 : msg->id,
        .src = msg->src,
        .dst = msg->dst,
        .sport = flow->sport,
        .generator = (uint16_t)(is_traffic ? asim_msg_generator(msg) + 1 : 0),
    };

    fluid->watch.fct(fluid->watch.self, &row);
}

/* Of a ring in lock-step, of each member that it is carried for. */
static void tell_fcts(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_relay *at = flow->relay;

    tell_fct(fluid, flow, &flow->msg);
    while (at && at->ring->is_folded && (at = at->alike)) {
        struct asim_msg msg = at->spec.msg;

        msg.id += flow->msg.id - flow->relay->spec.msg.id;
        tell_fct(fluid, flow, &msg);
    }
}

static void count(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_path *path = flow->path;

    path->frames += flow->shape.frames;
    path->bytes += flow->shape.bytes + flow->shape.frames * fluid->overhead;
    fluid->counts.messages++;
    fluid->counts.traffic += asim_msg_is_traffic(&flow->msg);
    fluid->counts.last_ns = fluid->queue.now_ns;
    if (fluid->watch.fct && (!fluid->watch.only_choices || path->has_choice))
        tell_fcts(fluid, flow);
    if (path->is_shared == ASIM_FLUID_SHARED)
        return;
    asim_fluid_fold(fluid, path);
    if (!path->is_shared)
        asim_pool_give(&fluid->path_pool, path);
}

void asim_fluid_through(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    end_acks(fluid, flow); /* the last one is back */
    if (flow->is_burst)
        asim_fluid_expect(fluid, flow, -1);
    asim_fluid_judge_end(fluid, flow);
    if (flow->path) {
        flow->conn->under_way -= flow->conn->is_single;
        count(fluid, flow);
    }
    flow->is_through = 1;
}
