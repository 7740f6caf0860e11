/* SPDX-License-Identifier: GPL-2.0-only
 *
 * First come, first served, with chunked prefill, as vLLM's V1 engine does by default: an iteration
 * has --max-tokens tokens, first for running requests, then for those that wait, whose prompts are
 * cut where tokens run out (Agrawal et al.: Sarathi-Serve, 2024). Nobody is admitted in an
 * iteration that preempts.
 */
#include "tools/inference/engine.h"

static void form(struct asim_instance *at, struct asim_iteration *to)
{
    uint64_t budget = at->engine->opt.max_tokens;

    if (!asim_schedule_running(at, to, &budget))
        asim_schedule_waiting(at, to, &budget, at->engine->opt.in_pieces);
}

const struct asim_scheduler asim_inference_scheduler_fcfs = {
    .member = {"fcfs", "first come, first served, prompts in pieces beside new tokens (vLLM V1)",
               NULL, 0},
    .form = form,
};
