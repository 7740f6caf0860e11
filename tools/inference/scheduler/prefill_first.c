/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Waiting prompts, whole, before new tokens, as vLLM's V0 engine did: first tokens come sooner, and
 * running requests pause for them.
 */
#include "tools/inference/engine.h"

static void form(struct asim_instance *at, struct asim_iteration *to)
{
    uint64_t budget = at->engine->opt.max_tokens;

    asim_schedule_waiting(at, to, &budget, 0);
    budget = UINT64_MAX;
    if (!to->parts.n)
        asim_schedule_running(at, to, &budget);
}

const struct asim_scheduler asim_inference_scheduler_prefill_first = {
    .member = {"prefill-first", "whole prompts before new tokens (vLLM V0)", NULL, 0},
    .form = form,
};
