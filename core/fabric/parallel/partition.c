/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See partition.h. Nodes joined by links shorter than a limit, or by NVLinks, become one group; a
 * host with one way out joins its switch, unless that makes a group too large for its part (a
 * network of one switch), when switch and hosts are dealt one by one, neighbours of a ring to one
 * part. Leaves are dealt in turn: what is left of a collective passes from leaf to neighbouring
 * leaf, so these are busy at the same time, and frames between them pass spines, which are spread
 * over all parts, in any case. Spines go where there is least. The limit is the largest link delay
 * that still gives a fair balance: long windows are worth more than the last per cent of balance.
 *
 * Costs: linear in links for each limit tried, and few are. UNISON (Bai et al., EuroSys 2024) cuts
 * at the median delay and leaves the balance to a queue of parts; here parts are fixed, because
 * processes cannot pass nodes on.
 */
#include "fabric/parallel/partition.h"

#include <stdlib.h>
#include <string.h>

/* Expected work, per port: a host makes and answers frames, a switch passes them on. Measured on
 * rings over one switch. */
enum { HOST_WORK = 10, SWITCH_WORK = 9 };
enum { MAX_LIMITS = 8 };
/* A balance that is not worth a shorter window. */
#define FAIR_BALANCE 1.25

enum { NOWHERE = UINT32_MAX, MANY = UINT32_MAX - 1 };

struct deal { /* one attempt; arrays are [nodes], those by group are used at its root */
    const struct asim_topo *topo;
    int team;
    uint32_t n, *root, *home, *of;
    uint64_t *work, *with_hosts, *load, total;
};

/* The group's lowest node: hosts come first, so groups with hosts have a host as root. */
static uint32_t find(uint32_t *root, uint32_t v)
{
    while (root[v] != v)
        v = root[v] = root[root[v]];
    return v;
}

/* No ranks by size: roots must be lowest, and halving paths in find keeps chains short. */
static void join(uint32_t *root, uint32_t a, uint32_t b)
{
    a = find(root, a);
    b = find(root, b);
    root[a < b ? b : a] = a < b ? a : b;
}

/* NVLinks count as short whatever delay a file gives them: what they join is one server. */
static int is_nvlink(const struct asim_topo *topo, const struct asim_link *link)
{
    return topo->node_type[link->a] == ASIM_NVSWITCH || topo->node_type[link->b] == ASIM_NVSWITCH;
}

/* Afterwards every group is what must stay in one part. */
static void join_short(struct deal *deal, uint64_t limit_fs)
{
    const struct asim_topo *topo = deal->topo;

    for (uint32_t v = 0; v < topo->nodes; v++)
        deal->root[v] = v;
    for (size_t l = 0; l < topo->n_links; l++)
        if (topo->links[l].delay_fs < limit_fs || is_nvlink(topo, &topo->links[l]))
            join(deal->root, topo->links[l].a, topo->links[l].b);
}

/* Sums the work of each group at its root. */
static void weigh(struct deal *deal)
{
    const struct asim_topo *topo = deal->topo;

    deal->total = 0;
    memset(deal->work, 0, topo->nodes * sizeof *deal->work);
    for (uint32_t v = 0; v < topo->nodes; v++) {
        uint64_t ports = topo->first_port[v + 1] - topo->first_port[v];
        uint64_t work = ports * (topo->node_type[v] == ASIM_HOST ? HOST_WORK : SWITCH_WORK);

        deal->work[find(deal->root, v)] += work;
        deal->total += work;
    }
}

/* The one group outside that a group of hosts is linked to; MANY for hosts with several leaves. */
static void see_home(struct deal *deal, uint32_t from, uint32_t to)
{
    uint32_t group = find(deal->root, from), other = find(deal->root, to);

    if (group >= deal->topo->hosts || other < deal->topo->hosts)
        return;
    if (deal->home[group] == NOWHERE)
        deal->home[group] = other;
    else if (deal->home[group] != other)
        deal->home[group] = MANY;
}

/* Leaves with their hosts, where that is not more than a part should have. */
static void join_leaves(struct deal *deal)
{
    const struct asim_topo *topo = deal->topo;
    uint64_t most = deal->total / deal->n + deal->total / deal->n / 10;

    for (uint32_t v = 0; v < topo->nodes; v++)
        deal->home[v] = NOWHERE;
    for (size_t l = 0; l < topo->n_links; l++) {
        see_home(deal, topo->links[l].a, topo->links[l].b);
        see_home(deal, topo->links[l].b, topo->links[l].a);
    }
    memcpy(deal->with_hosts, deal->work, topo->nodes * sizeof *deal->work);
    for (uint32_t v = 0; v < topo->hosts; v++)
        if (deal->root[v] == v && deal->home[v] < MANY)
            deal->with_hosts[deal->home[v]] += deal->work[v];
    for (uint32_t v = 0; v < topo->hosts; v++)
        if (deal->home[v] < MANY && deal->with_hosts[deal->home[v]] <= most)
            join(deal->root, v, deal->home[v]);
}

