/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Detection of a period, and the skip (steady_state.h).
 *
 * The number of periods: each message must stay so far from its end that every packet of the
 * skipped periods was full and had others behind it, and the clock must not pass a rank's next
 * wake. The rest is simulated frame by frame, like everything before the first period.
 *
 * A long message therefore costs what its beginning and its end cost, whatever its length: a few
 * round trips until the network is steady, as many windows again to detect the period, and less
 * than a period at the end. If there is no period (random marks, changing rates), the search costs
 * FIRST_SNAPSHOTS snapshots at first, then 0.5 % of the time, and 0.03 % later (search_budget.c).
 */
#include "fabric/memo/period/steady_state.h"

#include <stdlib.h>

#include "fabric/memo/state/counters.h"
#include "fabric/memo/state/feedback.h"
#include "fabric/memo/state/fields.h"
#include "fabric/memo/memo.h"
#include "fabric/events/events.h"
#include "base/divisor.h"
#include "fabric/host/host.h"
#include "fabric/switch/switch.h"
#include "conf/netconf_keys.h"

/* FIRST_QUIET: quiet windows before the first snapshot. FIRST_SNAPSHOTS: the initial budget, in
 * snapshots of this network. Then the words that a probe looks at, and the words a port that
 * asim_snapshot_size does. */
enum { FIRST_QUIET = 4, FIRST_SNAPSHOTS = 4, PROBE_WORDS = 6, PORT_WORDS = 3, SPREAD = 4 };

void asim_steady_state_fini(struct asim_steady_state *steady)
{
    asim_snapshot_fini(&steady->kept);
    asim_snapshot_fini(&steady->now);
    ASIM_FREE(steady->counts, steady->counts_now);
}

int asim_steady_state_may_search(const struct asim_fabric *fabric, struct asim_steady_state *steady)
{
    return !steady->budget.most || asim_search_budget_has(fabric, &steady->budget, 1);
}

int asim_steady_state_can_afford(const struct asim_fabric *fabric, struct asim_steady_state *steady)
{
    uint64_t moving, words = asim_snapshot_size(fabric, &moving);

    asim_search_budget_spend(&steady->budget, fabric->set.ports * PORT_WORDS);
    asim_search_budget_raise(&steady->budget, FIRST_SNAPSHOTS * moving);
    return asim_search_budget_has(fabric, &steady->budget, words);
}

static int save_counters(struct asim_fabric *fabric, uint64_t **counts)
{
    if (!*counts)
        *counts = malloc((asim_counters_size(fabric) + 1) * sizeof **counts);
    if (!*counts)
        return ASIM_ENOMEM;
    asim_counters_save(fabric, *counts);
    return 0;
}

void asim_steady_state_keep(struct asim_fabric *fabric, struct asim_steady_state *steady,
                            uint64_t t)
{
    int code = asim_snapshot_take(fabric, &steady->kept, t);

    asim_search_budget_spend(&steady->budget, steady->kept.words.n + steady->kept.port_order.n +
                                                  steady->kept.probes.n);
    steady->has_kept = code == 1;
    if (code < 0 || (code == 1 && save_counters(fabric, &steady->counts)))
        fabric->failed = ASIM_ENOMEM;
}

struct flow_visitor {
    void *self;
    void (*each)(void *self, struct asim_flow *flow, size_t i);
};

/* The open messages of one NIC, from index *n on. */
static void visit_nic(const struct asim_nic *nic, const struct flow_visitor *visitor, size_t *n)
{
    for (uint32_t q = 0; (q = asim_qplist_next(&nic->qps, q)) != ASIM_QP_NONE; q++) {
        struct asim_flow *flow = asim_qplist_at(&nic->qps, q);

        if (!asim_flow_is_over(flow))
            visitor->each(visitor->self, flow, (*n)++);
    }
}

/* Calls `each` for every open message, in the order of a snapshot. */
static void visit_flows(struct asim_fabric *fabric, const struct flow_visitor *visitor)
{
    size_t n = 0;

    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        for (uint32_t i = 0; i < fabric->host[v].n_nics; i++)
            visit_nic(&fabric->host[v].nics[i], visitor, &n);
}

/* The least number of periods that any message allows. */
struct bound {
    const struct asim_fabric *fabric;
    const struct asim_steady_state *steady;
    uint64_t periods;
    uint64_t bytes; /* each message advances by a multiple of it in a period; 0: none advances */
};

