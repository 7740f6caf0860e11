/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Perfect spreading (--flow-without=collisions): behind its host's port a message takes the
 * shortest way whose fullest link has the fewest messages now, for their rate. What ECMP's
 * collisions cost is the difference. A queue pair keeps its port of a host with several: switches
 * spray, NICs do not.
 */
#include "net/flow/path.h"
#include "topo/topo.h"

#include <string.h>

enum { MOST_WAYS = 256 }; /* looked at for a message */

struct search {
    struct asim_fluid *fluid;
    uint32_t dst, ways, n;
    double best_most, best_sum;
    uint32_t at[ASIM_FLUID_HOPS], best[ASIM_FLUID_HOPS];
};

/* Of a way so far. */
struct load {
    double most, sum;
};

/* most: the time of a packet times the messages that would share the link. */
static struct load load_with(const struct asim_fluid *fluid, struct load load, uint32_t l)
{
    const struct asim_fluid_link *link = &fluid->link[l];
    double here = (link->flows.n + 1) * link->packet_ns;

    return (struct load){asim_fluid_max(load.most, here), load.sum + here};
}

static void keep(struct search *search, struct load load, uint32_t n)
{
    search->ways++;
    if (search->n && (load.most > search->best_most ||
                      (load.most >= search->best_most && load.sum >= search->best_sum)))
        return;
    search->best_most = load.most;
    search->best_sum = load.sum;
    search->n = n;
    memcpy(search->best, search->at, n * sizeof *search->at);
}

/* Depth first; the first port tried moves on with the messages so far, so that equal ways take
 * turns. */
static void visit(struct search *search, uint32_t node, uint32_t depth, struct load load)
{
    struct asim_fluid *fluid = search->fluid;
    const struct asim_topo *topo = fluid->topo;
    const uint32_t *ports;
    uint32_t n = 0;

    if (node == search->dst) {
        keep(search, load, depth);
        return;
    }
    ports = asim_route_ports(fluid->routes, node, search->dst, &n);
    for (uint32_t i = 0; i < n && depth < ASIM_FLUID_HOPS && search->ways < MOST_WAYS; i++) {
        uint32_t port = ports[(i + (uint32_t)fluid->counts.messages) % n] - 1;
        const struct asim_port_ref *ref = &topo->ports[topo->first_port[node] + port];

        search->at[depth] = ref->link * 2 + (topo->links[ref->link].a != node);
        visit(search, ref->peer, depth + 1, load_with(fluid, load, search->at[depth]));
    }
}

void asim_fluid_spread(struct asim_fluid *fluid, uint32_t src, uint32_t dst,
                       uint32_t link[ASIM_FLUID_HOPS])
{
    struct search search = {.fluid = fluid, .dst = dst, .at = {link[0]}};
    const struct asim_link *first = &fluid->topo->links[link[0] / 2];

    visit(&search, first->a == src ? first->b : first->a, 1,
          load_with(fluid, (struct load){0, 0}, link[0]));
    memcpy(link, search.best, search.n * sizeof *link);
}
