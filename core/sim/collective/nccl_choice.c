/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Which of NCCL's algorithms ncclAuto takes: the one that this network finishes first, by an
 * estimate from its routes. NCCL's own cost model knows no fabric, and its tables are of other
 * latencies than those that are simulated.
 *
 * An estimate has two parts. The way: the latencies and sizes of the messages that wait for each
 * other, without anybody else on the links. The load: the time of the busiest link, where messages
 * of a connection are on the paths of its queue pairs, and those with queue pairs of their own on
 * equal-cost paths in equal parts. A ring is full of pieces, so the greater part counts; a tree has
 * its way once, then its busiest link for each further chunk. Messages of a queue pair follow each
 * other on one path, which may bound both.
 *
 * Protocols are all Simple: what LL and LL128 save in latency is not simulated, and what they add
 * in bytes would be.
 *
 * Where the ranks have a machine, NCCL's own choice for it counts (core/nccl), protocol included,
 * and with it the time that kernels and proxies take. Only whether rings use PXN is estimated.
 *
 * Cost: a walk over the paths of each pair of members that exchange messages, once for each group
 * and size; NCCL's rings have members x GPUs of a server of them.
 */
#include "asim/topology.h"
#include "base/mem.h"
#include "base/text.h"
#include "cc/cc.h"
#include "coll/nccl.h"
#include "net/ecmp.h"
#include "net/packets.h"
#include "net/watch.h"
#include "topo/topo.h"
#include "sim/collective/machine.h"
#include "sim/collective/nccl_graph.h"
#include "sim/collective/nvswitch.h"
#include "sim/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 8,          /* chunks of a tree's edge, coll/nccl_tree.c */
    FIRST_SPORT = 10000, /* of a connection (fabric/host/flow.c) */
    MOST_PATHS = 8,
    MOST_HOPS = 64
};

/* The channels of a tree meet at the NVLinks of a server and, from two children, at a NIC. So a
 * chunk's stage takes longer than its busiest link is busy: by so much in 100 drawn cases. */
static const double MEETING = 1.15;

/* One estimate. A link carries each direction on its own. */
struct estimate {
    struct asim_world *world;
    const struct asim_ring_of *ring;
    const struct asim_nccl *nccl;
    double *load;                /* ns, [2 x links], or with an analytical network [2 x ranks] */
    ASIM_VEC(size_t) loaded;     /* entries of load that are not 0 */
    double most;                 /* of these */
    struct asim_map connections; /* (from, to) -> ns of its messages */
    double longest;              /* of these */
    double way;                  /* ns of the messages that the last piece waits for */
    double bytes;                /* of a message, with the headers of its packets */
    double packet;               /* bytes of a packet, likewise */
    int failed;
};

/* What a message needs to one member, alone: ns, and bytes a ns of the slowest link. */
struct hop {
    double latency, rate;
};

static uint32_t host_of(const struct estimate *e, uint32_t position, uint32_t slot)
{
    const struct asim_nccl *nccl = e->nccl;

    if (position < nccl->spec.ranks)
        return asim_ring_rank(e->ring, position);
    position = (position - nccl->spec.ranks) * nccl->local;
    return asim_nvswitch_host(e->world, asim_ring_rank(e->ring, position), slot);
}

static void add_load(struct estimate *e, size_t at, double ns)
{
    e->failed |= e->load[at] <= 0 && ASIM_VEC_PUSH(e->loaded, at);
    e->load[at] += ns;
    e->most = fmax(e->most, e->load[at]);
}

/* Adds a share of a message to the load of a link, and the link to the way; returns its far end. A
 * message has come when its ACK is back at the sender, as in ASTRA-sim. */
