/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How far the flow level is to be trusted (flow.md#expected-error): the shares of the bytes that
 * queues of switches held up, that two did, and that a congestion control steered; and what queues
 * took along the chain of messages that led to the end of the run.
 */
#include "asim/net.h"
#include "base/diagnostics.h"
#include "net/flow/repeats.h"

#include <stdio.h>

/* Links of a path, from `at` to `end`, whose queues a packet waits in now. */
static int queues_of(const struct asim_fluid *fluid, const struct asim_fluid_path *path,
                     uint32_t at, uint32_t end)
{
    int n = 0;

    for (; at < end; at++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[at]];

        n += link->has_queue && asim_fluid_wait(fluid, link) > link->packet_ns;
    }
    return n;
}

void asim_fluid_trust_add(struct asim_fluid_trust *to, const struct asim_fluid_trust *by,
                          double times)
{
    to->bytes += times * by->bytes;
    to->queued_bytes += times * by->queued_bytes;
    to->twice_bytes += times * by->twice_bytes;
    to->controlled_bytes += times * by->controlled_bytes;
    to->beside_bytes += times * by->beside_bytes;
    to->apart_bytes += times * by->apart_bytes;
    to->took_ns += times * by->took_ns;
    to->latency_ns += times * by->latency_ns;
    to->burst_ns += times * by->burst_ns;
    to->sprayed_ns += times * by->sprayed_ns;
}

static void add(struct asim_fluid *fluid, const struct asim_fluid_flow *flow,
                const struct asim_fluid_trust *by, double times)
{
    const struct asim_repeat *phase = asim_fluid_repeat_of(&fluid->link[flow->path->link[0]]);

    asim_fluid_trust_add(&fluid->trust, by, times);
    if (phase && phase->measured)
        asim_fluid_trust_add(phase->measured, by, times);
}

void asim_fluid_judge_first(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    if (fluid->flow.n - fluid->free_ids.n + fluid->n_repeated == 1)
        fluid->trust.since_ns = flow->start_ns;
}

/* Messages of a few packets are sent one after another, not all at once. */
void asim_fluid_judge_start(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const double few_packets = 4;
    const struct asim_fluid_link *nic = &fluid->link[flow->path->link[0]];
    double others = (double)nic->flows.n - 1;

    if (flow->shape.packets < few_packets && others > 0 &&
        !(flow->is_burst && flow->shape.frames == 1))
        add(fluid, flow,
            &(struct asim_fluid_trust){.burst_ns = others * asim_fluid_min(1, flow->shape.packets) *
                                                   nic->packet_ns},
            1);
}

void asim_fluid_judge_end(struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_relay *relay = flow->relay;
    int is_folded = relay && relay->ring->is_folded; /* the leader of the next one gets it */
    uint32_t to = is_folded ? relay->next->leader->spec.msg.src : flow->msg.dst;

    if (asim_msg_is_traffic(&flow->msg))
        return;
    fluid->chains[flow->msg.src] = fluid->chains[to] = flow->chain_ns;
    fluid->trust.chain_ns = flow->chain_ns;
}

/* Whether a controller holds it back. One that fits into its window is not asked here
 * (flow.md#congestion-control); in packets it is where the NIC has so much to send that ACKs of its
 * first packets are back before its last one is sent. */
static int is_steered(const struct asim_fluid *fluid, const struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;

    if (flow->control || !fluid->cc)
        return flow->control != NULL;
    if ((double)flow->end_ns - (double)flow->began_ns < path->rtt_ns)
        return 0;
    for (uint32_t i = 1; i < path->n; i++) {
        const struct asim_fluid_link *link = &fluid->link[path->link[i]];

        if (asim_fluid_peak(fluid, link) > (fluid->cc->by_marks ? link->kmin_bytes : 0))
            return 1;
    }
    return 0;
}

void asim_fluid_judge_queues(const struct asim_fluid *fluid, struct asim_fluid_flow *flow)
{
    const struct asim_fluid_path *path = flow->path;
    double held_ns = asim_fluid_max(0, (double)(fluid->queue.now_ns - flow->began_ns) -
                                           flow->shape.packets / path->line);

    flow->is_sprayed = 0;
    for (uint32_t i = 1; i < path->n; i++)
        flow->is_sprayed |=
            fluid->link[path->link[i]].ways > 1 && fluid->link[path->link[i]].flows.n > 1;
    flow->queues_there = queues_of(fluid, path, 1, path->n);
    flow->queues_back = queues_of(fluid, path, path->n + 1, path->n + path->n_acks);
    flow->is_steered = (uint8_t)is_steered(fluid, flow);
    flow->chain_ns += flow->queues_there + flow->queues_back ? held_ns : 0;
}

void asim_fluid_judge(struct asim_fluid *fluid, struct asim_fluid_flow *flow, double late)
{
    const double drain_ns = (double)(fluid->queue.now_ns - flow->began_ns);
    const struct asim_fluid_path *path = flow->path;
    const struct asim_fluid_ring *ring = flow->relay ? flow->relay->ring : NULL;
    double times = ring && ring->is_folded ? (double)ring->opened / ring->leaders : 1;
    double bytes = (double)flow->shape.bytes;
    struct asim_fluid_trust by = {
        .bytes = bytes,
        .queued_bytes = flow->queues_there ? bytes : 0,
        .twice_bytes = flow->queues_there + flow->queues_back > 1 ? bytes : 0,
        .controlled_bytes = flow->is_steered ? bytes : 0,
        .beside_bytes = flow->is_beside ? bytes : 0,
        .apart_bytes = flow->start_ns != fluid->trust.since_ns ? bytes : 0,
        .sprayed_ns = flow->is_sprayed ? drain_ns : 0,
        .took_ns = drain_ns + flow->shape.forward_ns + flow->shape.back_ns + late,
        .latency_ns = flow->shape.forward_ns + flow->shape.back_ns};

    if (asim_msg_is_traffic(&flow->msg))
        return;
    for (uint32_t i = path->n; i < path->n + path->n_acks; i++)
        if (fluid->link[path->link[i]].flows.n) /* its ACK comes at any phase of a frame */
            by.burst_ns += fluid->link[path->link[i]].packet_ns / 2;
    add(fluid, flow, &by, times);
    flow->chain_ns += flow->queued_ns;
}

