/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Prefill and decode apart (Zhong et al.: DistServe, 2024): an instance that prefills takes whole
 * prompts, together up to --max-tokens, which keep its GPU busy; one that decodes takes a token of
 * each running request, and computes a prompt only for a request that it had to preempt.
 */
#include "tools/inference/engine.h"

static void form(struct asim_instance *at, struct asim_iteration *to)
{
    uint64_t budget = at->engine->opt.max_tokens;

    if (at->takes_arrivals || !asim_schedule_running(at, to, &budget))
        asim_schedule_waiting(at, to, &budget, 0);
}

const struct asim_scheduler asim_inference_scheduler_disaggregated = {
    .member = {"disaggregated", "whole prompts here, new tokens there (DistServe)", NULL, 0},
    .splits = 1,
    .form = form,
};
