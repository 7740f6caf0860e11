/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The LogGP bus between an NPU and its memory agent (model-shared-bus; Alexandrov et al., "LogGP:
 * incorporating long messages into the LogP model", 1995; system-layer.md#loggp-bus). Each rank has
 * a bus with sides A (NPU) and B (memory agent). Side A sits on an inner bus of the same kind with
 * sides A' and B' and G = 0.0038 ns a byte, and every request crosses the inner bus once more
 * around side A. The order in which the steps of a side are registered decides ties, so it is
 * ASTRA-sim's.
 *
 * The four sides are one array: 0 = A, 1 = B, 2 = A', 3 = B'; side ^ 1 is the partner.
 *
 * Only runs with model-shared-bus use it; all others charge a constant delay per credit
 * (coll_run.c). The model matches eight recorded runs of ASTRA-sim; its order of steps must stay as
 * it is.
 */
#include "sim/collective/bus.h"
#include "sim/rank/clock.h"
#include "sim/rank/rank_shard.h"

#include <stdlib.h>

enum { A, B, INNER_A, INNER_B, SIDES };
enum state { FREE, SENDING, RECEIVING };
enum step { SENT, RECEIVED, PROCESSED };
enum { BURST = 8, PROCESSING_NS = 50, PROCESSING_BYTES = 100 };

/* The next step after a crossing of the inner bus. */
enum next {
    NEXT_OUT,     /* ends the outer request: the delay of the credit is over */
    NEXT_QUEUE,   /* enters A's to_send */
    NEXT_PROCESS, /* enters A's processing */
};

/* A message on one of the two buses, from the shard's pool. reduce_bytes are charged after the bus,
 * in addition to its own processing (system-layer.md#loggp-bus). */
struct request {
    struct request *next;
    struct request
        *outer; /* request of the outer bus, while this one crosses the inner bus for it */
    enum next then;
    uint64_t bytes, reduce_bytes;
    struct asim_chunk *chunk;
    int reduce, back;
};

struct line { /* FIFO */
    struct request *head, *tail;
    uint32_t n;
};

/* One end of a bus: its state, the state before, the time of the last change (ns), and the number
 * of sends in a row. */
struct side {
    enum state state, before;
    uint64_t last;
    uint32_t burst;
    struct line to_send, receiving, processing;
    int working;
};

struct asim_bus {
    struct side sides[SIDES];
    uint64_t latency, overhead, gap, reduction_ns;
    double gap_per_byte[2]; /* outer, inner */
};

/* Appends to the FIFO, which links the requests themselves. */
static void push(struct line *line, struct request *request)
{
    request->next = NULL;
    *(line->head ? &line->tail->next : &line->head) = request;
    line->tail = request;
    line->n++;
}

/* The line must not be empty. */
static struct request *pop(struct line *line)
{
    struct request *request = line->head;

    line->head = request->next;
    line->n--;
    return request;
}

/* Schedules a step of side x in the rank's event list. */
static void schedule(struct asim_rank *rank, uint32_t x, enum step step, uint64_t ns)
{
    asim_clock_add(
        rank, ns,
        &(struct asim_rank_event){.kind = ASIM_RANK_EVENT_BUS, .op = x, .bytes = (uint64_t)step});
}

/* Schedules both ends at once, the receiver first: with zero latency both fall on one time, and
 * this order decides. Delays are truncated as whole sums, as in ASTRA-sim. */
static void start(struct asim_rank *rank, uint32_t x)
{
    struct asim_bus *bus = rank->bus;
    struct side *side = &bus->sides[x], *partner = &bus->sides[x ^ 1];
    uint64_t since = asim_rank_now(rank) - side->last, off = bus->overhead;
    struct request *request = pop(&side->to_send);
    double bytes_ns = ((double)request->bytes - 1) * bus->gap_per_byte[x >= INNER_A];

    if (side->before == SENDING)
        off = bus->overhead + since > bus->gap ? bus->overhead : bus->gap - since;
    push(&partner->receiving, request);
    partner->before = partner->state;
    partner->state = RECEIVING;
    partner->burst = 0;
    side->state = SENDING;
    schedule(rank, x ^ 1, RECEIVED,
             asim_ns_whole((double)off + bytes_ns + (double)bus->latency + (double)bus->overhead));
    schedule(rank, x, SENT, asim_ns_whole((double)off + bytes_ns));
}

/* Starts the next send of side x if it can. After more than eight sends in a row the partner goes
 * first, so that neither side starves. */
static void try_start(struct asim_rank *rank, uint32_t x)
{
    struct side *side = &rank->bus->sides[x], *partner = &rank->bus->sides[x ^ 1];

    if (side->state != FREE || !side->to_send.n || rank->failed)
        return;
    if (side->burst > BURST && partner->to_send.n && partner->burst <= BURST) {
        if (partner->state == FREE)
            start(rank, x ^ 1);
        return;
    }
    start(rank, x);
}

/* Enters the queue of B, A' or B'. */
static void enter(struct asim_rank *rank, uint32_t x, struct request *request)
{
    push(&rank->bus->sides[x].to_send, request);
    if (rank->bus->sides[x].state == FREE)
        try_start(rank, x);
}

/* Sends a shadow of A's request across the inner bus from side x; `then` is the next step. */
static void cross(struct asim_rank *rank, uint32_t x, struct request *request, enum next then)
{
    struct request *shadow = asim_pool_get(&rank->shard->pools.bus);

    if (!shadow) {
        asim_rank_fail_nomem(rank, "moving data over the bus");
        return;
    }
    *shadow = (struct request){.outer = request, .then = then, .bytes = request->bytes};
    shadow->back = x == INNER_A && (then != NEXT_OUT); /* a round trip */
    enter(rank, x, shadow);
}

/* One request at a time; 50 ns and local-reduction-delay per 100 bytes. */
static void work(struct asim_rank *rank, uint32_t x)
{
    struct side *side = &rank->bus->sides[x];

    if (side->working || !side->processing.n)
        return;
    side->working = 1;
    schedule(rank, x, PROCESSED,
             side->processing.head->bytes / PROCESSING_BYTES * rank->bus->reduction_ns +
                 PROCESSING_NS);
}

/* Queues the request for the processor of side x. */
static void process(struct asim_rank *rank, uint32_t x, struct request *request)
{
    push(&rank->bus->sides[x].processing, request);
    work(rank, x);
}

/* The request has left its bus: 1 where its credit is over. */
static int finish(struct asim_rank *rank, struct request *request, struct asim_bus_credit *over)
{
    struct request done = *request;

    asim_pool_put(&rank->shard->pools.bus, request);
    if (done.outer && done.then == NEXT_QUEUE) {
        push(&rank->bus->sides[A].to_send, done.outer);
        try_start(rank, A);
        return 0;
    }
    if (done.outer && done.then == NEXT_PROCESS) {
        process(rank, A, done.outer);
        return 0;
    }
    if (done.outer) {
        request = done.outer;
        done = *request;
        asim_pool_put(&rank->shard->pools.bus, request);
    }
    *over = (struct asim_bus_credit){done.chunk, done.reduce_bytes};
    return 1;
}

/* The request leaves the bus, or returns where it is a round trip. At side A it crosses the inner
 * bus once more either way. */
static int leave(struct asim_rank *rank, uint32_t x, struct request *request,
                 struct asim_bus_credit *over)
{
    if (request->back) {
        request->back = 0;
        if (x == A)
            cross(rank, INNER_A, request, NEXT_QUEUE);
        else
            push(&rank->bus->sides[x].to_send, request);
    } else if (x == A) {
        cross(rank, INNER_A, request, NEXT_OUT);
    } else {
        return finish(rank, request, over);
    }
    return 0;
}

static void sent(struct asim_rank *rank, uint32_t x)
{
    struct side *side = &rank->bus->sides[x];

    side->last = asim_rank_now(rank);
    side->before = side->state;
    side->state = FREE;
    side->burst++;
}

/* Two receptions may overlap; the side is free only after the last. */
static int received(struct asim_rank *rank, uint32_t x, struct asim_bus_credit *over)
{
    struct side *side = &rank->bus->sides[x];
    struct request *request;

    side->last = asim_rank_now(rank);
    side->before = side->state;
    if (side->receiving.n < 2)
        side->state = FREE;
    request = pop(&side->receiving);
    if (!request->reduce)
        return leave(rank, x, request, over);
    request->reduce = 0;
    if (x == A)
        cross(rank, INNER_A, request, NEXT_PROCESS);
    else
        process(rank, x, request);
    return 0;
}

int asim_bus_step(struct asim_rank *rank, const struct asim_rank_event *event,
                  struct asim_bus_credit *over)
{
    struct side *side = &rank->bus->sides[event->op];

    switch ((enum step)event->bytes) {
    case SENT:
        sent(rank, event->op);
        return 0;
    case RECEIVED:
        return received(rank, event->op, over);
    default: /* PROCESSED */
        side->working = 0;
        return leave(rank, event->op, pop(&side->processing), over);
    }
}

void asim_bus_go_on(struct asim_rank *rank, uint32_t side)
{
    work(rank, side);
    try_start(rank, side);
}

void asim_bus_start(struct asim_rank *rank, struct asim_chunk *chunk,
                    const struct asim_bus_transfer *transfer)
{
    struct request *request = asim_pool_get(&rank->shard->pools.bus);

    if (!request) {
        asim_rank_fail_nomem(rank, "moving data over the bus");
        return;
    }
    *request = (struct request){.bytes = transfer->bytes,
                                .reduce = transfer->reduce_bytes != 0,
                                .reduce_bytes = transfer->reduce_bytes,
                                .back = transfer->back,
                                .chunk = chunk};
    if (transfer->from_npu)
        cross(rank, INNER_B, request, NEXT_QUEUE);
    else
        enter(rank, B, request);
}

/* Allocates buses in the world's arena. */
int asim_bus_setup(struct asim_world *world, struct asim_err *err)
{
    const struct asim_system *sys = &world->set.system;

    if (sys->shared_bus)
        world->set.bus_request_bytes = sizeof(struct request);
    for (uint32_t r = 0; sys->shared_bus && r < world->set.n_ranks; r++) {
        struct asim_bus *bus;

        if (!asim_rank_is_here(&world->run.ranks[r]))
            continue;
        bus = asim_arena_alloc(&world->arena, sizeof *bus);

        if (!bus)
            return asim_err_nomem(err, "setting up buses");
        bus->latency = (uint64_t)sys->loggp_l;
        bus->overhead = (uint64_t)sys->loggp_o;
        bus->gap = (uint64_t)sys->loggp_g;
        bus->reduction_ns = sys->local_reduction_delay;
        bus->gap_per_byte[0] = (double)(float)sys->loggp_G; /* parity: 32 bits */
        bus->gap_per_byte[1] = 0.0038;
        world->run.ranks[r].bus = bus;
    }
    return 0;
}
