/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The run loop of the analytical backends. All ranks share one clock, as in ASTRA-sim
 * (system-layer.md#ticks-and-event-order); times are whole ns, delays truncated from doubles.
 */
#include "net/analytical.h"

#include <string.h>

/* Events between two calls of settled(): rows of reports wait that long at most. */
enum { SETTLE_EVERY = 4096 };

/* Wakes and deferred receives have no object of their own to stand in; they get one from the pool.
 */
struct call {
    struct asim_due due; /* first */
    uint64_t cookie;
};

/* base is embedded by the backend and zeroed by its calloc. Bandwidths of the YAML are in GiB/s: x
 * 2^30 / 1e9 bytes per ns, multiplied first as ASTRA-sim does (analytical.md#units). */
void asim_analytical_init(struct asim_analytical *base, const struct asim_net_config *config)
{
    base->user = config->user;
    if (config->shape)
        base->shape = *config->shape;
    base->ranks = config->ranks;
    base->last_key = UINT32_MAX; /* nothing worked out yet */
    asim_due_init(&base->queue);
    asim_pool_init(&base->flights, sizeof(struct asim_flight), 0);
    asim_pool_init(&base->rows, asim_pool_lines(sizeof(struct asim_flight)), 0);
    asim_pool_init(&base->calls, sizeof(struct call), 0);
    for (size_t d = 0; d < base->shape.n; d++)
        base->ns_bytes[d] = base->shape.at[d].bandwidth_gbps * (double)(1u << 30) / 1e9;
}

/* Frees flights still under way, too: they all lie in the pool. */
void asim_analytical_fini(struct asim_analytical *base)
{
    asim_due_fini(&base->queue);
    asim_pool_fini(&base->flights);
    asim_pool_fini(&base->rows);
    asim_pool_fini(&base->calls);
}

/* One clock for all ranks, so the rank does not matter. */
uint64_t asim_analytical_now(const struct asim_net *net, uint32_t rank)
{
    (void)rank;
    return ((const struct asim_analytical *)(const void *)net)->queue.now_ns;
}

static int add_call(struct asim_analytical *base, uint64_t t, const struct call *wanted)
{
    struct call *call = asim_pool_take(&base->calls);

    if (!call)
        return ASIM_ENOMEM;
    *call = *wanted;
    return asim_due_add(&base->queue, t, &call->due);
}

/* After all events already queued for that time (system-layer.md#ticks-and-event-order). */
int asim_analytical_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;

    return add_call(base, asim_analytical_time(base, delay_ns),
                    &(struct call){.due = {.kind = ASIM_DUE_WAKE, .rank = rank}});
}

static struct asim_due_queue *queue_of(struct asim_net *net)
{
    return &((struct asim_analytical *)(void *)net)->queue;
}

const struct asim_net_extras asim_analytical_extras = {.queue = queue_of};

/* A new event at the current time, as in ASTRA-sim (analytical.md#matching). */
int asim_analytical_defer_receive(struct asim_net *net, uint32_t rank, uint64_t cookie)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;

    return add_call(base, base->queue.now_ns,
                    &(struct call){.due = {.kind = ASIM_DUE_LATE, .rank = rank}, .cookie = cookie});
}

void asim_analytical_begin(struct asim_analytical *base, uint64_t t, struct asim_due *due)
{
    if (asim_due_add(&base->queue, t, due))
        base->failed = 1;
}

/* The flight stays in use until the receiver has been told. */
void asim_analytical_deliver(struct asim_analytical *base, struct asim_flight *flight)
{
    if (flight->msg.cookie != ASIM_NEVER)
        base->user.sent(base->user.self, &flight->msg);
    base->user.arrived(base->user.self, &flight->msg);
    if (flight->due.rank == ASIM_TRAIN_IN_FLIGHT)
        flight->due.rank = ASIM_TRAIN_IDLE;
    else if (flight->due.rank == ASIM_TRAIN_CLOSING)
        asim_pool_put(&base->rows, flight);
    else
        asim_pool_give(&base->flights, flight);
}

/* Each network has its own train_send. */
struct asim_msg_train *asim_analytical_train_open(struct asim_net *net,
                                                  const struct asim_msg *first)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;
    struct asim_flight *flight = asim_pool_get(&base->rows);

    if (!flight)
        return NULL;
    flight->due.kind = ASIM_DUE_THERE;
    flight->due.rank = ASIM_TRAIN_IDLE;
    flight->msg = *first;
    flight->next_id = first->id;
    return (struct asim_msg_train *)(void *)flight;
}

void asim_analytical_send_apart(struct asim_analytical *base, struct asim_flight *flight)
{
    struct asim_msg msg = flight->msg;

    msg.id = flight->next_id++;
    base->failed |= base->send((struct asim_net *)(void *)base, &msg) != 0;
}

void asim_analytical_train_close(struct asim_net *net, struct asim_msg_train *row)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;
    struct asim_flight *flight = (struct asim_flight *)(void *)row;

    if (flight->due.rank == ASIM_TRAIN_IN_FLIGHT)
        flight->due.rank = ASIM_TRAIN_CLOSING;
    else
        asim_pool_put(&base->rows, flight);
}

/* The callback may send the train's next message on the same flight. */
static inline void there(struct asim_analytical *base, struct asim_flight *flight)
{
    if (flight->due.rank != ASIM_TRAIN_IN_FLIGHT) {
        asim_analytical_deliver(base, flight);
        return;
    }
    flight->due.rank = ASIM_TRAIN_IDLE;
    base->user.arrived(base->user.self, &flight->msg);
}

/* Freed before the callback, which may ask for the next one. */
static void run_call(struct asim_analytical *base, struct asim_due *due)
{
    struct call copy = *(struct call *)(void *)due;

    asim_pool_give(&base->calls, due);
    if (copy.due.kind == ASIM_DUE_WAKE)
        base->user.wake(base->user.self, copy.due.rank);
    else
        base->user.receive_due(base->user.self, copy.due.rank, copy.cookie);
}

/* The frequent kinds of a synchronised run come first. */
static inline void run_one(struct asim_analytical *base, struct asim_due *due)
{
    if (due->kind == ASIM_DUE_OWN)
        base->user.wake(base->user.self, due->rank);
    else if (due->kind == ASIM_DUE_THERE)
        there(base, (struct asim_flight *)(void *)due);
    else if (due->kind == ASIM_DUE_LINK)
        due->rank = 0;
    else if (due->kind <= ASIM_DUE_NEXT)
        base->step(base, due);
    else
        run_call(base, due);
}

/* Asks done() between times, not between events of one time: a run ends after all events of its
 * last time. */
int asim_analytical_run(struct asim_net *net, struct asim_err *err)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;
    uint64_t events = 0, settle_at = SETTLE_EVERY;

    while (!base->failed && !base->user.done(base->user.self) && asim_due_next(&base->queue)) {
        struct asim_due *due;

        if (base->queue.now_ns >= ASIM_NS_MOST)
            return asim_err_set(err, ASIM_EINVAL,
                                "the run passes 146 years of simulated time, where times stop "
                                "being exact; look at the bandwidths and latencies of the network "
                                "and at the durations in the traces");
        while ((due = asim_due_take(&base->queue))) {
            run_one(base, due);
            events++;
        }
        if (events >= settle_at) {
            settle_at = events + SETTLE_EVERY;
            base->user.settled(base->user.self, base->queue.now_ns);
        }
    }
    return base->failed ? asim_err_nomem(err, "carrying messages") : 0;
}
