/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes where the bytes of a run went: tiers, the busiest links, equal-cost choices.
 */
#include "asim/packet.h"
#include "report/network_use.h"
#include "report/tiers.h"
#include "sim/distributed/distribution.h"
#include "sim/sim.h"
#include "topo/tier.h"

#include <inttypes.h>

/* Links by class and direction, and the tiers of switches. Of an array, each member has a line. */
static void put_tiers(struct asim_out *file, const struct asim_tiers *tiers)
{
    static const char *const directions[] = {"up", "down", "across"};

    asim_out_printf(file, ",\n  \"tiers\": [");
    for (uint32_t i = 0; i < tiers->n_use; i++) {
        const struct asim_tier_use *use = &tiers->use[i];

        asim_out_printf(file,
                        "%s\n    {\"class\": \"%s\", \"direction\": \"%s\", \"links\": %u, "
                        "\"bytes\": %" PRIu64 ", \"max_bytes\": %" PRIu64
                        ", \"mean_utilisation\": %.6f, \"max_utilisation\": %.6f}",
                        i ? "," : "", use->class, directions[use->direction], use->links,
                        use->bytes, use->most_bytes, use->mean, use->worst);
    }
    asim_out_printf(file, "\n  ],\n  \"oversubscription\": [");
    for (uint32_t i = 0; i < tiers->n_ratio; i++)
        asim_out_printf(file, "%s\n    {\"tier\": %u, \"built\": %.3f, \"seen\": %.3f}",
                        i ? "," : "", tiers->ratio[i].tier, tiers->ratio[i].built,
                        tiers->ratio[i].seen);
    asim_out_printf(file, "%s]", tiers->n_ratio ? "\n  " : "");
}

static void put_hot_links(struct asim_out *file, const struct asim_world *world,
                          const struct asim_tiers *tiers)
{
    const struct asim_topo *topo = &world->set.topo;

    asim_out_printf(file, ",\n  \"hot_links\": [");
    for (uint32_t i = 0; i < tiers->n_hot; i++) {
        struct asim_link_use use;
        char from[24], to[24];

        asim_distribution_link_use(world, tiers->hot[i].wire, &use);
        asim_out_printf(
            file,
            "%s\n    {\"from\": \"%s\", \"port\": %u, \"to\": \"%s\", \"bytes\": %" PRIu64
            ", \"utilisation\": %.6f}",
            i ? "," : "", asim_topo_node_name(from, sizeof from, topo, tiers->tier, use.from),
            use.port, asim_topo_node_name(to, sizeof to, topo, tiers->tier, use.to), use.bytes,
            tiers->hot[i].utilisation);
    }
    asim_out_printf(file, "%s]", tiers->n_hot ? "\n  " : "");
}

/* Only where a flow had a choice. */
static int put_ways(struct asim_out *file, const struct asim_world *world, struct asim_ways *ways,
                    const struct asim_tiers *tiers, struct asim_err *err)
{
    struct asim_ways_use use;
    char at[24];

    if (!ways->flows)
        return 0;
    if (asim_ways_measure(ways, &use, err))
        return ASIM_ENOMEM;
    asim_out_printf(file,
                    ",\n  \"ecmp\": {\"flows\": %" PRIu64 ", \"left_out\": %" PRIu64
                    ", \"mean_flows_per_way\": %.3f, \"max_flows_per_way\": %u, "
                    "\"even_flows_per_way\": %.3f, "
                    "\"max_at\": \"%s\", \"max_port\": %u}",
                    ways->flows, ways->left_out, use.mean, use.worst, use.even,
                    asim_topo_node_name(at, sizeof at, &world->set.topo, tiers->tier, use.node),
                    use.port);
    return 0;
}

int asim_network_use_put(struct asim_out *file, const struct asim_world *world,
                         struct asim_ways *ways, struct asim_err *err)
{
    struct asim_tiers tiers;
    int code = asim_tiers_make(&tiers, world, err);

    if (!code) {
        put_tiers(file, &tiers);
        put_hot_links(file, world, &tiers);
        code = put_ways(file, world, ways, &tiers, err);
    }
    asim_tiers_fini(&tiers);
    return code;
}