uint64_t asim_flow_most_steps(const struct asim_fabric *fabric, const struct asim_flow *flow,
                              uint64_t step)
{
    const struct asim_netconf *net = fabric->set.net;
    const struct asim_rx *rx = asim_rx_of_flow(fabric, flow);
    uint64_t end = flow->cc.snd_next + net->payload_bytes;
    /* The receiver may be in another process, but expects no less than it has acknowledged. */
    uint64_t expected = asim_fabric_owns(fabric, flow->dst) ? rx->next : flow->snd_una;

    if (!step)
        return ASIM_NEVER;
    /* The progress of the message must not decide which packets the receiver acknowledges. */
    if (net->l2_ack_interval_bytes ? expected < step + net->l2_ack_interval_bytes
                                   : net->l2_chunk_bytes && step % net->l2_chunk_bytes)
        return 0;
    if (step % net->payload_bytes) /* records of telemetry are found by packet */
        return 0;
    return end < flow->cc.size ? (flow->cc.size - 1 - end) / step : 0;
}

/* Bytes by which a message advances in a period. */
static uint64_t step_of(const struct asim_steady_state *steady, size_t i)
{
    return steady->now.acked.at[i] - steady->kept.acked.at[i];
}

static void bound_periods(void *self, struct asim_flow *flow, size_t i)
{
    struct bound *bound = self;
    uint64_t step = step_of(bound->steady, i);
    uint64_t most = asim_flow_most_steps(bound->fabric, flow, step);

    bound->bytes = asim_common_divisor(step, bound->bytes);
    if (most < bound->periods)
        bound->periods = most;
}

/* In half-steps hosts may be ahead of t. */
uint64_t asim_steady_state_before_wakes(const struct asim_fabric *fabric, uint64_t t,
                                        uint64_t period)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t first = ASIM_NEVER;

    t = t < engine->run.horizon[0] ? engine->run.horizon[0] : t;
    for (uint32_t v = 0; v < fabric->set.hosts; v++)
        if (fabric->host[v].timers.n && fabric->host[v].timers.at->t < first)
            first = fabric->host[v].timers.at->t;
    if (fabric->memo->parts && fabric->memo->parts->due_at < first)
        first = fabric->memo->parts->due_at > t ? fabric->memo->parts->due_at : t;
    return first > t ? (first - t) / period : 0;
}

struct skip {
    struct asim_fabric *fabric;
    const struct asim_steady_state *steady;
    uint64_t t, periods, ticks; /* t: the present time; ticks: of all periods */
};

/* A frame advances with its message, if it is of one. */
static uint64_t bytes_of(const struct skip *skip, const struct asim_frame *frame)
{
    if (frame->type >= ASIM_PAUSE)
        return 0;
    if (!asim_fabric_owns(skip->fabric, frame->src))
        return asim_rx_of(skip->fabric, frame->src, frame->slot)->skip_bytes;
    return asim_flow_of(skip->fabric, frame->src, frame->slot)->skip_bytes;
}

/* A frame in a queue has no time of its own. */
static void skip_ring(const struct skip *skip, struct asim_ring *ring)
{
    for (uint32_t i = 0; i < ring->n; i++) {
        struct asim_frame *frame = &ring->at[(ring->head + i) & (ring->cap - 1)];

        frame->seq = (frame->seq + bytes_of(skip, frame)) & ASIM_SEQ_MASK;
    }
}

/* How far the rows of a table (memo/state/fields.h) go on. sent: the times of a transmission; one
 * that has ended keeps them, since a part that follows a log has not used its ports since its
 * start, from which it may yet be simulated. */
struct move {
    uint64_t t, ticks, sent, bytes;
};

static inline void move_row(enum asim_state_kind kind, uint64_t *member, const struct move *by)
{
    if (kind == ASIM_STATE_CLOCK || (kind == ASIM_STATE_TIME && *member >= by->t))
        *member += by->ticks;
    else if (kind == ASIM_STATE_SENT_AT)
        *member += by->sent;
    else if (kind == ASIM_STATE_SEQ || kind == ASIM_STATE_BASE)
        *member += by->bytes;
}
#define MOVE(KIND, MEMBER)    move_row(ASIM_STATE_##KIND, (uint64_t *)(void *)&of->MEMBER, &by)
#define NOTHING(KIND, MEMBER) (void)0

static void move_sender(struct asim_flow *of, const struct move by)
{
    ASIM_FLOW_STATE(MOVE, NOTHING);
}

static void move_cc(struct asim_cc_flow *of, const struct move by)
{
    ASIM_CC_FLOW_STATE(MOVE);
}

static void move_receiver(struct asim_rx *of, const struct move by)
{
    ASIM_RX_STATE(MOVE);
}

static void move_host(struct asim_host *of, const struct move by)
{
    ASIM_HOST_STATE(MOVE);
}

static void move_switch_port(struct asim_switch_port *of, const struct move by)
{
    ASIM_SWITCH_PORT_STATE(MOVE);
}

static void move_port(struct asim_port *of, struct move by)
{
    by.sent = of->busy_until >= by.t ? by.ticks : 0;
    ASIM_PORT_STATE(MOVE);
}

