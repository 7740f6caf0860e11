/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs uniform phases on a fast path. Does the same as the general engine (coll_run.c) with
 * credits, steps and arrivals, for phases whose steps are all alike and take one credit each.
 * Behaviour and order of events equal those of the general engine to the last event; this path only
 * saves look-ups. A message costs two events, and neither event allocates, copies a message or
 * searches an inbox.
 *
 * The general engine sends before it posts the receive (system-layer.md#credit-engine). Where the
 * receive finds no bytes, posting it makes no event, so this path may post it first.
 */
#include "sim/collective/uniform_phase.h"
#include "net/ways.h"
#include "net/net.h"
#include "sim/collective/match.h"
#include "sim/collective/send.h"
#include "sim/rank/clock.h"
#include "sim/rank/compute.h"
#include "sim/rank/rank_shard.h"

#include <stddef.h>

#if UINTPTR_MAX > UINT32_MAX
_Static_assert(offsetof(struct asim_uniform_phase, credit.next) == 64 &&
                   offsetof(struct asim_uniform_phase, recv.chunk) == 192,
               "what a message looks at is two cache lines");
#endif

/* The precondition of this path: all steps alike, with one message out and one in for one credit,
 * as in a ring. Such a phase has as many arrivals as steps, and as many credits at the end as at
 * the start: when the credits are free and all steps taken, every message has arrived, and nothing
 * refers to the struct any more. */
static int is_allowed(const struct asim_world *world)
{
    return !(world->set.without & ASIM_WAY_UNIFORM_PHASE) && !world->set.settings.rendezvous;
}

int asim_uniform_phase_fits(const struct asim_chunk *chunk)
{
    const struct asim_coll_step *step = &chunk->next_step;
    const struct asim_plan *plan = &chunk->plan;

    return plan->algo->identical_steps && plan->steps && plan->arrivals == plan->steps &&
           plan->start_credits == plan->end_credits && step->credits == 1 && !step->min_arrivals &&
           step->to != ASIM_NOBODY && step->from != ASIM_NOBODY && step->send_bytes &&
           step->recv_bytes && step->recv_bytes != ASIM_ANY_BYTES && plan->steps < UINT32_MAX;
}

static int is_uniform(const struct asim_rank *rank, const struct asim_chunk *chunk)
{
    const struct asim_coll_step *step = &chunk->next_step;
    const struct asim_world *world = rank->world;

    return is_allowed(world) && chunk->delay_ns != ASIM_NEVER && asim_uniform_phase_fits(chunk) &&
           (step->send_bytes <= ASIM_PACKET_BYTES_MAX || !asim_world_has(world, ASIM_NET_FRAMES));
}

static inline int has_train(const struct asim_uniform_phase *uniform)
{
    return uniform->to == ASIM_NOBODY;
}

/* 0 or ASIM_ENOMEM. The network counts up the ids of a train's messages. */
static int open_train(struct asim_rank *rank, struct asim_uniform_phase *uniform,
                      const struct asim_coll_step *step)
{
    struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = step->send_bytes,
                           .tag = uniform->recv.tag,
                           .src = rank->id,
                           .dst = step->to,
                           .id = (uint64_t)rank->id << 32 | (uint32_t)rank->sent,
                           .cookie = ASIM_NEVER,
                           .is_uniform = 1};

    if (!world->via.backend->train_open)
        return 0;
    uniform->train = world->via.backend->train_open(world->via.carrier, &msg);
    if (!uniform->train)
        return ASIM_ENOMEM;
    uniform->to = ASIM_NOBODY;
    rank->sent += uniform->left;
    return 0;
}

/* No event or receive refers to the phase any more (is_uniform). */
static struct asim_chunk *end(struct asim_rank *rank, struct asim_chunk *chunk)
{
    struct asim_world *world = rank->world;
    struct asim_uniform_phase *uniform = chunk->uniform;

