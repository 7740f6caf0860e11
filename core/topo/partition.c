/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Cuts the network into parts for threads and processes. Nodes joined by NVLinks, or by links
 * shorter than a limit, form a group that is never cut. A host with one way out joins its leaf
 * switch, unless that makes the group too large for a part, as in a network of one switch; then
 * hosts are assigned one by one, and neighbours of a ring come into one part. Leaves go to the
 * parts in turn: a collective passes from leaf to neighbouring leaf, so neighbouring leaves are
 * busy at the same time, and frames between leaves pass spines, which are distributed over all
 * parts in any case. Spines go to the least loaded parts. The limit is the largest link delay that
 * still gives a fair balance: long windows are worth more than the last per cent of balance.
 *
 * Costs: linear in links for each limit tried, at most MAX_LIMITS. UNISON (Bai et al., EuroSys
 * 2024) cuts at the median delay and balances with a queue of parts; here parts are fixed, because
 * processes cannot hand nodes over.
 */
#include "topo/partition.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

/* Expected work, per port: a host makes and answers frames, a switch passes them on. Measured on
 * rings over one switch. */
enum { HOST_WORK = 10, SWITCH_WORK = 9 };
enum { MAX_LIMITS = 8 };
/* A balance that is not worth a shorter window. */
#define FAIR_BALANCE 1.25

enum { UNASSIGNED = UINT32_MAX, MANY = UINT32_MAX - 1 };

/* One attempt. Arrays are [nodes]; those of groups are used at the group's root. */
struct partitioner {
    const struct asim_topo *topo;
    int shards_switches;
    uint32_t n, *root, *leaf, *of;
    uint64_t *work, *with_hosts, *load, total;
};

/* The group's lowest node: hosts come first, so groups with hosts have a host as root. */
static uint32_t find(uint32_t *root, uint32_t v)
{
    while (root[v] != v)
        v = root[v] = root[root[v]];
    return v;
}

/* Not by size: the root must be the lowest node. Path halving in find keeps chains short. */
static void join(uint32_t *root, uint32_t a, uint32_t b)
{
    a = find(root, a);
    b = find(root, b);
    root[a < b ? b : a] = a < b ? a : b;
}

/* NVLinks count as short whatever their delay: they join one server. */
static int is_nvlink(const struct asim_topo *topo, const struct asim_link *link)
{
    uint32_t low = link->a < link->b ? link->a : link->b,
             high = link->a < link->b ? link->b : link->a;

    if (asim_topo_is_pcie(topo, high) && topo->node_type[low] != ASIM_HOST)
        return 0; /* a link of the host's NIC */
    return topo->node_type[low] == ASIM_NVSWITCH || topo->node_type[high] == ASIM_NVSWITCH;
}

/* Forms the groups that must stay in one part. */
static void join_short(struct partitioner *plan, uint64_t limit_fs)
{
    const struct asim_topo *topo = plan->topo;

    for (uint32_t v = 0; v < topo->nodes; v++)
        plan->root[v] = v;
    for (size_t l = 0; l < topo->n_links; l++)
        if (topo->links[l].delay_fs < limit_fs || is_nvlink(topo, &topo->links[l]))
            join(plan->root, topo->links[l].a, topo->links[l].b);
}

/* Sums the work of each group at its root. */
static void sum_work(struct partitioner *plan)
{
    const struct asim_topo *topo = plan->topo;

    plan->total = 0;
    memset(plan->work, 0, topo->nodes * sizeof *plan->work);
    for (uint32_t v = 0; v < topo->nodes; v++) {
        uint64_t ports = topo->first_port[v + 1] - topo->first_port[v];
        uint64_t work = ports * (topo->node_type[v] == ASIM_HOST ? HOST_WORK : SWITCH_WORK);

        plan->work[find(plan->root, v)] += work;
        plan->total += work;
    }
}

/* Notes in plan->leaf the one group that a group of hosts is linked to; MANY for several. */
static void note_leaf(struct partitioner *plan, uint32_t from, uint32_t to)
{
    uint32_t group = find(plan->root, from), other = find(plan->root, to);

    if (group >= plan->topo->hosts || other < plan->topo->hosts)
        return;
    if (plan->leaf[group] == UNASSIGNED)
        plan->leaf[group] = other;
    else if (plan->leaf[group] != other)
        plan->leaf[group] = MANY;
}

