/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The run of the flow level: all that falls on one ns happens before the rates are found anew.
 */
#include "net/flow/events.h"

#include <stddef.h>

/* MOST_SETTLEMENTS: of one ns, should rates not come to rest. */
enum { LOOK_EVERY = 1024, SETTLE_EVERY = 65536, MOST_SETTLEMENTS = 64 };

static void drain(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    flow->is_queued = 0;
    if (flow->is_through)
        asim_fluid_release(fluid, flow);
    else if (!flow->is_moved)
        asim_fluid_drained(fluid, flow);
}

#define FLOW_OF(due, member)                                                                       \
    ((struct asim_fluid_flow *)(void *)((char *)(due)-offsetof(struct asim_fluid_flow, member)))

static void through(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->is_gone) {
        flow->is_drained = 0;
        asim_fluid_release(fluid, flow);
        return;
    }
    if (flow->through_ns > fluid->queue.now_ns) { /* its end was lost, and is sent again */
        asim_fluid_add(fluid, flow->through_ns, &flow->through);
        return;
    }
    asim_fluid_through(fluid, flow);
    if (asim_msg_is_traffic(&flow->msg)) {
        asim_fluid_traffic_through(fluid, flow);
        return;
    }
    if (flow->msg.cookie != ASIM_NEVER)
        fluid->user.sent(fluid->user.self, &flow->msg);
    if (!flow->relay || !asim_fluid_relay_arrived(fluid, flow))
        fluid->user.arrived(fluid->user.self, &flow->msg);
    asim_fluid_release(fluid, flow);
}

#define FLOW_OF_RELAY(of)                                                                          \
    ((struct asim_fluid_relay *)(void *)((char *)(of)-offsetof(struct asim_fluid_relay, due)))

static void run_one(struct asim_fluid *fluid, struct asim_due *due)
{
    uint32_t rank = due->rank;

    switch (due->kind) {
    case ASIM_FLUID_THROUGH:
        through(fluid, FLOW_OF(due, through));
        break;
    case ASIM_FLUID_DRAIN:
        drain(fluid, FLOW_OF(due, drain));
        break;
    case ASIM_FLUID_ACKS:
        asim_fluid_acks(fluid, FLOW_OF(due, ack_due));
        asim_fluid_release(fluid, FLOW_OF(due, ack_due));
        break;
    case ASIM_FLUID_CONTROL:
        asim_fluid_control(fluid, FLOW_OF(due, control_due));
        asim_fluid_release(fluid, FLOW_OF(due, control_due));
        break;
    case ASIM_FLUID_REFRESH:
        fluid->link[rank].is_planned = 0;
        if (fluid->link[rank].flows.n)
            asim_fluid_mark(fluid, rank);
        break;
    case ASIM_FLUID_STIR:
        fluid->link[rank].is_stirred = 0;
        if (fluid->link[rank].flows.n)
            asim_fluid_mark(fluid, rank);
        break;
    case ASIM_FLUID_TRAFFIC:
        asim_fluid_traffic_due(fluid, rank);
        break;
    case ASIM_FLUID_EVENT:
        asim_fluid_event(fluid, rank);
        break;
    case ASIM_FLUID_ROUTES:
        asim_fluid_reroute(fluid);
        break;
    case ASIM_FLUID_RELAY:
        asim_fluid_relay_due(fluid, FLOW_OF_RELAY(due));
        break;
    case ASIM_FLUID_WAKE:
        asim_pool_give(&fluid->call_pool, due);
        fluid->user.wake(fluid->user.self, rank);
        break;
    default:
        fluid->user.wake(fluid->user.self, rank);
    }
}

/* All events and ends of this ns, also those that they cause. Returns how many. */
static uint64_t run_now(struct asim_fluid *fluid)
{
    struct asim_due_queue *queue = &fluid->queue;
    struct asim_due *due;
    uint64_t n = 0;

    for (;; n++) {
        if (queue->current && (due = asim_due_take(queue)))
            run_one(fluid, due);
        else if (asim_fluid_next_end(fluid) <= queue->now_ns)
            asim_fluid_drained(fluid, asim_fluid_take_end(fluid));
        else if (queue->buckets.n && queue->buckets.at[0].key == queue->now_ns)
            asim_due_next(queue);
        else
            return n;
    }
}

/* To the next event or end; 0: there is none. */
static int step_time(struct asim_fluid *fluid)
{
    struct asim_due_queue *queue = &fluid->queue;
    uint64_t event = queue->buckets.n ? queue->buckets.at[0].key : ASIM_NEVER;
    uint64_t end = asim_fluid_next_end(fluid);

    if (event == ASIM_NEVER && end == ASIM_NEVER)
        return 0;
    if (event <= end)
        return asim_due_next(queue);
    queue->now_ns = end;
    return 1;
}

int asim_fluid_run(struct asim_net *net, struct asim_err *err)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint64_t events = 0, look_at = LOOK_EVERY, settle_at = SETTLE_EVERY;
    int settled = 0;

    while (!fluid->failed) {
        events += run_now(fluid);
        if (fluid->touched.n || (fluid->work.n && settled < MOST_SETTLEMENTS)) {
            asim_fluid_end_of_ns(fluid);
            asim_fluid_settle(fluid);
            if (fluid->cc && fluid->folded)
                asim_fluid_unfold_steered(fluid);
            settled++;
            continue;
        }
        settled = 0;
        while (fluid->to_fold.n)
            asim_fluid_ring_fold(fluid, ASIM_VEC_POP(fluid->to_fold));
        if (events >= look_at && fluid->user.done(fluid->user.self))
            break;
        look_at = events >= look_at ? events + LOOK_EVERY : look_at;
        if (!step_time(fluid)) {
            asim_fluid_tell_cut(fluid);
            break;
        }
        if (events >= settle_at) {
            settle_at = events + SETTLE_EVERY;
            fluid->user.settled(fluid->user.self, fluid->queue.now_ns);
        }
    }
    if (fluid->failed && !fluid->err.code)
        return asim_err_nomem(err, "carrying messages");
    if (fluid->failed && err)
        *err = fluid->err;
    return fluid->failed;
}
