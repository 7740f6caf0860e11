/* SPDX-License-Identifier: GPL-2.0-only
 *
 * DCQCN (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015), in the
 * variant of ASTRA-sim (rdma-network.md#dcqcn): every marked packet's ACK is a
 * CNP; a check every RATE_DECREASE_INTERVAL cuts the rate if one came since the last; alpha decays
 * every ALPHA_RESUME_INTERVAL; RP_TIMER drives fast recovery, additive and hyper increase. There
 * is no byte counter.
 *
 * ASTRA-sim runs all three timers for ever. Here alpha's ticks are caught up with when alpha
 * is needed, the check is only timed while a CNP waits for it, and the increase stops once rate
 * and target are at line rate; same values on the same grid.
 *
 * Costs nothing while no CNP waits and the rate is at line rate: no timer is asked for then. All
 * times are ns of the flow's host.
 */
#include "cc/cc.h"
#include "cc/flow.h"

/* Keys of the network configuration; times in fs, rates in bit/s. */
struct dcqcn_options {
    uint64_t alpha_resume_fs, rate_decrease_fs, rp_timer_fs, rate_ai_bps, rate_hai_bps;
    double ewma_gain;
    uint32_t fast_recovery_times;
    int clamp_target_rate;
};

#define AT(field) offsetof(struct dcqcn_options, field)
#define ROW(...)  ASIM_OPTION(struct dcqcn_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("CLAMP_TARGET_RATE", BOOL, clamp_target_rate, "DCQCN: set the target at every cut",
        .def = "0"),
    {.key = "ALPHA_RESUME_INTERVAL",
     .type = ASIM_T_TIME,
     .offset = AT(alpha_resume_fs),
     .def = "1us",
     .flags = ASIM_F_US | ASIM_F_WHOLE,
     .usual_max = 1e9,
     .help = "DCQCN: alpha timer, us",
     .attribute = "AlphaResumInterval", /* as in the HPCC module */
     .builtin = "55"},
    ROW("RATE_DECREASE_INTERVAL", TIME, rate_decrease_fs, "DCQCN: cut interval, us", .def = "4us",
        .flags = ASIM_F_US | ASIM_F_WHOLE, .usual_max = 1e9),
    ROW("RP_TIMER", TIME, rp_timer_fs, "DCQCN: increase timer, us", .def = "900us",
        .flags = ASIM_F_US | ASIM_F_WHOLE, .usual_max = 1e9, .attribute = "RPTimer",
        .builtin = "0"),
    ASIM_CC_EWMA_GAIN(struct dcqcn_options, ewma_gain),
    ROW("FAST_RECOVERY_TIMES", U32, fast_recovery_times, "DCQCN: rounds of recovery", .def = "1",
        .max = 1e6, .builtin = "5"),
    ASIM_CC_RATE_AI(struct dcqcn_options, rate_ai_bps),
    ASIM_CC_RATE_HAI(struct dcqcn_options, rate_hai_bps),
    {.key = NULL},
};

/* Per flow; the target is what recovery returns to, alpha the estimate of congestion, 0 … 1. */
struct dcqcn {
    uint64_t target_bps;
    double alpha;
    uint64_t alpha_at, check_at, raise_at; /* next tick of each timer, ns; 0 = not started */
    uint32_t stage;                        /* increases since the last cut */
    int alpha_cnp, cut_cnp;                /* a CNP came since the last tick */
};

enum { ALPHA_IS_NOTHING = 64 }; /* exponent below which alpha counts as 0 */

/* The earlier of the two that are needed; alpha has no timer of its own. */
static void plan_timer(struct asim_cc_flow *flow)
{
    const struct dcqcn *state = flow->state;

    flow->timer_at = UINT64_MAX;
    if (state->cut_cnp)
        flow->timer_at = state->check_at;
    if (state->raise_at && state->raise_at < flow->timer_at)
        flow->timer_at = state->raise_at;
}

/* Runs alpha's ticks before `until`. */
static void decay(struct dcqcn *state, uint64_t until, const struct dcqcn_options *opt)
{
    uint64_t every = asim_cc_timer_ns(opt->alpha_resume_fs);
    double g = opt->ewma_gain;

    while (every && state->alpha_at && state->alpha_at < until) {
        state->alpha = (1 - g) * state->alpha + (state->alpha_cnp ? g : 0);
        state->alpha_cnp = 0;
        if (state->alpha < 1.0 / (1ull << 63) / ALPHA_IS_NOTHING) {
            state->alpha = 0;
            state->alpha_at += (until - state->alpha_at + every - 1) / every * every;
            return;
        }
        state->alpha_at += every;
    }
}

/* alpha starts at 1 and the target at line rate, as in the paper. */
static void open(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    struct dcqcn *state = flow->state;

    (void)config;
    state->alpha = 1;
    state->target_bps = flow->rate_bps;
}