static double share(double part, double of)
{
    return of > 0 ? part / of : 0;
}

static double longest(const struct asim_fluid *fluid)
{
    double bytes = 0;

    for (uint32_t l = 0; l < fluid->n_links + fluid->n_groups; l++)
        bytes = asim_fluid_max(bytes, asim_fluid_peak(fluid, &fluid->link[l]));
    return bytes;
}

/* Where all messages are sent together, the busiest link decides, whatever their order, unless it
 * waits for them: where most are in its queue, or their latency is small, it does not. */
static int order_decides(const struct asim_fluid_trust *trust, double few, double most)
{
    const double long_share = 0.2;

    return trust->controlled_bytes > 0 || share(trust->apart_bytes, trust->bytes) > few ||
           (share(trust->queued_bytes, trust->bytes) < most &&
            share(trust->latency_ns, trust->took_ns) > long_share);
}

/* What makes a run doubtful, the worst first; NULL: nothing. The limits were chosen on the cases of
 * tests/flow with seeds below 500. */
static const char *doubt_of(const struct asim_fluid *fluid)
{
    const double few = 0.05, fewest = 0.02, fewer = 0.01, most = 0.8;
    const struct asim_fluid_trust *trust = &fluid->trust;
    /* Pauses hurt those that no queue holds up, and controllers that see queues grow slower. */
    int may_pause =
        longest(fluid) > fluid->pause_bytes &&
        (trust->controlled_bytes > 0 || share(trust->queued_bytes, trust->bytes) < most);
    double queued = share(trust->chain_ns, (double)fluid->counts.last_ns);

    if (trust->is_changed)
        return "links changed under messages, and timeouts of what packets lose then decide: job "
               "times differed by less than 6 % in nine of ten tests, in single ones by a timeout "
               "(1 ms)";
    if (fluid->traffic)
        return "its messages and those of background traffic meet packet by packet in short "
               "queues: job times differed by 1 % (median), and up to 78 % in tests";
    if (share(trust->sprayed_ns, trust->took_ns) > few)
        return "sprayed packets of several messages may take turns in step, so that each has some "
               "of the ways only: job times differed by up to 44 % in tests, mostly by less than "
               "2 %";
    if (share(trust->burst_ns, trust->took_ns) > few &&
        (queued > few || share(trust->apart_bytes, trust->bytes) > few))
        return "many messages have a few packets, and the order in which NICs and switches send "
               "these and their ACKs decides";
    if (!fluid->qps && share(trust->beside_bytes, trust->bytes) > few &&
        share(trust->latency_ns, trust->took_ns) < 1 - few)
        return "messages between the same hosts shared NICs and ways packet by packet, whose "
               "order decides: --qps-per-connection=1 sends them one after another, as NCCL does";
    if (!fluid->has_window || may_pause)
        return "queues of switches may grow until these pause senders (PFC), which is not modelled";
    if (share(trust->controlled_bytes, trust->bytes) > fewer)
        return "these queues steer the congestion control, in packets by chance: job times "
               "differed "
               "by up to 27 % in tests, mostly by less than 10 %";
    if (share(trust->twice_bytes, trust->bytes) > fewer && !(fluid->qps && queued < fewest) &&
        order_decides(trust, few, most))
        return "some waited in two queues, or their ACKs in another one, where small differences "
               "grow: job times differed by up to 30 % in tests, mostly by less than 2 %";
    return NULL;
}

int asim_fluid_trust_of(const struct asim_fabric *network, struct asim_packet_trust *trust)
{
    const struct asim_fluid *fluid = (const struct asim_fluid *)(const void *)network;
    const double usual = 1, most = 13; /* per cent, flow.md#accuracy */

    trust->held_percent = 100 * share(fluid->trust.queued_bytes, fluid->trust.bytes);
    trust->doubt = doubt_of(fluid);
    trust->usual_percent = trust->doubt ? 0 : usual;
    trust->most_percent = trust->doubt ? 0 : most;
    return fluid->trust.bytes > 0;
}

void asim_packet_trust_say(const struct asim_packet_trust *trust, char *buf, size_t size)
{
    int n = snprintf(buf, size,
                     "the flow level: %.1f %% of the bytes were held up in queues of switches; ",
                     trust->held_percent);

    if (n < 0 || (size_t)n >= size)
        return;
    if (trust->doubt)
        snprintf(buf + n, size - (size_t)n, "expect an error: %s", trust->doubt);
    else
        snprintf(buf + n, size - (size_t)n,
                 "in tests job times of such runs were within %.0f %% of packets in nine of ten "
                 "cases, and up to %.0f %% off in single ones",
                 trust->usual_percent, trust->most_percent);
}

void asim_fluid_tell_trust(const struct asim_fabric *network,
                           const struct asim_diagnostics *diagnostics)
{
    struct asim_packet_trust trust;
    char text[400];

    if (!asim_fluid_trust_of(network, &trust))
        return;
    asim_packet_trust_say(&trust, text, sizeof text);
    asim_diagnose(diagnostics, "%s", text);
}
