/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Warns of windows that are too small for traffic in both directions over a link slower than the
 * hosts' (doc/limits.md): ACKs wait behind data at the switches, so that a window of one
 * bandwidth-delay product does not keep the link busy. No file.
 *
 * What is measured, for the slowest link of each message's path: how long messages of two windows
 * and more took beside the time they would take alone, and in which part of the run there were any.
 * Shorter messages wait for delays more than for windows. The warning comes where the busiest link
 * of the network has room, and its messages were held up so much, that the run could gain GAIN.
 * Without congestion control alone: rates that fall explain messages as slow. Of 200 random
 * networks and collectives set aside, the warning came in 32 of the 36 that SWITCH_ACK_HIGH_PRIO 1
 * shortens by 15 % or more, and in 2 of the others, by 10 to 15 %.
 *
 * Cost: a path for each message that is long enough for the slowest link of the network; networks
 * without such links pay nothing.
 */
#include "asim/packet.h"
#include "net/packets.h"
#include "report/report.h"
#include "sim/distributed/distribution.h"
#include "sim/world.h"
#include "topo/tier.h"

#include <stdlib.h>
#include <string.h>

#define GAIN    0.16
#define WINDOWS 2.0  /* bytes of a message, in windows */
#define BUSIEST 0.97 /* of the utilisation of the busiest link: as busy */

enum { HOPS = 64 };

/* Long messages whose slowest link is this one. active: ns in which there were any, where one ended
 * after the other (a lower bound); last: end of the last one. */
struct slowed {
    double took, alone, active;
    uint64_t last;
};

struct windows {
    struct slowed *wires; /* [2 x links] */
    uint64_t slowest_bps; /* of all links */
};

static uint64_t fastest_host(const struct asim_topo *topo)
{
    uint64_t bps = 0;

    for (uint32_t p = 0; p < topo->first_port[topo->hosts]; p++)
        if (topo->links[topo->ports[p].link].rate_bps > bps)
            bps = topo->links[topo->ports[p].link].rate_bps;
    return bps;
}

static uint64_t slowest_link(const struct asim_topo *topo)
{
    uint64_t bps = UINT64_MAX;

    for (size_t l = 0; l < topo->n_links; l++)
        bps = topo->links[l].rate_bps < bps ? topo->links[l].rate_bps : bps;
    return bps;
}

static int asks(const struct asim_world *world)
{
    const struct asim_netconf *net = &world->set.net;
    const struct asim_topo *topo = &world->set.topo;
    uint64_t bps = fastest_host(topo);
    int controls = net->cc_name && *net->cc_name ? strcmp(net->cc_name, "none") != 0
                                                 : net->cc_mode && net->cc_mode != 12;
    size_t l = 0;

    if (!net->has_win || net->switch_ack_high_prio || controls)
        return 0;
    while (l < topo->n_links && topo->links[l].rate_bps >= bps)
        l++;
    return l < topo->n_links;
}

static uint32_t wire_of(const struct asim_topo *topo, const struct asim_hop *hop)
{
    uint32_t link = topo->ports[topo->first_port[hop->node] + hop->port - 1].link;

    return 2 * link + (topo->links[link].a != hop->node);
}

/* Whether a message is of WINDOWS windows and more, with its slowest link at `bps`. */
static int is_long(const struct asim_event *event, uint64_t bps)
{
    double sending = (double)event->of.fct.bytes * 8e9 / (double)bps;

    return sending >= WINDOWS * ((double)event->of.fct.ideal - sending);
}

/* A sender as slow as the slowest link sends no bursts that queue there. A message that is short
 * for the slowest link of all is short for that of its path. */