static uint32_t cross(struct estimate *e, uint32_t node, uint32_t at, double share, struct hop *hop)
{
    const struct asim_topo *topo = &e->world->set.topo;
    const struct asim_port_ref *port = &topo->ports[topo->first_port[node] + at - 1];
    const struct asim_link *link = &topo->links[port->link];
    double rate = (double)link->rate_bps / 8e9;

    add_load(e, 2 * (size_t)port->link + (node == link->a), share * e->bytes / rate);
    if (hop) {
        hop->latency += 2 * (double)link->delay_fs / ASIM_FS_PER_NS;
        hop->latency += hop->rate > 0 ? fmin(e->packet, e->bytes) / rate : 0;
        hop->rate = hop->rate > 0 ? fmin(hop->rate, rate) : rate;
    }
    return port->peer;
}

/* Queue pairs for each message: equal-cost paths in equal parts, of which the first is the hop's.
 */
static void spread(struct estimate *e, uint32_t node, uint32_t dst, double share, struct hop *hop)
{
    uint32_t n;
    const uint32_t *ports = asim_route_ports(e->world->set.route, node, dst, &n);

    e->failed |= node != dst && !n;
    for (uint32_t i = 0; i < n; i++) {
        spread(e, cross(e, node, ports[i], share / n, hop), dst, share / n, hop);
        hop = NULL;
    }
}

/* Queue pairs of a connection, each on the path that the hashes choose. */
static void follow(struct estimate *e, uint32_t src, uint32_t dst, struct hop *hop)
{
    uint32_t qps = e->world->set.net.qps_per_connection;
    uint32_t paths = qps < MOST_PATHS ? qps : MOST_PATHS;

    for (uint32_t q = 0; q < paths; q++) {
        const struct asim_ecmp_tuple tuple = {src, dst, (uint16_t)(FIRST_SPORT + q), ASIM_DPORT};
        struct asim_hop hops[MOST_HOPS];
        uint32_t n = asim_ecmp_path(e->world->set.route, &tuple, hops, MOST_HOPS);

        e->failed |= !n;
        for (uint32_t i = 0; i < n && i < MOST_HOPS; i++)
            cross(e, hops[i].node, hops[i].port, 1. / paths, q ? NULL : hop);
    }
}

/* Messages of one queue pair take one way, one after the other. */
static void occupy(struct estimate *e, uint32_t from, uint32_t to, double ns)
{
    uint32_t qps = e->world->set.route ? e->world->set.net.qps_per_connection : 0;
    uint64_t *slot = qps ? asim_map_put(&e->connections, from, to) : NULL;

    e->failed |= qps && !slot;
    if (!slot)
        return;
    *slot += (uint64_t)ns;
    e->longest = fmax(e->longest, (double)*slot / qps);
}

/* A message from a member to another: adds its load, and returns how long it takes alone. */
static double send(struct estimate *e, uint32_t from, uint32_t to, uint32_t slot)
{
    const struct asim_netshape *shape = &e->world->set.shape;
    int is_across = from / e->nccl->local != to / e->nccl->local;
    struct hop hop = {(double)e->world->set.endpoint_ns, 0};

    if (e->world->set.route) {
        uint32_t src = host_of(e, from, slot), dst = host_of(e, to, slot);

        if (e->world->set.net.qps_per_connection)
            follow(e, src, dst, &hop);
        else
            spread(e, src, dst, 1, &hop);
    } else {
        hop.latency += shape->at[is_across ? shape->n - 1 : 0].latency_ns;
        hop.rate = is_across ? e->nccl->spec.net_gbytes : e->nccl->spec.nv_gbytes;
        add_load(e, 2 * (size_t)from + (size_t)is_across, e->bytes / hop.rate);
    }
    if (hop.rate <= 0)
        return 0;
    occupy(e, from, to, e->bytes / hop.rate);
    return hop.latency + e->bytes / hop.rate;
}

