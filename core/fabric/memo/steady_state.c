/* SPDX-License-Identifier: GPL-2.0-only
 *
 * When states are compared, and what is moved on where two are equal (steady_state.h).
 *
 * How far: a message must stay so far from its end that every packet of the periods left out was a
 * full one with others behind it, and the clock must not pass a rank's next wake. What is left is
 * simulated frame by frame, as is all until the first period was found.
 *
 * A long message so costs what its beginning and its end cost, whatever its length: a few round
 * trips until the network has found its rhythm, as many windows again to see that it has, and less
 * than a period at the end. Where there is no rhythm (marks drawn at random, rates that change)
 * nothing is found, and what is lost is bounded: as many states as FIRST_STATES at first, and then
 * what the budget gains with the frames simulated, 0.03 % of the time (search_cost.c).
 */
#include "fabric/parallel/workers.h"
#include "fabric/memo/steady_state.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/node.h"
#include "fabric/memo/memo.h"

/* Windows of quiet before the first state is kept; what is spent to begin with, in states of this
 * network; and what it costs to ask whether the state has come again, and how large it is, words.
 */
enum { FIRST_QUIET = 4, FIRST_STATES = 4, GLANCE_WORDS = 6, PORT_WORDS = 3 };

void asim_recur_fini(struct asim_recur *recur)
{
    free(recur->kept.words.at);
    free(recur->kept.una.at);
    free(recur->kept.seqs.at);
    free(recur->kept.glance.at);
    free(recur->now.words.at);
    free(recur->now.una.at);
    free(recur->counts);
}

/* Whether a state as large as this one may be written. */
static int can_afford(const struct asim_fabric *fabric, struct asim_recur *recur)
{
    uint64_t moving, words = asim_state_size(fabric, &moving);

    asim_budget_spend(&recur->budget, fabric->topo->first_port[fabric->nodes] * PORT_WORDS);
    asim_budget_raise(&recur->budget, FIRST_STATES * moving);
    return asim_budget_has(fabric, &recur->budget, words);
}

/* The state of this window is the one to wait for from now on. */
static void keep(struct asim_fabric *fabric, struct asim_recur *recur, uint64_t t)
{
    int code = asim_state_take(fabric, &recur->kept, t);

    asim_budget_spend(&recur->budget,
                      recur->kept.words.n + recur->kept.seqs.n + recur->kept.glance.n);
    recur->has_kept = code == 1;
    if (code == 1 && !recur->counts)
        recur->counts = malloc(asim_counts_size(fabric) * sizeof *recur->counts);
    if (code < 0 || (code == 1 && !recur->counts)) {
        fabric->failed = ASIM_ENOMEM;
        return;
    }
    if (code == 1)
        asim_counts_take(fabric, recur->counts);
}

/* What a period does to a message, and how many of them it allows. */
struct reach {
    const struct asim_fabric *fabric;
    const struct asim_recur *recur;
    uint64_t periods;
};

static struct asim_rx *rx_of(const struct asim_fabric *fabric, const struct asim_flow *flow)
{
    return asim_rx_of(fabric, (uint32_t)flow->name, flow->slot); /* its low half is the source */
}

/* In each period left out, packets are sent up to `step` bytes further than in the one before; the
 * last of them must be as full as the first, and must not end the message. So room for one more
 * packet is kept. A message that stands still in a period limits nothing. */
static void limit(void *self, struct asim_flow *flow, size_t i)
{
    struct reach *reach = self;
    const struct asim_netconf *net = reach->fabric->net;
    const struct asim_rx *rx = rx_of(reach->fabric, flow);
    uint64_t step = flow->snd_una - reach->recur->kept.una.at[i];
    uint64_t end = flow->cc.snd_next + net->payload_bytes, most;

    if (!step)
        return;
    most = end < flow->cc.size ? (flow->cc.size - 1 - end) / step : 0;
    /* Which packets are acknowledged must not depend on how far the message has got. */
    if (net->l2_ack_interval_bytes ? rx->next < step + net->l2_ack_interval_bytes
                                   : net->l2_chunk_bytes && step % net->l2_chunk_bytes)
        most = 0;
    if (most < reach->periods)
        reach->periods = most;
}

