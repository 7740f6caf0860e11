/* SPDX-License-Identifier: GPL-2.0-only
 *
 * DCTCP (Alizadeh et al., SIGCOMM 2010) with a rate instead of a congestion window, as ASTRA-sim
 * has it (rdma-network.md#dctcp): once per round trip alpha follows the fraction of marked packets;
 * a mark cuts the rate by alpha / 2 and opens a round without further cuts (CWR); otherwise every
 * round adds DCTCP_RATE_AI.
 *
 * A round is one window's worth of ACKs: it ends when an ACK passes what had been sent when it
 * began. No timers.
 */
#include "cc/cc.h"
#include "cc/flow.h"

/* Keys of the network configuration; times in fs, rates in bit/s. */
struct dctcp_options {
    double ewma_gain;
    uint64_t rate_ai_bps;
};

#define ROW(...) ASIM_OPTION(struct dctcp_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ASIM_CC_EWMA_GAIN(struct dctcp_options, ewma_gain),
    ROW("DCTCP_RATE_AI", RATE, rate_ai_bps, "DCTCP: additive increase", .def = "1000Mb/s",
        .flags = ASIM_F_BARE, .usual_min = 1e6, .usual_max = 1e11, .attribute = "DctcpRateAI"),
    {.key = NULL},
};

struct dctcp {
    uint64_t last_seq; /* the round ends when an ACK passes it; 0 = none yet */
    uint64_t high_seq; /* CWR lasts until an ACK passes it; 0 = no CWR */
    uint64_t marked;   /* in this round */
    uint64_t batch;    /* packets of this round */
    uint64_t rounds;   /* in which alpha changed */
    double alpha;
};

static const struct asim_cc_field fields[] = {
    ASIM_CC_FIELD(ASIM_CC_SEQ, struct dctcp, last_seq),
    ASIM_CC_FIELD(ASIM_CC_SEQ, struct dctcp, high_seq),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct dctcp, marked),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct dctcp, batch),
    ASIM_CC_FIELD(ASIM_CC_ROUNDS, struct dctcp, rounds),
    ASIM_CC_FIELD(ASIM_CC_REPEATED, struct dctcp, alpha),
    {.kind = ASIM_CC_END},
};

/* alpha starts at 1: the first mark halves the rate. */
static void open(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    struct dctcp *state = flow->state;

    (void)config;
    state->alpha = 1;
}

/* alpha moves towards the marked part of a round. */
static void move_alpha(struct dctcp *state, double part, const struct dctcp_options *opt)
{
    state->alpha = (1 - opt->ewma_gain) * state->alpha + opt->ewma_gain * part;
    state->rounds++;
}

/* Rounds without marks. Either alpha shrinks to its least value, or the gain is 0 or 1. */
static void repeat(struct asim_cc_flow *flow, uint64_t rounds, const struct asim_cc_config *config)
{
    struct dctcp *state = flow->state;
    double before = -1;

    for (; rounds && state->alpha != before; rounds--) {
        before = state->alpha;
        move_alpha(state, 0, config->options);
    }
    state->rounds += rounds;
}

/* Starts the next round; 1 if one has ended. */
static int end_of_round(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                        const struct asim_cc_config *config)
{
    struct dctcp *state = flow->state;
    uint64_t from = ack->seq;

    if (ack->seq <= state->last_seq)
        return 0;
    if (!state->last_seq) {
        from = 0;
    } else {
        double part = state->batch ? (double)state->marked / (double)state->batch : 0;

        move_alpha(state, part < 1 ? part : 1, config->options);
        state->marked = 0;
    }
    state->last_seq = flow->snd_next;
    state->batch =
        (flow->snd_next - (from < flow->snd_next ? from : flow->snd_next)) / config->payload_bytes +
        1;
    return 1;
}

/* The order of ASTRA-sim: count, round, leave CWR, cut, raise. */
static void on_ack(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config)
{
    const struct dctcp_options *opt = config->options;
    struct dctcp *state = flow->state;
    int new_round;

    state->marked += ack->marked != 0;
    new_round = end_of_round(flow, ack, config);
    if (ack->seq > state->high_seq)
        state->high_seq = 0;
    if (ack->marked && !state->high_seq) {
        flow->rate_bps = asim_cc_scale(flow, flow->rate_bps, 1 - state->alpha / 2);
        state->high_seq = flow->snd_next;
    }
    if (!state->high_seq && new_round)
        flow->rate_bps = asim_cc_clamp(flow, flow->rate_bps + opt->rate_ai_bps);
}

const struct asim_cc asim_cc_dctcp = {
    .member = {.name = "dctcp",
               .about = "rate follows the fraction of ECN-marked packets",
               .options = options,
               .options_size = sizeof(struct dctcp_options)},
    .number = 8,
    .by_marks = 1,
    .fields = fields,
    .repeat = repeat,
    .state_size = sizeof(struct dctcp),
    .open = open,
    .on_ack = on_ack,
    .on_timer = asim_cc_timer_nothing,
};
