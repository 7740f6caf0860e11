/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds the parts of a network, and counts their open messages (part.h).
 */
#include "fabric/memo/part.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/memo/memo.h"

/* Hosts of a part at most: its table of pairs has the square of it in bytes. */
enum { MOST_HOSTS = 256 };
/* Logs that the budget allows each part from the start. */
enum { FIRST_LOGS = 16 };

struct asim_part *asim_part_of(const struct asim_fabric *fabric, uint32_t host)
{
    const struct asim_parts *parts = fabric->memo->parts;
    uint32_t i = parts->part_of[host];

    return i == ASIM_NO_PART ? NULL : &parts->at[i];
}

void asim_part_touch(struct asim_fabric *fabric, const struct asim_part *part)
{
    struct asim_parts *parts = fabric->memo->parts;

    atomic_store_explicit(&parts->look_at[part - parts->at], 0, memory_order_relaxed);
    atomic_store_explicit(&parts->touched, 1, memory_order_relaxed);
}

void asim_part_set_mode(struct asim_fabric *fabric, struct asim_part *part,
                        enum asim_part_mode mode)
{
    struct asim_parts *parts = fabric->memo->parts;

    if ((mode == ASIM_PART_LEAD || mode == ASIM_PART_FOLLOW) && !parts->in_domains)
        parts->busy_until = fabric->run.windows + ASIM_PART_BUSY_WINDOWS;
    part->of_worker->n[part->mode]--;
    part->of_worker->n[mode]++;
    part->mode = mode;
    fabric->sw[part->sw - fabric->set.hosts].first = mode == ASIM_PART_LEAD ? &part->first : NULL;
    atomic_store_explicit(&parts->look_at[part - parts->at],
                          mode == ASIM_PART_LEAD ? 0 : ASIM_NEVER, memory_order_relaxed);
}

/* Whether one shortest path leads from src to dst, and it crosses the switch only. */
static int crosses_switch_only(struct asim_fabric *fabric, const struct asim_part *part,
                               uint32_t src, uint32_t dst)
{
    uint32_t n = 0;
    const uint32_t *port = asim_route_ports(fabric->route, src, dst, &n);

    if (n != 1 || fabric->host[src].nics[*port - 1].port.out->to != part->sw)
        return 0;
    port = asim_route_ports(fabric->route, part->sw, dst, &n);
    return n == 1 && fabric->sw[part->sw - fabric->set.hosts].ports[*port - 1].port.out->to == dst;
}

int asim_part_is_inside(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    const struct asim_parts *parts = fabric->memo->parts;
    struct asim_part *part = asim_part_of(fabric, src);
    uint8_t *pair;

    if (!part || part != asim_part_of(fabric, dst) || src == dst)
        return 0;
    pair = &part->pair[parts->number[src] * part->n_hosts + parts->number[dst]];
    if (*pair == ASIM_PAIR_UNKNOWN)
        *pair = crosses_switch_only(fabric, part, src, dst) &&
                        crosses_switch_only(fabric, part, dst, src)
                    ? ASIM_PAIR_INSIDE
                    : ASIM_PAIR_OUTSIDE;
    return *pair == ASIM_PAIR_INSIDE;
}

/* A part's worker alone counts its messages. */
void asim_part_started(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    if (asim_part_is_inside(fabric, src, dst))
        asim_part_of(fabric, src)->open++;
}

void asim_part_ended(struct asim_fabric *fabric, uint32_t src, uint32_t dst)
{
    struct asim_part *part = asim_part_of(fabric, src);

    if (asim_part_is_inside(fabric, src, dst) && !--part->open)
        asim_part_touch(fabric, part);
}

/* Ages of the last ACK of a message when it reaches its sender, over all wires that may carry one
 * between parts. The tie key of a completion, also that of the destination, begins with this age.
 */
struct ages {
    uint64_t *at;
    size_t n, cap;
};

