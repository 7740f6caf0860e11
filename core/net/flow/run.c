/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The run of the flow level: all that falls on one ns happens before the rates are found anew.
 */
#include "net/flow/bursts.h"
#include "net/flow/repeats.h"
#include "net/flow/events.h"

#include <stdlib.h>
#include <string.h>

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
    if (flow->is_coming && !asim_fluid_come(fluid, flow))
        return;
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

static void front(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    if (asim_fluid_burst_front(fluid, burst))
        asim_fluid_piece_acked(fluid, burst);
    asim_fluid_forget_burst(fluid, burst);
}

static void end(struct asim_fluid *fluid, struct asim_fluid_burst *burst)
{
    enum asim_burst_came came = asim_fluid_burst_end(fluid, burst);

    if (came == ASIM_BURST_LAST)
        asim_fluid_arrived_burst(fluid, burst->flow, burst->passed_ns);
    else if (came == ASIM_BURST_PIECE && burst->flow->train)
        asim_fluid_piece_came(fluid, burst);
    asim_fluid_forget_burst(fluid, burst);
}

static void visit(struct asim_fluid *fluid, uint32_t l, uint8_t *is_due)
{
    *is_due = 0;
    if (fluid->link[l].flows.n)
        asim_fluid_mark(fluid, l);
}

static void run_one(struct asim_fluid *fluid, struct asim_due *due)
{
    uint32_t rank = due->rank;

    switch (due->kind) {
    case ASIM_FLUID_THROUGH:
        through(fluid, ASIM_FLUID_WITH(due, flow, through));
        break;
    case ASIM_FLUID_DRAIN:
        drain(fluid, ASIM_FLUID_WITH(due, flow, drain));
        break;
    case ASIM_FLUID_ACKS:
        if (!ASIM_FLUID_WITH(due, flow, ack_due)->is_through) /* else its path may be gone */
            asim_fluid_undo_repeats(fluid, ASIM_FLUID_WITH(due, flow, ack_due));
        asim_fluid_acks(fluid, ASIM_FLUID_WITH(due, flow, ack_due));
        asim_fluid_release(fluid, ASIM_FLUID_WITH(due, flow, ack_due));
        break;
    case ASIM_FLUID_CONTROL:
        asim_fluid_control(fluid, ASIM_FLUID_WITH(due, flow, control_due));
        asim_fluid_release(fluid, ASIM_FLUID_WITH(due, flow, control_due));
        break;
    case ASIM_FLUID_FRONT:
        front(fluid, ASIM_FLUID_WITH(due, burst, front_due));
        break;
    case ASIM_FLUID_END:
        end(fluid, ASIM_FLUID_WITH(due, burst, end_due));
        break;
    case ASIM_FLUID_REFRESH:
        visit(fluid, rank, &fluid->link[rank].is_planned);
        break;
    case ASIM_FLUID_STIR:
        visit(fluid, rank, &fluid->link[rank].is_stirred);
        break;
    case ASIM_FLUID_TRAFFIC:
        asim_fluid_traffic_due(fluid, rank);
        break;
    case ASIM_FLUID_REPEAT:
        asim_fluid_repeat_due(fluid, due);
        break;
    case ASIM_FLUID_REPEAT_AGAIN:
        asim_fluid_repeat_again(fluid, due);
        break;
    case ASIM_FLUID_EVENT:
        asim_fluid_event(fluid, rank);
        break;
    case ASIM_FLUID_ROUTES:
        asim_fluid_reroute(fluid);
        break;
    case ASIM_FLUID_RELAY:
        asim_fluid_relay_due(fluid, ASIM_FLUID_WITH(due, relay, due));
        break;
    case ASIM_FLUID_WAKE:
        asim_pool_give(&fluid->call_pool, due);
        fluid->user.wake(fluid->user.self, rank);
        break;
    default:
        fluid->user.wake(fluid->user.self, rank);
    }
}

/* Messages that met phases that repeat, at the end of the event that sent them. */
static void send_held(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->held.n; i++) {
        asim_fluid_undo_repeats(fluid, fluid->held.at[i]);
        asim_fluid_set_out(fluid, fluid->held.at[i]);
    }
    fluid->held.n = 0;
}

/* All events and ends of this ns, also those that they cause. Returns how many. */
static uint64_t run_now(struct asim_fluid *fluid)
{
    struct asim_due_queue *queue = &fluid->queue;
    struct asim_due *due;
    uint64_t n = 0;

    for (;; n++) {
        if (fluid->held.n)
            send_held(fluid);
        else if (queue->current && (due = asim_due_take(queue)))
            run_one(fluid, due);
        else if (asim_fluid_next_end(fluid) <= queue->now_ns)
            asim_fluid_drained(fluid, asim_fluid_take_end(fluid));
        else if (queue->buckets.n && queue->buckets.at[0].key == queue->now_ns)
            asim_due_next(queue);
        else
            return n;
    }
}

