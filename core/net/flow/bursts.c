/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Bursts (flow.md#bursts): messages that fit into their windows, beside background traffic. No
 * queue slows their senders: one is sent at the rate of its NIC, then its end waits in each queue
 * of its way for what stands there, as first come, first served has it; its packets leave a queue
 * evenly, from the first one on. What stands in a queue is of bursts or of windowed messages, and a
 * queue serves both as they stand there.
 */
#include "net/flow/bursts.h"

/* The first packet of a burst goes on to the next queue. */
static void advance_front(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_burst *burst = flow->burst;
    const struct asim_fluid_path *path = flow->path;
    double wait = 0;

    while (wait < 1 && ++burst->front < path->n) {
        uint32_t l = path->link[burst->front];

        wait = asim_fluid_wait(fluid, &fluid->link[l]);
        burst->out[burst->front] = (double)fluid->queue.now_ns + wait;
        asim_fluid_mark(fluid, l);
    }
    if (wait < 1)
        return;
    burst->is_due = 1;
    burst->due = (struct asim_due){.kind = ASIM_FLUID_FRONT, .rank = flow->id};
    asim_fluid_after(fluid, wait, &burst->due);
}

int asim_fluid_begin_burst(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (flow->burst && flow->burst->is_due)
        return 0;
    if (!flow->burst && !(flow->burst = asim_pool_take(&fluid->burst_pool)))
        return fluid->failed = ASIM_ENOMEM;
    flow->burst->front = flow->burst->is_due = 0;
    advance_front(fluid, flow);
    return 0;
}

/* What is left of a burst comes to the links from its end on in so many ns. */
static void bring(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double left, double ns)
{
    const struct asim_fluid_path *path = flow->path;
    double rate = left / asim_fluid_max(1, ns);

    for (uint32_t i = flow->hop; i < path->n; i++) {
        fluid->link[path->link[i]].sum += rate - flow->rate;
        asim_fluid_mark(fluid, path->link[i]);
    }
    flow->left = left;
    flow->rate = rate;
}

void asim_fluid_front(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    flow->burst->is_due = 0;
    if (flow->is_drained) {
        asim_fluid_release(fluid, flow);
        return;
    }
    if (flow->hop && flow->hop == flow->burst->front) { /* all of it comes behind */
        asim_fluid_touch(fluid, flow);
        bring(fluid, flow, flow->shape.packets, (double)flow->end_ns - (double)fluid->queue.now_ns);
    }
    advance_front(fluid, flow);
}

int asim_fluid_queue_up(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    struct asim_fluid_burst *burst = flow->burst;
    double wait = 0, out;
    uint32_t h = flow->hop + 1;

    while (h < path->n && (wait = asim_fluid_wait(fluid, &fluid->link[path->link[h]])) < 1)
        h++;
    if (h >= path->n)
        return 0;
    asim_fluid_touch(fluid, flow);
    asim_fluid_leave_until(fluid, flow, h);
    /* Its packets leave the queue evenly, from the first one on. */
    out = wait;
    if (burst->front >= h)
        out += (double)fluid->queue.now_ns - burst->out[h];
    flow->hop = (uint8_t)h;
    bring(fluid, flow, flow->shape.packets * asim_fluid_min(1, wait / asim_fluid_max(out, 1)),
          wait);
    return 1;
}
