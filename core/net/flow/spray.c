/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sprayed packets (flow.md#spray): switches send packets by equal ways in turn, so each link of a
 * step of the way has an equal share of a flow. Where all flows that use one of these links use all
 * of them, the step is one link of as many ways. Elsewhere the run is refused.
 */
#include "net/flow/path.h"
#include "topo/topo.h"

enum { MOST_WAYS = 1024 };

/* The nodes that a step has come to, and the links from there. */
struct step {
    uint32_t node[MOST_WAYS], link[MOST_WAYS], nodes, links;
};

static uint32_t far_end(const struct asim_topo *topo, uint32_t l)
{
    return l % 2 ? topo->links[l / 2].a : topo->links[l / 2].b;
}

/* Fills in the links to dst from all nodes; 0: they are too many, or the shares differ. */
static int leave(const struct asim_fluid *fluid, uint32_t dst, struct step *step)
{
    const struct asim_topo *topo = fluid->topo;
    uint32_t each = 0;

    step->links = 0;
    for (uint32_t i = 0; i < step->nodes; i++) {
        uint32_t node = step->node[i], n = 0;
        const uint32_t *ports = asim_route_ports(fluid->routes, node, dst, &n);

        if (!n || (i && n != each) || step->links + n > MOST_WAYS)
            return 0;
        each = n;
        for (uint32_t p = 0; p < n; p++) {
            uint32_t l = topo->ports[topo->first_port[node] + ports[p] - 1].link;

            step->link[step->links++] = l * 2 + (topo->links[l].a != node);
        }
    }
    return 1;
}

/* The nodes at the far ends; 0: some have more of the flow than others. */
static int arrive(const struct asim_topo *topo, struct step *step)
{
    uint32_t count[MOST_WAYS];

    step->nodes = 0;
    for (uint32_t i = 0; i < step->links; i++) {
        uint32_t node = far_end(topo, step->link[i]), at = 0;

        while (at < step->nodes && step->node[at] != node)
            at++;
        if (at == step->nodes) {
            step->node[step->nodes++] = node;
            count[at] = 0;
        }
        count[at]++;
    }
    for (uint32_t i = 1; i < step->nodes; i++)
        if (count[i] != count[0])
            return 0;
    return 1;
}

/* A link of as many ways, each as slow as the slowest. */
static uint32_t make_group(struct asim_fluid *fluid, const struct step *step)
{
    uint32_t g = fluid->n_links + fluid->n_groups++, slowest = step->link[0];
    struct asim_fluid_link *group = &fluid->link[g];

    for (uint32_t i = 0; i < step->links; i++) {
        fluid->link[step->link[i]].group = g;
        if (fluid->link[step->link[i]].packet_ns > fluid->link[slowest].packet_ns)
            slowest = step->link[i];
    }
    for (uint32_t i = 1; i < step->links; i++)
        fluid->link[step->link[i - 1]].beside = step->link[i];
    *group = fluid->link[slowest];
    fluid->by_order[group->order] = g;
    group->beside = step->link[0]; /* the first way */
    group->ways = step->links;
    group->step_ns /= step->links;
    group->ack_step_ns /= step->links;
    return g;
}

/* The link that stands for the step; UINT32_MAX: other flows use a part of it. */
static uint32_t group_of(struct asim_fluid *fluid, const struct step *step)
{
    struct asim_fluid_link *first = &fluid->link[step->link[0]];

    for (uint32_t i = 0; i < step->links; i++)
        if (fluid->link[step->link[i]].group != first->group || fluid->link[step->link[i]].ways)
            return step->links == 1 && first->ways ? step->link[0] : UINT32_MAX;
    if (first->group)
        return fluid->link[first->group].ways == step->links ? first->group : UINT32_MAX;
    if (step->links > 1)
        return make_group(fluid, step);
    first->ways = 1; /* all of a flow, for good */
    return step->link[0];
}

uint32_t asim_fluid_spray(struct asim_fluid *fluid, uint32_t dst, uint32_t link[ASIM_FLUID_HOPS])
{
    struct step step = {.link = {link[0]}, .links = 1};
    uint32_t n = 0;

    for (;;) {
        link[n] = group_of(fluid, &step);
        if (link[n++] == UINT32_MAX || !arrive(fluid->topo, &step))
            return 0;
        if (step.nodes == 1 && step.node[0] == dst)
            return n;
        if (n == ASIM_FLUID_HOPS || !leave(fluid, dst, &step))
            return 0;
    }
}