static uint64_t age_of_ack(const struct asim_fabric *fabric, const struct asim_wire *wire)
{
    return wire->delay + wire->in_tx[fabric->set.ack_wire];
}

static int has_age(const struct ages *ages, uint64_t age)
{
    for (size_t i = 0; i < ages->n; i++)
        if (ages->at[i] == age)
            return 1;
    return 0;
}

/* Marks the switches that some link joins to another switch. */
static uint8_t *find_joined(const struct asim_fabric *fabric)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint8_t *joined = calloc(topo->nodes + (size_t)1, 1);

    for (size_t l = 0; joined && l < topo->n_links; l++)
        if (topo->links[l].a >= topo->hosts && topo->links[l].b >= topo->hosts)
            joined[topo->links[l].a] = joined[topo->links[l].b] = 1;
    return joined;
}

/* Of the links of all processes. A network has few kinds of links, so the list is short. */
static int list_ages(const struct asim_fabric *fabric, struct ages *ages)
{
    const struct asim_topo *topo = fabric->set.topo;
    uint8_t *joined = find_joined(fabric);
    int code = joined ? 0 : ASIM_ENOMEM;

    for (size_t w = 0; !code && w < topo->n_links * 2; w++) {
        const struct asim_link *link = &topo->links[w / 2];
        uint32_t from = w % 2 ? link->b : link->a, to = w % 2 ? link->a : link->b;
        uint64_t age = asim_fs_to_ticks(fabric, link->delay_fs) +
                       asim_tx_ticks(fabric, fabric->set.ack_wire, link->rate_bps);

        if (to < topo->hosts && (from < topo->hosts || joined[from]) && !has_age(ages, age))
            code = ASIM_VEC_PUSH(*ages, age);
    }
    free(joined);
    return code;
}

/* Whether a wire brings ACKs of the same age as some port of the switch does. */
static int is_like_port(const struct asim_fabric *fabric, const struct asim_switch *sw,
                        const struct asim_wire *wire)
{
    for (uint32_t p = 0; p < sw->n_ports; p++)
        if (age_of_ack(fabric, wire) == age_of_ack(fabric, sw->ports[p].port.out))
            return 1;
    return 0;
}

/* Whether no completion of a message outside the part can have the tie key of one inside. */
static int ties_are_apart(const struct asim_fabric *fabric, const struct asim_switch *sw,
                          const struct ages *ages)
{
    int others = 0;

    for (uint32_t p = 0; p < sw->n_ports; p++) {
        const struct asim_host *host = &fabric->host[sw->ports[p].port.out->to];

        others |= host->n_nics > 1;
        for (uint32_t i = 0; i < host->n_nics; i++)
            if (host->nics[i].port.out->to != sw->node &&
                is_like_port(fabric, sw, host->nics[i].port.in))
                return 0;
    }
    for (uint32_t p = 0; others && p < sw->n_ports; p++)
        if (has_age(ages, age_of_ack(fabric, sw->ports[p].port.out)))
            return 0;
    return 1;
}

/* Whether messages from one port's host to another's may take the switch or another path. Routes
 * prefer NVSwitches to other paths of equal length, so these need no look. */
static int has_other_paths(struct asim_fabric *fabric, const struct asim_switch *sw)
{
    if (fabric->set.topo->node_type[sw->node] == ASIM_NVSWITCH)
        return 0;
    for (uint32_t p = 0; p < sw->n_ports * sw->n_ports; p++) {
        const struct asim_host *host = &fabric->host[sw->ports[p / sw->n_ports].port.out->to];
        uint32_t n = 0, dst = sw->ports[p % sw->n_ports].port.out->to;
        const uint32_t *ports = asim_route_ports(fabric->route, host->node, dst, &n);

        for (uint32_t i = 0; n > 1 && i < n; i++)
            if (host->nics[ports[i] - 1].port.out->to == sw->node)
                return 1;
    }
    return 0;
}