static void give(struct deal *deal, uint32_t group, uint32_t part)
{
    deal->of[group] = part;
    deal->load[part] += deal->work[group];
}

/* The first of equals, so that the result is the same every time. */
static uint32_t least_loaded(const struct deal *deal)
{
    uint32_t best = 0;

    for (uint32_t p = 1; p < deal->n; p++)
        if (deal->load[p] < deal->load[best])
            best = p;
    return best;
}

/* Everybody works at it, where its hosts are. */
static void spread(struct deal *deal, uint32_t group)
{
    deal->of[group] = 0;
    for (uint32_t p = 0; p < deal->n; p++)
        deal->load[p] += deal->work[group] / deal->n;
}

/* Switches that stand alone: large ones before the hosts are dealt, small ones after. */
static void deal_switches(struct deal *deal, int large)
{
    for (uint32_t v = deal->topo->hosts; v < deal->topo->nodes; v++) {
        if (deal->root[v] != v || (deal->work[v] > deal->total / deal->n / 4) != large)
            continue;
        if (deal->team && large && asim_topo_is_star(deal->topo, v, ASIM_MIN_SHARDED_PORTS))
            spread(deal, v);
        else
            give(deal, v, least_loaded(deal));
    }
}

/* The load up to which parts are filled when `work` is spread over those that have less. */
static uint64_t fill_level(const struct deal *deal, uint64_t work)
{
    uint64_t level = UINT64_MAX, before;

    do {
        uint64_t sum = work, parts = 0;

        before = level;
        for (uint32_t p = 0; p < deal->n; p++) {
            if (deal->load[p] > level)
                continue;
            sum += deal->load[p];
            parts++;
        }
        level = parts ? sum / parts : before;
    } while (level < before);
    return level;
}

/* Groups of more than a host, in the order of their ranks, each to the part that has least. Equal
 * leaves are so dealt in turn. */
static void deal_leaves(struct deal *deal)
{
    const struct asim_topo *topo = deal->topo;

    for (uint32_t v = 0; v < topo->hosts; v++) {
        uint64_t alone = (uint64_t)(topo->first_port[v + 1] - topo->first_port[v]) * HOST_WORK;

        if (deal->root[v] == v && deal->work[v] > alone)
            give(deal, v, least_loaded(deal));
    }
}

/* Single hosts in the order of ranks, each part up to its share of what is not dealt yet. The last
 * go on one by one where else parts would stay empty. */
static void deal_hosts(struct deal *deal)
{
    uint64_t work = 0, share;
    uint32_t part = 0, groups = 0;

    for (uint32_t v = 0; v < deal->topo->nodes; v++) {
        if (deal->root[v] != v || deal->of[v] != NOWHERE)
            continue;
        work += deal->work[v]; /* of switches, too: they go where there is room afterwards */
        groups += v < deal->topo->hosts;
    }
    share = fill_level(deal, work);
    for (uint32_t v = 0; v < deal->topo->hosts; v++) {
        if (deal->root[v] != v || deal->of[v] != NOWHERE)
            continue;
        while (part + 1 < deal->n && deal->load[part] &&
               (deal->load[part] + deal->work[v] / 2 > share || groups < deal->n - part))
            part++;
        groups--;
        give(deal, v, part);
    }
}

/* One limit: groups, their work, and a part for each; deal->of ends as part of every node. */
static void attempt(struct deal *deal, uint64_t limit_fs)
{
    const struct asim_topo *topo = deal->topo;

    join_short(deal, limit_fs);
    weigh(deal);
    join_leaves(deal);
    weigh(deal);
    memset(deal->load, 0, deal->n * sizeof *deal->load);
    for (uint32_t v = 0; v < topo->nodes; v++)
        deal->of[v] = NOWHERE;
    deal_switches(deal, 1);
    deal_leaves(deal);
    deal_hosts(deal);
    deal_switches(deal, 0);
    for (uint32_t v = 0; v < topo->nodes; v++)
        deal->of[v] = deal->of[find(deal->root, v)];
}

/* Different link delays, largest first; the smallest is always among them. Returns how many. */
static uint32_t limits_of(const struct asim_topo *topo, uint64_t limits[MAX_LIMITS])
{
    uint32_t n = 0;
    uint64_t below = UINT64_MAX, smallest = UINT64_MAX;

    for (size_t l = 0; l < topo->n_links; l++)
        if (topo->links[l].delay_fs < smallest)
            smallest = topo->links[l].delay_fs;
    for (; n + 1 < MAX_LIMITS && below > smallest; n++) {
        limits[n] = 0;
        for (size_t l = 0; l < topo->n_links; l++)
            if (topo->links[l].delay_fs < below && topo->links[l].delay_fs > limits[n])
                limits[n] = topo->links[l].delay_fs;
        below = limits[n];
    }
    if (topo->n_links && below > smallest)
        limits[n++] = smallest;
    if (!n)
        limits[n++] = 0;
    return n;
}