    chunk->uniform = NULL;
    if (has_train(uniform))
        world->via.backend->train_close(world->via.carrier, uniform->train);
    asim_match_unpin(rank, uniform->inbox);
    asim_pool_put(&rank->shard->pools.uniform, uniform);
    return chunk;
}

/* Looks up the bytes that the next messages reduce, which depend on their number (coll/coll.h). The
 * plan lies on other cache lines, so its answer is kept for as long as the plan says. */
static void look_up_reduction(struct asim_uniform_phase *uniform)
{
    const struct asim_plan *plan = &uniform->recv.chunk->plan;
    uint64_t until = uniform->arrived + 1;

    uniform->bytes = plan->algo->arrival(plan, uniform->arrived);
    if (plan->algo->constant_until)
        until = plan->algo->constant_until(plan, uniform->arrived);
    uniform->constant_until = until < UINT32_MAX ? (uint32_t)until : UINT32_MAX;
}

/* --- relays ------------------------------------------------------------------------------------
 */
static int is_watched(const struct asim_world *world)
{
    return world->own_messages || asim_event_bus_wants(&world->run.event_bus, ASIM_EV_ARRIVAL);
}

/* NULL: none. */
static const struct asim_net_extras *relays_of(const struct asim_world *world)
{
    const struct asim_net_extras *extras = world->via.backend->extras;

    return extras && extras->relay_has && !is_watched(world) &&
                   extras->relay_has(world->via.carrier)
               ? extras
               : NULL;
}

const struct asim_net_extras *asim_uniform_phase_repeats(const struct asim_world *world,
                                                         int *is_carried)
{
    const struct asim_net_extras *extras = world->via.backend->extras;

    *is_carried = !is_allowed(world) || is_watched(world);
    return extras && extras->repeat_has && extras->repeat_has(world->via.carrier) ? extras : NULL;
}

int asim_uniform_phase_has_relays(const struct asim_rank *rank)
{
    return is_allowed(rank->world) && relays_of(rank->world) && !rank->bus;
}

/* A flow of NCCL costs its sender the delay, and the last one that comes is not sent on. */
static uint64_t deal_flow_ns(void *self, uint32_t number, uint32_t *until)
{
    const struct asim_uniform_phase *uniform = self;
    int is_last = number + 1 == uniform->left;

    *until = is_last ? UINT32_MAX : uniform->left - 1;
    return is_last ? 0 : uniform->delay_ns;
}

static uint64_t deal_ns(void *self, uint32_t number, uint32_t *until)
{
    struct asim_uniform_phase *uniform = self;

    uniform->arrived = number;
    if (number >= uniform->constant_until)
        look_up_reduction(uniform);
    *until = uniform->constant_until;
    return uniform->delay_ns + (uniform->bytes ? asim_reduce_ns(uniform->rank, uniform->bytes) : 0);
}

struct asim_chunk *asim_uniform_phase_over(struct asim_uniform_phase *uniform)
{
    uniform->left = 0;
    uniform->inbox->head = NULL;
    return end(uniform->rank, uniform->recv.chunk);
}

/* Its receive waits until the relay is over, for reports of ranks that wait, and takes no message.
 * 0 or ASIM_ENOMEM. */
static int open_relay(struct asim_rank *rank, struct asim_uniform_phase *uniform,
                      const struct asim_coll_step *step)
{
    const struct asim_phase *phase = asim_chunk_phase(uniform->recv.chunk);
    struct asim_inbox *inbox = uniform->inbox;
    uint64_t present = inbox->arrived / step->recv_bytes;
    struct asim_net_relay relay = {
        .msg = {.bytes = step->send_bytes,
                .tag = uniform->recv.tag,
                .src = rank->id,
                .dst = step->to,
                .id = (uint64_t)rank->id << 32 | (uint32_t)rank->sent,
                .cookie = ASIM_NEVER,
                .is_uniform = 1},
        .from = step->from,
        .steps = uniform->left,
        .present = present < uniform->left ? (uint32_t)present : uniform->left,
        .n = phase->ring.n,
        .first = asim_ring_rank(&phase->ring, 0),
        .second = asim_ring_rank(&phase->ring, phase->step > 0 ? 1 : phase->ring.n - 1),
        .delay_ns = uniform->delay_ns,
        .is_nccl = phase->flow_bytes > 0,
        .self = uniform,
        .deal_ns = phase->flow_bytes ? deal_flow_ns : deal_ns,
        .over = rank->world->relay_over};

    uniform->rank = rank;
    uniform->relay = relays_of(rank->world)->relay_open(rank->world->via.carrier, &relay);
    if (!uniform->relay)
        return ASIM_ENOMEM;
    inbox->arrived -= relay.present * step->recv_bytes;
    uniform->recv.bytes = ASIM_ANY_BYTES - 1;
    uniform->recv.posted_ns = asim_rank_now(rank);
    inbox->head = inbox->tail = &uniform->recv;
    rank->sent += uniform->left;
    return 0;
}