/* Whether each port of the switch leads to a host of its own that no part has yet. One worker must
 * advance them all. */
static int is_part(const struct asim_fabric *fabric, const struct asim_parts *parts,
                   const struct asim_switch *sw)
{
    if (sw->n_ports < 2 || sw->n_ports > MOST_HOSTS || sw->n_shards != 1)
        return 0;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint32_t host = sw->ports[p].port.out->to;

        if (host >= fabric->set.hosts || parts->part_of[host] != ASIM_NO_PART ||
            !asim_fabric_owns(fabric, host) || asim_topo_is_endpoint(fabric->set.topo, host) ||
            fabric->host[host].worker != sw->worker)
            return 0;
        for (uint32_t q = 0; q < p; q++)
            if (sw->ports[q].port.out->to == host)
                return 0;
    }
    return 1;
}

static int open_part(struct asim_part *part, uint32_t n)
{
    part->n_hosts = n;
    part->mode = ASIM_PART_OPEN;
    part->host = malloc(n * sizeof *part->host);
    part->port = malloc(n * sizeof *part->port);
    part->nic = malloc(n * sizeof *part->nic);
    part->pair = calloc((size_t)n * n, sizeof *part->pair);
    return part->host && part->port && part->nic && part->pair ? 0 : ASIM_ENOMEM;
}

/* Hosts in ascending order, so the order of equal parts is the same. */
static void list_hosts(struct asim_parts *parts, struct asim_part *part,
                       const struct asim_switch *sw)
{
    uint32_t n = 0;

    part->sw = sw->node;
    for (uint32_t p = 0; p < sw->n_ports; p++) {
        uint32_t host = sw->ports[p].port.out->to, at = n++;

        for (; at && part->host[at - 1] > host; at--) {
            part->host[at] = part->host[at - 1];
            part->port[at] = part->port[at - 1];
        }
        part->host[at] = host;
        part->port[at] = p;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct asim_wire *in = sw->ports[part->port[i]].port.out;

        part->nic[i] = (uint8_t)in->to_port;
        parts->part_of[part->host[i]] = (uint32_t)(part - parts->at);
        parts->number[part->host[i]] = i;
    }
}

/* Whether two wires are alike for all that happens on them. */
static int wires_are_alike(const struct asim_wire *a, const struct asim_wire *b)
{
    return a->rate_bps == b->rate_bps && a->delay == b->delay && a->tx == b->tx &&
           a->in_tx == b->in_tx && a->age_left == b->age_left;
}

static int ports_are_alike(const struct asim_switch_port *a, const struct asim_switch_port *b)
{
    return wires_are_alike(a->port.in, b->port.in) && wires_are_alike(a->port.out, b->port.out) &&
           a->shift == b->shift && a->kmin == b->kmin && a->kmax == b->kmax && a->pmax == b->pmax &&
           a->headroom_limit == b->headroom_limit && a->ecn_free_frames == b->ecn_free_frames &&
           a->same_tick_ok == b->same_tick_ok;
}

/* Notifications of one time are ordered by the numbers of their wires (link.c). */
static int same_order_of_wires(const struct asim_fabric *fabric, const struct asim_part *a,
                               const struct asim_part *b)
{
    const struct asim_switch *x = &fabric->sw[a->sw - fabric->set.hosts];
    const struct asim_switch *y = &fabric->sw[b->sw - fabric->set.hosts];

    for (uint32_t i = 1; i < a->n_hosts; i++)
        for (uint32_t j = 0; j < i; j++)
            if ((x->ports[a->port[i]].port.out->id < x->ports[a->port[j]].port.out->id) !=
                (y->ports[b->port[i]].port.out->id < y->ports[b->port[j]].port.out->id))
                return 0;
    return 1;
}

