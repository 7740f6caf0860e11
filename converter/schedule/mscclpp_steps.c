/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Steps of an execution plan: in the thread block that is read, and in blocks at peers that store
 * what it puts and send what it reads.
 */
#include "schedule/mscclpp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void asim_mscclpp_nomem(struct asim_mscclpp *plan)
{
    if (!plan->err->code)
        asim_err_nomem(plan->err, "reading an execution plan");
}

/* --- blocks, ways and steps ---------------------------------------------------------------------
 */

/* A step of a block, at the op that is read; its place. */
uint32_t asim_mscclpp_emit(struct asim_mscclpp *plan, uint32_t block, struct asim_msccl_step step)
{
    step.gpu = plan->to->block.at[block].gpu;
    step.of_gpu = plan->block.gpu;
    step.block = plan->block.id;
    step.op = plan->number;
    if (plan->err->code || asim_msccl_add_step(plan->to, block, &step))
        asim_mscclpp_nomem(plan);
    return plan->err->code ? 0 : (uint32_t)plan->to->step.n - 1;
}

void asim_mscclpp_add_wait(struct asim_mscclpp *plan, uint32_t step, uint32_t before)
{
    if (!plan->err->code && asim_msccl_add_wait(plan->to, step, before))
        asim_mscclpp_nomem(plan);
}

uint32_t asim_mscclpp_new_way(struct asim_mscclpp *plan, uint32_t from, uint32_t to)
{
    struct asim_msccl_way way = {from, to, (uint32_t)plan->to->way.n};

    if (way.channel >= INT32_MAX || ASIM_VEC_PUSH(plan->to->way, way))
        asim_mscclpp_nomem(plan);
    return way.channel;
}

uint32_t asim_mscclpp_new_block(struct asim_mscclpp *plan, uint32_t gpu)
{
    if (ASIM_VEC_PUSH(plan->to->block, (struct asim_msccl_block){.gpu = gpu}))
        asim_mscclpp_nomem(plan);
    return (uint32_t)plan->to->block.n - 1;
}

/* What the thread block puts to a GPU, or (is_read) reads there; NULL after an error. */
struct asim_mscclpp_flow *asim_mscclpp_flow_to(struct asim_mscclpp *plan, uint32_t gpu, int is_read)
{
    uint64_t *at =
        asim_map_put(&plan->flows, plan->block.at, (uint64_t)gpu << 1 | (unsigned)is_read);
    struct asim_mscclpp_flow flow = {0};

    if (at && !*at) {
        flow.way = asim_mscclpp_new_way(plan, plan->block.gpu, gpu);
        flow.answers = is_read ? asim_mscclpp_new_way(plan, gpu, plan->block.gpu) : 0;
        flow.block = asim_mscclpp_new_block(plan, gpu);
        at = ASIM_VEC_PUSH(plan->flow, flow) ? NULL : at;
        if (at)
            *at = plan->flow.n;
    }
    if (!at)
        asim_mscclpp_nomem(plan);
    return plan->err->code ? NULL : &plan->flow.at[*at - 1];
}

/* Holds the thread block up until its puts over such channels (to that peer) have ended. */
void asim_mscclpp_end_puts(struct asim_mscclpp *plan, int channel, uint32_t peer)
{
    uint32_t kept = 0, step = 0, waits = 0;

    for (size_t i = 0; i < plan->block.posted.n; i++) {
        struct asim_mscclpp_posted *one = &plan->block.posted.at[i];

        if (one->channel == channel && (peer == UINT32_MAX || one->peer == peer)) {
            step = waits++ ? step
                           : asim_mscclpp_emit(plan, plan->block.at, (struct asim_msccl_step){0});
            asim_mscclpp_add_wait(plan, step, one->step);
        } else {
            plan->block.posted.at[kept++] = *one;
        }
    }
    plan->block.posted.n = kept;
}
