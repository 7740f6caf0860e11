/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Turns of messages that begin in one ns (flow.md#turns): NICs send a packet of each in turn, and
 * where NICs have the same order, these packets come to a destination together. So one packet of
 * each message passes its links, first come, first served, and the last packet of its message
 * waits there as long at least.
 *
 * Costs: an event a link and message, where a NIC has several that begin.
 */
#include "net/flow/rings.h"

/* Whether some NIC sends several. Of N packets a round is one part in N, so long ones do not count.
 */
static int are_several(struct asim_fluid *fluid)
{
    const double many_packets = 64;
    int found = 0;

    for (size_t i = 0; i < fluid->joining.n; i++)
        if (fluid->joining.at[i].flow->shape.packets < many_packets)
            found |= asim_fluid_round_of(fluid, i)->joining++ > 0;
    for (size_t i = 0; i < fluid->joining.n; i++)
        asim_fluid_round_of(fluid, i)->joining = 0;
    return found;
}

static void forget(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->joining.n; i++) {
        const struct asim_fluid_path *path = fluid->joining.at[i].flow->path;

        for (uint32_t k = 0; k < path->n; k++)
            fluid->link[path->link[k]].round = (struct asim_fluid_round){0};
    }
}

/* Of its packet; messages of one packet may have less than a full one. */
static double part_of(const struct asim_fluid_flow *flow)
{
    return asim_fluid_min(1, flow->shape.packets);
}

/* Over the next link of its path. */
static int pass(struct asim_fluid *fluid, struct asim_due_queue *queue,
                struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    struct asim_fluid_link *link = &fluid->link[path->link[flow->through.rank]];
    double now = (double)queue->now_ns, begin = asim_fluid_max(now, link->round.free_ns);
    double there = begin + part_of(flow) * link->packet_ns + link->delay_ns;

    link->round.free_ns = begin + part_of(flow) * link->step_ns;
    flow->turn_ns += flow->through.rank ? begin - now : 0;
    return ++flow->through.rank < path->n &&
           asim_due_add(queue, (uint64_t)(there + 0.5), &flow->through);
}

static int pass_all(struct asim_fluid *fluid)
{
    struct asim_due_queue queue;
    struct asim_due *due;
    int failed = 0;

    asim_due_init(&queue);
    for (size_t i = 0; !failed && i < fluid->joining.n; i++) {
        struct asim_fluid_flow *flow = fluid->joining.at[i].flow;

        flow->turn_ns = 0;
        flow->through.rank = 0;
        failed = asim_due_add(&queue, 0, &flow->through);
    }
    while (!failed && asim_due_next(&queue))
        while (!failed && (due = asim_due_take(&queue)))
            failed = pass(fluid, &queue, ASIM_FLUID_WITH(due, flow, through));
    asim_due_fini(&queue);
    return failed;
}

/* In the order of numbers, as NICs send them. */
static void sort_by_source(struct asim_fluid *fluid)
{
    for (size_t i = 0; i < fluid->joining.n; i++)
        fluid->joining.at[i].ends = (uint64_t)fluid->joining.at[i].flow->msg.src << 32;
    asim_fluid_sort_joining(fluid);
    for (size_t i = 0; i < fluid->joining.n; i++)
        fluid->joining.at[i].ends |= fluid->joining.at[i].flow->msg.dst;
}

void asim_fluid_take_turns(struct asim_fluid *fluid)
{
    if (!are_several(fluid))
        return;
    sort_by_source(fluid);
    if (pass_all(fluid))
        fluid->failed = ASIM_ENOMEM;
    forget(fluid);
}