/* Whether host i of part a and host j of part b have like links. */
static int hosts_are_alike(const struct asim_fabric *fabric, const struct asim_part *a, uint32_t i,
                           const struct asim_part *b, uint32_t j)
{
    const struct asim_switch *x = &fabric->sw[a->sw - fabric->set.hosts];
    const struct asim_switch *y = &fabric->sw[b->sw - fabric->set.hosts];
    const struct asim_host *host = &fabric->host[a->host[i]], *other = &fabric->host[b->host[j]];

    return a->nic[i] == b->nic[j] && host->n_nics == other->n_nics &&
           host->nics[a->nic[i]].rate_bps == other->nics[b->nic[j]].rate_bps &&
           ports_are_alike(&x->ports[a->port[i]], &y->ports[b->port[j]]);
}

static int are_alike(const struct asim_fabric *fabric, const struct asim_part *a,
                     const struct asim_part *b)
{
    const struct asim_switch *x = &fabric->sw[a->sw - fabric->set.hosts];
    const struct asim_switch *y = &fabric->sw[b->sw - fabric->set.hosts];

    if (a->n_hosts != b->n_hosts || x->shareable != y->shareable ||
        x->most_shift != y->most_shift ||
        x->arrivals_before_departures != y->arrivals_before_departures ||
        fabric->set.topo->node_type[a->sw] != fabric->set.topo->node_type[b->sw])
        return 0;
    for (uint32_t i = 0; i < a->n_hosts; i++)
        if (a->port[i] != b->port[i] || !hosts_are_alike(fabric, a, i, b, i))
            return 0;
    return same_order_of_wires(fabric, a, b);
}

static int is_regular(const struct asim_fabric *fabric, const struct asim_part *part)
{
    for (uint32_t i = 1; i < part->n_hosts; i++)
        if (!hosts_are_alike(fabric, part, 0, part, i))
            return 0;
    return 1;
}

static void classify(const struct asim_fabric *fabric, struct asim_parts *parts)
{
    for (uint32_t i = 0; i < parts->n_parts; i++) {
        uint32_t j = 0;

        parts->at[i].is_regular = is_regular(fabric, &parts->at[i]);
        while (j < i && !are_alike(fabric, &parts->at[j], &parts->at[i]))
            j++;
        parts->at[i].part_class = j < i ? parts->at[j].part_class : parts->n_classes++;
    }
}

static struct asim_parts *allocate(const struct asim_fabric *fabric)
{
    struct asim_parts *parts = calloc(1, sizeof *parts);
    size_t hosts = fabric->set.hosts + (size_t)1, switches = fabric->set.nodes - hosts + 2;

    if (!parts)
        return NULL;
    parts->at = calloc(switches, sizeof *parts->at);
    parts->part_of = malloc(hosts * sizeof *parts->part_of);
    parts->number = malloc(hosts * sizeof *parts->number);
    parts->look_at = calloc(switches, sizeof *parts->look_at);
    parts->due = malloc(switches * sizeof *parts->due);
    parts->n_workers = fabric->workers.n;
    parts->of_worker = calloc(parts->n_workers, sizeof *parts->of_worker);
    if (parts->part_of)
        memset(parts->part_of, -1, hosts * sizeof *parts->part_of); /* ASIM_NO_PART */
    return parts;
}

/* Small switches first: a host of a server with an own switch may also be on one that joins all. */
static int find(struct asim_fabric *fabric, struct asim_parts *parts, const struct ages *ages)
{
    uint32_t most = 2, next;

    for (; most <= MOST_HOSTS; most = next) {
        next = MOST_HOSTS + 1;
        for (uint32_t s = 0; s < fabric->set.nodes - fabric->set.hosts; s++) {
            const struct asim_switch *sw = &fabric->sw[s];

            if (sw->n_ports > most && sw->n_ports < next)
                next = sw->n_ports;
            if (sw->n_ports != most || !is_part(fabric, parts, sw) ||
                !ties_are_apart(fabric, sw, ages) || has_other_paths(fabric, sw))
                continue;
            if (open_part(&parts->at[parts->n_parts++], sw->n_ports))
                return ASIM_ENOMEM;
            list_hosts(parts, &parts->at[parts->n_parts - 1], sw);
        }
    }
    return 0;
}

