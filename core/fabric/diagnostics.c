/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What a user should know of a network before it runs: settings that act differently from what
 * they look like. One note each, however many switches it concerns.
 */
#include "fabric/node.h"

static int has_rate(const struct asim_rate_map *map, uint64_t bps)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->at[i].rate_bps == bps)
            return 1;
    return 0;
}

/* Rate of some switch port the ECN maps do not know, 0 if there is none. NVSwitches do not mark. */
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

/* The first pair is enough. */
struct twice {
    uint32_t a, b;
};

static int see_twice(void *self, uint32_t a, uint32_t b)
{
    *(struct twice *)self = (struct twice){a, b};
    return 1;
}

int asim_fabric_diagnostics(const struct asim_fabric *fabric, const struct asim_diagnostics *notes,
                            struct asim_err *err)
{
    uint64_t bps = unmapped_rate(fabric);
    struct twice twice = {0, 0};
    uint32_t full = 0;

    if (asim_topo_duplicate_links(fabric->set.topo, see_twice, &twice))
        return asim_err_nomem(err, "looking for duplicate links");
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        full += fabric->sw[v].shareable == UINT64_MAX;
    if (full)
        asim_diagnose(
            notes,
            "on %u switches headroom and reserve alone exceed the buffer, so PFC never triggers "
            "there (as in ASTRA-sim); raise BUFFER_SIZE or lower HEADROOM_FACTOR",
            full);
    if (twice.a != twice.b)
        asim_diagnose(notes,
                      "nodes %u and %u are joined by several links, which messages share by their "
                      "hash; in ASTRA-sim the last of them in the file is the only one",
                      asim_topo_external_id(fabric->set.topo, twice.a),
                      asim_topo_external_id(fabric->set.topo, twice.b));
    /* Where nobody reacts to marks this changes no time. */
    if (bps && fabric->set.net->enable_qcn && fabric->set.cc->number != 12)
        asim_diagnose(notes,
                      "KMIN_MAP and KMAX_MAP have no entry for links of %llu bit/s: every frame "
                      "that leaves others queued behind it there is ECN-marked (as in ASTRA-sim); "
                      "add the rate to the maps",
                      (unsigned long long)bps);
    return 0;
}
