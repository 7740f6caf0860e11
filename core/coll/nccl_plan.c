/* SPDX-License-Identifier: GPL-2.0-only
 *
 * NCCL's rings as plans (coll.h), for groups whose flows would be too many to keep apart
 * (sim/collective/nccl_graph.c). G credits circulate, one a channel, and pass from whichever
 * channel's piece came to the next send in order of chunk and channel: the totals and the pairs are
 * those of the flows (nccl_ring.c), but a channel that overtakes may send its next piece early,
 * which made 128 GPUs 20 % quicker.
 *
 * With PXN a member has one send more in each chunk: what the GPU before it in its server hands
 * over goes on to the next server, on the channel that enters servers at this member's place. The
 * hand-over is one arrival more, so its credit pays for that send. Reductions cost no time, as in
 * SimAI.
 */
#include "coll/nccl.h"
#include "coll/pipeline.h"

static uint32_t local_of(const struct asim_plan *plan)
{
    return plan->coll.window ? plan->coll.window : 1;
}

static struct asim_nccl_layout layout_of(const struct asim_plan *plan)
{
    const struct asim_coll *coll = &plan->coll;

    return (struct asim_nccl_layout){
        local_of(plan), coll->first ? coll->servers : coll->n / local_of(plan), 0, coll->first};
}

static uint32_t channels_of(const struct asim_plan *plan)
{
    return plan->coll.channels ? plan->coll.channels : local_of(plan);
}

/* The other direction is the mirror image, of servers that are alike. */
static uint32_t mirrored(const struct asim_coll *coll, uint32_t position)
{
    return coll->step < 0 && !coll->first ? coll->n - 1 - position : position;
}

/* The same test as for the flows (nccl_ring.c), so that both make as many messages.
 * 1 if there are servers to cross and another GPU to hand over to. */
static int hands_over(const struct asim_plan *plan, int pxn)
{
    return pxn && local_of(plan) > 1 && layout_of(plan).servers > 1 &&
           plan->coll.coll_type != ASIM_ALL_GATHER;
}

/* Sends of the member in each chunk. */
static uint32_t sends_of(const struct asim_plan *plan, int pxn)
{
    struct asim_nccl_layout at = layout_of(plan);
    uint32_t p = mirrored(&plan->coll, plan->coll.index);
    uint32_t place = p - asim_nccl_first(at, asim_nccl_server(at, p));

    return channels_of(plan) + (hands_over(plan, pxn) && place < channels_of(plan));
}

int asim_nccl_plan(struct asim_plan *plan, int pxn, struct asim_err *err)
{
    const struct asim_coll *coll = &plan->coll;
    uint32_t n = coll->n, local = local_of(plan), channels = channels_of(plan);

    if (n % local && !coll->first)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s%u: %u members are no whole number of servers of %u GPUs.",
                            plan->algo->member.name, local, n, local);
    plan->msg_bytes = coll->coll_type == ASIM_ALL_GATHER ? coll->bytes : coll->bytes / n;
    plan->msg_bytes /= channels;
    plan->steps =
        (coll->coll_type == ASIM_ALL_REDUCE ? 2ull : 1ull) * (n - 1) * sends_of(plan, pxn);
    plan->arrivals = plan->steps;
    asim_pipeline_init(plan, channels, 1);
    return 0;
}

/* The one whose next is p: a place back in the server's order, or the last of the server before. */
static uint32_t previous(struct asim_nccl_layout at, uint32_t channel, uint32_t p)
{
    uint32_t server = asim_nccl_server(at, p), place = p - asim_nccl_first(at, server), size;

    if (place == channel)
        server = (server + at.servers - 1) % at.servers;
    size = asim_nccl_size(at, server);
    return asim_nccl_first(at, server) + (place + size - 1) % size;
}

/* Chunk by chunk; in each chunk the channels in order, and last the piece that another GPU handed
 * over.
 *
 * Example with PXN, two servers of two: in channel 0 the ring is 0, 1, 2, 3. Member 1 crosses, so
 * it hands its piece to 0, which enters servers on that channel, and 0 sends it to 2; for 2 the one
 * before in the ring is then 0 and not 1. All messages of a plan have one size, so it does not
 * matter which of a pair's messages is which.
 */
void asim_nccl_plan_step(const struct asim_plan *plan, int pxn, uint64_t k,
                         struct asim_coll_step *step)
{
    const struct asim_coll *coll = &plan->coll;
    struct asim_nccl_layout at = layout_of(plan);
    uint32_t slot = (uint32_t)(k % sends_of(plan, pxn)), p = mirrored(coll, coll->index);
    uint32_t server = asim_nccl_server(at, p), first = asim_nccl_first(at, server), to, from;
    int hands = hands_over(plan, pxn);

    if (slot == channels_of(plan)) {
        uint32_t size = asim_nccl_size(at, server);

        to = asim_nccl_first(at, (server + 1) % at.servers) + p - first;
        from = first + (p - first + size - 1) % size;
    } else {
        to = asim_nccl_next(at, slot, 0, p);
        from = previous(at, slot, p);
        if (hands && asim_nccl_server(at, to) != server)
            to = first + slot;
        if (hands && asim_nccl_server(at, from) != server)
            from = asim_nccl_first(at, asim_nccl_server(at, from)) + slot;
    }
    step->to = mirrored(coll, to);
    step->from = mirrored(coll, from);
    step->send_bytes = step->recv_bytes = plan->msg_bytes;
    step->min_arrivals = 0;
    step->credits = 1;
}

uint64_t asim_nccl_plan_arrival(const struct asim_plan *plan, uint64_t i)
{
    (void)plan;
    (void)i;
    return 0;
}
