/* SPDX-License-Identifier: GPL-2.0-only
 *
 * When messages are through that shares of queues alone tell wrong (flow.md#queues): senders at
 * several distances share a queue from when the packets of the nearest come, and nothing is through
 * before its NIC has sent it.
 */
#include "net/flow/rings.h"

#include <math.h>

void asim_fluid_add_lead(struct asim_fluid_link *link, uint64_t now_ns, double to_here_ns,
                         double work_ns)
{
    int i = 0;

    if (!link->flows.n)
        link->n_leads = 0;
    while (i < link->n_leads && fabs(link->leads[i].to_here_ns - to_here_ns) >= 1)
        i++;
    if (i == ASIM_FLUID_LEADS)
        return;
    if (i == link->n_leads)
        link->leads[link->n_leads++] = (struct asim_fluid_lead){to_here_ns, 0, now_ns};
    link->leads[i].work_ns += work_ns;
}

/* What a link has served of nearer senders' messages when those of so far a sender come: the whole
 * time from the first, less what it was idle. */
static double lead_of(const struct asim_fluid_link *link, double to_here_ns)
{
    double least = ASIM_FLUID_NONE;

    for (int i = 0; i < link->n_leads; i++) {
        double served = to_here_ns - link->leads[i].to_here_ns;

        if (served < 0)
            continue;
        for (int j = 0; j < link->n_leads; j++)
            if (link->leads[j].to_here_ns < link->leads[i].to_here_ns)
                served += link->leads[j].work_ns;
        least = asim_fluid_min(least, served);
    }
    return least < ASIM_FLUID_NONE ? least : 0;
}

/* What a message gains that has the link beside those from as far and nearer until packets of
 * farther ones come that began with it: these serve 1 / work of it in a ns, which takes it
 * took_ns / work beside all. */
static double start_of(const struct asim_fluid_link *link, const struct asim_fluid_flow *flow,
                       double to_here_ns, double took_ns, double least_ns)
{
    double gain = 0;

    for (int i = 0; i < link->n_leads; i++) {
        const struct asim_fluid_lead *farther = &link->leads[i];
        double from = to_here_ns, work = 0;

        for (int j = 0; j < link->n_leads; j++)
            if (link->leads[j].to_here_ns < farther->to_here_ns) {
                from = asim_fluid_max(from, link->leads[j].to_here_ns);
                work += link->leads[j].work_ns;
            }
        if (farther->to_here_ns > from && farther->at_ns == flow->began_ns)
            gain += (farther->to_here_ns - from) *
                    asim_fluid_max(0, took_ns / asim_fluid_max(work, least_ns) - 1);
    }
    return gain;
}

double asim_fluid_lead(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    double took = (double)(fluid->queue.now_ns - flow->began_ns), lead = 0, pre = 0;
    double alone = flow->shape.packets / path->line;
    double least = asim_fluid_max(alone, fluid->link[path->link[0]].leads[0].work_ns);

    if (!(fluid->parts & ASIM_FLUID_LEAD) || fluid->has_bursts)
        return 0;
    for (uint32_t i = 0; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (link->was_full)
            lead = lead_of(link, pre) + start_of(link, flow, pre, took, least);
        pre += link->packet_ns + link->delay_ns;
    }
    lead = asim_fluid_min(lead, took - alone);
    lead = asim_fluid_min(lead, flow->shape.forward_ns + flow->shape.back_ns);
    return asim_fluid_max(0, lead);
}

double asim_fluid_unsent(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const double close = 1e-3; /* as rates are */
    const struct asim_fluid_link *nic = &fluid->link[flow->path->link[0]];
    double had_ns = (double)(fluid->queue.now_ns - nic->leads[0].at_ns);
    double sent_ns = nic->leads[0].work_ns;

    if (fluid->has_bursts || fluid->trust.is_changed)
        return 0;
    for (uint32_t i = 0; i < nic->flows.n; i++) {
        const struct asim_fluid_flow *other = nic->flows.at[i].flow;
        double left = other->left - other->rate * (double)(fluid->queue.now_ns - other->left_at);

        if (other != flow)
            sent_ns -= asim_fluid_max(0, left) * nic->step_ns;
    }
    return sent_ns > had_ns * (1 + close) + 1 ? sent_ns - had_ns : 0;
}