/* Each edge of a ring carries every piece but one, once or twice. */
static double ring_ns(struct estimate *e)
{
    const struct asim_nccl *nccl = e->nccl;
    uint32_t n = nccl->spec.ranks, local = nccl->local;
    double passes = nccl->spec.coll_type == ASIM_ALL_REDUCE ? 2 : 1, way = 0;

    for (uint32_t channel = 0; channel < local; channel++) {
        double round = 0;

        for (uint32_t p = 0; p < n; p++) {
            uint32_t from = p, next = asim_nccl_next(asim_nccl_layout(nccl), channel, 0, p);

            if (asim_nccl_hands_over(nccl) && next / local != p / local) {
                from = p / local * local + channel;
                round += send(e, p, from, 0);
            }
            round += send(e, from, next, 0);
        }
        way = fmax(way, round);
        e->way = fmax(e->way, round / n);
    }
    return passes * (n - 1) * fmax(way / n, fmax(e->most, e->longest));
}

/* The flows of one chunk: when the last ends, and the longest that one edge is busy with it. */
static double chunk_ns(struct estimate *e, const struct asim_nccl *one, double *edge)
{
    double *ends = calloc(one->flows.n + 1, sizeof *ends), last = 0;

    e->failed |= !ends;
    for (size_t i = 0; ends && i < one->flows.n; i++) {
        const struct asim_nccl_flow *flow = &one->flows.at[i];
        double ns = send(e, flow->src, flow->dst, flow->channel);

        for (uint32_t k = 0; k < flow->parents; k++)
            ends[i] = fmax(ends[i], ends[one->parents.at[flow->first_parent + k]]);
        ends[i] += ns;
        last = fmax(last, ends[i]);
        *edge = fmax(*edge, ns);
    }
    free(ends);
    return last;
}

/* A tree, a chain, or NVLS, whose quarters wait for each other's ACK. */
static double tree_ns(struct estimate *e)
{
    struct asim_nccl one = *e->nccl;
    int is_nvls = one.spec.algo == ASIM_NCCL_NVLS, is_chain = asim_nccl_is_chain(&one.spec);
    double chunks = is_nvls ? 4 : one.chunks, edge = 0, way, load, stage;

    one.chunks = 1;
    e->failed |= is_chain  ? asim_nccl_chain(&one)
                 : is_nvls ? asim_nccl_nvls(&one)
                           : asim_nccl_tree(&one);
    for (size_t i = 0; is_nvls && i < one.flows.n; i++)
        if (one.flows.at[i].chunk)
            one.flows.n = i; /* the first quarter's come first */
    way = e->way = e->failed ? 0 : chunk_ns(e, &one, &edge);
    load = e->most;
    asim_nccl_fini(&one);
    if (chunks < 2)
        return fmax(way, load);
    stage = fmax(fmax(load, e->longest), is_nvls ? edge : edge / WINDOW);
    if (is_nvls || is_chain || e->nccl->local < 2)
        return way + (chunks - 1) * stage;
    return way + (chunks - (e->nccl->spec.algo == ASIM_NCCL_TREE)) * MEETING * stage;
}

/* All 0 between two estimates: of thousands of small jobs each uses a few links of many. */
static double *loads_of(struct asim_world *world)
{
    const struct asim_world_setup *set = &world->set;
    size_t links = set->route ? set->topo.n_links : set->n_ranks;

    if (!world->made.nccl_loads)
        world->made.nccl_loads = calloc(2 * links + 1, sizeof *world->made.nccl_loads);
    return world->made.nccl_loads;
}