/* A port with the receive ring that it reads. */
static void skip_port(const struct skip *skip, struct asim_port *port)
{
    move_port(port, (struct move){.t = skip->t, .ticks = skip->ticks});
    for (uint32_t i = 0; i < asim_link_ring_count(port->in); i++) {
        struct asim_frame *frame = (struct asim_frame *)asim_link_ring_peek(port->in, i);

        frame->seq = (frame->seq + bytes_of(skip, frame)) & ASIM_SEQ_MASK;
        frame->t += skip->ticks;
    }
}

static void flip(void *self, struct asim_flow *flow, size_t i)
{
    const struct skip *skip = self;

    (void)i;
    asim_feedback_flip(skip->fabric, flow, skip->t);
}

static void set_skip_bytes(void *self, struct asim_flow *flow, size_t i)
{
    const struct skip *skip = self;

    flow->skip_bytes = step_of(skip->steady, i) * skip->periods;
}

/* Messages from other processes, and those of their receivers that are here. */
static void skip_foreign(const struct skip *skip)
{
    const struct asim_steady_state *steady = skip->steady;

    for (size_t i = 0; i < steady->now.foreign.n; i++) {
        const struct asim_foreign_flow *flow = &steady->now.foreign.at[i];
        struct asim_rx *rx = asim_rx_of(skip->fabric, flow->src, flow->slot);

        rx->skip_bytes =
            ((flow->base - steady->kept.foreign.at[i].base) & ASIM_SEQ_MASK) * skip->periods;
        if (asim_rx_has_begun(skip->fabric, rx))
            move_receiver(rx, (struct move){.bytes = rx->skip_bytes});
    }
}

static void skip_flow(void *self, struct asim_flow *flow, size_t i)
{
    const struct skip *skip = self;
    struct asim_rx *rx = asim_rx_of_flow(skip->fabric, flow);
    struct move by = {skip->t, skip->ticks, 0, flow->skip_bytes};
    uint64_t rounds = 0;

    if (skip->steady->now.rounds.n)
        rounds = skip->steady->now.rounds.at[i] - skip->steady->kept.rounds.at[i];
    asim_feedback_skip(skip->fabric, flow, skip->ticks, rounds * skip->periods);
    move_sender(flow, by);
    move_cc(&flow->cc, by);
    if (asim_rx_has_begun(skip->fabric, rx))
        move_receiver(rx, by);
}

/* Timers are wakes of ranks and keep their times. Event counts (tie_key.h) stay, since only their
 * order matters. Entries of ECMP caches may become stale; the switch then computes them again. */
static void skip_nodes(struct asim_fabric *fabric, const struct skip *skip)
{
    for (uint32_t v = 0; v < fabric->set.hosts; v++) {
        struct asim_host *host = &fabric->host[v];

        move_host(host, (struct move){.t = skip->t, .ticks = skip->ticks});
        for (uint32_t i = 0; i < host->n_nics; i++) {
            skip_port(skip, &host->nics[i].port);
            skip_ring(skip, &host->nics[i].acks);
            if (host->nics[i].wake_at != ASIM_NEVER)
                host->nics[i].wake_at += skip->ticks;
        }
    }
    for (uint32_t v = 0; v < fabric->set.nodes - fabric->set.hosts; v++)
        for (uint32_t p = 0; p < fabric->sw[v].n_ports; p++) {
            struct asim_switch_port *port = &fabric->sw[v].ports[p];

            skip_port(skip, &port->port);
            move_switch_port(port, (struct move){.t = skip->t, .ticks = skip->ticks});
            for (uint32_t q = 0; q < ASIM_QUEUES; q++)
                skip_ring(skip, &port->queue[q]);
            if (fabric->sw[v].samples)
                fabric->sw[v].samples[p].since += skip->ticks;
        }
}

static void skip_counters(struct asim_fabric *fabric, struct asim_steady_state *steady,
                          uint64_t periods)
{
    size_t n = asim_counters_size(fabric);
    uint64_t hops = asim_counters_hops(fabric);

    for (size_t i = 0; i < n; i++)
        steady->counts_now[i] -= steady->counts[i];
    asim_counters_add(fabric, steady->counts_now, periods);
    hops = asim_counters_hops(fabric) - hops;
    steady->saved += hops;
    asim_search_budget_saved(&steady->budget, hops);
}

