/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Where the bytes of a run went: the links of each class and direction together, how
 * oversubscribed the switches of each tier are and were, and the busiest links. Sums over
 * asim_distribution_link_use, so the run needs an observer that wants ASIM_EV_LINKS.
 */
#ifndef ASIM_REPORT_TIERS_H
#define ASIM_REPORT_TIERS_H

struct asim_err;
struct asim_world;

enum asim_tier_direction { ASIM_TIER_UP, ASIM_TIER_DOWN, ASIM_TIER_ACROSS };

/* All links of one class (topo/tier.h) in one direction: up leads away from hosts; across joins
 * nodes of one tier, both directions together. */
struct asim_tier_use {
    char class[24];
    enum asim_tier_direction direction;
    uint32_t links;      /* directions of links */
    double rate_bps;     /* of all together */
    uint64_t bytes;      /* wire bytes of all together */
    uint64_t most_bytes; /* of the link with most bytes */
    double mean, worst;  /* utilisation, 0 to 1: of all together, of the busiest */
    uint32_t low, high;  /* tiers of the ends */
    int is_nvlink;
};

/* Switches of one tier. */
struct asim_tier_ratio {
    uint32_t tier;
    double built; /* rate of the links below ÷ rate of the links above */
    /* How many times busier the links above were than those below, in the worse direction: `built`
     * where all traffic crosses, less where it stays below. */
    double seen;
};

struct asim_hot_link {
    uint32_t wire; /* 2 x link + direction */
    double utilisation;
};

enum { ASIM_TIER_USES = 64, ASIM_TIER_RATIOS = 8, ASIM_HOT_LINKS = 5 };

struct asim_tiers {
    uint8_t *tier; /* [nodes]; owned */
    double end_ns; /* the time that utilisation counts against */
    struct asim_tier_use use[ASIM_TIER_USES];
    struct asim_tier_ratio ratio[ASIM_TIER_RATIOS];
    struct asim_hot_link hot[ASIM_HOT_LINKS]; /* the busiest first; links without bytes are none */
    uint32_t n_use, n_ratio, n_hot;
};

/* Fills *tiers at the end of a run over the packet network; asim_tiers_fini frees it, on every
 * path. Linear in links. Virtual links of NVSwitches' end points do not count. 0 or ASIM_ENOMEM. */
int asim_tiers_make(struct asim_tiers *tiers, const struct asim_world *world, struct asim_err *err);
void asim_tiers_fini(struct asim_tiers *tiers);

#endif
