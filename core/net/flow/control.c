/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion control of flows (flow.md#congestion-control): the controllers of the packet network
 * (cc/algo), asked once a round trip with what an ACK would say of the fluid queues then: marks by
 * KMIN, KMAX and PMAX, records of hops, the time it took. Only messages longer than their window
 * are controlled, from the first queue on that tells them something.
 */
#include "net/flow/bursts.h"

#include <math.h>
#include <string.h>

struct asim_fluid_control {
    struct asim_cc_flow cc;
    struct asim_telemetry seen;
    double sent[ASIM_INT_HOPS]; /* bytes of each hop, as told so far */
    uint64_t told_ns;           /* the last ACK */
};

size_t asim_fluid_control_size(const struct asim_cc *cc)
{
    return sizeof(struct asim_fluid_control) + cc->state_size;
}

void asim_fluid_begin_control(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_control *control = asim_pool_take(&fluid->control_pool);
    const struct asim_fluid_conn *conn = flow->conn;

    if (!control) {
        fluid->failed = ASIM_ENOMEM;
        return;
    }
    memset(control, 0, asim_fluid_control_size(fluid->cc));
    flow->control = control;
    control->cc.state = control + 1;
    control->cc.line_bps = control->cc.rate_bps = fluid->link[flow->path->link[0]].rate_bps;
    control->cc.min_bps = fluid->min_bps;
    control->cc.window_bytes = (uint64_t)(conn->window * fluid->payload);
    control->cc.base_rtt_ns = fluid->worst_rtt_ns ? fluid->worst_rtt_ns : conn->rtt_ns;
    control->cc.size = flow->shape.bytes;
    control->cc.seed = flow->msg.id;
    control->cc.timer_at = UINT64_MAX;
    control->told_ns = flow->start_ns;
    fluid->cc->open(&control->cc, &fluid->cc_config);
    asim_fluid_go_on_control(fluid, flow);
}

void asim_fluid_go_on_control(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    if (!flow->control || flow->is_control_due)
        return;
    flow->is_control_due = 1;
    asim_fluid_after(fluid, flow->path->rtt_ns, &flow->control_due);
}

int asim_fluid_is_told(const struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    return asim_fluid_queue_bytes(fluid, link) > (fluid->cc->by_marks ? link->kmin_bytes : 0);
}

void asim_fluid_watch(struct asim_fluid *fluid, const struct asim_fluid_link *link)
{
    if (!asim_fluid_is_told(fluid, link))
        return;
    for (uint32_t i = 0; i < link->flows.n; i++) {
        struct asim_fluid_flow *flow = link->flows.at[i].flow;

        if (flow->control || !flow->shape.is_windowed)
            continue;
        if (flow->relay && flow->relay->ring->is_folded)
            flow->is_to_control = flow->relay->ring->is_steered = 1;
        else
            asim_fluid_begin_control(fluid, flow);
    }
}

/* What a packet has seen that comes back now; the chance that one since the last was marked. */
static double see(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_control *control = flow->control;
    const struct asim_fluid_path *path = flow->path;
    double ns = (double)(fluid->queue.now_ns - control->told_ns), rtt = path->rtt_ns, clean = 1;
    struct asim_telemetry *seen = &control->seen;

    seen->hops = 0;
    for (uint32_t i = 1; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];
        double bytes = asim_fluid_queue_bytes(fluid, link);
        double used = bytes > 0 ? 1 : (link->sum + link->burst_rate) * link->step_ns;

        rtt += asim_fluid_wait(fluid, link);
        clean *= 1 - asim_fluid_mark_chance(link, bytes);
        if (seen->hops < ASIM_INT_HOPS) {
            double *sent = &control->sent[seen->hops];

            *sent += used * ns * (double)link->rate_bps / 8e9;
            seen->hop[seen->hops] = (struct asim_int_hop){
                .rate_bps = link->rate_bps,
                .time = (uint32_t)(fluid->queue.now_ns & ((1 << 24) - 1)),
                .bytes = (uint32_t)((uint64_t)(*sent / 128) & ((1 << 20) - 1)),
                .qlen = (uint32_t)fmin(bytes / 80, (1 << 17) - 1),
                .wire = path->link[i],
            };
        }
        seen->hops++;
    }
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        rtt += asim_fluid_wait(fluid, &fluid->link[path->link[i]]);
    seen->sent_at = fluid->queue.now_ns - (uint64_t)rtt;
    return 1 - pow(clean, fmax(1, flow->rate * ns));
}

/* The rate and window that the controller allows. */
static void obey(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_cc_flow *cc = &flow->control->cc;
    double part = (double)cc->rate_bps / (double)cc->line_bps, window = flow->conn->window;
    double most = part / fluid->link[flow->path->link[0]].packet_ns;
    const double least = 0.01;

    if (fluid->cc->own_window)
        window = (double)cc->window_bytes / fluid->payload;
    else if (fluid->has_var_window)
        window = fmax(1, ceil(window * part));
    if (fluid->cc->own_window && window < 1)
        window = 1;
    most = fmin(most, window / flow->path->rtt_ns);
    if (flow->train) {
        most = fmin(most,
                    window / fmax(1, (double)(fluid->queue.now_ns - flow->control->seen.sent_at)));
        asim_fluid_pace_train(flow, most, window);
        asim_fluid_stir(fluid, flow->path->link[0], 0);
        return;
    }
    if (fabs(most - flow->most) <= least * flow->most &&
        fabs(window - flow->shape.window) <= least * window)
        return;
    flow->most = most;
    flow->shape.window = window;
    for (uint32_t i = 0; i < flow->path->n; i++)
        asim_fluid_stir(fluid, flow->path->link[i], flow->shape.packets / flow->rate);
}

void asim_fluid_control(struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    struct asim_fluid_control *control = flow->control;
    struct asim_cc_flow *cc = &control->cc;
    uint64_t now = fluid->queue.now_ns;
    struct asim_cc_ack ack = {.now = now, .seen = fluid->cc->needs ? &control->seen : NULL};
    double chance, done, rtt;

    flow->is_control_due = 0;
    if (flow->is_drained || (flow->is_parked && flow->resume_ns <= now)) /* perhaps for good */
        return;
    if (cc->timer_at <= now)
        fluid->cc->on_timer(cc, now, &fluid->cc_config);
    chance = see(fluid, flow);
    /* Marks come packet by packet, also while a queue drains; records count once a round trip. */
    rtt = fluid->cc->by_marks ? flow->path->rtt_ns : (double)(now - control->seen.sent_at);
    if ((double)(now - control->told_ns) >= flow->path->rtt_ns) {
        asim_fluid_advance(fluid, flow);
        done = flow->shape.packets - flow->left - (flow->train ? flow->train->unsent : 0);
        done = fmax(0, done) * fluid->payload;
        ack.seq = (uint64_t)fmin(done, (double)cc->size);
        ack.age = (uint64_t)fluid->link[flow->path->link[0]].delay_ns;
        ack.marked = chance > 0 && asim_cc_draw(cc) < chance;
        cc->snd_next = (uint64_t)fmin(
            done + asim_fluid_min(flow->shape.window, flow->conn->window) * fluid->payload,
            (double)cc->size);
        fluid->cc->on_ack(cc, &ack, &fluid->cc_config);
        control->told_ns = now;
    }
    obey(fluid, flow);
    if (cc->timer_at > now && (double)(cc->timer_at - now) < rtt)
        rtt = (double)(cc->timer_at - now);
    flow->is_control_due = 1;
    asim_fluid_after(fluid, rtt < 1 ? 1 : rtt, &flow->control_due);
}
