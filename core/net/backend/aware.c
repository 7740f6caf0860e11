/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion-aware: whole messages are stored and forwarded over links that carry one at a time,
 * first come first served (analytical.md#congestion-aware-links and
 * analytical.md#congestion-aware-in-one-dimension). A link is busy for bytes / bandwidth; the
 * message arrives after latency + bytes / bandwidth, each truncated separately. The arrival is
 * scheduled before the end of the transmission, which decides ties.
 *
 * ASTRA-sim has one dimension. Several are its natural extension: the ranks that differ only
 * in dimension d form a basic topology of their own (a ring, a full mesh, or a star with one
 * switch), and a message corrects the lowest differing dimension first. In one dimension the two
 * are the same. Links of full meshes are kept only while busy, so nothing grows with N squared.
 */
#include "net/analytical.h"

#include <stdlib.h>
#include "base/map.h"

struct link {
    struct asim_due due;           /* first: due at the end of a transmission; rank: 1 until then */
    struct asim_due *first, *last; /* flights that wait, in order of arrival */
    uint64_t mesh_from, mesh_to;   /* a mesh link's key in the map */
    uint32_t dim;
    int in_mesh;
};

struct aware {
    struct asim_analytical base; /* first */
    struct link *links;          /* rings and switches: two per rank and dimension */
    struct asim_map mesh;        /* (dimension and source, destination) -> busy struct link * */
    struct asim_pool mesh_links;
    uint32_t strides[ASIM_DIMS];
};

/* A ring uses which = 0 clockwise, 1 anticlockwise; a star 0 up to the switch, 1 down from it. */
static struct link *fixed_link(struct aware *net, size_t d, uint32_t rank, uint32_t which)
{
    return &net->links[(d * net->base.ranks + rank) * 2 + which];
}

/* The link of the map, or a new idle one. NULL when out of memory; the map is unchanged then. */
static struct link *mesh_link(struct aware *net, uint32_t d, uint32_t from, uint32_t to)
{
    uint64_t hi = (uint64_t)d << 32 | from;
    uint64_t *slot = asim_map_put(&net->mesh, hi, to);
    struct link *link;

    if (!slot || *slot)
        return slot ? (struct link *)(uintptr_t)*slot : NULL;
    link = asim_pool_get(&net->mesh_links);
    if (!link) {
        asim_map_delete(&net->mesh, hi, to);
        return NULL;
    }
    link->due.kind = ASIM_DUE_NEXT;
    link->dim = d;
    link->in_mesh = 1;
    link->mesh_from = hi;
    link->mesh_to = to;
    *slot = (uint64_t)(uintptr_t)link;
    return link;
}

/* The next link of the path; flight->at becomes the link's end. A ring uses the shorter direction,
 * clockwise where both are equal; each hop decides anew and gets the same direction. */
static struct link *next_link(struct aware *net, struct asim_flight *flight)
{
    const struct asim_netshape *shape = &net->base.shape;
    uint32_t at = flight->at, d = 0, a = at, b = flight->msg.dst, there;

    for (; shape->n > 1; d++) { /* with one dimension, ranks are positions */
        a = at / net->strides[d] % shape->at[d].npus;
        b = flight->msg.dst / net->strides[d] % shape->at[d].npus;
        if (a != b)
            break;
    }
    there = b > a ? b - a : shape->at[d].npus - (a - b);
    if (shape->at[d].topology != ASIM_NET_RING) {
        flight->at = at - a * net->strides[d] + b * net->strides[d];
        if (shape->at[d].topology == ASIM_NET_FULLY_CONNECTED)
            return mesh_link(net, d, at, flight->at);
        flight->then = fixed_link(net, d, flight->at, 1);
        return fixed_link(net, d, at, 0);
    }
    if (shape->at[d].npus - there < there) {
        b = a ? a - 1 : shape->at[d].npus - 1;
        flight->at = at - a * net->strides[d] + b * net->strides[d];
        return fixed_link(net, d, at, 1);
    }
    b = a + 1 < shape->at[d].npus ? a + 1 : 0;
    flight->at = at - a * net->strides[d] + b * net->strides[d];
    return fixed_link(net, d, at, 0);
}

/* Caches the transfer time: see struct asim_analytical. latency + serial and serial are truncated
 * separately. */
static void work_out(struct aware *net, const struct link *link, uint64_t bytes)
{
    struct asim_analytical *base = &net->base;
    double serial = (double)bytes / base->ns_bytes[link->dim];

    base->last_bytes = bytes;
    base->last_key = link->dim;
    base->last_ns = asim_ns_whole(serial);
    base->last_there_ns = asim_ns_whole(base->shape.at[link->dim].latency_ns + serial);
}

/* Slow paths, out of line so that the fast ones need no stack. */
void asim_aware_transmit(struct aware *net, struct link *link, struct asim_flight *flight);
void asim_aware_arrive(struct aware *net, struct asim_due *due);
void asim_aware_set_out(struct aware *net, struct asim_flight *flight);

/* The arrival is scheduled before the end of the transmission: with zero latency both fall on
 * one time, and this order is ASTRA-sim's. */
void asim_aware_transmit(struct aware *net, struct link *link, struct asim_flight *flight)
{
    struct asim_analytical *base = &net->base;

    if (flight->msg.bytes != base->last_bytes || link->dim != base->last_key)
        work_out(net, link, flight->msg.bytes);
    asim_analytical_after(base, base->last_there_ns, &flight->due);
    asim_analytical_after(base, base->last_ns, &link->due);
}

/* The same with cached times and existing time buckets, without a call. */
static inline void transmit(struct aware *net, struct link *link, struct asim_flight *flight)
{
    struct asim_analytical *base = &net->base;
    uint64_t now = base->queue.now_ns;
    struct asim_time_bucket *there = NULL, *end = NULL;

    link->due.rank = 1;
    if (flight->msg.bytes == base->last_bytes && link->dim == base->last_key &&
        base->last_there_ns < ASIM_NEVER - 1 - now) {
        there = asim_due_bucket_of(&base->queue, now + base->last_there_ns);
        end = asim_due_bucket_of(&base->queue, now + base->last_ns);
    }
    if (!there || !end) {
        asim_aware_transmit(net, link, flight);
        return;
    }
    asim_due_append(there, &flight->due);
    asim_due_append(end, &link->due);
}

/* Waiting flights are linked through their own events, which no queue holds meanwhile. The end of
 * the current transmission then starts the next one. */
static void wait_for(struct link *link, struct asim_flight *flight)
{
    flight->due.next = NULL;
    *(link->first ? &link->last->next : &link->first) = &flight->due;
    link->last = &flight->due;
    link->due.kind = ASIM_DUE_NEXT;
}

/* At once or when it is free. */
static inline void enter(struct aware *net, struct link *link, struct asim_flight *flight)
{
    if (link->due.rank)
        wait_for(link, flight);
    else
        transmit(net, link, flight);
}

/* What its arrival at the end of a link will be. */
static inline uint32_t kind_of(const struct asim_flight *flight)
{
    int more = flight->then || flight->at != flight->msg.dst;

    return more || flight->due.rank == ASIM_FLIGHT_SINGLE ? ASIM_DUE_STEP : ASIM_DUE_THERE;
}

/* The flight is at flight->at and has further to go. NULL when out of memory. */
static struct link *go_on(struct aware *net, struct asim_flight *flight)
{
    struct link *link = next_link(net, flight);

    flight->due.kind = kind_of(flight);
    if (link)
        enter(net, link, flight);
    else
        net->base.failed = 1;
    return link;
}

/* Some wait for it, or it is a mesh link. The head goes at once
 * (analytical.md#congestion-aware-links). An idle mesh link is forgotten: N^2 of them would be too
 * many. */
static void link_free(struct aware *net, struct link *link)
{
    struct asim_due *head = link->first;

    link->due.rank = 0;
    if (!head) {
        asim_map_delete(&net->mesh, link->mesh_from, link->mesh_to);
        asim_pool_put(&net->mesh_links, link);
        return;
    }
    link->first = head->next;
    if (!link->first && !link->in_mesh)
        link->due.kind = ASIM_DUE_LINK;
    transmit(net, link, (struct asim_flight *)(void *)head);
}

/* Anything but a flight in a switch. */
void asim_aware_arrive(struct aware *net, struct asim_due *due)
{
    struct asim_flight *flight = (struct asim_flight *)(void *)due;

    if (due->kind == ASIM_DUE_NEXT)
        link_free(net, (struct link *)(void *)due);
    else if (flight->at != flight->msg.dst)
        go_on(net, flight);
    else
        asim_analytical_deliver(&net->base, flight);
}

/* In a switch flight->at is already the rank below it. */
static void aware_step(struct asim_analytical *base, struct asim_due *due)
{
    struct aware *net = (struct aware *)(void *)base;
    struct asim_flight *flight = (struct asim_flight *)(void *)due;
    struct link *link;

    if (due->kind == ASIM_DUE_NEXT || !flight->then) {
        asim_aware_arrive(net, due);
        return;
    }
    link = flight->then;
    flight->then = NULL;
    flight->due.kind = kind_of(flight);
    enter(net, link, flight);
}

/* Also after an open that failed halfway; the pool owns the mesh links. */
static void aware_close(struct asim_net *self)
{
    struct aware *net = (struct aware *)(void *)self;

    asim_analytical_fini(&net->base);
    asim_map_fini(&net->mesh);
    asim_pool_fini(&net->mesh_links);
    ASIM_FREE(net->links, net);
}

/* A message to oneself is there at once, in an event of its own. A row keeps its first link, but
 * not one of a mesh: those come and go. */
void asim_aware_set_out(struct aware *net, struct asim_flight *flight)
{
    struct link *link;

    flight->at = flight->msg.src;
    flight->then = NULL;
    if (flight->msg.src == flight->msg.dst) {
        flight->due.kind = kind_of(flight);
        asim_analytical_after(&net->base, 0, &flight->due);
        return;
    }
    link = go_on(net, flight);
    if (!link || link->in_mesh || flight->due.rank == ASIM_FLIGHT_SINGLE)
        return;
    flight->way.link = link;
    flight->way_at = flight->at;
    flight->way_then = flight->then;
    flight->way_kind = flight->due.kind;
}

static int aware_send(struct asim_net *self, const struct asim_msg *msg)
{
    struct aware *net = (struct aware *)(void *)self;
    struct asim_flight *flight = asim_analytical_flight(&net->base, msg);

    if (!flight)
        return ASIM_ENOMEM;
    asim_aware_set_out(net, flight);
    return 0;
}

static void aware_train_send(struct asim_net *self, struct asim_msg_train *row)
{
    struct aware *net = (struct aware *)(void *)self;
    struct asim_flight *flight = (struct asim_flight *)(void *)row;

    if (flight->due.rank != ASIM_TRAIN_IDLE) {
        asim_analytical_send_apart(&net->base, flight);
        return;
    }
    flight->due.rank = ASIM_TRAIN_IN_FLIGHT;
    flight->msg.id = flight->next_id++;
    if (!flight->way.link) {
        asim_aware_set_out(net, flight);
        return;
    }
    flight->at = flight->way_at;
    flight->then = flight->way_then;
    flight->due.kind = flight->way_kind;
    enter(net, flight->way.link, flight);
}

/* Two links per rank and dimension whether used or not; linear in ranks. */
static int aware_open(struct asim_net **out, const struct asim_net_config *config,
                      struct asim_err *err)
{
    struct aware *net = calloc(1, sizeof *net);
    size_t links = (size_t)config->ranks * 2 * config->shape->n;
    uint32_t stride = 1;

    if (net)
        net->links = calloc(links, sizeof *net->links);
    if (!net || !net->links) {
        free(net);
        return asim_err_nomem(err, "opening the analytical network");
    }
    asim_analytical_init(&net->base, config);
    asim_map_init(&net->mesh);
    asim_pool_init(&net->mesh_links, sizeof(struct link), 0);
    net->base.step = aware_step;
    net->base.send = aware_send;
    for (size_t d = 0; d < config->shape->n; d++) {
        net->strides[d] = stride;
        stride *= config->shape->at[d].npus;
    }
    for (size_t i = 0; i < links; i++) {
        net->links[i].due.kind = ASIM_DUE_LINK;
        net->links[i].dim = (uint32_t)(i / ((size_t)config->ranks * 2));
    }
    *out = (struct asim_net *)(void *)net;
    return 0;
}

const struct asim_net_backend asim_net_backend_aware = {
    .member = {.name = "aware", .about = "whole messages queue for the links they share"},
    .open = aware_open,
    .now = asim_analytical_now,
    .wake_after = asim_analytical_wake_after,
    .traits = ASIM_NET_MEET_BY_SIZE,
    .defer_receive = asim_analytical_defer_receive,
    .send = aware_send,
    .train_open = asim_analytical_train_open,
    .train_send = aware_train_send,
    .train_close = asim_analytical_train_close,
    .run = asim_analytical_run,
    .close = aware_close,
    .extras = &asim_analytical_extras,
};
