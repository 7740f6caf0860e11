/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How long an algorithm of NCCL takes on this network, by an estimate from its routes.
 *
 * An estimate has two parts. The way: the latencies and sizes of the messages that wait for each
 * other. The load: the time of the busiest link, where messages of a connection are on the paths of
 * its queue pairs, and those with queue pairs of their own on equal-cost paths in equal parts. A
 * ring is full of pieces, so the greater part counts; a tree has its way once, then its busiest
 * link for each further chunk. Messages of a queue pair follow each other on one path, which may
 * bound both.
 *
 * The way of a tree between servers: its channels do the same at once, so that messages of one
 * level share the links on which they meet, such as a NIC for all GPUs of a server. Behind its way
 * the channels of a tree meet twice, inside a server and at its NICs (`meeting`).
 *
 * Cost: a walk over the paths of each pair of members that exchange messages, once for each group
 * and size; NCCL's rings have members x GPUs of a server of them.
 */
#include "base/mem.h"
#include "base/text.h"
#include "cc/cc.h"
#include "coll/nccl.h"
#include "net/ecmp.h"
#include "net/packets.h"
#include "net/watch.h"
#include "topo/topo.h"
#include "sim/collective/nccl_graph.h"
#include "sim/collective/nvswitch.h"
#include "sim/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 8,          /* chunks of a tree's edge, coll/nccl_tree.c */
    FIRST_SPORT = 10000, /* of a connection (fabric/host/flow.c) */
    MOST_PATHS = 8,
    MOST_HOPS = 64
};

/* One estimate. A link carries each direction on its own. */
struct estimate {
    struct asim_world *world;
    const struct asim_ring_of *ring;
    const struct asim_nccl *nccl;
    double *load;                /* ns, [2 x links], or with an analytical network [2 x ranks] */
    ASIM_VEC(size_t) loaded;     /* entries of load that are not 0 */
    double most;                 /* of these */
    double busiest[2];           /* of those of messages inside a server, and between servers */
    int leaves;                  /* the message leaves its server */
    struct asim_map connections; /* (from, to) -> ns of its messages */
    double longest;              /* of these */
    double way;                  /* ns of the messages that the last piece waits for */
    double bytes;                /* of a message, with the headers of its packets */
    double packet;               /* bytes of a packet, likewise */
    /* Of channels that do the same at once: (entry of load, level of the flow) -> ps, and the most
     * that a message meets there. */
    struct asim_map meetings;
    enum { NO_MEETING, MEET, LOOK } pass;
    uint32_t level;
    double met;
    int failed;
};

/* The way to one member and of the ACK back: ns, ns a byte of all its links together, and bytes a
 * ns of the slowest. */
struct hop {
    double delay, per_byte, rate;
};

static uint32_t host_of(const struct estimate *e, uint32_t position, uint32_t slot)
{
    const struct asim_nccl *nccl = e->nccl;

    if (position < nccl->spec.ranks)
        return asim_ring_rank(e->ring, position);
    position = asim_nccl_first(asim_nccl_layout(nccl), position - nccl->spec.ranks);
    return asim_nvswitch_host(e->world, asim_ring_rank(e->ring, position), slot);
}

/* First the flows of a level meet on links, then each looks how long these are busy. */
static void meet(struct estimate *e, size_t at, double ns)
{
    uint64_t *slot = asim_map_put(&e->meetings, at, e->level);

    e->failed |= !slot;
    if (slot && e->pass == MEET)
        *slot += (uint64_t)(1000 * ns);
    else if (slot)
        e->met = fmax(e->met, (double)*slot / 1000);
}

/* A link of a mesh of GPUs has one pair, so that no channels meet there. */
static void add_load(struct estimate *e, size_t at, double ns, int has_one_pair)
{
    if (e->pass != NO_MEETING)
        meet(e, at, ns);
    if (e->pass == LOOK)
        return;
    e->failed |= e->load[at] <= 0 && ASIM_VEC_PUSH(e->loaded, at);
    e->load[at] += ns;
    e->most = fmax(e->most, e->load[at]);
    if (!has_one_pair)
        e->busiest[e->leaves] = fmax(e->busiest[e->leaves], e->load[at]);
}

/* Adds a share of a message to the load of a link, and the link to the way; returns its far end. A
 * message has come when its ACK is back at the sender, as in ASTRA-sim. */
