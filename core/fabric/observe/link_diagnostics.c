/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Warns of links whose rate or delay is unusual. Each sentence names the first link concerned and
 * says how many there are. Links beyond the limits are possible; a wrong unit is the more likely
 * reason.
 */
#include "base/diagnostics.h"
#include "base/text.h"
#include "fabric/observe/link_diagnostics.h"
#include "fabric/events/events.h"
#include "fabric/ground/ground.h"
#include "fabric/link/link.h"
#include "topo/topo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_BPS     1000000000u                             /* 1 Gb/s */
#define MOST_BPS      100000000000000u                        /* 100 Tb/s */
#define MOST_DELAY_FS (100000000u * (uint64_t)ASIM_FS_PER_NS) /* 100 ms: 20,000 km of fibre */

#define MOST_LOSS 0.1

/* The links that a check finds. */
struct found {
    const struct asim_link *first;
    size_t n;
};

static struct found find(const struct asim_fabric *fabric,
                         int (*matches)(const struct asim_fabric *fabric,
                                        const struct asim_link *link))
{
    const struct asim_topo *topo = fabric->set.topo;
    struct found found = {NULL, 0};

    for (size_t l = 0; l < topo->n_links; l++) {
        if (asim_topo_is_virtual(topo, l) || !matches(fabric, &topo->links[l]))
            continue;
        found.first = found.first ? found.first : &topo->links[l];
        found.n++;
    }
    return found;
}

static int has_fraction(const struct asim_fabric *fabric, const struct asim_link *link)
{
    return link->delay_fs % fabric->set.fs_per_tick != 0;
}

static int is_long(const struct asim_fabric *fabric, const struct asim_link *link)
{
    (void)fabric;
    return link->delay_fs >= MOST_DELAY_FS;
}

static int has_odd_rate(const struct asim_fabric *fabric, const struct asim_link *link)
{
    (void)fabric;
    return link->rate_bps < LEAST_BPS || link->rate_bps > MOST_BPS;
}

static int takes_no_time(const struct asim_fabric *fabric, const struct asim_link *link)
{
    return link->rate_bps <= MOST_BPS &&
           !asim_tx_ticks(fabric, asim_fabric_max_wire(fabric), link->rate_bps);
}

static int loses_much(const struct asim_fabric *fabric, const struct asim_link *link)
{
    (void)fabric;
    return link->error_rate > MOST_LOSS;
}

/* "between nodes 3 and 8 (and 5 more)" into buf. */
static const char *show(const struct asim_fabric *fabric, const struct found *found, char *buf,
                        size_t size)
{
    uint32_t a = asim_topo_external_id(fabric->set.topo, found->first->a);
    uint32_t b = asim_topo_external_id(fabric->set.topo, found->first->b);

    if (found->n > 1)
        snprintf(buf, size, "the link between nodes %" PRIu32 " and %" PRIu32 ", and %zu more,", a,
                 b, found->n - 1);
    else
        snprintf(buf, size, "the link between nodes %" PRIu32 " and %" PRIu32, a, b);
    return buf;
}

static void say_delays(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    const char *unit = fabric->set.tick == 1 ? "ns" : "ps";
    struct found parts = find(fabric, has_fraction), longest = find(fabric, is_long);
    char link[120], delay[48];

    if (parts.n)
        asim_diagnose(notes,
                      "%s: %s has a delay of %s, of which %" PRIu64 " %s count: delays are whole "
                      "%s%s",
                      fabric->set.topo->source, show(fabric, &parts, link, sizeof link),
                      asim_topo_show_delay(delay, sizeof delay, parts.first->delay_fs),
                      asim_fs_to_ticks(fabric, parts.first->delay_fs), unit, unit,
                      fabric->set.tick == 1 ? " (TIME_BASE ps keeps ps)" : "");
    if (longest.n)
        asim_diagnose(notes, "%s: %s has a delay of %s; is its unit right? (500 ns is 0.0005ms)",
                      fabric->set.topo->source, show(fabric, &longest, link, sizeof link),
                      asim_topo_show_delay(delay, sizeof delay, longest.first->delay_fs));
}

static void say_rates(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    struct found odd = find(fabric, has_odd_rate), fast = find(fabric, takes_no_time);
    char link[120], rate[48];

    if (odd.n)
        asim_diagnose(notes, "%s: %s has a rate of %s; is its unit right?",
                      fabric->set.topo->source, show(fabric, &odd, link, sizeof link),
                      asim_topo_show_rate(rate, sizeof rate, odd.first->rate_bps));
    if (fast.n)
        asim_diagnose(notes,
                      "%s: %s has a rate of %s, at which the largest frame takes less than 1 ns "
                      "and counts as 0; TIME_BASE ps is exact",
                      fabric->set.topo->source, show(fabric, &fast, link, sizeof link),
                      asim_topo_show_rate(rate, sizeof rate, fast.first->rate_bps));
}

static void say_losses(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    struct found lossy = find(fabric, loses_much);
    char link[120];

    if (lossy.n)
        asim_diagnose(notes, "%s: %s loses %g of its frames; the unit is a share, 0.01 for 1 %%",
                      fabric->set.topo->source, show(fabric, &lossy, link, sizeof link),
                      lossy.first->error_rate);
}

/* One sentence about one event of the network configuration, of any number of links between the two
 * nodes. */
static void say_event(const struct asim_fabric *fabric, const struct asim_fabric_event *event,
                      const struct asim_diagnostics *notes, const char *why)
{
    const struct asim_topo *topo = fabric->set.topo;
    const struct asim_link *link = &topo->links[event->what.of];

    asim_diagnose(notes,
                  "LINK_%s at %" PRIu64 " ns between nodes %" PRIu32 " and %" PRIu32
                  " has no effect: %s",
                  event->what.kind == ASIM_NET_LINK_UP ? "UP" : "DOWN", event->what.at_ns,
                  asim_topo_external_id(topo, link->a), asim_topo_external_id(topo, link->b), why);
}

/* Follows the state of each link through all events of the configuration. */
static void say_events(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    const struct asim_fabric_events *events = fabric->events;
    uint8_t *down = events ? calloc(fabric->set.topo->n_links + 1, 1) : NULL;

    for (size_t i = 0; down && i < events->n; i++) {
        const struct asim_fabric_event *event = &events->at[i];
        int up = event->what.kind == ASIM_NET_LINK_UP;

        if (!event->is_own)
            continue;
        if (down[event->what.of] == !up)
            say_event(fabric, event, notes, up ? "the link is up" : "the link is down");
        down[event->what.of] = !up;
    }
    free(down);
}

void asim_links_diagnose(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    say_delays(fabric, notes);
    say_rates(fabric, notes);
    say_losses(fabric, notes);
    say_events(fabric, notes);
}

void asim_links_diagnose_end(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    const struct asim_fabric_events *events = fabric->events;
    size_t unreached = 0;

    for (size_t i = events ? events->next : 0; events && i < events->n; i++) {
        const struct asim_fabric_event *event = &events->at[i];

        unreached += !event->is_own && event->what.kind != ASIM_NET_ROUTES;
        if (event->is_own)
            say_event(fabric, event, notes,
                      "the run ended before (a time without a unit counts us from 2 s on)");
    }
    if (unreached)
        asim_diagnose(notes,
                      "%zu changes of the network by events of the scenario have no effect: "
                      "the run ended before them",
                      unreached);
}
