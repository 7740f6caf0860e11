/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics before a run: settings with an effect that a user may not expect. One diagnostic
 * each, for any number of switches.
 */
#include "fabric/observe/link_diagnostics.h"
#include "conf/netconf_keys.h"
#include "fabric/ground/ground.h"
#include "topo/topo.h"
#include "fabric/switch/switch.h"
#include "fabric/observe/observe.h"
#include "asim/netconf.h"
#include "base/diagnostics.h"
#include "cc/cc.h"

/* The entry of a map for a rate, or NULL. */
static const struct asim_rate_value *entry_of(const struct asim_rate_map *map, uint64_t bps)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i].rate_bps == bps)
            return &map->at[i];
    return NULL;
}

/* The rate of a switch port without an entry in the ECN maps, 0 if there is none. NVSwitches do not
 * mark frames. */
static uint64_t unmapped_rate(const struct asim_fabric *fabric)
{
    const struct asim_netconf *net = fabric->set.net;

    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++) {
        if (fabric->set.topo->node_type[fabric->set.hosts + v] == ASIM_NVSWITCH)
            continue;
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++) {
            const struct asim_port *port = &fabric->sw[v].ports[p].port;
            uint64_t bps = port->out->rate_bps;

            if (asim_topo_is_virtual(fabric->set.topo, port->out->id / 2))
                continue;
            if (!entry_of(&net->kmin, bps) || !entry_of(&net->kmax, bps))
                return bps;
        }
    }
    return 0;
}

/* Thresholds of the rates that links have, where marks lower rates: thresholds that no queue can
 * reach, and no probability between the two. */
static void say_thresholds(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    const struct asim_netconf *net = fabric->set.net;
    const struct asim_topo *topo = fabric->set.topo;
    int high = 0, no_chance = 0;

    for (size_t l = 0; l < topo->n_links; l++) {
        uint64_t bps = topo->links[l].rate_bps;
        const struct asim_rate_value *kmin = entry_of(&net->kmin, bps);
        const struct asim_rate_value *kmax = entry_of(&net->kmax, bps);
        const struct asim_rate_value *pmax = entry_of(&net->pmax, bps);

        if (!kmin || !kmax || asim_topo_is_virtual(topo, l))
            continue;
        if (kmin->value >= (double)net->buffer_bytes && !high++)
            asim_diagnose(notes,
                          "KMIN_MAP has %g KB for %llu bit/s and BUFFER_SIZE is %g KB: no queue "
                          "of such a link is long enough for an ECN mark",
                          kmin->value / 1000, (unsigned long long)bps,
                          (double)net->buffer_bytes / 1000);
        if (!pmax && kmin->value < kmax->value && !no_chance++)
            asim_diagnose(notes,
                          "PMAX_MAP has no entry for %llu bit/s: links of that rate mark no frame "
                          "between KMIN and KMAX",
                          (unsigned long long)bps);
    }
}

/* Of a host's links. */
static uint64_t fastest_link(const struct asim_topo *topo)
{
    uint64_t fastest = 0;

    for (uint32_t p = 0; p < topo->first_port[topo->hosts - topo->endpoints]; p++) {
        uint64_t bps = topo->links[topo->ports[p].link].rate_bps;

        fastest = bps > fastest && !asim_topo_is_virtual(topo, topo->ports[p].link) ? bps : fastest;
    }
    return fastest;
}

/* A rate of the congestion control's options, 0 where it has none of that name. */
static uint64_t option_rate(const struct asim_fabric *fabric, const char *key)
{
    const struct asim_option *table = fabric->set.cc->member.options;
    const struct asim_option *row = table ? asim_option_find(table, key) : NULL;

    return row ? *(const uint64_t *)asim_netconf_field(fabric->set.net, row) : 0;
}

/* Increases are published for links of 25 to 100 Gb/s. On faster ones a flow that was cut takes
 * ages to come back. Controls with both increases, DCQCN and TIMELY, are meant; HPCC's is small on
 * purpose. */