/* As asim_partition_balance, of the attempt. */
static double balance_of(const struct deal *deal)
{
    uint64_t most = 0;

    for (uint32_t p = 0; p < deal->n; p++)
        if (deal->load[p] > most)
            most = deal->load[p];
    return deal->total ? (double)most * deal->n / (double)deal->total : 1;
}

/* The first limit with a fair balance, else the one with the best. */
static void deal_best(struct deal *deal)
{
    uint64_t limits[MAX_LIMITS];
    uint32_t n = limits_of(deal->topo, limits), best = 0;
    double best_balance = 0;

    for (uint32_t i = 0; i < n; i++) {
        double balance;

        attempt(deal, limits[i]);
        balance = balance_of(deal);
        if (balance <= FAIR_BALANCE)
            return;
        if (!i || balance < best_balance) {
            best = i;
            best_balance = balance;
        }
    }
    attempt(deal, limits[best]);
}

/* Whether a message that ends over this link may be one between parts: not where it leads from a
 * switch that knows hosts only, which are then all of one part with it. */
static int tells_afar(const struct asim_topo *topo, const struct asim_link *link)
{
    uint32_t sw = link->a < topo->hosts ? link->b : link->a;

    if (link->a >= topo->hosts && link->b >= topo->hosts)
        return 0;
    if (!is_nvlink(topo, link))
        return 1;
    for (uint32_t i = topo->first_port[sw]; i < topo->first_port[sw + 1]; i++)
        if (topo->ports[i].peer >= topo->hosts)
            return 1;
    return 0;
}

/* What the user is told, and what the window of processes follows from. */
void asim_partition_measure(struct asim_partition *part, const struct asim_topo *topo)
{
    uint64_t to_host = UINT64_MAX;

    part->cuts = 0;
    part->window_fs = UINT64_MAX;
    for (size_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];

        if (part->of[link->a] != part->of[link->b]) {
            part->cuts++;
            if (link->delay_fs < part->window_fs)
                part->window_fs = link->delay_fs;
        } else if (link->delay_fs < to_host && tells_afar(topo, link)) {
            to_host = link->delay_fs;
        }
    }
    if (part->cuts && to_host < part->window_fs)
        part->window_fs = to_host;
}

int asim_partition_fold(struct asim_partition *part, const struct asim_partition *fine,
                        const struct asim_topo *topo, uint32_t of, struct asim_err *err)
{
    *part = (struct asim_partition){.n = fine->n / of};
    part->of = malloc(((size_t)topo->nodes + 1) * sizeof *part->of);
    part->load = calloc(part->n, sizeof *part->load);
    if (!part->of || !part->load)
        return asim_err_nomem(err, "dealing the network to processes");
    for (uint32_t v = 0; v < topo->nodes; v++)
        part->of[v] = fine->of[v] / of;
    for (uint32_t p = 0; p < fine->n; p++)
        part->load[p / of] += fine->load[p];
    asim_partition_measure(part, topo);
    return 0;
}

int asim_partition_make(struct asim_partition *part, const struct asim_topo *topo, uint32_t n,
                        int team, struct asim_err *err)
{
    size_t nodes = (size_t)topo->nodes + 1;
    struct deal deal = {.topo = topo, .team = team, .n = n ? n : 1};
    int code = 0;

    *part = (struct asim_partition){.n = deal.n};
    part->of = deal.of = malloc(nodes * sizeof *deal.of);
    part->load = deal.load = calloc(deal.n, sizeof *deal.load);
    deal.root = malloc(nodes * sizeof *deal.root);
    deal.home = malloc(nodes * sizeof *deal.home);
    deal.work = malloc(nodes * sizeof *deal.work);
    deal.with_hosts = malloc(nodes * sizeof *deal.with_hosts);
    if (deal.of && deal.load && deal.root && deal.home && deal.work && deal.with_hosts) {
        deal_best(&deal);
        asim_partition_measure(part, topo);
    } else {
        code = asim_err_nomem(err, "dealing the network to threads or processes");
    }
    free(deal.root);
    free(deal.home);
    free(deal.work);
    free(deal.with_hosts);
    return code;
}

uint32_t asim_partition_used(const struct asim_partition *part)
{
    uint32_t used = 0;

    for (uint32_t p = 0; p < part->n; p++)
        used += part->load[p] > 0;
    return used;
}

double asim_partition_balance(const struct asim_partition *part)
{
    uint64_t most = 0, total = 0;

    for (uint32_t p = 0; p < part->n; p++) {
        most = part->load[p] > most ? part->load[p] : most;
        total += part->load[p];
    }
    return total ? (double)most * part->n / (double)total : 1;
}

void asim_partition_fini(struct asim_partition *part)
{
    free(part->of);
    free(part->load);
    *part = (struct asim_partition){.n = 0};
}