/* ns of the spec's algorithm; below 0 where it cannot be, or its network has no path for it. */
static double estimate_ns(struct estimate *e, struct asim_nccl_spec spec)
{
    const struct asim_world_setup *set = &e->world->set;
    struct asim_nccl nccl;
    struct asim_err err = {0};
    double payload = set->net.payload_bytes, piece, ns;

    if (asim_nccl_choose(&nccl, &spec, &err))
        return -1;
    piece = fmax((double)asim_nccl_wire(spec.proto, asim_nccl_piece(&nccl)), 1);
    e->nccl = &nccl;
    e->bytes = piece + (set->route ? ceil(piece / payload) * ASIM_DATA_OVERHEAD : 0);
    e->packet = payload + ASIM_DATA_OVERHEAD;
    e->load = loads_of(e->world);
    e->failed = !e->load;
    e->longest = e->way = e->most = 0;
    asim_map_init(&e->connections);
    ns = e->failed                            ? -1
         : asim_nccl_is_chain(&nccl.spec)     ? tree_ns(e)
         : nccl.spec.algo == ASIM_NCCL_RING   ? ring_ns(e)
         : nccl.spec.algo == ASIM_NCCL_DIRECT ? send(e, 0, nccl.spec.ranks - 1, 0)
                                              : tree_ns(e);
    asim_map_fini(&e->connections);
    for (size_t i = 0; i < e->loaded.n; i++)
        e->load[e->loaded.at[i]] = 0;
    free(e->loaded.at);
    memset(&e->loaded, 0, sizeof e->loaded);
    return e->failed ? -1 : ns;
}

/* GPUs of the generations of NVSwitches that reduce. */
static int reduces_in_nvswitch(const char *gpu)
{
    static const char *const names[] = {"H100", "H200", "H800",  "H20",  "B100",
                                        "B200", "B300", "GB200", "GB300"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(gpu, names[i]))
            return 1;
    return 0;
}

/* ns that the network takes alone. */
struct alone {
    double whole, way;
};

/* The quickest of the candidates; with a machine, of those with its algorithm (`only`, else 0). 1
 * if there is one. Every member gets the same answer, because nothing in it is of one member. */
static int choose(struct asim_world *world, const struct asim_ring_of *ring,
                  struct asim_nccl_spec *spec, int only, struct alone *alone)
{
    static const struct {
        int algo, pxn;
    } candidates[] = {{ASIM_NCCL_RING, 0},
                      {ASIM_NCCL_RING, 2},
                      {ASIM_NCCL_TREE, 0},
                      {ASIM_NCCL_NVLS, 0},
                      {ASIM_NCCL_NVLS_TREE, 0}};
    struct estimate e = {.world = world, .ring = ring};
    int has_nvls = !spec->by_ranks && reduces_in_nvswitch(world->set.topo.gpu_type);

    *alone = (struct alone){-1, 0};
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        struct asim_nccl_spec one = *spec;
        int is_nvls =
            candidates[i].algo == ASIM_NCCL_NVLS || candidates[i].algo == ASIM_NCCL_NVLS_TREE;
        double ns;

        one.algo = candidates[i].algo;
        one.pxn = candidates[i].pxn;
        if (one.algo == ASIM_NCCL_RING && asim_world_machine_is_flat(world))
            one.gpus_per_server = 1;
        if ((only && one.algo != only) || !asim_world_machine_allows(world, &one))
            continue;
        ns = is_nvls && !has_nvls ? -1 : estimate_ns(&e, one);
        if (ns >= 0 && (alone->whole < 0 || ns < alone->whole)) {
            *alone = (struct alone){ns, e.way};
            spec->algo = one.algo;
            spec->pxn = one.pxn;
            spec->gpus_per_server = one.gpus_per_server;
        }
    }
    return alone->whole >= 0;
}

