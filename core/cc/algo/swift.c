/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020), which ASTRA-sim lacks: a congestion window in bytes follows the
 * distance of the round-trip time from a target, additively up, multiplicatively down at most once
 * per round trip, with pacing below one packet. The target is a base plus the flow-scaling term of
 * the paper's section 3.1; the base defaults to 1.25 x the path's base RTT plus the time of a few
 * packets, since host delays, which dominate it in the paper, are not modelled here.
 *
 * CC swift; SWIFT_TARGET, SWIFT_AI, SWIFT_BETA, SWIFT_MAX_MDF set the parameters.
 */
#include "cc/cc.h"
#include "cc/flow.h"

#include <math.h>

/* Keys of the network configuration; times in fs, rates in bit/s. */
struct swift_options {
    uint64_t target_fs; /* 0 = from the path */
    double ai, beta, max_mdf;
};

#define ROW(...) ASIM_OPTION(struct swift_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("SWIFT_TARGET", TIME, target_fs, "Swift: base target delay, us; 0 = from the path",
        .def = "0us", .flags = ASIM_F_US, .usual_min = 100, .usual_max = 1e8),
    ROW("SWIFT_AI", DOUBLE, ai, "Swift: packets added per round trip", .def = "1", .max = 1e6,
        .attribute = "SwiftAI"),
    ROW("SWIFT_BETA", DOUBLE, beta, "Swift: strength of the decrease", .def = "0.8", .max = 1),
    ROW("SWIFT_MAX_MDF", DOUBLE, max_mdf, "Swift: largest decrease at once", .def = "0.5",
        .max = 1),
    {.key = NULL},
};

struct swift {
    double cwnd;       /* packets; below 1 the flow is paced */
    uint64_t cut_at;   /* time of the last decrease, ns */
    uint64_t seen_seq; /* highest ACK */
};

static const struct asim_cc_field fields[] = {
    ASIM_CC_FIELD(ASIM_CC_SAME, struct swift, cwnd),
    ASIM_CC_FIELD(ASIM_CC_SENT, struct swift, cut_at),
    ASIM_CC_FIELD(ASIM_CC_SEQ, struct swift, seen_seq),
    {.kind = ASIM_CC_END},
};

#define FLOW_SCALE_MAX_PACKETS 100.0 /* beyond this window the target gains nothing */
#define FLOW_SCALE_MIN_PACKETS 0.1
#define FLOW_SCALE_PART        0.5 /* largest flow-scaling term, as a part of the base target */
#define MIN_CWND_PACKETS       0.01

/* Payload only, as windows count. */
static double packet_bits(const struct asim_cc_config *config)
{
    return (double)config->payload_bytes * 8;
}

/* Base target plus alpha / sqrt(cwnd) - beta', clipped to the stated range. */
static double target_ns(const struct asim_cc_flow *flow, double cwnd,
                        const struct asim_cc_config *config)
{
    const struct swift_options *opt = config->options;
    double base = (double)opt->target_fs / 1e6, scaled;
    const double low = 1 / sqrt(FLOW_SCALE_MAX_PACKETS), high = 1 / sqrt(FLOW_SCALE_MIN_PACKETS);

    if (base <= 0)
        base = 1.25 * (double)flow->base_rtt_ns +
               8 * packet_bits(config) * 1e9 / (double)flow->line_bps;
    scaled = (1 / sqrt(cwnd) - low) / (high - low);
    scaled = scaled < 0 ? 0 : scaled > 1 ? 1 : scaled;
    return base * (1 + FLOW_SCALE_PART * scaled);
}

/* The window in bytes, and the rate that spreads it over a round trip. */
static void apply(struct asim_cc_flow *flow, double rtt_ns, const struct asim_cc_config *config)
{
    const struct swift *state = flow->state;
    double bytes = state->cwnd * config->payload_bytes;

    flow->window_bytes = bytes < 1 ? 1 : (uint64_t)bytes;
    flow->rate_bps = flow->line_bps;
    if (state->cwnd < 1)
        flow->rate_bps =
            asim_cc_clamp(flow, (uint64_t)(state->cwnd * packet_bits(config) * 1e9 / rtt_ns));
}

/* Begins at the bandwidth-delay product, since there is no slow start in this network. */
static void open(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    struct swift *state = flow->state;
    double bdp = (double)flow->base_rtt_ns * 1e-9 * (double)flow->line_bps / packet_bits(config);

    state->cwnd = bdp > 1 ? bdp : 1;
    apply(flow, (double)flow->base_rtt_ns, config);
}

/* Additive by the bytes newly acknowledged, multiplicative at most once per round trip. The window
 * stays between 1/100 packet and four times the path's capacity. */
static void on_ack(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config)
{
    const struct swift_options *opt = config->options;
    struct swift *state = flow->state;
    double rtt, target,
        most =
            4 * (double)flow->base_rtt_ns * 1e-9 * (double)flow->line_bps / packet_bits(config) + 4;

    if (!ack->seen || ack->now <= ack->seen->sent_at)
        return;
    rtt = (double)(ack->now - ack->seen->sent_at);
    target = target_ns(flow, state->cwnd, config);
    if (rtt < target) {
        double acked = ack->seq > state->seen_seq
                           ? (double)(ack->seq - state->seen_seq) / config->payload_bytes
                           : 0;

        state->cwnd += state->cwnd >= 1 ? opt->ai / state->cwnd * acked : opt->ai * acked;
    } else if (ack->seen->sent_at >= state->cut_at) {
        double factor = 1 - opt->beta * (rtt - target) / rtt;

        state->cwnd *= factor > 1 - opt->max_mdf ? factor : 1 - opt->max_mdf;
        state->cut_at = ack->now;
    }
    if (ack->seq > state->seen_seq)
        state->seen_seq = ack->seq;
    state->cwnd = fmin(fmax(state->cwnd, MIN_CWND_PACKETS), most);
    apply(flow, rtt, config);
}

const struct asim_cc asim_cc_swift = {
    .member = {.name = "swift",
               .about = "a window that follows the delay to a target",
               .options = options,
               .options_size = sizeof(struct swift_options)},
    .number = -1,
    .needs = ASIM_CC_TIMESTAMP,
    .own_window = 1,
    .fields = fields,
    .state_size = sizeof(struct swift),
    .open = open,
    .on_ack = on_ack,
    .on_timer = asim_cc_timer_nothing,
};