/* The first CNP starts the timers and does not cut by itself. */
static void first_cnp(struct dcqcn *state, uint64_t now, const struct asim_cc_flow *flow,
                      const struct dcqcn_options *opt)
{
    state->alpha = 1;
    state->alpha_cnp = 0;
    state->alpha_at = now + asim_cc_timer_ns(opt->alpha_resume_fs);
    state->check_at = now + asim_cc_timer_ns(opt->rate_decrease_fs) + 1;
    state->target_bps = flow->rate_bps;
}

/* Cut, if a CNP came since the last check. */
static void check(struct asim_cc_flow *flow, uint64_t now, const struct dcqcn_options *opt)
{
    struct dcqcn *state = flow->state;

    state->check_at += asim_cc_timer_ns(opt->rate_decrease_fs);
    if (!state->cut_cnp)
        return;
    decay(state, now, opt);
    if (opt->clamp_target_rate || state->stage)
        state->target_bps = flow->rate_bps;
    flow->rate_bps = asim_cc_scale(flow, flow->rate_bps, 1 - state->alpha / 2);
    state->stage = 0;
    state->cut_cnp = 0;
    state->raise_at = now + asim_cc_timer_ns(opt->rp_timer_fs);
}

/* Halfway to the target, which itself rises after the recovery rounds. */
static void raise_rate(struct asim_cc_flow *flow, const struct dcqcn_options *opt)
{
    struct dcqcn *state = flow->state;
    uint64_t step = 0;

    state->raise_at += asim_cc_timer_ns(opt->rp_timer_fs);
    if (state->stage == opt->fast_recovery_times)
        step = opt->rate_ai_bps;
    else if (state->stage > opt->fast_recovery_times)
        step = opt->rate_hai_bps;
    if (step)
        state->target_bps = asim_cc_clamp(flow, state->target_bps + step);
    flow->rate_bps = flow->rate_bps / 2 + state->target_bps / 2;
    state->stage++;
    if (flow->rate_bps + 1 >= flow->line_bps && state->target_bps == flow->line_bps)
        state->raise_at = 0;
}

/* Timers of equal time fire in the order in which they were scheduled: the longer period first; of
 * equal periods the check, which started the increase. A cut cancels the increase. */
static void fire(struct asim_cc_flow *flow, uint64_t now, const struct dcqcn_options *opt)
{
    struct dcqcn *state = flow->state;
    int is_due = state->check_at == now && state->cut_cnp;
    int is_last = asim_cc_timer_ns(opt->rp_timer_fs) > asim_cc_timer_ns(opt->rate_decrease_fs);

    if (is_due && !is_last)
        check(flow, now, opt);
    if (state->raise_at == now)
        raise_rate(flow, opt);
    if (is_due && is_last)
        check(flow, now, opt);
}

/* Marks are all it looks at; ACKs without one change nothing. A tick or a check at this very ns was
 * scheduled before the ACK's last hop if its period is longer. */
static void on_ack(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config)
{
    const struct dcqcn_options *opt = config->options;
    struct dcqcn *state = flow->state;
    uint64_t every, until;

    if (!ack->marked)
        return;
    every = asim_cc_timer_ns(opt->rate_decrease_fs);
    until = ack->now + (every > ack->age);
    if (!state->check_at) {
        state->cut_cnp = state->alpha_cnp = 1;
        first_cnp(state, ack->now, flow, opt);
        plan_timer(flow);
        return;
    }
    if (state->cut_cnp && state->check_at < until)
        fire(flow, ack->now, opt);
    decay(state, ack->now + (asim_cc_timer_ns(opt->alpha_resume_fs) > ack->age), opt);
    state->alpha_cnp = 1;
    while (!state->cut_cnp && state->check_at < until && every)
        state->check_at += every;
    state->cut_cnp = 1;
    plan_timer(flow);
}

static void on_timer(struct asim_cc_flow *flow, uint64_t now, const struct asim_cc_config *config)
{
    fire(flow, now, config->options);
    plan_timer(flow);
}

/* A timer without a period would fire for ever at one time. */
static int check_timers(const void *values, struct asim_err *err)
{
    const struct dcqcn_options *opt = values;

    if (asim_cc_timer_ns(opt->rp_timer_fs) && asim_cc_timer_ns(opt->rate_decrease_fs) &&
        asim_cc_timer_ns(opt->alpha_resume_fs))
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "dcqcn runs on timers: RP_TIMER, RATE_DECREASE_INTERVAL and "
                        "ALPHA_RESUME_INTERVAL must be 1 us or more");
}

const struct asim_cc asim_cc_dcqcn = {
    .member = {.name = "dcqcn",
               .about = "ECN marks echoed as CNPs, timer-driven recovery",
               .options = options,
               .options_size = sizeof(struct dcqcn_options)},
    .number = 1,
    .steady = 1,
    .by_marks = 1,
    .state_size = sizeof(struct dcqcn),
    .check = check_timers,
    .open = open,
    .on_ack = on_ack,
    .on_timer = on_timer,
};