/* Joins leaves and their hosts where the group stays within a part's share. */
static void join_leaves(struct partitioner *plan)
{
    const struct asim_topo *topo = plan->topo;
    uint64_t most = plan->total / plan->n + plan->total / plan->n / 10;

    for (uint32_t v = 0; v < topo->nodes; v++)
        plan->leaf[v] = UNASSIGNED;
    for (size_t l = 0; l < topo->n_links; l++) {
        note_leaf(plan, topo->links[l].a, topo->links[l].b);
        note_leaf(plan, topo->links[l].b, topo->links[l].a);
    }
    memcpy(plan->with_hosts, plan->work, topo->nodes * sizeof *plan->work);
    for (uint32_t v = 0; v < topo->hosts; v++)
        if (plan->root[v] == v && plan->leaf[v] < MANY)
            plan->with_hosts[plan->leaf[v]] += plan->work[v];
    for (uint32_t v = 0; v < topo->hosts; v++)
        if (plan->leaf[v] < MANY && plan->with_hosts[plan->leaf[v]] <= most)
            join(plan->root, v, plan->leaf[v]);
}

static void assign(struct partitioner *plan, uint32_t group, uint32_t part)
{
    plan->of[group] = part;
    plan->load[part] += plan->work[group];
}

/* The first of equals, so that the result is the same every time. */
static uint32_t least_loaded(const struct partitioner *plan)
{
    uint32_t best = 0;

    for (uint32_t p = 1; p < plan->n; p++)
        if (plan->load[p] < plan->load[best])
            best = p;
    return best;
}

/* A switch that all parts share, each with the ports of its own hosts. */
static void assign_to_all(struct partitioner *plan, uint32_t group)
{
    plan->of[group] = 0;
    for (uint32_t p = 0; p < plan->n; p++)
        plan->load[p] += plan->work[group] / plan->n;
}

/* Switches that form a group alone: large ones before the hosts, small ones after. */
static void assign_switches(struct partitioner *plan, int large)
{
    for (uint32_t v = plan->topo->hosts; v < plan->topo->nodes; v++) {
        if (plan->root[v] != v || (plan->work[v] > plan->total / plan->n / 4) != large)
            continue;
        if (plan->shards_switches && large &&
            asim_topo_is_star(plan->topo, v, ASIM_MIN_SHARDED_PORTS))
            assign_to_all(plan, v);
        else
            assign(plan, v, least_loaded(plan));
    }
}

/* The load up to which parts are filled when `work` is assign_to_all over those that have less. */
static uint64_t fill_level(const struct partitioner *plan, uint64_t work)
{
    uint64_t level = UINT64_MAX, before;

    do {
        uint64_t sum = work, parts = 0;

        before = level;
        for (uint32_t p = 0; p < plan->n; p++) {
            if (plan->load[p] > level)
                continue;
            sum += plan->load[p];
            parts++;
        }
        level = parts ? sum / parts : before;
    } while (level < before);
    return level;
}

/* Groups of more than a host, in the order of their ranks, each to the least loaded part: equal
 * leaves go to the parts in turn. */
static void assign_leaves(struct partitioner *plan)
{
    const struct asim_topo *topo = plan->topo;

    for (uint32_t v = 0; v < topo->hosts; v++) {
        uint64_t alone = (uint64_t)(topo->first_port[v + 1] - topo->first_port[v]) * HOST_WORK;

        if (plan->root[v] == v && plan->work[v] > alone)
            assign(plan, v, least_loaded(plan));
    }
}

/* Single hosts in the order of ranks, which fill each part up to its share. The last hosts go to
 * one part each where parts would stay empty otherwise. */
static void assign_hosts(struct partitioner *plan)
{
    uint64_t work = 0, share;
    uint32_t part = 0, groups = 0;

    for (uint32_t v = 0; v < plan->topo->nodes; v++) {
        if (plan->root[v] != v || plan->of[v] != UNASSIGNED)
            continue;
        work += plan->work[v]; /* with small switches, which are assigned later */
        groups += v < plan->topo->hosts;
    }
    share = fill_level(plan, work);
    for (uint32_t v = 0; v < plan->topo->hosts; v++) {
        if (plan->root[v] != v || plan->of[v] != UNASSIGNED)
            continue;
        while (part + 1 < plan->n && plan->load[part] &&
               (plan->load[part] + plan->work[v] / 2 > share || groups < plan->n - part))
            part++;
        groups--;
        assign(plan, v, part);
    }
}