uint32_t asim_uniform_phase_arrived(const struct asim_world *world,
                                    const struct asim_uniform_phase *uniform)
{
    return uniform->relay ? world->via.backend->extras->relay_come(uniform->relay)
                          : uniform->arrived;
}

/* Fails the rank when out of memory. */
static void begin(struct asim_rank *rank, struct asim_chunk *chunk)
{
    const struct asim_coll_step *step = &chunk->next_step;
    struct asim_uniform_phase *uniform = asim_pool_get(&rank->shard->pools.uniform);

    if (!uniform) {
        asim_rank_fail_nomem(rank, "beginning a phase of a collective");
        return;
    }
    uniform->left = (uint32_t)chunk->plan.steps;
    uniform->delay_ns = chunk->delay_ns;
    uniform->constant_until = chunk->plan.no_reduction ? UINT32_MAX : 0;
    uniform->credit_free = 1;
    uniform->send_bytes = step->send_bytes;
    uniform->to = step->to;
    uniform->credit = (struct asim_rank_event){.kind = ASIM_RANK_EVENT_UNIFORM, .uniform = uniform};
    uniform->credit.due = (struct asim_due){.kind = ASIM_DUE_OWN, .rank = rank->id};
    uniform->recv = (struct asim_recv){.bytes = step->recv_bytes,
                                       .uniform = uniform,
                                       .chunk = chunk,
                                       .src = step->from,
                                       .tag = chunk->tag};
    uniform->inbox = asim_match_pin(rank, step->from, chunk->tag);
    if (!uniform->inbox ||
        (relays_of(rank->world) && !uniform->inbox->head ? open_relay(rank, uniform, step)
                                                         : open_train(rank, uniform, step))) {
        asim_rank_fail_nomem(rank, "beginning a phase of a collective");
        return;
    }
    chunk->uniform = uniform;
}

int asim_uniform_phase_begin(struct asim_rank *rank, struct asim_chunk *chunk)
{
    if (!is_uniform(rank, chunk))
        return 0;
    if (asim_send_has_path(
            rank,
            &(struct asim_msg){.bytes = chunk->next_step.send_bytes, .dst = chunk->next_step.to},
            chunk->coll->op))
        begin(rank, chunk);
    return 1;
}

uint64_t asim_uniform_phase_unsent(const struct asim_rank *rank)
{
    const struct asim_world *world = rank->world;
    size_t queues = rank->job->dims.n * world->set.settings.queues_per_dim;
    uint64_t left = 0;

    for (size_t q = 0; q < queues; q++)
        for (const struct asim_chunk *at = rank->queues[q].head; at; at = at->next)
            left += at->uniform && has_train(at->uniform) ? at->uniform->left : 0;
    return left;
}

/* Posts the receive of a step where the inbox is empty, which makes no event. 0: it is not empty.
 */
static inline int post_first(struct asim_uniform_phase *uniform, uint64_t now)
{
    struct asim_inbox *inbox = uniform->inbox;
    struct asim_recv *recv = &uniform->recv;

    if (inbox->head || inbox->arrived)
        return 0;
    recv->next = NULL;
    recv->posted_ns = now;
    inbox->head = inbox->tail = recv;
    return 1;
}