static uint64_t next_event(const struct asim_fluid *fluid)
{
    return fluid->queue.buckets.n ? fluid->queue.buckets.at[0].key : ASIM_NEVER;
}

static uint64_t next_time(const struct asim_fluid *fluid)
{
    uint64_t event = next_event(fluid), end = asim_fluid_next_end(fluid);

    return event < end ? event : end;
}

/* To the next event or end; 0: there is none. */
static int step_time(struct asim_fluid *fluid)
{
    struct asim_due_queue *queue = &fluid->queue;
    uint64_t end = asim_fluid_next_end(fluid);

    if (next_time(fluid) == ASIM_NEVER)
        return 0;
    if (next_event(fluid) <= end)
        return asim_due_next(queue);
    queue->now_ns = end;
    return 1;
}

/* One ns until nothing more happens in it. Returns the events and ends. */
static uint64_t run_ns(struct asim_fluid *fluid)
{
    uint64_t events = 0;
    int settled = 0;

    while (!fluid->failed) {
        do
            events += run_now(fluid);
        while (asim_fluid_join_all(fluid));
        if (fluid->starting.n) {
            asim_fluid_repeats_decide(fluid);
        } else if (fluid->touched.n || (fluid->work.n && settled < MOST_SETTLEMENTS)) {
            asim_fluid_end_of_ns(fluid);
            asim_fluid_settle(fluid);
            if (fluid->cc && fluid->folded)
                asim_fluid_unfold_steered(fluid);
            settled++;
        } else {
            break;
        }
    }
    return events;
}

/* --- phases that are carried by messages after all -------------------------------------------- */

/* What is to come goes over to the queue of events and the heap of ends. */
static void merge(struct asim_fluid *fluid, struct asim_due_queue *queue,
                  const struct asim_fluid_end *ends, size_t n)
{
    struct asim_due *due;

    while (asim_due_next(queue))
        while ((due = asim_due_take(queue)))
            asim_fluid_add(fluid, queue->now_ns, due);
    asim_due_fini(queue);
    for (size_t i = 0; i < n; i++)
        asim_fluid_move_end(fluid, fluid->flow.at[ends[i].id]);
}

static void run_until(struct asim_fluid *fluid, uint64_t end_ns)
{
    do
        run_ns(fluid);
    while (!fluid->failed && next_time(fluid) < end_ns && step_time(fluid));
}

void asim_fluid_catch_up(struct asim_fluid *fluid, struct asim_repeat *phase)
{
    const struct asim_fluid saved = *fluid;
    ASIM_VEC(uint32_t) work = {0};
    struct asim_due_queue own;
    struct asim_fluid_end *ends;
    size_t n;

    asim_due_init(&fluid->queue);
    fluid->queue.now_ns = phase->start_ns;
    memset(&fluid->heap, 0, sizeof fluid->heap);
    memset(&fluid->touched, 0, sizeof fluid->touched);
    memset(&fluid->held, 0, sizeof fluid->held);
    memset(&fluid->joining, 0, sizeof fluid->joining);
    memset(&fluid->starting, 0, sizeof fluid->starting);
    while (fluid->work.n) {
        uint32_t order = asim_index_set_lowest(&fluid->work);

        asim_index_set_remove(&fluid->work, order);
        if (ASIM_VEC_PUSH(work, order))
            fluid->failed = ASIM_ENOMEM;
    }
    for (uint32_t m = 0; m < phase->n; m++)
        if (phase->members[m].start_ns < saved.queue.now_ns)
            asim_fluid_add(fluid, phase->members[m].start_ns, &phase->members[m].due);
    asim_due_next(&fluid->queue);
    run_until(fluid, saved.queue.now_ns);
    while (work.n)
        asim_index_set_add(&fluid->work, ASIM_VEC_POP(work));
    ASIM_FREE(work.at, fluid->touched.at, fluid->held.at, fluid->joining.at, fluid->starting.at);
    own = fluid->queue;
    ends = fluid->heap.at;
    n = fluid->heap.n;
    fluid->queue = saved.queue;
    memcpy(&fluid->heap, &saved.heap, sizeof fluid->heap);
    memcpy(&fluid->touched, &saved.touched, sizeof fluid->touched);
    memcpy(&fluid->held, &saved.held, sizeof fluid->held);
    memcpy(&fluid->joining, &saved.joining, sizeof fluid->joining);
    memcpy(&fluid->starting, &saved.starting, sizeof fluid->starting);
    merge(fluid, &own, ends, n);
    free(ends);
}

int asim_fluid_run(struct asim_net *net, struct asim_err *err)
{
    struct asim_fluid *fluid = asim_fluid_of(net);
    uint64_t events = 0, look_at = LOOK_EVERY, settle_at = SETTLE_EVERY;

    while (!fluid->failed) {
        events += run_ns(fluid);
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
