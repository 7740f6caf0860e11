/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Whether members of a ring, or links, are in one state (flow.md#rings): all that decides what they
 * do from now on, in numbers, times from now.
 */
#include "net/flow/repeats.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 18, OF_IDLE = 6 };

/* But for what sums of the same in another order leave. */
static int is_close(double a, double b)
{
    const double relative = 1e-10, absolute = 1e-14;

    return fabs(a - b) <= relative * fabs(a) + absolute;
}

static int are_close(const double a[NUMBERS], const double b[NUMBERS])
{
    int i = 0;

    while (i < NUMBERS && is_close(a[i], b[i]))
        i++;
    return i == NUMBERS;
}

static double from_now(const struct asim_fluid *fluid, uint64_t ns)
{
    return (double)(int64_t)(ns - fluid->queue.now_ns);
}

/* Of an idle link only the first OF_IDLE mean something. */
static void state_of_link(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                          double state[NUMBERS])
{
    const double now[NUMBERS] = {
        link->packet_ns, link->ack_ns,          link->delay_ns,  link->has_queue,
        link->ack,       (double)link->flows.n, link->wait_ns,   from_now(fluid, link->wait_at),
        link->level,     link->slope,           link->target_ns, link->told_ns,
        link->ack_used,  link->share,
    };
    int is_idle = !link->flows.n && (link->wait_ns <= 0 || asim_fluid_wait(fluid, link) <= 0);

    memset(state, 0, sizeof now);
    memcpy(state, now, (is_idle ? OF_IDLE : NUMBERS) * sizeof *state);
}

int asim_fluid_is_like(const struct asim_fluid *fluid, const struct asim_fluid_link *link,
                       const struct asim_fluid_link *other)
{
    double state[NUMBERS], state_of_other[NUMBERS];

    if (link->ring || link->expected || asim_fluid_repeat_of(link) || link->is_stirred ||
        link->is_dirty || link->is_planned != other->is_planned ||
        (link->is_planned && fabs(link->refresh_ns - other->refresh_ns) >= 1))
        return 0;
    state_of_link(fluid, link, state);
    state_of_link(fluid, other, state_of_other);
    return are_close(state, state_of_other);
}

/* A message that waits for its turn has no more than its start. */
static void state_of_flow(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                          double state[NUMBERS])
{
    memset(state, 0, NUMBERS * sizeof *state);
    state[0] = from_now(fluid, flow->start_ns);
    state[1] = flow->control != NULL;
    state[2] = flow->path == flow->conn->path;
    if (!flow->is_drained && flow != flow->conn->head)
        return;
    state[3] = from_now(fluid, flow->began_ns);
    state[4] = 1 + flow->is_drained;
    state[5] = flow->is_beside;
    state[6] = flow->acks;
    state[7] = flow->is_ack_due ? from_now(fluid, flow->ack_ns) : 0;
    state[8] = flow->acks == ASIM_ACKS_LOAD ? flow->ack_rate : 0;
    state[9] = from_now(fluid, flow->is_drained ? flow->through_ns : flow->end_ns);
    state[10] = from_now(fluid, flow->left_at);
    state[11] = flow->left;
    state[12] = flow->rate;
    state[13] = flow->most;
    state[14] = flow->is_drained ? flow->queued_ns : 0;
}

static void state_of_relay(const struct asim_fluid *fluid, const struct asim_fluid_relay *relay,
                           double state[NUMBERS])
{
    const struct asim_fluid_path *path = relay->conn->path;
    const double now[NUMBERS] = {
        path->n,
        path->n_acks,
        relay->spec.steps,
        (double)relay->spec.delay_ns,
        relay->at.sent,
        relay->at.come,
        relay->at.dealt,
        relay->at.until,
        relay->under_way,
        relay->at.is_queued ? from_now(fluid, relay->at.due_ns) : -1,
        relay->at.is_waiting,
        relay->at.is_ending,
        relay->at.come > relay->at.dealt ? from_now(fluid, relay->at.came_ns) : 0};

    memcpy(state, now, sizeof now);
}

int asim_fluid_are_alike(const struct asim_fluid *fluid, const struct asim_fluid_relay *a,
                         const struct asim_fluid_relay *b)
{
    const struct asim_fluid_flow *flow = a->flows, *of = b->flows;
    double state[NUMBERS], other[NUMBERS];

    state_of_relay(fluid, a, state);
    state_of_relay(fluid, b, other);
    if (!are_close(state, other) || memcmp(&a->conn->shape, &b->conn->shape, sizeof a->conn->shape))
        return 0;
    for (; flow && of; flow = flow->beside, of = of->beside) {
        state_of_flow(fluid, flow, state);
        state_of_flow(fluid, of, other);
        if (!are_close(state, other) || flow->control || flow->path != flow->conn->path)
            return 0;
    }
    return !flow && !of;
}