/* So many periods later no rank has woken. Hosts may have gone on ahead of t (half_steps.h). */
static uint64_t before_wakes(const struct asim_fabric *fabric, uint64_t t, uint64_t period)
{
    uint64_t first = ASIM_NEVER;

    t = t < fabric->reach[0] ? fabric->reach[0] : t;
    for (uint32_t v = 0; v < fabric->hosts; v++)
        if (fabric->host[v].timers.n && fabric->host[v].timers.at->t < first)
            first = fabric->host[v].timers.at->t;
    return (first - t) / period;
}

/* By how much everything moves. */
struct shift {
    const struct asim_fabric *fabric;
    const struct asim_recur *recur;
    uint64_t periods, ticks;
};

/* A frame moves with its message. */
static uint64_t bytes_of(const struct shift *shift, const struct asim_frame *frame)
{
    return asim_flow_of(shift->fabric, frame->src, frame->slot)->moved;
}

/* What waits in a queue has no time of its own. */
static void shift_ring(const struct shift *shift, struct asim_ring *ring)
{
    for (uint32_t i = 0; i < ring->n; i++) {
        struct asim_frame *frame = &ring->at[(ring->head + i) & (ring->cap - 1)];

        frame->seq = (frame->seq + bytes_of(shift, frame)) & ASIM_SEQ_MASK;
    }
}

/* Port by port, each with the mailbox it reads. Transmissions that are over move, too: they stay
 * over. */
static void shift_port(const struct shift *shift, struct asim_port *port)
{
    port->busy_until += shift->ticks;
    port->tx_start += shift->ticks;
    for (uint32_t i = 0; i < asim_link_ring_count(port->in); i++) {
        struct asim_frame *frame = (struct asim_frame *)asim_link_ring_peek(port->in, i);

        frame->seq = (frame->seq + bytes_of(shift, frame)) & ASIM_SEQ_MASK;
        frame->t += shift->ticks;
    }
}

/* Kept beside the flow until its frames have been moved. */
static void measure(void *self, struct asim_flow *flow, size_t i)
{
    const struct shift *shift = self;

    flow->moved = (flow->snd_una - shift->recur->kept.una.at[i]) * shift->periods;
}

/* The receiver has begun with the message if it knows its generation; else its next byte is still
 * that of an earlier one. */
static void shift_flow(void *self, struct asim_flow *flow, size_t i)
{
    const struct shift *shift = self;
    struct asim_rx *rx = rx_of(shift->fabric, flow);

    (void)i;
    flow->snd_una += flow->moved;
    flow->cc.snd_next += flow->moved;
    flow->snd_high += flow->moved;
    flow->next_avail += shift->ticks;
    if (rx->heard == rx->generation)
        rx->next += flow->moved;
}

/* Timers do not move: they are the ranks' wakes, which stand at their times. Counts of events
 * (tie_key.h) need not move, since only their order is looked at. Ways that switches remember grow
 * stale at most, and are then worked out again. */
static void shift_nodes(struct asim_fabric *fabric, const struct shift *shift)
{
    for (uint32_t v = 0; v < fabric->hosts; v++) {
        struct asim_host *host = &fabric->host[v];

        host->now += shift->ticks;
        for (uint32_t i = 0; i < host->n_nics; i++) {
            shift_port(shift, &host->nics[i].port);
            shift_ring(shift, &host->nics[i].acks);
            if (host->nics[i].wake_at != ASIM_NEVER)
                host->nics[i].wake_at += shift->ticks;
        }
    }
    for (uint32_t v = 0; v < fabric->nodes - fabric->hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++) {
            struct asim_switch_port *port = &fabric->sw[v].ports[p];

            shift_port(shift, &port->port);
            port->passed_t += shift->ticks;
            for (uint32_t q = 0; q < ASIM_QUEUES; q++)
                shift_ring(shift, &port->queue[q]);
            if (fabric->sw[v].samples)
                fabric->sw[v].samples[p].since += shift->ticks;
        }
}

