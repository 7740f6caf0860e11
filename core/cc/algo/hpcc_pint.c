/* SPDX-License-Identifier: GPL-2.0-only
 *
 * HPCC over PINT (Ben Basat et al., "PINT: Probabilistic In-band Network Telemetry", SIGCOMM
 * 2020): packets carry one digest, the logarithm of the highest utilisation on the path, and a
 * fraction PINT_PROB of the ACKs is looked at; rdma-network.md#hpcc-pint. ASTRA-sim
 * draws from one global sequence in the order of its events, so agreement is statistical.
 *
 * Unlike HPCC it sees one number for the whole path, so it cannot tell hops apart and has no
 * multi-rate form. The draw is the flow's own sequence, whatever other flows do.
 */
#include "cc/cc.h"
#include "cc/flow.h"

#include <math.h>

/* Keys of the network configuration; times in fs, rates in bit/s. */
struct hpcc_pint_options {
    uint64_t rate_ai_bps;
    double u_target, log_base, prob;
    uint32_t mi_thresh;
};

#define LEAST_LOG_BASE 1.0002
#define ROW(...)       ASIM_OPTION(struct hpcc_pint_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ASIM_CC_RATE_AI(struct hpcc_pint_options, rate_ai_bps),
    ASIM_CC_MI_THRESH(struct hpcc_pint_options, mi_thresh),
    ASIM_CC_U_TARGET(struct hpcc_pint_options, u_target),
    ASIM_CC_PINT_LOG_BASE(struct hpcc_pint_options, log_base),
    ROW("PINT_PROB", DOUBLE, prob, "PINT: share of packets stamped", .def = "1.0", .max = 1,
        .usual_min = 1e-4, .usual_max = 1),
    {.key = NULL},
};

/* base_bps: the rate the last full update left, from which each reaction is computed anew. */
struct pint {
    uint64_t last_seq, base_bps;
    uint32_t stage;
};

enum { SCALE = 512 }; /* the digest is the logarithm of 512 x utilisation */

static void open(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    struct pint *state = flow->state;

    (void)config;
    state->base_bps = flow->rate_bps;
}

/* The utilisation is base^digest / 512; below the target it is raised additively for MI_THRESH
 * rounds at most. */
static void on_ack(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config)
{
    const struct hpcc_pint_options *opt = config->options;
    struct pint *state = flow->state;
    int full = ack->seq > state->last_seq;
    uint32_t stage = state->stage;
    uint64_t bps = state->base_bps;
    double c;

    if (!ack->seen || asim_cc_draw(flow) >= opt->prob)
        return;
    if (!state->last_seq) {
        state->last_seq = flow->snd_next;
        return;
    }
    c = pow(opt->log_base, ack->seen->digest) / SCALE / opt->u_target;
    if (c >= 1 || stage >= opt->mi_thresh) {
        bps = asim_cc_scale(flow, bps, 1 / c);
        stage = 0;
    } else {
        stage++;
    }
    flow->rate_bps = asim_cc_clamp(flow, bps + opt->rate_ai_bps);
    if (!full)
        return;
    state->base_bps = flow->rate_bps;
    state->stage = stage;
    if (flow->snd_next > state->last_seq)
        state->last_seq = flow->snd_next;
}

/* A digest is a logarithm to the base PINT_LOG_BASE in 16 bits. */
static int check(const void *options_of, struct asim_err *err)
{
    const struct hpcc_pint_options *opt = options_of;

    if (!(opt->u_target > 0))
        return asim_err_set(err, ASIM_EINVAL, "hpcc_pint needs a U_TARGET above 0");
    if (opt->log_base >= LEAST_LOG_BASE)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "hpcc_pint needs a PINT_LOG_BASE of %g or more: the digest has 16 bits",
                        LEAST_LOG_BASE);
}

const struct asim_cc asim_cc_hpcc_pint = {
    .member = {.name = "hpcc_pint",
               .about = "HPCC from a one-byte probabilistic digest",
               .options = options,
               .options_size = sizeof(struct hpcc_pint_options)},
    .number = 10,
    .needs = ASIM_CC_DIGEST,
    .retimes = 1,
    .state_size = sizeof(struct pint),
    .check = check,
    .open = open,
    .on_ack = on_ack,
    .on_timer = asim_cc_timer_nothing,
};
