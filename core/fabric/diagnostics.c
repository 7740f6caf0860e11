/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Diagnostics before a run: settings with an effect that a user may not expect. One diagnostic
 * each, for any number of switches.
 */
#include "fabric/node.h"

static int has_rate(const struct asim_rate_map *map, uint64_t bps)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i].rate_bps == bps)
            return 1;
    return 0;
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
            if (!has_rate(&net->kmin, bps) || !has_rate(&net->kmax, bps))
                return bps;
        }
    }
    return 0;
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
    if (bps && fabric->set.net->enable_qcn && fabric->set.cc->number != 12)
        asim_diagnose(notes,
                      "KMIN_MAP and KMAX_MAP have no entry for links of %llu bit/s: every frame "
                      "that leaves others queued behind it there is ECN-marked (as in ASTRA-sim); "
                      "add the rate to the maps",
                      (unsigned long long)bps);
    return 0;
}
