/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The run loop of the analytical backends. All ranks share one clock, as in the reference (spec
 * astra-system.md, section 4.1); times are whole ns, delays truncated from doubles.
 */
#include "net/analytical.h"

#include <string.h>

/* Events between two calls of settled(): rows of reports wait that long at most. */
enum { SETTLE_EVERY = 4096 };

/* base is embedded by the backend and zeroed by its calloc. Bandwidths of the YAML are in GiB/s: x
 * 2^30 / 1e9 bytes per ns, multiplied first as the reference does (spec 6.4). */
void asim_analytical_init(struct asim_analytical *base, const struct asim_net_config *config)
{
    base->user = config->user;
    base->shape = *config->shape;
    base->ranks = config->ranks;
    base->last_key = UINT32_MAX; /* nothing worked out yet */
    asim_due_init(&base->queue);
    asim_pool_init(&base->flights, sizeof(struct asim_flight), 0);
    asim_pool_init(&base->dues, sizeof(struct asim_due), 0);
    for (size_t d = 0; d < base->shape.n; d++)
        base->ns_bytes[d] = base->shape.at[d].bandwidth_gbps * (double)(1u << 30) / 1e9;
}

/* Frees flights still under way, too: they all lie in the pool. */
void asim_analytical_fini(struct asim_analytical *base)
{
    asim_due_fini(&base->queue);
    asim_pool_fini(&base->flights);
    asim_pool_fini(&base->dues);
}

/* One clock for all ranks, so the rank does not matter. */
uint64_t asim_analytical_now(const struct asim_net *net, uint32_t rank)
{
    (void)rank;
    return ((const struct asim_analytical *)(const void *)net)->queue.now_ns;
}

/* Wakes and late receives have no object of their own to stand in; they get one from the pool. */
static int add_due(struct asim_analytical *base, uint64_t t, const struct asim_due *wanted)
{
    struct asim_due *due = asim_pool_take(&base->dues);

    if (!due)
        return ASIM_ENOMEM;
    *due = *wanted;
    return asim_due_add(&base->queue, t, due);
}

/* Behind everything already due at that time (spec 4.1): the queue is FIFO per time. */
int asim_analytical_wake_after(struct asim_net *net, uint32_t rank, uint64_t delay_ns)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;

    return add_due(base, asim_analytical_time(base, delay_ns),
                   &(struct asim_due){.kind = ASIM_DUE_WAKE, .rank = rank});
}

struct asim_due_queue *asim_analytical_queue(struct asim_net *net)
{
    return &((struct asim_analytical *)(void *)net)->queue;
}

/* Due now, but behind all that is due now: the reference's new event at the current time (spec
 * 6.3). */
int asim_analytical_late(struct asim_net *net, uint32_t rank, uint64_t cookie)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;

    return add_due(base, base->queue.now_ns,
                   &(struct asim_due){.kind = ASIM_DUE_LATE, .rank = rank, .cookie = cookie});
}

/* Flights and links go to the backend; wakes and late receives are freed before the callback, which
 * may well ask for the next. */
static int run_one(struct asim_analytical *base, struct asim_due *due)
{
    struct asim_due copy;

    if (due->kind >= ASIM_DUE_MSG)
        return base->step(base, due);
    if (due->kind == ASIM_DUE_OWN) {
        base->user.wake(base->user.self, due->rank);
        return 0;
    }
    copy = *due;
    asim_pool_give(&base->dues, due);
    if (copy.kind == ASIM_DUE_WAKE)
        base->user.wake(base->user.self, copy.rank);
    else
        base->user.late(base->user.self, copy.rank, copy.cookie);
    return 0;
}

/* done() is asked between times, not between events of one time, so a run ends with all that was
 * due at the moment it finished. */
int asim_analytical_run(struct asim_net *net, struct asim_err *err)
{
    struct asim_analytical *base = (struct asim_analytical *)(void *)net;
    uint64_t events = 0, settle_at = SETTLE_EVERY;

    while (!base->user.done(base->user.self) && asim_due_next(&base->queue)) {
        struct asim_due *due;

        while ((due = asim_due_take(&base->queue))) {
            if (run_one(base, due))
                return asim_err_nomem(err, "carrying messages");
            events++;
        }
        if (events >= settle_at) {
            settle_at = events + SETTLE_EVERY;
            base->user.settled(base->user.self, base->queue.now_ns);
        }
    }
    return 0;
}