static void say_increase(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    enum { MOST_STEPS = 5000 }; /* 50 Mb/s is 1/2000 of 100 Gb/s */
    uint64_t additive = option_rate(fabric, "RATE_AI"), hyper = option_rate(fabric, "RATE_HAI"),
             fastest = fastest_link(fabric->set.topo);

    if (!fabric->set.net->cc_name || !*fabric->set.net->cc_name)
        return; /* by number: a published file, whose values are on purpose */
    if (!additive || !hyper || fastest / additive <= MOST_STEPS)
        return;
    asim_diagnose(notes,
                  "RATE_AI %g Mb/s and RATE_HAI %g Mb/s of %s are published for links of 25 to 100 "
                  "Gb/s; on links of %g Gb/s a flow that was cut to half its rate needs %.0f "
                  "additive increases to come back. RATE_AI %.0fMb/s and RATE_HAI %.0fMb/s keep "
                  "the published share of the link",
                  (double)additive / 1e6, (double)hyper / 1e6, fabric->set.cc->member.name,
                  (double)fastest / 1e9, (double)fastest / 2 / (double)additive,
                  (double)fastest / 2000 / 1e6, (double)fastest / 1000 / 1e6);
}

/* No flow is slower than MIN_RATE; a line slower than it runs at its own rate. */
static void say_least_rate(const struct asim_fabric *fabric, const struct asim_diagnostics *notes)
{
    uint64_t fastest = fastest_link(fabric->set.topo), least = fabric->set.net->min_rate_bps;

    if (fabric->set.cc->number != 12 && fastest && least >= fastest)
        asim_diagnose(notes,
                      "MIN_RATE %llu bit/s is not below the rate of any host's link, so %s never "
                      "lowers a rate",
                      (unsigned long long)least, fabric->set.cc->member.name);
}

/* Two nodes with several links between them; one such pair is reported. */
struct duplicate {
    uint32_t a, b;
};

static int note_duplicate(void *self, uint32_t a, uint32_t b)
{
    *(struct duplicate *)self = (struct duplicate){a, b};
    return 1;
}

int asim_fabric_diagnostics(const struct asim_fabric *fabric, const struct asim_diagnostics *notes,
                            struct asim_err *err)
{
    uint64_t bps = unmapped_rate(fabric);
    struct duplicate duplicate = {0, 0};
    uint32_t full = 0;

    if (asim_topo_duplicate_links(fabric->set.topo, note_duplicate, &duplicate))
        return asim_err_nomem(err, "looking for duplicate links");
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        full += fabric->sw[v].shareable == UINT64_MAX;
    if (full)
        asim_diagnose(
            notes,
            "on %u switches headroom and reserve alone exceed the buffer, so PFC never triggers "
            "there (as in ASTRA-sim); raise BUFFER_SIZE or lower HEADROOM_FACTOR",
            full);
    if (duplicate.a != duplicate.b)
        asim_diagnose(notes,
                      "nodes %u and %u are joined by several links, which messages share by their "
                      "hash; in ASTRA-sim the last of them in the file is the only one",
                      asim_topo_external_id(fabric->set.topo, duplicate.a),
                      asim_topo_external_id(fabric->set.topo, duplicate.b));
    /* Without a congestion control that reacts to marks this changes no time. */
    if (bps && fabric->set.net->enable_qcn && fabric->set.cc->by_marks)
        asim_diagnose(notes,
                      "KMIN_MAP and KMAX_MAP have no entry for links of %llu bit/s: every frame "
                      "that leaves others queued behind it there is ECN-marked (as in ASTRA-sim); "
                      "add the rate to the maps",
                      (unsigned long long)bps);
    if (fabric->set.net->enable_qcn && fabric->set.cc->by_marks)
        say_thresholds(fabric, notes);
    say_least_rate(fabric, notes);
    say_increase(fabric, notes);
    asim_links_diagnose(fabric, notes);
    return 0;
}
