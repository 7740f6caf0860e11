/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How late ACKs come (flow.md#waits-of-acks): they wait behind data in queues, and for frames in
 * service.
 */
#include "net/flow/bursts.h"

#include <math.h>

/* From now on, at its rate; one that has begun in this ns has none yet. */
static double lasts(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const uint64_t now = fluid->queue.now_ns;

    if (flow->began_ns == now)
        return flow->shape.packets / flow->path->line;
    return flow->end_ns > now ? (double)(flow->end_ns - now) : 0;
}

/* Of the flows of the link that began last the one that lasts longest; NULL: there is none. The
 * order in which those of one ns came to the link must not matter. */
static const struct asim_fluid_flow *newest_of(const struct asim_fluid *fluid,
                                               const struct asim_fluid_link *link)
{
    const struct asim_fluid_flow *newest = NULL;

    for (size_t i = link->flows.n; i-- > 0;) {
        const struct asim_fluid_flow *flow = link->flows.at[i].flow;

        if (!newest || flow->began_ns > newest->began_ns ||
            (flow->began_ns == newest->began_ns && lasts(fluid, flow) > lasts(fluid, newest)))
            newest = flow;
    }
    return newest;
}

/* Whether data is on the link in so many ns: the newest flow, and those behind it in its queue
 * pair, mostly end last. The order of what drains and begins in this ns must not matter. */
static int is_busy_in(const struct asim_fluid *fluid, const struct asim_fluid_link *link, double ns)
{
    const struct asim_fluid_flow *flow = newest_of(fluid, link);

    ns -= flow ? lasts(fluid, flow) : 0;
    while (flow && ns >= 0 && (flow = flow->next))
        ns -= flow->shape.packets / flow->path->line;
    return ns < 0;
}

double asim_fluid_late(const struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    double late = 0;

    for (uint32_t i = 1; i < path->n; i++) /* what is sent counts as come at once */
        late += asim_fluid_wait(fluid, &fluid->link[path->link[i]]);
    flow->queued_ns = late;
    if (!(fluid->parts & ASIM_FLUID_ACK_WAIT))
        return late;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];
        double ns = asim_fluid_max(0, flow->shape.forward_ns + late);

        late += asim_fluid_wait_in(fluid, link, ns);
        if (is_busy_in(fluid, link, ns))
            late += link->packet_ns / 2;
    }
    return late;
}

double asim_fluid_pass_ack(struct asim_fluid *fluid, const struct asim_fluid_path *path,
                           uint32_t hop, double packets)
{
    uint32_t l = path->link[path->n + hop];
    const struct asim_fluid_link *link = &fluid->link[l];
    double ns = link->ack_ns + link->delay_ns, wait = asim_fluid_wait(fluid, link), busy;

    busy = link->flows.n ? 1 : wait > 0 ? 0 : asim_fluid_min(1, link->burst_rate * link->step_ns);
    if (fluid->parts & ASIM_FLUID_ACK_WAIT)
        ns += wait + busy * link->packet_ns / 2;
    if (hop) /* they are short: the link takes them at once */
        asim_fluid_bring(fluid, l, 0, packets * link->ack_step_ns / link->step_ns, 0);
    return ns;
}

/* Whether an ACK comes always at the same phase of the frames of a link, whose data is one message
 * like its own that began with it. Behind a queue it does not. */
static int is_locked(const struct asim_fluid_flow *flow, const struct asim_fluid_link *link)
{
    const struct asim_fluid_flow *other = link->flows.n == 1 ? link->flows.at[0].flow : NULL;

    return other && other->began_ns == flow->began_ns && link->wait_ns <= 0 &&
           other->shape.bytes == flow->shape.bytes && other->path->line == flow->path->line;
}

/* How long an ACK that comes in at_ns waits for the frame in service of the only message of a link,
 * which sends one each step_ns. */
static double in_service(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                         double at_ns, double step_ns)
{
    const struct asim_fluid_place *only = link->flows.at;
    double phase = at_ns + (double)(fluid->queue.now_ns - only->flow->began_ns) -
                   asim_fluid_to_ns(fluid, only->flow->path, only->hop);

    return asim_fluid_max(0, link->packet_ns - fmod(asim_fluid_max(0, phase), step_ns));
}

double asim_fluid_ack_waits(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                            const struct asim_fluid_path *path, int is_first)
{
    double at = 0, waits = 0;
    uint32_t locked = 0; /* bits of the links of ACKs */
    int is_free = 1;

    for (uint32_t i = 0; i < path->n_acks; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[path->n + i]];

        locked |= (uint32_t)is_locked(flow, link) << i;
        waits += link->flows.n ? link->packet_ns / 2 : 0;
    }
    if (!locked) /* the phase does not matter */
        return waits;
    waits = 0;
    at = (double)flow->began_ns - (double)fluid->queue.now_ns;
    at += asim_fluid_to_ns(fluid, path, path->n);
    for (uint32_t i = 0; i < path->n; i++)
        is_free &= fluid->link[path->link[i]].wait_ns <= 0;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];
        double step_ns = link->packet_ns + (is_first ? 0 : link->ack_ns), ns = 0;

        if (is_free && locked >> (i - path->n) & 1)
            ns = in_service(fluid, link, at, step_ns);
        else if (link->flows.n)
            ns = link->packet_ns / 2;
        waits += ns;
        at += ns + link->ack_ns + link->delay_ns;
    }
    return waits;
}

double asim_fluid_first_window(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    double window = flow->shape.window, done = flow->shape.packets - flow->left;
    double after = (double)(fluid->queue.now_ns - flow->began_ns);
    double back = path->rtt_ns + asim_fluid_ack_waits(fluid, flow, path, 1);
    double burst = flow->rate / (1 + flow->rate * fluid->link[path->link[0]].ack_ns);
    double rate =
        asim_fluid_min(burst, window / (path->rtt_ns + asim_fluid_ack_waits(fluid, flow, path, 0)));
    double last = fmod(flow->shape.packets, window); /* of its last window, which does not wait */

    if (back * flow->rate <= window)
        return 0;
    return done + (back - after) * rate - window - last * (1 - rate / burst);
}