static uint32_t cross(struct estimate *e, uint32_t node, uint32_t at, double share, struct hop *hop)
{
    const struct asim_topo *topo = &e->world->set.topo;
    const struct asim_port_ref *port = &topo->ports[topo->first_port[node] + at - 1];
    const struct asim_link *link = &topo->links[port->link];
    double rate = (double)link->rate_bps / 8e9;

    add_load(e, 2 * (size_t)port->link + (node == link->a), share * e->bytes / rate,
             topo->node_type[link->a] == ASIM_HOST && topo->node_type[link->b] == ASIM_HOST);
    if (hop) {
        hop->delay += 2 * (double)link->delay_fs / ASIM_FS_PER_NS;
        hop->per_byte += 1 / rate;
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
    int counts = e->world->set.route && e->pass != LOOK;
    uint32_t qps = counts ? e->world->set.net.qps_per_connection : 0;
    uint64_t *slot = qps ? asim_map_put(&e->connections, from, to) : NULL;

    e->failed |= qps && !slot;
    if (!slot)
        return;
    *slot += (uint64_t)ns;
    e->longest = fmax(e->longest, (double)*slot / qps);
}

static uint32_t server_of(const struct asim_nccl *nccl, uint32_t position)
{
    return position < nccl->spec.ranks ? asim_nccl_server(asim_nccl_layout(nccl), position)
                                       : position - nccl->spec.ranks;
}

/* Bytes a ns of a message alone: at most a window each round trip. These links carry data the other
 * way, too, so that an ACK waits half a packet at each. */
static double rate_of(const struct estimate *e, const struct hop *hop)
{
    double payload = e->world->set.net.payload_bytes;
    double window = ceil((hop->delay / payload + hop->per_byte) * hop->rate) * e->packet;
    double trip = hop->delay + (1.5 * e->packet + ASIM_ACK_WIRE) * hop->per_byte;

    if (!e->world->set.route || !e->world->set.net.has_win || e->bytes <= window)
        return hop->rate;
    return fmin(hop->rate, window / trip);
}

/* A message from a member to another: adds its load, and returns how long it takes alone. */
static double send(struct estimate *e, uint32_t from, uint32_t to, uint32_t slot)
{
    const struct asim_netshape *shape = &e->world->set.shape;
    int leaves = server_of(e->nccl, from) != server_of(e->nccl, to);
    int is_across = leaves || from >= e->nccl->spec.ranks || to >= e->nccl->spec.ranks;
    struct hop hop = {0, 0, 0};
    double ns;

    e->met = 0;
    e->leaves = leaves;
    if (e->world->set.route) {
        uint32_t src = host_of(e, from, slot), dst = host_of(e, to, slot);

        if (e->world->set.net.qps_per_connection)
            follow(e, src, dst, &hop);
        else
            spread(e, src, dst, 1, &hop);
    } else {
        hop.delay = shape->at[is_across ? shape->n - 1 : 0].latency_ns;
        hop.rate = is_across ? e->nccl->spec.net_gbytes : e->nccl->spec.nv_gbytes;
        hop.per_byte = 1 / hop.rate;
        add_load(e, 2 * (size_t)from + (size_t)is_across, e->bytes / hop.rate, 0);
    }
    if (hop.rate <= 0)
        return 0;
    ns = e->bytes / rate_of(e, &hop);
    occupy(e, from, to, ns);
    return (double)e->world->set.endpoint_ns + hop.delay +
           fmin(e->packet, e->bytes) * (hop.per_byte - 1 / hop.rate) +
           fmax(ns, is_across ? e->met : 0);
}

/* ns of a piece once around a ring. */
static double round_ns(struct estimate *e, uint32_t channel)
{
    const struct asim_nccl *nccl = e->nccl;
    struct asim_nccl_layout at = asim_nccl_layout(nccl);
    uint32_t n = nccl->spec.ranks;
    double ns = 0;

    for (uint32_t p = 0; p < n; p++) {
        uint32_t from = p, next = asim_nccl_next(at, channel, 0, p);

        if (asim_nccl_hands_over(nccl) && server_of(nccl, next) != server_of(nccl, p)) {
            from = asim_nccl_first(at, server_of(nccl, p)) + channel;
            ns += send(e, p, from, 0);
        }
        ns += send(e, from, next, 0);
    }
    return ns;
}

/* Each edge of a ring carries every piece but one, once or twice. Pieces of all channels are on
 * their way at once, so that those between servers share the links on which they meet. */
static double ring_ns(struct estimate *e)
{
    uint32_t n = e->nccl->spec.ranks;
    double passes = e->nccl->spec.coll_type == ASIM_ALL_REDUCE ? 2 : 1, way = 0;

    asim_map_init(&e->meetings);
    e->level = 0;
    for (e->pass = MEET; e->pass <= LOOK; e->pass++)
        for (uint32_t channel = 0; channel < e->nccl->channels; channel++)
            way = fmax(way, round_ns(e, channel));
    e->pass = NO_MEETING;
    asim_map_fini(&e->meetings);
    e->way = way / n;
    return passes * (n - 1) * fmax(way / n, fmax(e->most, e->longest));
}

/* A flow of a chunk: how many wait for each other before it, and when it ends. */
struct place {
    uint32_t level;
    double end;
};

static struct place after_parents(const struct asim_nccl *one, const struct place *at, size_t i)
{
    const struct asim_nccl_flow *flow = &one->flows.at[i];
    struct place place = {0, 0};

    for (uint32_t k = 0; k < flow->parents; k++) {
        const struct place *parent = &at[one->parents.at[flow->first_parent + k]];

        place.level = parent->level >= place.level ? parent->level + 1 : place.level;
        place.end = fmax(place.end, parent->end);
    }
    return place;
}

/* The flows of the first chunk: when the last ends, and the longest that one edge is busy with it.
 * What channels wait for each other counts once: with more chunks it is a part of their stages. */
static double chunk_ns(struct estimate *e, const struct asim_nccl *one, double chunks, double *edge)
{
    struct place *at = calloc(one->flows.n + 1, sizeof *at);
    double alone = 0, last = 0;

    e->failed |= !at;
    asim_map_init(&e->meetings);
    for (e->pass = MEET; at && e->pass <= LOOK; e->pass++) {
        alone = last;
        for (size_t i = 0; i < one->flows.n; i++) {
            const struct asim_nccl_flow *flow = &one->flows.at[i];
            double ns;

            at[i] = after_parents(one, at, i);
            e->level = at[i].level;
            ns = send(e, flow->src, flow->dst, flow->channel);
            at[i].end += ns;
            last = fmax(last, at[i].end);
            *edge = e->pass == MEET ? fmax(*edge, ns) : *edge;
        }
    }
    e->pass = NO_MEETING;
    asim_map_fini(&e->meetings);
    free(at);
    return alone + (last - alone) / chunks;
}

/* How much longer a stage of a tree takes than its busiest link is busy. A chunk waits as a whole
 * between the links of a server and its NIC, and the channels meet at both, each in an order of its
 * own: the root of the sum of squares. Between NIC and fabric packets follow each other, so these
 * are one place. Of two servers only where a chain ends at a NIC that is as busy as its queue pair.
 */
static double meeting(const struct estimate *e, double load)
{
    if (e->nccl->servers == 2 && e->longest <= .9 * load)
        return 1;
    return fmax(1, hypot(e->busiest[0], e->busiest[1]) / fmax(load, 1));
}

/* Two hosts: while a chunk is on its way back, later ones go up, so that no link rests before the
 * last message, one of two of a stage, has come. */
static int is_pair(const struct estimate *e)
{
    return e->nccl->spec.ranks == 2 && e->nccl->local < 2;
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
    way = e->way = e->failed ? 0 : chunk_ns(e, &one, chunks, &edge);
    load = e->most;
    asim_nccl_fini(&one);
    if (chunks < 2)
        return fmax(way, load);
    stage = fmax(fmax(load, e->longest), is_nvls ? edge : edge / WINDOW);
    if (is_pair(e) && !is_chain)
        return fmax(way, chunks * stage + edge - stage / 2);
    if (is_nvls || is_chain || e->nccl->local < 2)
        return way + (chunks - 1) * stage;
    stage *= meeting(e, load);
    return way + (chunks - (e->nccl->spec.algo == ASIM_NCCL_TREE)) * stage;
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

double asim_nccl_estimate(struct asim_world *world, const struct asim_ring_of *ring,
                          struct asim_nccl_spec spec, double *way)
{
    const struct asim_world_setup *set = &world->set;
    struct estimate one = {.world = world, .ring = ring}, *e = &one;
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
    *way = e->way;
    return e->failed ? -1 : ns;
}