static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    const struct asim_topo *topo = &world->set.topo;
    struct asim_fct flow = {
        .src = event->rank, .dst = event->of.fct.dst, .sport = event->of.fct.sport};
    struct asim_hop hops[HOPS];
    struct windows *windows = self;
    uint32_t n, slowest = 0;
    uint64_t start = event->of.fct.start, bps = UINT64_MAX, first = 0;
    struct slowed *at;

    if (!is_long(event, windows->slowest_bps))
        return;
    n = world->via.packets->path(world->via.packet_net, &flow, hops, HOPS);
    for (uint32_t i = 0; i < n && n <= HOPS; i++) {
        uint32_t wire = wire_of(topo, &hops[i]);
        uint64_t rate = topo->links[wire / 2].rate_bps;

        first = i ? first : rate;
        slowest = rate < bps ? wire : slowest;
        bps = rate < bps ? rate : bps;
    }
    if (first <= bps || !is_long(event, bps))
        return;
    at = &windows->wires[slowest];
    at->took += (double)(event->t - start);
    at->alone += (double)event->of.fct.ideal;
    at->active += (double)(event->t - (start > at->last ? start : at->last));
    at->last = event->t;
}

static double utilisation(const struct asim_world *world, uint32_t wire, uint64_t end)
{
    struct asim_link_use use;

    asim_distribution_link_use(world, wire, &use);
    return (double)use.bytes * 8e9 / ((double)use.rate_bps * (double)end);
}

/* The part of the run that is gained at most where the messages are no longer held up. */
static double gain_of(const struct slowed *at, double used, uint64_t end)
{
    double held = at->took > at->alone ? (1 - at->alone / at->took) * at->active / (double)end : 0;

    return held < 1 - used ? held : 1 - used;
}

static int tell(const struct asim_world *world, const struct slowed *at, uint32_t wire, double used,
                struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    const struct asim_link *link = &topo->links[wire / 2];
    char from[24], to[24];
    uint8_t *tier;

    if (asim_topo_tiers(&tier, topo, err))
        return ASIM_ENOMEM;
    asim_world_diagnose(
        world,
        "the link from %s to %s is %.0f %% used, and no more, because windows of one "
        "bandwidth-delay product are too small for traffic in both directions: ACKs wait behind "
        "data at the switches, so that messages over it took %.1f times as long as alone. "
        "SWITCH_ACK_HIGH_PRIO 1 in the network configuration lets ACKs pass",
        asim_topo_node_name(from, sizeof from, topo, tier, wire % 2 ? link->b : link->a),
        asim_topo_node_name(to, sizeof to, topo, tier, wire % 2 ? link->a : link->b), 100 * used,
        at->took / at->alone);
    free(tier);
    return 0;
}

static int look(const struct slowed *wires, const struct asim_world *world, struct asim_err *err)
{
    uint32_t n = (uint32_t)world->set.topo.n_links * 2, worst = 0;
    uint64_t end = asim_report_end_ns(world);
    double most = 0, gain = 0, worst_used = 0;

    for (uint32_t w = 0; w < n && end; w++) {
        double used = utilisation(world, w, end);

        most = used > most ? used : most;
    }
    for (uint32_t w = 0; w < n && end; w++) {
        double used = utilisation(world, w, end), gained = gain_of(&wires[w], used, end);

        if (used < BUSIEST * most || gained <= gain)
            continue;
        gain = gained;
        worst = w;
        worst_used = used;
    }
    return gain >= GAIN ? tell(world, &wires[worst], worst, worst_used, err) : 0;
}

static int close_windows(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct windows *windows = self;
    int code = world->run.failed || world->run.stopped ? 0 : look(windows->wires, world, err);

    ASIM_FREE(windows->wires, windows);
    return code;
}

static int open_windows(struct asim_event_observer *observer, struct asim_world *world,
                        const char *out, struct asim_err *err)
{
    struct windows *windows = calloc(1, sizeof *windows);

    (void)out;
    if (windows) {
        windows->slowest_bps = slowest_link(&world->set.topo);
        windows->wires = calloc(world->set.topo.n_links * 2, sizeof *windows->wires);
    }
    if (!windows || !windows->wires) {
        free(windows);
        return asim_err_nomem(err, "opening reports");
    }
    *observer = (struct asim_event_observer){.wants = 1u << ASIM_EV_FCT | 1u << ASIM_EV_LINKS,
                                             .self = windows,
                                             .on_event = see,
                                             .close = close_windows};
    return 0;
}

const struct asim_report asim_report_windows = {
    .member = {.name = "windows", .about = "a note where windows are too small for ACKs that wait"},
    .needs = ASIM_NET_FRAMES,
    .asks = asks,
    .open = open_windows,
};