/* Frames look up the progress of their message, so messages advance last. */
void asim_steady_state_skip(struct asim_fabric *fabric, struct asim_steady_state *steady,
                            uint64_t t, uint64_t periods, uint64_t ticks)
{
    struct asim_fabric_engine *engine = asim_engine_of(fabric);
    struct skip skip = {fabric, steady, t, periods, periods * ticks};

    visit_flows(fabric, &(struct flow_visitor){&skip, flip});
    visit_flows(fabric, &(struct flow_visitor){&skip, set_skip_bytes});
    skip_foreign(&skip);
    skip_nodes(fabric, &skip);
    visit_flows(fabric, &(struct flow_visitor){&skip, skip_flow});
    skip_counters(fabric, steady, periods);
    skip.t += skip.ticks;
    visit_flows(fabric, &(struct flow_visitor){&skip, flip});
    fabric->schedule.half_next_valid = 0;
    engine->run.horizon[0] += skip.ticks;
    engine->run.horizon[1] += skip.ticks;
    asim_memo_found_repeat(fabric);
    for (uint32_t v = 0; v < fabric->set.nodes; v++)
        if (asim_fabric_owns(fabric, v))
            asim_next_renew(fabric, v);
}

int asim_steady_state_is_kept(struct asim_fabric *fabric, struct asim_steady_state *steady,
                              uint64_t t)
{
    int code = asim_snapshot_is_same(fabric, &steady->kept, &steady->now, t);

    asim_search_budget_spend(&steady->budget, steady->now.words.n);
    if (code < 0 || (code == 1 && save_counters(fabric, &steady->counts_now)))
        fabric->failed = ASIM_ENOMEM;
    return code == 1 && !fabric->failed;
}

static void set_grain(struct asim_steady_state *steady, uint64_t packets)
{
    uint64_t period = steady->now.t - steady->kept.t;

    steady->grain = packets && period % packets == 0 ? period / packets : 0;
}

uint64_t asim_steady_state_periods(struct asim_fabric *fabric, struct asim_steady_state *steady,
                                   int *advances)
{
    struct bound bound = {fabric, steady, ASIM_NEVER, 0};

    visit_flows(fabric, &(struct flow_visitor){&bound, bound_periods});
    set_grain(steady, bound.bytes / fabric->set.net->payload_bytes);
    *advances = bound.bytes != 0;
    return bound.periods;
}

/* Compares the present state with the kept snapshot, and skips periods if they are equal. Behind
 * them is the end of a message, or a wake. Where no message advances, it is a livelock, which ends
 * at a look (livelock.h). */
static int compare(struct asim_fabric *fabric, struct asim_steady_state *steady, uint64_t t)
{
    uint64_t period = t - steady->kept.t, periods, wakes;
    int advances;

    if (!asim_steady_state_is_kept(fabric, steady, t))
        return 0;
    periods = asim_steady_state_periods(fabric, steady, &advances);
    wakes = asim_steady_state_before_wakes(fabric, t, period);
    if (wakes < periods)
        periods = wakes;
    steady->has_kept = 0;
    steady->keep_at = ASIM_NEVER;
    if (!advances || !periods || periods > (ASIM_NEVER / 4 - t) / period)
        return 0;
    asim_steady_state_skip(fabric, steady, t, periods, period);
    return 1;
}

int asim_steady_state_is_quiet(const struct asim_fabric *fabric, struct asim_steady_state *steady)
{
    const struct asim_fabric_engine *engine = asim_engine_of(fabric);
    uint64_t calls = 0, open = asim_memo_open(fabric);
    int same;

    for (uint32_t l = 0; l < engine->workers.n; l++)
        calls += engine->workers.at[l].calls;
    same = calls == steady->calls && open == steady->open;
    steady->calls = calls;
    steady->open = open;
    return same;
}

/* The search compares every window that begins after the kept snapshot. In half-steps a window may
 * begin at the same time as the one before; it is no period. Without a kept snapshot the search
 * sees the end of a quiet phase up to FIRST_QUIET windows late. After a skip some message ends, or
 * a rank wakes, within a period: the search pauses until then. */
int asim_steady_state_detect(struct asim_fabric *fabric, uint64_t t)
{
    struct asim_steady_state *steady = &fabric->memo->steady;
    uint64_t window = asim_engine_of(fabric)->run.windows;

    if (!asim_steady_state_is_quiet(fabric, steady)) {
        steady->since = window;
        steady->keep_at = window + FIRST_QUIET;
        steady->has_kept = steady->is_done = 0;
    }
    steady->look_at = window + FIRST_QUIET;
    if (steady->is_done || steady->since == window || !asim_steady_state_may_search(fabric, steady))
        return 0;
    asim_search_budget_spend(&steady->budget, PROBE_WORDS);
    if (steady->has_kept && t > steady->kept.t &&
        asim_snapshot_may_be_same(fabric, &steady->kept, t) && compare(fabric, steady, t)) {
        steady->is_done = 1;
        return 1;
    }
    if (window >= steady->keep_at) {
        int affordable = asim_steady_state_can_afford(fabric, steady);

        if (affordable)
            asim_steady_state_keep(fabric, steady, t);
        steady->keep_at =
            window + (window - steady->since) / (steady->grain || !affordable ? SPREAD : 1);
    }
    if (steady->has_kept)
        steady->look_at = window + 1;
    return 0;
}
