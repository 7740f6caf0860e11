/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sums up the use of links by class and direction.
 */
#include "asim/packet.h"
#include "report/tiers.h"
#include "report/report.h"
#include "sim/distributed/distribution.h"
#include "topo/tier.h"

#include <stdlib.h>
#include <string.h>

/* One direction of a link, as the tables count it. */
struct direction {
    uint32_t wire, low, high; /* tiers of the ends */
    enum asim_tier_direction direction;
    struct asim_link_use use;
    double utilisation;
    char class[24];
    int is_nvlink;
};

static void look(struct direction *at, const struct asim_tiers *tiers,
                 const struct asim_world *world, uint32_t wire)
{
    const struct asim_topo *topo = &world->set.topo;
    uint32_t from, to;

    asim_distribution_link_use(world, wire, &at->use);
    from = tiers->tier[at->use.from];
    to = tiers->tier[at->use.to];
    at->wire = wire;
    at->low = from < to ? from : to;
    at->high = from < to ? to : from;
    at->direction = from < to ? ASIM_TIER_UP : from > to ? ASIM_TIER_DOWN : ASIM_TIER_ACROSS;
    at->utilisation = (double)at->use.bytes * 8e9 / ((double)at->use.rate_bps * tiers->end_ns);
    at->is_nvlink = topo->node_type[at->use.from] == ASIM_NVSWITCH ||
                    topo->node_type[at->use.to] == ASIM_NVSWITCH;
    asim_topo_link_class(at->class, sizeof at->class, topo, tiers->tier, &topo->links[wire / 2]);
}

/* A network of more classes than there are names for counts the rest with the last. */
static struct asim_tier_use *use_of(struct asim_tiers *tiers, const struct direction *at)
{
    struct asim_tier_use *use = tiers->use;

    while (use < tiers->use + tiers->n_use &&
           (use->direction != at->direction || strcmp(use->class, at->class)))
        use++;
    if (use == tiers->use + ASIM_TIER_USES)
        return use - 1;
    if (use == tiers->use + tiers->n_use) {
        *use = (struct asim_tier_use){.direction = at->direction,
                                      .low = at->low,
                                      .high = at->high,
                                      .is_nvlink = at->is_nvlink};
        memcpy(use->class, at->class, sizeof use->class);
        tiers->n_use++;
    }
    return use;
}

static void add_use(struct asim_tiers *tiers, const struct direction *at)
{
    struct asim_tier_use *use = use_of(tiers, at);

    use->links++;
    use->rate_bps += (double)at->use.rate_bps;
    use->bytes += at->use.bytes;
    use->most_bytes = at->use.bytes > use->most_bytes ? at->use.bytes : use->most_bytes;
    use->worst = at->utilisation > use->worst ? at->utilisation : use->worst;
}

/* Keeps the busiest; of equal ones the first. */
static void add_hot(struct asim_tiers *tiers, const struct direction *at)
{
    uint32_t i = tiers->n_hot;

    if (!at->use.bytes || (i == ASIM_HOT_LINKS && tiers->hot[i - 1].utilisation >= at->utilisation))
        return;
    if (i == ASIM_HOT_LINKS)
        i--;
    else
        tiers->n_hot++;
    for (; i && tiers->hot[i - 1].utilisation < at->utilisation; i--)
        tiers->hot[i] = tiers->hot[i - 1];
    tiers->hot[i] = (struct asim_hot_link){at->wire, at->utilisation};
}

/* Rates and bytes of the links on one side of a tier. */
struct side {
    double rate_bps, bytes;
};

static struct side side_of(const struct asim_tiers *tiers, uint32_t tier, int above,
                           enum asim_tier_direction direction)
{
    struct side side = {0};

    for (uint32_t i = 0; i < tiers->n_use; i++) {
        const struct asim_tier_use *use = &tiers->use[i];

        if (use->is_nvlink || use->direction != direction || (above ? use->low : use->high) != tier)
            continue;
        side.rate_bps += use->rate_bps;
        side.bytes += (double)use->bytes;
    }
    return side;
}

static double busier(const struct side *above, const struct side *below)
{
    return below->bytes > 0 ? above->bytes / above->rate_bps / (below->bytes / below->rate_bps) : 0;
}

/* Tiers from the leaves on that have links both below and above. */
static void compare_sides(struct asim_tiers *tiers)
{
    for (uint32_t tier = 1; tiers->n_ratio < ASIM_TIER_RATIOS; tier++) {
        struct side up = side_of(tiers, tier, 1, ASIM_TIER_UP);
        struct side into = side_of(tiers, tier, 0, ASIM_TIER_UP);
        struct side down = side_of(tiers, tier, 1, ASIM_TIER_DOWN);
        struct side out = side_of(tiers, tier, 0, ASIM_TIER_DOWN);
        double seen_up, seen_down;

        if (!(up.rate_bps > 0) || !(into.rate_bps > 0))
            return;
        seen_up = busier(&up, &into);
        seen_down = busier(&down, &out);
        tiers->ratio[tiers->n_ratio++] =
            (struct asim_tier_ratio){.tier = tier,
                                     .built = into.rate_bps / up.rate_bps,
                                     .seen = seen_up > seen_down ? seen_up : seen_down};
    }
}

int asim_tiers_make(struct asim_tiers *tiers, const struct asim_world *world, struct asim_err *err)
{
    const struct asim_topo *topo = &world->set.topo;
    uint64_t end = asim_report_end_ns(world);

    memset(tiers, 0, sizeof *tiers);
    if (asim_topo_tiers(&tiers->tier, topo, err))
        return ASIM_ENOMEM;
    tiers->end_ns = end ? (double)end : 1;
    for (uint32_t wire = 0; wire < (topo->n_links - topo->endpoints) * 2; wire++) {
        struct direction at;

        look(&at, tiers, world, wire);
        add_use(tiers, &at);
        add_hot(tiers, &at);
    }
    for (uint32_t i = 0; i < tiers->n_use; i++)
        tiers->use[i].mean =
            (double)tiers->use[i].bytes * 8e9 / (tiers->use[i].rate_bps * tiers->end_ns);
    compare_sides(tiers);
    return 0;
}

void asim_tiers_fini(struct asim_tiers *tiers)
{
    free(tiers->tier);
}