int asim_parts_open(struct asim_fabric *fabric)
{
    struct asim_parts *parts = allocate(fabric);
    struct ages ages = {0};
    int code;

    fabric->memo->parts = parts;
    if (!parts || !parts->at || !parts->part_of || !parts->number || !parts->look_at ||
        !parts->due || !parts->of_worker)
        return ASIM_ENOMEM;
    code = list_ages(fabric, &ages) || find(fabric, parts, &ages) ? ASIM_ENOMEM : 0;
    free(ages.at);
    if (code)
        return code;
    if (parts->n_parts < 2) {
        asim_parts_close(fabric);
        return 0;
    }
    classify(fabric, parts);
    for (uint32_t i = 0; i < parts->n_workers; i++)
        asim_search_budget_raise(&parts->of_worker[i].budget,
                                 (uint64_t)FIRST_LOGS * fabric->set.hosts * ASIM_PART_LOG_WORDS);
    for (uint32_t i = 0; i < parts->n_parts; i++) {
        struct asim_part *part = &parts->at[i];

        atomic_init(&parts->look_at[i], ASIM_NEVER);
        part->of_worker =
            &parts->of_worker[fabric->sw[part->sw - fabric->set.hosts].worker - fabric->workers.at];
        part->of_worker->n[ASIM_PART_OPEN]++;
    }
    parts->suspended = 1;
    parts->due_at = ASIM_NEVER;
    return 0;
}

void asim_parts_close(struct asim_fabric *fabric)
{
    struct asim_parts *parts = fabric->memo->parts;

    if (!parts)
        return;
    for (uint32_t i = 0; parts->at && i < parts->n_parts; i++) {
        free(parts->at[i].host);
        free(parts->at[i].port);
        free(parts->at[i].nic);
        free(parts->at[i].pair);
        free(parts->at[i].counts);
        free(parts->at[i].before);
        free(parts->at[i].first.list.at);
    }
    free(parts->at);
    free(parts->part_of);
    free(parts->number);
    free((void *)parts->look_at);
    free(parts->of_worker);
    free(parts->due);
    free(parts);
    fabric->memo->parts = NULL;
}

/* Packet-hops of finished logs belong to those that were recorded for replays, but for those that
 * periods have skipped meanwhile, which belong to no part: at most what is carried and not counted.
 */
static void gather_recorded(struct asim_fabric *fabric, struct asim_worker_parts *own)
{
    struct asim_memo_tally *tally = &fabric->memo->tally;
    uint64_t hops = own->recorded;

    if (hops && tally->skips_in_logs) {
        uint64_t left = asim_memo_uncounted(fabric);

        hops = hops < left ? hops : left;
    }
    tally->hops[ASIM_CARRIED_RECORDED] += hops;
    tally->counted += hops;
    tally->episodes += own->episodes;
    own->recorded = own->episodes = 0;
}

void asim_parts_gather(struct asim_fabric *fabric)
{
    struct asim_memo *memo = fabric->memo;

    for (uint32_t i = 0; i < memo->parts->n_workers; i++) {
        struct asim_worker_parts *own = &memo->parts->of_worker[i];

        memo->saved += own->saved;
        memo->wasted += own->wasted;
        memo->tally.skips_in_logs |= own->skips_in_logs;
        memo->tally.replays += own->replays;
        memo->tally.rotated += own->rotated;
        memo->tally.deviations += own->deviations;
        own->saved = own->wasted = own->replays = own->rotated = own->deviations = 0;
    }
    for (uint32_t i = 0; i < memo->parts->n_workers; i++) {
        gather_recorded(fabric, &memo->parts->of_worker[i]);
        asim_search_budget_has(fabric, &memo->parts->of_worker[i].budget,
                               1); /* earns if it is empty */
    }
}