/* Frames look up how far their message moves, so messages move last. */
static void move(struct asim_fabric *fabric, struct asim_recur *recur, uint64_t periods,
                 uint64_t ticks)
{
    struct shift shift = {fabric, recur, periods, ticks};
    uint64_t hops = asim_counts_hops(fabric);

    asim_state_flows(fabric, &(struct asim_visit){&shift, measure});
    shift_nodes(fabric, &shift);
    asim_state_flows(fabric, &(struct asim_visit){&shift, shift_flow});
    asim_counts_difference(fabric, recur->counts);
    asim_counts_add(fabric, recur->counts, periods);
    hops = asim_counts_hops(fabric) - hops;
    recur->saved += hops;
    asim_budget_saved(&recur->budget, hops);
    fabric->first_known = 0;
    fabric->reach[0] += ticks;
    fabric->reach[1] += ticks;
    asim_runs_found(fabric);
    for (uint32_t v = 0; v < fabric->nodes; v++)
        asim_next_renew(fabric, v);
}

/* The present state may be the kept one again. */
static int compare(struct asim_fabric *fabric, struct asim_recur *recur, uint64_t t)
{
    uint64_t period = t - recur->kept.t, wakes;
    struct reach reach = {fabric, recur, ASIM_NEVER};
    int code = asim_state_is_again(fabric, &recur->kept, &recur->now, t);

    asim_budget_spend(&recur->budget, recur->now.words.n);
    if (code < 0)
        fabric->failed = ASIM_ENOMEM;
    if (code != 1)
        return 0;
    asim_state_flows(fabric, &(struct asim_visit){&reach, limit});
    wakes = before_wakes(fabric, t, period);
    if (wakes < reach.periods)
        reach.periods = wakes;
    recur->has_kept = 0; /* what comes is the end of a message, or a wake */
    recur->keep_at = ASIM_NEVER;
    if (!reach.periods || reach.periods > (ASIM_NEVER / 4 - t) / period)
        return 0;
    move(fabric, recur, reach.periods, reach.periods * period);
    return 1;
}

/* Whether nobody has been told anything, woken or begun a message since the last look. */
static int is_quiet(const struct asim_fabric *fabric, struct asim_recur *recur)
{
    uint64_t calls = 0, open = 0;
    int same;

    for (uint32_t l = 0; l < fabric->n_lanes; l++) {
        calls += fabric->lane[l].calls;
        open += fabric->lane[l].open;
    }
    same = calls == recur->calls && open == recur->open;
    recur->calls = calls;
    recur->open = open;
    return same;
}

/* The kept state, if there is one, is looked for in every window that begins after it: where a side
 * goes on alone, one may begin at the same time, with no more behind it than what changes nothing,
 * and is no period. But the end of quiet is seen up to FIRST_QUIET windows late where there is
 * nothing to look for. After a move the end of some message, or a wake, is less than a period away:
 * nothing is looked for until then. */
int asim_recur_look(struct asim_fabric *fabric, struct asim_recur *recur, uint64_t t)
{
    uint64_t window = fabric->windows;

    if (!is_quiet(fabric, recur)) {
        recur->since = window;
        recur->keep_at = window + FIRST_QUIET;
        recur->has_kept = recur->is_done = 0;
    }
    recur->look_at = window + FIRST_QUIET;
    if (recur->is_done || recur->since == window ||
        (recur->budget.most && !asim_budget_has(fabric, &recur->budget, 1)))
        return 0;
    asim_budget_spend(&recur->budget, GLANCE_WORDS);
    if (recur->has_kept && t > recur->kept.t && asim_state_may_be(fabric, &recur->kept, t) &&
        compare(fabric, recur, t)) {
        recur->is_done = 1;
        return 1;
    }
    if (window >= recur->keep_at) {
        if (can_afford(fabric, recur))
            keep(fabric, recur, t);
        recur->keep_at = window + (window - recur->since);
    }
    if (recur->has_kept)
        recur->look_at = window + 1;
    return 0;
}
