/* SPDX-License-Identifier: GPL-2.0-only
 *
 * When messages are through that shares of queues alone tell wrong (flow.md#queues): senders at
 * several distances share a queue from when the packets of the nearest come, and nothing is through
 * before its NIC has sent it.
 */
#include "net/flow/rings.h"

#include <math.h>

/* Of messages from so far; n_leads: there is none. */
static int find(const struct asim_fluid_link *link, double to_here_ns)
{
    int i = 0;

    while (i < link->n_leads && fabs(link->leads[i].to_here_ns - to_here_ns) >= 1)
        i++;
    return i;
}

void asim_fluid_add_lead(struct asim_fluid_link *link, uint64_t now_ns, double to_here_ns,
                         double work_ns)
{
    int i;

    if (!link->flows.n)
        link->n_leads = 0;
    i = find(link, to_here_ns);
    if (i == ASIM_FLUID_LEADS)
        return;
    if (i == link->n_leads)
        link->leads[link->n_leads++] =
            (struct asim_fluid_lead){.to_here_ns = to_here_ns, .at_ns = now_ns};
    link->leads[i].work_ns += work_ns;
    link->leads[i].n++;
}

void asim_fluid_end_lead(struct asim_fluid_link *link, uint64_t now_ns, double to_here_ns)
{
    int i = find(link, to_here_ns);

    if (i < link->n_leads && link->leads[i].n) {
        link->leads[i].n--;
        link->leads[i].gone_ns = now_ns;
    }
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

/* How long the link is of those from near_ns and nearer than a distance only; work_ns: theirs. */
static double before(const struct asim_fluid_link *link, const struct asim_fluid_lead *farther,
                     double near_ns, double *work_ns)
{
    double from = near_ns;

    *work_ns = 0;
    for (int j = 0; j < link->n_leads; j++)
        if (link->leads[j].to_here_ns < farther->to_here_ns) {
            from = asim_fluid_max(from, link->leads[j].to_here_ns);
            *work_ns += link->leads[j].work_ns;
        }
    return asim_fluid_max(0, farther->to_here_ns - from);
}

/* What nearer messages under way have left of what the link serves of them until those from so far
 * come. */
static double still_ahead(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                          double to_here_ns)
{
    const uint64_t now = fluid->queue.now_ns;
    double ns = 0;

    if (link->n_leads < 2) /* all are as far */
        return 0;
    for (uint32_t i = 0; i < link->flows.n; i++) {
        const struct asim_fluid_place *place = &link->flows.at[i];
        const struct asim_fluid_flow *flow = place->flow;
        double left = flow->left - flow->rate * (double)(now - flow->left_at);
        double near_ns = asim_fluid_to_ns(fluid, flow->path, place->hop), part = 0, work;

        if (near_ns + 1 > to_here_ns || left <= 0 || flow->end_ns <= now)
            continue;
        for (int k = 0; k < link->n_leads; k++)
            if (link->leads[k].to_here_ns <= to_here_ns) {
                double alone = before(link, &link->leads[k], near_ns, &work);

                part += alone / asim_fluid_max(work, alone + 1);
            }
        ns += asim_fluid_min(left, flow->shape.packets * asim_fluid_min(1, part)) * link->step_ns;
    }
    return ns;
}

/* What a message gains that has the link beside those from as far and nearer until packets of
 * farther ones come that began with it: these serve 1 / work of it in a ns, which takes it
 * took / work beside all. Where those farther ended first, it had the link again for as long. */
static double start_of(const struct asim_fluid_link *link, const struct asim_fluid_flow *flow,
                       double to_here_ns, double least_ns, uint64_t now_ns)
{
    double gain = 0, took_ns = (double)(now_ns - flow->began_ns);

    for (int i = 0; i < link->n_leads; i++) {
        const struct asim_fluid_lead *farther = &link->leads[i];
        double work, alone = before(link, farther, to_here_ns, &work);

        if (farther->at_ns != flow->began_ns)
            continue;
        if (!farther->n)
            alone -= (double)(now_ns - farther->gone_ns);
        gain += asim_fluid_max(0, alone) *
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

    if (!(fluid->parts & ASIM_FLUID_LEAD))
        return 0;
    for (uint32_t i = 0; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (link->was_full)
            lead = lead_of(link, pre) - still_ahead(fluid, link, pre) +
                   start_of(link, flow, pre, least, fluid->queue.now_ns);
        pre += asim_fluid_pass_ns(link);
    }
    lead = asim_fluid_min(lead, took - alone);
    lead = asim_fluid_min(lead, flow->shape.forward_ns + flow->shape.back_ns);
    return asim_fluid_max(0, lead);
}

/* What a NIC has sent until now. Messages of an all-to-all drain together, so it is kept for those
 * that do so in this ns; nothing is left of these. */
static double sent_by(const struct asim_fluid *fluid, struct asim_fluid_link *nic,
                      const struct asim_fluid_flow *flow)
{
    if (nic->sent_at == fluid->queue.now_ns && nic->sent_of_ns == nic->leads[0].work_ns)
        return nic->sent_ns;
    nic->sent_at = fluid->queue.now_ns;
    nic->sent_ns = nic->sent_of_ns = nic->leads[0].work_ns;
    for (uint32_t i = 0; i < nic->flows.n; i++) {
        const struct asim_fluid_flow *other = nic->flows.at[i].flow;
        double left = other->left - other->rate * (double)(fluid->queue.now_ns - other->left_at);

        if (other != flow)
            nic->sent_ns -= asim_fluid_max(0, left) * nic->step_ns;
    }
    return nic->sent_ns;
}

double asim_fluid_unsent(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const double close = 1e-3; /* as rates are */
    struct asim_fluid_link *nic = &fluid->link[flow->path->link[0]];
    double had_ns = (double)(fluid->queue.now_ns - nic->leads[0].at_ns), sent_ns;

    if (fluid->trust.is_changed)
        return 0;
    sent_ns = sent_by(fluid, nic, flow);
    return sent_ns > had_ns * (1 + close) + 1 ? sent_ns - had_ns : 0;
}
