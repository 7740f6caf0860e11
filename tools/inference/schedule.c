/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The steps that schedulers are made of. Running requests are served before those that wait, and
 * these first come, first served. Where the blocks of KV cache run out, the running request that
 * was taken last loses its own and waits before all others; its tokens are computed again (vLLM's
 * preemption).
 *
 * With several stages an iteration takes its share of the running requests, so that each stage has
 * some.
 */
#include "tools/inference/engine.h"

#include <string.h>

static void add_part(struct asim_instance *at, struct asim_iteration *to, uint32_t number,
                     uint64_t tokens)
{
    const struct asim_serving_part part = {number, (uint32_t)tokens};

    asim_request_of(at, number)->is_under_way = 1;
    if (ASIM_VEC_PUSH(to->parts, part))
        asim_engine_nomem(at->engine);
}

static int has_blocks(struct asim_instance *at, struct asim_request *request, uint64_t tokens)
{
    int code = asim_kv_take(&at->kv, request, tokens);

    if (code == ASIM_ENOMEM)
        asim_engine_nomem(at->engine);
    return !code;
}

/* Preempts the request taken last that is in no iteration; returns it, or -1. */
static int64_t preempt_last(struct asim_instance *at)
{
    for (size_t i = at->running.n; i--;) {
        uint32_t number = at->running.at[i];
        struct asim_request *request = asim_request_of(at, number);

        if (request->is_under_way)
            continue;
        if (asim_kv_leave(&at->kv, request, 1))
            asim_engine_nomem(at->engine);
        request->computed = 0;
        request->preemptions++;
        memmove(&at->running.at[i], &at->running.at[i + 1],
                (at->running.n - i - 1) * sizeof *at->running.at);
        at->running.n--;
        asim_instance_wait(at, number, 1);
        return number;
    }
    return -1;
}

int asim_schedule_running(struct asim_instance *at, struct asim_iteration *to, uint64_t *budget)
{
    size_t stages = at->engine->opt.stages, share = (at->running.n + stages - 1) / stages;
    int has_preempted = 0;

    for (size_t i = 0; i < at->running.n && share && *budget && !at->engine->err.code; i++) {
        uint32_t number = at->running.at[i];
        struct asim_request *request = asim_request_of(at, number);
        uint64_t tokens = asim_request_left(request);
        int64_t victim = -1;

        if (request->is_under_way)
            continue;
        tokens = tokens < *budget ? tokens : *budget;
        while (!has_blocks(at, request, request->computed + tokens)) {
            victim = at->engine->err.code ? -1 : preempt_last(at);
            has_preempted |= victim >= 0;
            if (victim < 0 || victim == number)
                return has_preempted;
        }
        add_part(at, to, number, tokens);
        *budget -= tokens;
        share--;
    }
    return has_preempted;
}

/* The tokens of a prompt that an iteration takes; 0 = none. A prompt that must be whole and is
 * longer than any iteration has one to itself. */
static uint64_t piece_of(uint64_t left, uint64_t budget, int in_pieces, int is_first)
{
    return left <= budget ? left : in_pieces ? budget : is_first ? left : 0;
}

void asim_schedule_waiting(struct asim_instance *at, struct asim_iteration *to, uint64_t *budget,
                           int in_pieces)
{
    while (at->head < at->waiting.n && at->running.n + at->pulling < at->engine->opt.max_batch &&
           *budget && !at->engine->err.code) {
        uint32_t number = at->waiting.at[at->head];
        struct asim_request *request = asim_request_of(at, number);
        uint64_t found, tokens;

        if (!at->takes_arrivals && !request->kv_ns)
            return;
        found = asim_kv_found(&at->kv, request);
        tokens = piece_of((uint64_t)request->prompt + request->made - found, *budget, in_pieces,
                          !to->parts.n);
        if (!tokens || !has_blocks(at, request, found + tokens))
            return;
        if (!request->preemptions && at->takes_arrivals) {
            request->begun_ns = asim_instance_now(at);
            request->cached = (uint32_t)found;
        }
        request->computed = found;
        at->head++;
        if (ASIM_VEC_PUSH(at->running, number))
            asim_engine_nomem(at->engine);
        add_part(at, to, number, tokens);
        *budget -= tokens < *budget ? tokens : *budget;
    }
}

void asim_schedule_pulls(struct asim_instance *at)
{
    while (at->head < at->waiting.n && at->running.n + at->pulling < at->engine->opt.max_batch &&
           !at->engine->err.code) {
        uint32_t number = at->waiting.at[at->head];
        struct asim_request *request = asim_request_of(at, number);

        if (request->kv_ns || !has_blocks(at, request, (uint64_t)request->prompt + 1))
            return;
        at->head++;
        at->pulling++;
        asim_transfer_pull(at, number);
    }
}
