/* SPDX-License-Identifier: GPL-2.0-only
 *
 * HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019), single- and
 * multi-rate, as ASTRA-sim has it (rdma-network.md#hpcc): every ACK brings the
 * load of each hop; the inflight utilisation u steers the rate multiplicatively towards U_TARGET
 * and by RATE_AI. A full update once per round trip stores the new base rate; in between
 * (FAST_REACT) the same computation only applies it. Two stamps in one ns say nothing: such a hop
 * is passed over (ASTRA-sim divides by zero).
 *
 * Hop records arrive in the units of the header and wrap; differences are taken modulo their
 * widths. More than five hops say nothing, as in ASTRA-sim. No timers.
 */
#include "cc/cc.h"
#include "cc/flow.h"

#include <string.h>

/* Keys of the network configuration; times in fs, rates in bit/s. */
struct hpcc_options {
    uint64_t rate_ai_bps;
    double u_target;
    uint32_t mi_thresh, int_multi;
    int fast_react, multi_rate, sample_feedback;
};

#define ROW(...) ASIM_OPTION(struct hpcc_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ASIM_CC_RATE_AI(struct hpcc_options, rate_ai_bps),
    ASIM_CC_MI_THRESH(struct hpcc_options, mi_thresh),
    ROW("FAST_REACT", BOOL, fast_react, "HPCC: react to each ACK", .def = "1"),
    ASIM_CC_U_TARGET(struct hpcc_options, u_target),
    ASIM_CC_INT_MULTI(struct hpcc_options, int_multi),
    ROW("MULTI_RATE", BOOL, multi_rate, "HPCC: one rate per hop", .def = "0", .builtin = "1"),
    ROW("SAMPLE_FEEDBACK", BOOL, sample_feedback, "HPCC: react to samples only", .def = "0"),
    {.key = NULL},
};

struct hop_rate { /* multi-rate: one controller per hop */
    double u;
    uint64_t base_bps;
    uint64_t stage;
};

struct hpcc {
    uint64_t last_seq; /* 0 = no ACK yet */
    uint64_t base_bps;
    double u;
    uint64_t stage;
    struct asim_int_hop hop[ASIM_INT_HOPS]; /* as the last ACK said */
    struct hop_rate per_hop[ASIM_INT_HOPS];
};

static const struct asim_cc_field fields[] = {
    ASIM_CC_FIELD(ASIM_CC_SEQ, struct hpcc, last_seq),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct hpcc, base_bps),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct hpcc, u),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct hpcc, stage),
    ASIM_CC_FIELD(ASIM_CC_HOPS, struct hpcc, hop),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct hpcc, per_hop),
    {.kind = ASIM_CC_END},
};

enum { TIME_MASK = (1 << 24) - 1, BYTES_MASK = (1 << 20) - 1, BYTE_UNIT = 128, QLEN_UNIT = 80 };

/* u starts at 1, so that the first real sample weighs in gently. */
static void open(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    struct hpcc *state = flow->state;

    (void)config;
    state->base_bps = flow->rate_bps;
    state->u = 1;
    for (int i = 0; i < ASIM_INT_HOPS; i++)
        state->per_hop[i] = (struct hop_rate){1, flow->rate_bps, 0};
}

/* Load of one hop between two of its records: throughput plus standing queue. */
static double load(const struct asim_cc_flow *flow, const struct asim_int_hop *now,
                   const struct asim_int_hop *before, uint32_t multi)
{
    double ns = (now->time - before->time) & TIME_MASK;
    double bytes = (double)((now->bytes - before->bytes) & BYTES_MASK) * BYTE_UNIT * multi;
    double queue =
        (double)(now->qlen < before->qlen ? now->qlen : before->qlen) * QLEN_UNIT * multi;
    double rate = (double)now->rate_bps, window = (double)flow->window_bytes;

    if (window <= 0) /* HAS_WIN 0: what a window would be */
        window = (double)flow->line_bps * (double)flow->base_rtt_ns / 8e9;
    return bytes * 8 / (ns * 1e-9) / rate + queue * (double)flow->line_bps / rate / window;
}

/* u moves towards `sample` by the part of a base RTT that has passed. */
static double blend(double u, double sample, double passed, double rtt)
{
    if (passed > rtt)
        passed = rtt;
    return (u * (rtt - passed) + sample * passed) / rtt;
}

