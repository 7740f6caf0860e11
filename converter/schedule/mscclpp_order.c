/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What ops of an execution plan wait for: signals, semaphores and barriers. A signal is a message
 * of 8 bytes, behind what its thread block has put before: over a memory channel once that has
 * ended (a fence), over a port channel in the order of the channel.
 */
#include "schedule/mscclpp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIGNAL_BYTES = 8 }; /* a counter */

static struct asim_mscclpp_lane *lane_at(struct asim_mscclpp *plan,
                                         const struct asim_mscclpp_op *op, uint32_t i)
{
    struct asim_mscclpp_gpu *gpu = &plan->gpu.at[plan->block.gpu];
    int is_semaphore =
        op->kind->does == ASIM_MSCCLPP_ACQUIRE || op->kind->does == ASIM_MSCCLPP_RELEASE;

    return &plan->lane.at[is_semaphore ? gpu->first_semaphore + op->id[i]
                                       : gpu->channel[op->channel].at[op->id[i]].lane];
}

/* Of several thread blocks, nobody knows which comes first. */
static void own(struct asim_mscclpp *plan, int64_t *of, const char *what)
{
    if (*of >= 0 && *of != plan->block.at)
        asim_mscclpp_fail(plan, "several thread blocks %s, in an order that the plan leaves open.",
                          what);
    *of = plan->block.at;
}

void asim_mscclpp_signal(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op, uint32_t i)
{
    struct asim_mscclpp_channel *channel =
        &plan->gpu.at[plan->block.gpu].channel[op->channel].at[op->id[i]];
    struct asim_msccl_step step = {.parts = ASIM_MSCCL_SEND | ASIM_MSCCL_POSTED,
                                   .bytes = SIGNAL_BYTES};
    struct asim_mscclpp_lane *lane = lane_at(plan, op, i);
    int orders = !(op->kind->flags & ASIM_MSCCLPP_RELAXED);
    struct asim_mscclpp_flow *flow;
    uint32_t came;

    own(plan, &lane->ends_of, "signal on this channel");
    if (orders && op->channel == ASIM_MSCCLPP_MEMORY)
        asim_mscclpp_end_puts(plan, ASIM_MSCCLPP_MEMORY, UINT32_MAX);
    if (!channel->block) {
        channel->way = asim_mscclpp_new_way(plan, plan->block.gpu, channel->peer);
        channel->block = asim_mscclpp_new_block(plan, channel->peer);
    }
    flow = asim_mscclpp_flow_to(plan, channel->peer, 0);
    if (!flow)
        return;
    step.out = channel->way;
    asim_mscclpp_emit(plan, plan->block.at, step);
    step.parts = ASIM_MSCCL_RECV;
    step.in = channel->way;
    came = asim_mscclpp_emit(plan, channel->block, step);
    if (orders && flow->last)
        asim_mscclpp_add_wait(plan, came, flow->last - 1);
    if (ASIM_VEC_PUSH(lane->ends, came))
        asim_mscclpp_nomem(plan);
}

/* A wait of a channel, an acquire or a release. */
void asim_mscclpp_meet(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op, uint32_t i)
{
    struct asim_mscclpp_lane *lane = lane_at(plan, op, i);
    int is_end = op->kind->does == ASIM_MSCCLPP_RELEASE;
    uint32_t step;

    own(plan, is_end ? &lane->ends_of : &lane->waits_of,
        is_end                                   ? "release this semaphore"
        : op->kind->does == ASIM_MSCCLPP_ACQUIRE ? "acquire this semaphore"
                                                 : "wait on this channel");
    if (is_end)
        asim_mscclpp_end_puts(plan, ASIM_MSCCLPP_MEMORY, UINT32_MAX);
    step = asim_mscclpp_emit(plan, plan->block.at, (struct asim_msccl_step){0});
    if (is_end ? ASIM_VEC_PUSH(lane->ends, step) : ASIM_VEC_PUSH(lane->waits, step))
        asim_mscclpp_nomem(plan);
}

void asim_mscclpp_stop_at_barrier(struct asim_mscclpp *plan, const struct asim_mscclpp_op *op)
{
    uint64_t *round = asim_map_put(&plan->rounds, plan->block.at, op->barrier);
    struct asim_mscclpp_barrier one = {plan->block.gpu, op->barrier, 0, op->blocks, 0, 0};

    asim_mscclpp_end_puts(plan, ASIM_MSCCLPP_MEMORY, UINT32_MAX);
    one.arrive = asim_mscclpp_emit(plan, plan->block.at, (struct asim_msccl_step){0});
    one.leave = asim_mscclpp_emit(plan, plan->block.at, (struct asim_msccl_step){0});
    one.round = round ? (uint32_t)(*round)++ : 0;
    if (!round || ASIM_VEC_PUSH(plan->barrier, one))
        asim_mscclpp_nomem(plan);
}

ASIM_ORDER(by_barrier, struct asim_mscclpp_barrier, ->gpu, ->id, ->round)

/* Each of the thread blocks that meet leaves when all have arrived. */
static void link_barrier(struct asim_mscclpp *plan, const struct asim_mscclpp_barrier *first,
                         size_t n)
{
    for (size_t i = 0; i < n && !plan->err->code; i++) {
        if (first[i].blocks != n)
            asim_msccl_fail(plan->to, &plan->to->step.at[first[i].leave], plan->err,
                            "as many thread blocks do not meet at this barrier as it says.");
        for (size_t k = 0; k < n; k++)
            if (k != i)
                asim_mscclpp_add_wait(plan, first[i].leave, first[k].arrive);
    }
}

static void link_barriers(struct asim_mscclpp *plan)
{
    const struct asim_mscclpp_barrier *at = plan->barrier.at;
    size_t n = plan->barrier.n, to;

    if (n)
        qsort(plan->barrier.at, n, sizeof *at, by_barrier);
    for (size_t from = 0; from < n && !plan->err->code; from = to) {
        for (to = from; to < n && !by_barrier(&at[from], &at[to]);)
            to++;
        link_barrier(plan, &at[from], to - from);
    }
}

static void link_lane(struct asim_mscclpp *plan, const struct asim_mscclpp_lane *lane)
{
    const struct asim_mscclpp_lane *from = lane->from ? &plan->lane.at[lane->from - 1] : NULL;

    for (size_t k = lane->initial; k < lane->waits.n && !plan->err->code; k++)
        if (!from || k - lane->initial >= from->ends.n)
            asim_msccl_fail(plan->to, &plan->to->step.at[lane->waits.at[k]], plan->err,
                            "this op waits for a signal or a release that never comes.");
        else
            asim_mscclpp_add_wait(plan, lane->waits.at[k], from->ends.at[k - lane->initial]);
}

void asim_mscclpp_link_order(struct asim_mscclpp *plan)
{
    for (size_t i = 0; i < plan->lane.n && !plan->err->code; i++)
        link_lane(plan, &plan->lane.at[i]);
    link_barriers(plan);
}