/* Once for each kind of collective and algorithm, of the first group and size that take it. */
static void say(struct asim_world *world, const struct asim_nccl_spec *spec)
{
    static const char *const words[] = {[ASIM_NCCL_RING] = "rings",
                                        [ASIM_NCCL_TREE] = "trees",
                                        [ASIM_NCCL_NVLS] = "NVLS",
                                        [ASIM_NCCL_NVLS_TREE] = "trees with NVLS"};
    uint64_t bit = 1ull << (spec->coll_type % 8 * 8 + spec->algo % 4 * 2 + (spec->pxn != 0));
    uint32_t local = spec->gpus_per_server, channels = local;

    if (world->made.nccl_said & bit)
        return;
    world->made.nccl_said |= bit;
    if (spec->algo == ASIM_NCCL_TREE || spec->algo == ASIM_NCCL_NVLS_TREE)
        channels *= 2;
    asim_world_diagnose(world, "follows NCCL: %s of %llu bytes: %u %s over %u x %u GPUs%s, %s",
                        asim_coll_type_key(spec->coll_type), (unsigned long long)spec->bytes,
                        channels, words[spec->algo], spec->ranks / local, local,
                        spec->pxn ? ", PXN" : "", asim_nccl_proto_names[spec->proto]);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Members, their servers and the kind. */
static uint64_t key_of(const struct asim_ring_of *ring, const struct asim_nccl_spec *spec)
{
    uint64_t key =
        mix(mix(ring->n | (uint64_t)spec->root << 32, spec->gpus_per_server),
            (uint64_t)spec->algo << 5 | (uint64_t)spec->coll_type << 1 | (uint64_t)spec->by_ranks);

    if (!ring->members)
        return mix(mix(key, ring->base), ring->stride);
    for (uint32_t p = 0; p < ring->n; p++)
        key = mix(key, ring->members[p]);
    return key;
}

/* The first message of an all-to-all, between the ends of the group. */
static double pair_ns(struct asim_world *world, const struct asim_ring_of *ring,
                      struct asim_nccl_spec spec)
{
    struct estimate e = {.world = world, .ring = ring};

    return estimate_ns(&e, spec);
}

/* The machine's times were measured over a network, so what this one takes alone is a part of them:
 * of the launch, where its latencies are longer, and of the work, but for the way of one piece. A
 * network that alone takes longer than the kernel's work paces the sends itself. */
static void take_off(struct asim_nccl_choice *plan, const struct alone *alone)
{
    double least = (double)plan->least_ns,
           start = fmin((double)plan->start_ns, least - alone->whole);
    double busy;

    start = fmax(start, 0);
    busy = fmin((double)plan->busy_ns, least - start - alone->way);
    plan->start_ns = (uint64_t)start;
    if (alone->whole >= (double)plan->busy_ns)
        busy = 0;
    plan->busy_ns = (uint64_t)fmax(busy, 0);
}

static struct asim_nccl_choice plan_of(struct asim_world *world, const struct asim_ring_of *ring,
                                       struct asim_nccl_spec spec)
{
    struct asim_nccl_choice plan = {0};
    struct asim_nccl_spec chosen = spec;
    struct alone alone = {0, 0};
    int is_known = asim_world_machine_plan(world, &spec, &plan);

    chosen.proto = plan.proto;
    chosen.algo = ASIM_NCCL_RING;
    if (spec.algo == ASIM_NCCL_DIRECT)
        alone.whole = pair_ns(world, ring, spec);
    else if (!is_known || !choose(world, ring, &chosen, plan.algo, &alone))
        choose(world, ring, &chosen, 0, &alone); /* NVLS gathers and scatters nothing here */
    take_off(&plan, &alone);
    if (spec.algo == ASIM_NCCL_TUNED)
        say(world, &chosen);
    plan.algo = chosen.algo;
    plan.proto = chosen.proto;
    plan.pxn = chosen.pxn;
    plan.is_flat = chosen.gpus_per_server < spec.gpus_per_server;
    return plan;
}

int asim_nccl_choice(struct asim_world *world, const struct asim_ring_of *ring,
                     const struct asim_nccl_spec *spec, struct asim_nccl_choice *choice,
                     struct asim_err *err)
{
    uint64_t *slot;

    pthread_mutex_lock(&world->made.lock);
    slot = asim_map_put(&world->made.nccl_choices, key_of(ring, spec), spec->bytes);
    if (slot && !*slot && !ASIM_VEC_PUSH(world->made.nccl_plans, plan_of(world, ring, *spec)))
        *slot = world->made.nccl_plans.n;
    if (slot && *slot)
        *choice = world->made.nccl_plans.at[*slot - 1];
    else
        slot = NULL;
    pthread_mutex_unlock(&world->made.lock);
    return slot ? 0 : asim_err_nomem(err, "choosing an algorithm");
}
