/* SPDX-License-Identifier: GPL-2.0-only
 *
 * When flows end. The first end of a flow is an event like others, and mostly the true one. When
 * the rate changes, the end moves to a heap of four children a node, in which it can move again;
 * the event that was queued then means nothing.
 */
#include "net/flow/bursts.h"

#include <math.h>

enum { CHILDREN = 4 };
static const double longest_ns = 4e18;

void asim_fluid_advance(const struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    flow->left -= flow->rate * (double)(fluid->queue.now_ns - flow->left_at);
    flow->left_at = fluid->queue.now_ns;
}

void asim_fluid_touch(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->is_touched)
        return;
    flow->is_touched = 1;
    if (ASIM_VEC_PUSH(fluid->touched, flow->id))
        fluid->failed = ASIM_ENOMEM;
    asim_fluid_advance(fluid, flow);
}

struct asim_fluid_flow *asim_fluid_make(struct asim_fluid *fluid, const struct asim_msg *msg)
{
    struct asim_fluid_flow *flow = asim_pool_take(&fluid->flow_pool);
    uint32_t id;

    if (!flow)
        return NULL;
    if (fluid->free_ids.n)
        id = ASIM_VEC_POP(fluid->free_ids);
    else if (ASIM_VEC_PUSH(fluid->flow, flow) ||
             ASIM_VEC_RESERVE(fluid->free_ids, fluid->flow.n)) /* release() never fails */
        return NULL;
    else
        id = (uint32_t)fluid->flow.n - 1;
    fluid->flow.at[id] = flow;
    *flow = (struct asim_fluid_flow){.id = id,
                                     .through.kind = ASIM_FLUID_THROUGH,
                                     .drain.kind = ASIM_FLUID_DRAIN,
                                     .ack_due.kind = ASIM_FLUID_ACKS,
                                     .control_due.kind = ASIM_FLUID_CONTROL,
                                     .start_ns = fluid->queue.now_ns,
                                     .msg = *msg,
                                     .chain_ns = fluid->chains[msg->src]};
    return flow;
}

void asim_fluid_release(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (!flow->is_through || flow->is_queued || flow->is_control_due || flow->is_ack_due ||
        flow->n_bursts || (flow->is_gone && flow->is_drained)) /* `through` is to come */
        return;
    if (flow->train)
        asim_pool_give(&fluid->train_pool, flow->train);
    if (flow->control)
        asim_pool_give(&fluid->control_pool, flow->control);
    fluid->flow.at[flow->id] = NULL;
    fluid->free_ids.at[fluid->free_ids.n++] = flow->id;
    asim_pool_give(&fluid->flow_pool, flow);
}

/* --- the heap of ends ------------------------------------------------------------------------ */

static int is_before(const struct asim_fluid *fluid, struct asim_fluid_end a,
                     struct asim_fluid_end b)
{
    return a.end_ns < b.end_ns ||
           (a.end_ns == b.end_ns && fluid->flow.at[a.id]->msg.id < fluid->flow.at[b.id]->msg.id);
}

static void put(struct asim_fluid *fluid, struct asim_fluid_end end, uint32_t at)
{
    fluid->heap.at[at] = end;
    fluid->flow.at[end.id]->heap_at = at + 1;
}

static void rise(struct asim_fluid *fluid, uint32_t at)
{
    struct asim_fluid_end end = fluid->heap.at[at];
    uint32_t up;

    for (; at && is_before(fluid, end, fluid->heap.at[up = (at - 1) / CHILDREN]); at = up)
        put(fluid, fluid->heap.at[up], at);
    put(fluid, end, at);
}

static void sink(struct asim_fluid *fluid, uint32_t at)
{
    struct asim_fluid_end end = fluid->heap.at[at];
    uint32_t n = (uint32_t)fluid->heap.n;

    for (;;) {
        uint32_t first = CHILDREN * at + 1, best = first;

        for (uint32_t i = first + 1; i < first + CHILDREN && i < n; i++)
            if (is_before(fluid, fluid->heap.at[i], fluid->heap.at[best]))
                best = i;
        if (first >= n || !is_before(fluid, fluid->heap.at[best], end))
            break;
        put(fluid, fluid->heap.at[best], at);
        at = best;
    }
    put(fluid, end, at);
}

static void move_in_heap(struct asim_fluid *fluid, struct asim_fluid_flow *flow, uint64_t end_ns)
{
    flow->end_ns = end_ns;
    if (!flow->heap_at) {
        if (ASIM_VEC_PUSH(fluid->heap, (struct asim_fluid_end){0})) {
            fluid->failed = ASIM_ENOMEM;
            return;
        }
        flow->heap_at = (uint32_t)fluid->heap.n;
    }
    fluid->heap.at[flow->heap_at - 1] = (struct asim_fluid_end){end_ns, flow->id};
    rise(fluid, flow->heap_at - 1);
    sink(fluid, flow->heap_at - 1);
}

void asim_fluid_move_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    flow->heap_at = 0;
    move_in_heap(fluid, flow, flow->end_ns);
}

void asim_fluid_drop_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    uint32_t at = flow->heap_at - 1;
    struct asim_fluid_end last;

    if (!flow->heap_at)
        return;
    flow->heap_at = 0;
    last = ASIM_VEC_POP(fluid->heap);
    if (last.id == flow->id)
        return;
    put(fluid, last, at);
    rise(fluid, at);
    sink(fluid, fluid->flow.at[last.id]->heap_at - 1);
}

struct asim_fluid_flow *asim_fluid_take_end(struct asim_fluid *fluid)
{
    struct asim_fluid_flow *flow = fluid->flow.at[fluid->heap.at[0].id];

    asim_fluid_drop_end(fluid, flow);
    return flow;
}

uint64_t asim_fluid_next_end(const struct asim_fluid *fluid)
{
    return fluid->heap.n ? fluid->heap.at[0].end_ns : ASIM_NEVER;
}

/* --- ends ------------------------------------------------------------------------------------ */

void asim_fluid_add(struct asim_fluid *fluid, uint64_t t, struct asim_due *due)
{
    if (asim_due_add(&fluid->queue, t, due))
        fluid->failed = ASIM_ENOMEM;
}

uint64_t asim_fluid_after(struct asim_fluid *fluid, double ns, struct asim_due *due)
{
    uint64_t t = fluid->queue.now_ns + (uint64_t)(fmin(ns, longest_ns) + 0.5);

    asim_fluid_add(fluid, t, due);
    return t;
}

/* At the current rate. */
static uint64_t end_of(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    double ns = flow->left > 0 ? flow->left / flow->rate : 0;

    if (flow->is_parked)
        return flow->resume_ns > fluid->queue.now_ns ? flow->resume_ns : ASIM_NEVER;
    return fluid->queue.now_ns + (uint64_t)(fmin(ns, longest_ns) + 0.5);
}

void asim_fluid_set_end(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    uint64_t end_ns = end_of(fluid, flow);

    if (!flow->is_queued && !flow->is_moved) {
        flow->end_ns = end_ns;
        flow->is_queued = 1;
        asim_fluid_add(fluid, end_ns, &flow->drain);
    } else if (flow->is_moved || end_ns != flow->end_ns) {
        flow->is_moved = 1;
        move_in_heap(fluid, flow, end_ns);
    }
}
