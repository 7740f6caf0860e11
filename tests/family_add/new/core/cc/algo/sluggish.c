/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway congestion control with two knobs: from SLUGGISH_AFTER of the run on, a flow has
 * SLUGGISH_PERCENT of its line rate.
 */
#include "cc/cc.h"
#include "cc/flow.h"

struct sluggish_options {
    uint64_t after_fs;
    uint32_t percent;
};

static const struct asim_option options[] = {
    {.key = "SLUGGISH_PERCENT",
     .type = ASIM_T_U32,
     .offset = offsetof(struct sluggish_options, percent),
     .def = "100",
     .min = 1,
     .max = 100,
     .help = "Sluggish: share of the line rate, percent"},
    {.key = "SLUGGISH_AFTER",
     .type = ASIM_T_TIME,
     .offset = offsetof(struct sluggish_options, after_fs),
     .def = "0us",
     .flags = ASIM_F_US,
     .help = "Sluggish: time of the change, us"},
    {.key = NULL},
};

static void set_rate(struct asim_cc_flow *flow, uint64_t now, const struct sluggish_options *opt)
{
    if (now >= opt->after_fs / 1000000)
        flow->rate_bps = asim_cc_scale(flow, flow->line_bps, opt->percent / 100.0);
}

static void open(struct asim_cc_flow *flow, const struct asim_cc_config *config)
{
    set_rate(flow, 0, config->options);
}

static void on_ack(struct asim_cc_flow *flow, const struct asim_cc_ack *ack,
                   const struct asim_cc_config *config)
{
    set_rate(flow, ack->now, config->options);
}

const struct asim_cc asim_cc_sluggish = {
    .member = {.name = "sluggish",
               .about = "a share of the line rate from a time on",
               .options = options,
               .options_size = sizeof(struct sluggish_options)},
    .number = -1,
    .open = open,
    .on_ack = on_ack,
    .on_timer = asim_cc_timer_nothing,
};