/* Base rate and stage → new rate; *stage becomes the new stage. */
static uint64_t steer(const struct asim_cc_flow *flow, uint64_t base_bps, double u, uint64_t *stage,
                      const struct asim_cc_config *config)
{
    const struct hpcc_options *opt = config->options;
    double c = u / opt->u_target;
    uint64_t bps = base_bps;

    if (c >= 1 || *stage >= opt->mi_thresh) {
        double scaled = (double)base_bps / c;

        bps = scaled < 1.8e19 ? (uint64_t)scaled : UINT64_MAX - opt->rate_ai_bps;
        *stage = 0;
    } else {
        ++*stage;
    }
    return asim_cc_clamp(flow, bps + opt->rate_ai_bps);
}

static void apply_single(struct asim_cc_flow *flow, double most, double passed, int full,
                         const struct asim_cc_config *config)
{
    struct hpcc *state = flow->state;
    uint64_t stage = state->stage;

    state->u = blend(state->u, most, passed, (double)flow->base_rtt_ns);
    flow->rate_bps = steer(flow, state->base_bps, state->u, &stage, config);
    if (!full)
        return;
    state->base_bps = flow->rate_bps;
    state->stage = stage;
}

/* The slowest hop decides; hops this ACK says nothing about keep their base rate. */
static void apply_multi(struct asim_cc_flow *flow, uint32_t hops, uint32_t updated, int full,
                        const struct asim_cc_config *config)
{
    struct hpcc *state = flow->state;
    uint64_t least = flow->line_bps;

    for (uint32_t i = 0; i < hops; i++) {
        struct hop_rate *hop = &state->per_hop[i];
        uint64_t stage = hop->stage;
        uint64_t bps = hop->base_bps;

        if (updated >> i & 1)
            bps = steer(flow, hop->base_bps, hop->u, &stage, config);
        if (bps < least)
            least = bps;
        if (full && updated >> i & 1)
            *hop = (struct hop_rate){hop->u, bps, stage};
    }
    flow->rate_bps = least;
    if (full)
        state->base_bps = least;
}

struct busiest { /* the hop with the highest load */
    double u, passed;
};

/* Stores the records. Returns a bit for each hop whose record is new. */
static uint32_t take_hops(struct asim_cc_flow *flow, const struct asim_cc_ack *ack, int full,
                          struct busiest *busiest, const struct asim_cc_config *config)
{
    const struct hpcc_options *opt = config->options;
    struct hpcc *state = flow->state;
    uint32_t updated = 0;

    for (uint32_t i = 0; i < ack->seen->hops; i++) {
        const struct asim_int_hop *now = &ack->seen->hop[i];
        double passed = (now->time - state->hop[i].time) & TIME_MASK, u;

        if ((opt->sample_feedback && !now->qlen && !full) || passed <= 0)
            continue;
        updated |= 1u << i;
        u = load(flow, now, &state->hop[i], opt->int_multi);
        if (u > busiest->u) {
            busiest->u = u;
            busiest->passed = passed;
        }
        state->per_hop[i].u = blend(state->per_hop[i].u, u, passed, (double)flow->base_rtt_ns);
        state->hop[i] = *now;
    }
    return updated;
}

/* The first ACK only fills the records. `full` = a round trip has passed since the last stored
 * update. */
static void on_ack(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config)
{
    const struct hpcc_options *opt = config->options;
    struct hpcc *state = flow->state;
    int full = ack->seq > state->last_seq;
    struct busiest busiest = {0, 0};
    uint32_t updated;

    if (!ack->seen || ack->seen->hops > ASIM_INT_HOPS || (!full && !opt->fast_react))
        return;
    if (!state->last_seq) {
        memcpy(state->hop, ack->seen->hop, sizeof state->hop);
    } else {
        updated = take_hops(flow, ack, full, &busiest, config);
        if (updated && opt->multi_rate)
            apply_multi(flow, ack->seen->hops, updated, full, config);
        else if (updated)
            apply_single(flow, busiest.u, busiest.passed, full, config);
    }
    if (full && flow->snd_next > state->last_seq)
        state->last_seq = flow->snd_next;
}

/* A target of 0 divides by 0; without a unit of the counters no load is ever seen. */
static int check(const void *options_of, struct asim_err *err)
{
    const struct hpcc_options *opt = options_of;

    if (opt->u_target > 0 && opt->int_multi)
        return 0;
    return asim_err_set(err, ASIM_EINVAL, "hpcc needs U_TARGET and INT_MULTI above 0");
}

const struct asim_cc asim_cc_hpcc = {
    .member = {.name = "hpcc",
               .about = "per-hop load from in-band telemetry",
               .options = options,
               .options_size = sizeof(struct hpcc_options)},
    .number = 3,
    .needs = ASIM_CC_INT,
    .fields = fields,
    .retimes = 1,
    .state_size = sizeof(struct hpcc),
    .check = check,
    .open = open,
    .on_ack = on_ack,
    .on_timer = asim_cc_timer_nothing,
};
