/* SPDX-License-Identifier: GPL-2.0-only
 *
 * ncclRing<G>: NCCL's rings over servers of G GPUs, one channel for each of the G (spec simai.md
 * d.2, d.4). Channel c visits a server's members rotated by c, so the channels cross from server
 * to server on different rails and share the NICs; a message is 1/G of a ring's. Without a number
 * it is one channel over single-GPU servers, which is the plain ring without its reductions.
 *
 * It is run as the flows of coll/nccl_ring.c, each of which waits for the piece of its own channel.
 * Those grow with the square of the members; the plan here is the same ring for groups too large
 * for that (sim/program.c). In it G tokens circulate, one a channel, and pass from whichever
 * channel's piece came to the next send in order of chunk and channel: the totals and the pairs are
 * the same, an overtaking channel may send its next piece early, which made 128 GPUs 20 % quicker.
 * Reductions cost no time, as in SimAI.
 */
#include "coll/nccl.h"
#include "coll/pipeline.h"

static uint32_t channels_of(const struct asim_plan *plan)
{
    return plan->coll.window ? plan->coll.window : 1;
}

static int nccl_plan(struct asim_plan *plan, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t n = coll->n, channels = channels_of(plan);

    if (n % channels)
        return asim_err_set(err, ASIM_EINVAL,
                            "ncclRing%u: %u members are no whole number of servers of %u GPUs.",
                            channels, n, channels);
    plan->msg_bytes = coll->kind == ASIM_ALL_GATHER ? coll->bytes : coll->bytes / n;
    plan->msg_bytes /= channels;
    plan->steps = (coll->kind == ASIM_ALL_REDUCE ? 2ull : 1ull) * (n - 1) * channels;
    plan->arrivals = plan->steps;
    asim_pipeline_init(plan, channels, 1);
    return 0;
}

/* The other direction is the mirror image. */
static uint32_t mirrored(const struct asim_coll *coll, uint32_t position)
{
    return coll->step < 0 ? coll->n - 1 - position : position;
}

/* The one whose next is p: a place back in the server's order, or the last of the server before. */
static uint32_t previous(uint32_t local, uint32_t servers, uint32_t channel, uint32_t p)
{
    uint32_t server = p / local, place = p % local;

    if (place != channel)
        return server * local + (place + local - 1) % local;
    return (server + servers - 1) % servers * local + (channel + local - 1) % local;
}

/* Chunk by chunk, in each the channels in order. */
static void nccl_step(const struct asim_plan *plan, uint64_t k, struct asim_step *step)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t local = channels_of(plan), servers = coll->n / local;
    uint32_t channel = (uint32_t)(k % local), p = mirrored(coll, coll->index);

    step->to = mirrored(coll, asim_nccl_next(local, servers, channel, p));
    step->from = mirrored(coll, previous(local, servers, channel, p));
    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    step->gate = 0;
    step->need = 1;
}

static uint64_t nccl_arrival(const struct asim_plan *plan, uint64_t i)
{
    (void)plan;
    (void)i;
    return 0;
}

static void ring_flows(struct asim_nccl_spec *spec)
{
    spec->algo = ASIM_NCCL_RING;
}

const struct asim_coll_algo asim_coll_algo_nccl_ring = {
    .member = {.name = "ncclRing",
               .about = "NCCL's rings, ncclRing<G> G channels over G-GPU servers"},
    .kinds = 1u << ASIM_ALL_REDUCE | 1u << ASIM_ALL_GATHER | 1u << ASIM_REDUCE_SCATTER,
    .plan = nccl_plan,
    .step = nccl_step,
    .arrival = nccl_arrival,
    .flows = ring_flows,
};
