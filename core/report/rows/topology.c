/* SPDX-License-Identifier: GPL-2.0-only
 *
 * topology.json: the network as the run understood it, for `asim report` and drawings: nodes with
 * type, name and tier; links with rate, delay, loss and class (topo/tier.h). Numbers of nodes and
 * ports are those of links.csv. Endpoints of NVSwitches and their links are left out, since they
 * are part of the NVSwitch.
 */
#include "report/report.h"
#include "topo/tier.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *type_of(const struct asim_topo *topo, uint32_t node)
{
    static const char *const names[] = {"host", "switch", "nvswitch"};

    return asim_topo_is_pcie(topo, node) ? "pcie" : names[topo->node_type[node]];
}

static void write_nodes(struct asim_out *file, const struct asim_topo *topo, const uint8_t *tier)
{
    const char *comma = "";
    char name[24];

    asim_out_printf(file, "{\n  \"nodes\": [");
    for (uint32_t v = 0; v < topo->nodes; v++) {
        if (asim_topo_is_endpoint(topo, v))
            continue;
        asim_out_printf(file,
                        "%s\n    {\"id\": %u, \"type\": \"%s\", \"name\": \"%s\", \"tier\": %u}",
                        comma, asim_topo_external_id(topo, v), type_of(topo, v),
                        asim_topo_node_name(name, sizeof name, topo, tier, v), tier[v]);
        comma = ",";
    }
}

/* error_rate: of links that state none. */
static void write_links(struct asim_out *file, const struct asim_topo *topo, const uint8_t *tier,
                        double error_rate)
{
    const char *comma = "";
    char class[24], loss[40];

    asim_out_printf(file, "\n  ],\n  \"links\": [");
    for (size_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];

        if (asim_topo_is_virtual(topo, l))
            continue;
        asim_out_printf(file,
                        "%s\n    {\"a\": %u, \"port_a\": %u, \"b\": %u, \"port_b\": %u, "
                        "\"rate_bps\": %" PRIu64 ", \"delay_fs\": %" PRIu64
                        ", \"error_rate\": %s, \"class\": \"%s\"}",
                        comma, asim_topo_external_id(topo, link->a), link->port_a,
                        asim_topo_external_id(topo, link->b), link->port_b, link->rate_bps,
                        link->delay_fs,
                        asim_topo_show_real(loss, sizeof loss,
                                            link->error_rate > 0 ? link->error_rate : error_rate),
                        asim_topo_link_class(class, sizeof class, topo, tier, link));
        comma = ",";
    }
    asim_out_printf(file, "\n  ]\n}\n");
}

/* The whole file: the topology does not change during a run. */
static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    struct asim_out *file = asim_report_out(self);
    uint8_t *tier;

    if (asim_topo_tiers(&tier, topo, err))
        return ASIM_ENOMEM;
    write_nodes(file, topo, tier);
    write_links(file, topo, tier, world->set.net.error_rate);
    free(tier);
    return 0;
}

const struct asim_report asim_report_topology = {
    .member = {.name = "topology", .about = "topology.json: nodes and links with tier and class"},
    .in_out = ASIM_OUT_ALWAYS,
    .needs = ASIM_NET_OVER_TOPOLOGY,
    .file = "topology.json",
    .begin = begin,
};
