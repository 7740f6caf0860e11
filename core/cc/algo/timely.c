/* SPDX-License-Identifier: GPL-2.0-only
 *
 * TIMELY (Mittal et al., SIGCOMM 2015): the gradient of the round-trip time sets the rate
 * (rdma-network.md#timely). One update per round trip. ASTRA-sim's first version echoed no
 * timestamp; this is the later, working behaviour. Its other constants have no configuration keys.
 *
 * The round-trip time is that of a data packet and its ACK, queues of both directions included. No
 * timers; one decision per round trip, so a long message reacts a few hundred times.
 */
#include "cc/cc.h"
#include "cc/flow.h"

/* Keys of the network configuration; times in fs, rates in bit/s. */
struct timely_options {
    uint64_t rate_ai_bps, rate_hai_bps;
};

static const struct asim_option options[] = {
    ASIM_CC_RATE_AI(struct timely_options, rate_ai_bps),
    ASIM_CC_RATE_HAI(struct timely_options, rate_hai_bps),
    {.key = NULL},
};

#define ALPHA      0.875
#define BETA       0.8
#define LOW_NS     50000.0
#define HIGH_NS    500000.0
#define MIN_RTT_NS 20000.0

enum { HYPER_STAGE = 5 };

/* Per flow; RTTs in ns. */
struct timely {
    uint64_t last_seq, last_rtt; /* 0 = none yet */
    double diff;                 /* smoothed change of the RTT, ns */
    uint64_t base_bps;           /* the rate the last full update left */
    uint32_t stage;              /* rounds of increase in a row, up to HYPER_STAGE */
};

static const struct asim_cc_field fields[] = {
    ASIM_CC_FIELD(ASIM_CC_SEQ, struct timely, last_seq),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct timely, last_rtt),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct timely, diff),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct timely, base_bps),
    ASIM_CC_FIELD(ASIM_CC_SAME, struct timely, stage),
    {.kind = ASIM_CC_END},
};

static void open(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    struct timely *state = flow->state;

    (void)config;
    state->base_bps = flow->rate_bps;
}

/* After five rounds in a row the larger step is taken. */
static void increase(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    const struct timely_options *opt = config->options;
    struct timely *state = flow->state;
    uint64_t step = state->stage < HYPER_STAGE ? opt->rate_ai_bps : opt->rate_hai_bps;

    state->base_bps = flow->rate_bps = asim_cc_clamp(flow, state->base_bps + step);
    if (state->stage < HYPER_STAGE)
        state->stage++;
}

/* Starts the count of rounds anew. */
static void decrease(struct asim_cc_flow *flow, double factor)
{
    struct timely *state = flow->state;

    state->base_bps = flow->rate_bps = asim_cc_scale(flow, state->base_bps, factor);
    state->stage = 0;
}

/* Below LOW_NS and above HIGH_NS the gradient does not matter: the guards of the paper's section
 * 4. */
static void update(struct asim_cc_flow *flow, double rtt, const struct asim_cc_config *config)
{
    struct timely *state = flow->state;
    double gradient;

    state->diff = (1 - ALPHA) * state->diff + ALPHA * (rtt - (double)state->last_rtt);
    gradient = state->diff / MIN_RTT_NS;
    if (rtt < LOW_NS)
        increase(flow, config);
    else if (rtt > HIGH_NS)
        decrease(flow, 1 - BETA * (1 - HIGH_NS / rtt));
    else if (gradient <= 0)
        increase(flow, config);
    else
        decrease(flow, 1 - BETA * gradient > 0 ? 1 - BETA * gradient : 0);
}

/* ACKs of one round trip after the first are passed over. The first RTT only fills last_rtt. */
static void on_ack(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config)
{
    struct timely *state = flow->state;
    uint64_t rtt;

    if (ack->seq <= state->last_seq || !ack->seen)
        return;
    rtt = ack->now - ack->seen->sent_at;
    if (state->last_seq)
        update(flow, (double)rtt, config);
    state->last_seq = flow->snd_next;
    state->last_rtt = rtt;
}

const struct asim_cc asim_cc_timely = {
    .member = {.name = "timely",
               .about = "rate follows the gradient of the round-trip time",
               .options = options,
               .options_size = sizeof(struct timely_options)},
    .number = 7,
    .needs = ASIM_CC_TIMESTAMP,
    .fields = fields,
    .state_size = sizeof(struct timely),
    .open = open,
    .on_ack = on_ack,
    .on_timer = asim_cc_timer_nothing,
};