/* Partitions with one limit; plan->of becomes the part of every node. */
static void try_limit(struct partitioner *plan, uint64_t limit_fs)
{
    const struct asim_topo *topo = plan->topo;

    join_short(plan, limit_fs);
    sum_work(plan);
    join_leaves(plan);
    sum_work(plan);
    memset(plan->load, 0, plan->n * sizeof *plan->load);
    for (uint32_t v = 0; v < topo->nodes; v++)
        plan->of[v] = UNASSIGNED;
    assign_switches(plan, 1);
    assign_leaves(plan);
    assign_hosts(plan);
    assign_switches(plan, 0);
    for (uint32_t v = 0; v < topo->nodes; v++)
        plan->of[v] = plan->of[find(plan->root, v)];
}

/* Distinct link delays, largest first, always with the smallest; returns their number. */
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

/* As asim_partition_balance. */
static double balance_of(const struct partitioner *plan)
{
    uint64_t most = 0;

    for (uint32_t p = 0; p < plan->n; p++)
        if (plan->load[p] > most)
            most = plan->load[p];
    return plan->total ? (double)most * plan->n / (double)plan->total : 1;
}

/* Takes the first limit with a fair balance, else the one with the best. */
static void partition_best(struct partitioner *plan)
{
    uint64_t limits[MAX_LIMITS];
    uint32_t n = limits_of(plan->topo, limits), best = 0;
    double best_balance = 0;

    for (uint32_t i = 0; i < n; i++) {
        double balance;

        try_limit(plan, limits[i]);
        balance = balance_of(plan);
        if (balance <= FAIR_BALANCE)
            return;
        if (!i || balance < best_balance) {
            best = i;
            best_balance = balance;
        }
    }
    try_limit(plan, limits[best]);
}

/* Whether a message that ends on this link may come from another part. It cannot where the link
 * leads from an NVSwitch that joins hosts only: all of them are of one part. */
static int notifies_other_part(const struct asim_topo *topo, const struct asim_link *link)
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

void asim_partition_measure(struct asim_partition *part, const struct asim_topo *topo)
{
    uint64_t to_host = UINT64_MAX;

    part->cut_links = 0;
    part->lookahead_fs = UINT64_MAX;
    for (size_t l = 0; l < topo->n_links; l++) {
        const struct asim_link *link = &topo->links[l];

        if (part->of[link->a] != part->of[link->b]) {
            part->cut_links++;
            if (link->delay_fs < part->lookahead_fs)
                part->lookahead_fs = link->delay_fs;
        } else if (link->delay_fs < to_host && notifies_other_part(topo, link)) {
            to_host = link->delay_fs;
        }
    }
    if (part->cut_links && to_host < part->lookahead_fs)
        part->lookahead_fs = to_host;
}

int asim_partition_merge(struct asim_partition *part, const struct asim_partition *fine,
                         const struct asim_topo *topo, uint32_t factor, struct asim_err *err)
{
    *part = (struct asim_partition){.n = fine->n / factor};
    part->of = malloc(((size_t)topo->nodes + 1) * sizeof *part->of);
    part->load = calloc(part->n, sizeof *part->load);
    if (!part->of || !part->load)
        return asim_err_nomem(err, "partitioning the network");
    for (uint32_t v = 0; v < topo->nodes; v++)
        part->of[v] = fine->of[v] / factor;
    for (uint32_t p = 0; p < fine->n; p++)
        part->load[p / factor] += fine->load[p];
    asim_partition_measure(part, topo);
    return 0;
}

int asim_partition_make(struct asim_partition *part, const struct asim_topo *topo, uint32_t n,
                        int shards_switches, struct asim_err *err)
{
    size_t nodes = (size_t)topo->nodes + 1;
    struct partitioner plan = {.topo = topo, .shards_switches = shards_switches, .n = n ? n : 1};
    int code = 0;

    *part = (struct asim_partition){.n = plan.n};
    part->of = plan.of = malloc(nodes * sizeof *plan.of);
    part->load = plan.load = calloc(plan.n, sizeof *plan.load);
    plan.root = malloc(nodes * sizeof *plan.root);
    plan.leaf = malloc(nodes * sizeof *plan.leaf);
    plan.work = malloc(nodes * sizeof *plan.work);
    plan.with_hosts = malloc(nodes * sizeof *plan.with_hosts);
    if (plan.of && plan.load && plan.root && plan.leaf && plan.work && plan.with_hosts) {
        partition_best(&plan);
        asim_partition_measure(part, topo);
    } else {
        code = asim_err_nomem(err, "partitioning the network");
    }
    ASIM_FREE(plan.root, plan.leaf, plan.work, plan.with_hosts);
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
    ASIM_FREE(part->of, part->load);
    *part = (struct asim_partition){.n = 0};
}
