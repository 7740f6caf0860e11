/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Measures how flows share equal-cost ports. Keeps 32 bytes for each choice of each message, of the
 * first MOST_STAYS choices; at the end it sweeps over the starts and ends at each place in order of
 * time.
 */
#include "report/ways.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* HOPS: of a flow that are looked at; of longer paths none is. */
enum { MOST_STAYS = 1 << 20, PORTS = 65536, HOPS = 64 };

/* A network of switches and hosts without circles has one path for each pair. */
int asim_ways_exist(const struct asim_world *world)
{
    const struct asim_topo *topo = &world->set.topo;

    return asim_world_has(world, ASIM_NET_FLOWS) && topo->n_links + 1 != topo->nodes &&
           world->set.net.load_balance != ASIM_SPRAY;
}

/* A set with a port number beyond 16 bits is not counted; no switch has so many ports. */
static int add_stay(struct asim_ways *ways, const struct asim_hop *hop,
                    const struct asim_event *event)
{
    struct asim_way_stay stay = {.place = (uint64_t)hop->node << 32 | (uint64_t)hop->first << 16 |
                                          hop->n,
                                 .start = event->of.fct.start,
                                 .end = event->t,
                                 .port = hop->port};

    if (hop->port >= PORTS || hop->first >= PORTS || hop->n >= PORTS)
        return 0;
    return ASIM_VEC_PUSH(ways->stays, stay);
}

uint32_t asim_ways_path(const struct asim_world *world, const struct asim_event *event,
                        struct asim_hop *hops, uint32_t room)
{
    struct asim_fct flow = {
        .src = event->rank, .dst = event->of.fct.dst, .sport = event->of.fct.sport};

    return world->via.packets->path(world->via.packet_net, &flow, hops, room);
}

void asim_ways_see(struct asim_ways *ways, const struct asim_world *world,
                   const struct asim_event *event)
{
    struct asim_hop hops[HOPS];
    uint32_t n = asim_ways_path(world, event, hops, HOPS), known = n < HOPS ? n : HOPS;
    uint32_t choices = 0;

    for (uint32_t i = 0; i < known; i++)
        choices += hops[i].n > 1;
    if (!choices || ways->failed)
        return;
    ways->flows++;
    if (n > known || ways->stays.n + choices > MOST_STAYS) {
        ways->left_out++;
        return;
    }
    for (uint32_t i = 0; i < n && !ways->failed; i++)
        if (hops[i].n > 1)
            ways->failed = add_stay(ways, &hops[i], event) != 0;
}

/* A flow comes to a port or leaves it. */
struct step {
    uint64_t place, t;
    uint32_t port;
    int by; /* 1 or -1 */
};

/* Flows that leave come before those that come at the same time. */
ASIM_ORDER(compare, struct step, ->place, ->t, ->by, ->port)

/* Running sums over all places. */
struct sweep {
    double flow_ns, way_ns; /* flows x time on them; ports x time in which their place is in use */
    uint64_t since;         /* of the last step */
    uint32_t present;       /* flows at the place */
    uint32_t *on;           /* [PORTS] flows on each port of the place */
};

static void take_step(struct sweep *sweep, struct asim_ways_use *use, const struct step *step)
{
    double passed = (double)(step->t - sweep->since);

    if (sweep->present) {
        sweep->flow_ns += passed * sweep->present;
        sweep->way_ns += passed * (double)(step->place & 0xffff);
    }
    sweep->since = step->t;
    sweep->present += (uint32_t)step->by;
    sweep->on[step->port] += (uint32_t)step->by;
    if (step->by > 0 && sweep->on[step->port] > use->worst) {
        use->worst = sweep->on[step->port];
        use->node = (uint32_t)(step->place >> 32);
        use->port = step->port;
        use->even = (double)sweep->present / (double)(step->place & 0xffff);
    }
}

int asim_ways_measure(struct asim_ways *ways, struct asim_ways_use *use, struct asim_err *err)
{
    size_t n = ways->stays.n * 2;
    struct step *steps = malloc((n + 1) * sizeof *steps);
    struct sweep sweep = {.on = calloc(PORTS, sizeof *sweep.on)};

    memset(use, 0, sizeof *use);
    if (!steps || !sweep.on || ways->failed) {
        ASIM_FREE(steps, sweep.on);
        return asim_err_nomem(err, "counting flows on equal ways");
    }
    for (size_t i = 0; i < ways->stays.n; i++) {
        const struct asim_way_stay *stay = &ways->stays.at[i];

        steps[2 * i] = (struct step){stay->place, stay->start, stay->port, 1};
        steps[2 * i + 1] = (struct step){stay->place, stay->end, stay->port, -1};
    }
    if (n)
        qsort(steps, n, sizeof *steps, compare);
    for (size_t i = 0; i < n; i++) {
        if (!i || steps[i].place != steps[i - 1].place)
            sweep.since = steps[i].t;
        take_step(&sweep, use, &steps[i]);
    }
    use->mean = sweep.way_ns > 0 ? sweep.flow_ns / sweep.way_ns : 0;
    ASIM_FREE(steps, sweep.on);
    return 0;
}

void asim_ways_fini(struct asim_ways *ways)
{
    free(ways->stays.at);
}