static void send(struct asim_rank *rank, const struct asim_uniform_phase *uniform)
{
    const struct asim_world *world = rank->world;
    struct asim_msg msg = {.bytes = uniform->send_bytes,
                           .tag = uniform->recv.tag,
                           .src = rank->id,
                           .dst = uniform->to,
                           .id = asim_send_id(rank),
                           .cookie = ASIM_NEVER,
                           .is_uniform = 1};

    if (world->via.backend->send(world->via.carrier, &msg))
        asim_rank_fail_nomem(rank, "sending a message");
}

/* Schedules the credit of the struct after delay_ns; it must be free, with credit.bytes set. */
static inline void add_credit(struct asim_rank *rank, struct asim_uniform_phase *uniform,
                              uint64_t delay_ns)
{
    uniform->credit_free = 0;
    asim_clock_add_embedded(rank, delay_ns, &uniform->credit);
}

/* Uses an event of the pool where the credit of the struct is in use. */
void asim_uniform_phase_arrival(struct asim_rank *rank, struct asim_uniform_phase *uniform)
{
    if (uniform->arrived >= uniform->constant_until)
        look_up_reduction(uniform);
    uniform->arrived++;
    if (!uniform->credit_free) {
        asim_clock_add_chunk(rank, uniform->delay_ns, ASIM_RANK_EVENT_DELAY, uniform->recv.chunk,
                             uniform->bytes);
        return;
    }
    uniform->credit.bytes = uniform->bytes;
    add_credit(rank, uniform, uniform->delay_ns);
}

/* The slow path: one more credit, with any contents of the inbox; may end the phase. */
struct asim_chunk *asim_uniform_phase_credit(struct asim_rank *rank, struct asim_chunk *chunk)
{
    const struct asim_world *world = rank->world;
    struct asim_uniform_phase *uniform = chunk->uniform;

    if (uniform->relay) { /* the one at the start */
        world->via.backend->extras->relay_start(world->via.carrier, uniform->relay);
        return NULL;
    }
    uniform->credits++;
    while (uniform->credits && uniform->left && !rank->failed) {
        uniform->credits--;
        uniform->left--;
        if (has_train(uniform))
            world->via.backend->train_send(world->via.carrier, uniform->train);
        else
            send(rank, uniform);
        if (!post_first(uniform, asim_rank_now(rank)) &&
            asim_match_post_chunk(rank, chunk, uniform->recv.src, uniform->recv.bytes))
            asim_uniform_phase_arrival(rank, uniform);
    }
    if (!uniform->left && uniform->credits == chunk->plan.end_credits && !rank->failed)
        return end(rank, chunk);
    return NULL;
}

/* The endpoint delay is over; the reduction takes the credit once more. */
static void reduce(struct asim_rank *rank, struct asim_uniform_phase *uniform)
{
    uint64_t bytes = uniform->credit.bytes;

    uniform->credit.bytes = 0;
    if (bytes != uniform->reduce_bytes) {
        uniform->reduce_bytes = bytes;
        uniform->reduce_ns = asim_reduce_ns(rank, bytes);
    }
    add_credit(rank, uniform, uniform->reduce_ns);
}

/* The fast case: the only credit serves one more step whose receive finds no bytes. The receive is
 * posted before the send, so the send is the last call. */
struct asim_chunk *asim_uniform_phase_step(struct asim_rank *rank,
                                           struct asim_uniform_phase *uniform, uint64_t now)
{
    const struct asim_world *world = rank->world;

    uniform->credit_free = 1;
    if (uniform->credit.bytes) {
        reduce(rank, uniform);
        return NULL;
    }
    if (!uniform->left || uniform->credits || !post_first(uniform, now))
        return asim_uniform_phase_credit(rank, uniform->recv.chunk);
    uniform->left--;
    if (has_train(uniform))
        world->via.backend->train_send(world->via.carrier, uniform->train);
    else
        send(rank, uniform);
    return NULL;
}
