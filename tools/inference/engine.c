/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs instances: arrivals, and iterations that a scheduler forms.
 *
 * Request i goes to prefill (or mixed) instance i modulo their number, and from there to decode
 * instance i modulo theirs. Each stage of an instance's pipeline has one iteration at a time, so as
 * many iterations as stages are under way, of different requests. An iteration stays in each stage
 * for an equal part of its time, or until the iteration before it has left the next one. The end of
 * a prefill gives the first token.
 */
#include "tools/inference/engine.h"

#include <stdlib.h>
#include <string.h>

/* --- the start of an iteration --- */

/* Tokens of a prompt attend to those before them; a new token to the whole context. */
static struct asim_batch batch_of(const struct asim_instance *at, const struct asim_iteration *of)
{
    struct asim_batch batch = {0};

    for (size_t i = 0; i < of->parts.n; i++) {
        const struct asim_serving_part *part = &of->parts.at[i];
        const struct asim_request *request = asim_request_of(at, part->request);
        int is_new = request->made && asim_request_left(request) == 1;
        uint64_t before = request->computed + (unsigned)is_new;

        batch.prefill_tokens += is_new ? 0 : part->tokens;
        batch.decode_tokens += (unsigned)is_new;
        batch.attention +=
            is_new ? (double)before : (double)part->tokens * ((double)before + part->tokens / 2.0);
        batch.kv_read += before;
    }
    return batch;
}

static void cut(struct asim_instance *at, struct asim_iteration *of, uint64_t tokens,
                uint64_t takes)
{
    struct asim_engine *engine = at->engine;
    const struct asim_slice *slice = NULL;

    of->slices = of->begun = of->under_way = 0;
    if (!of->comm_ns || !engine->comm->is_together ||
        asim_comm_slice(engine->comm, tokens, engine->opt.stages > 1, &slice, &engine->err))
        return;
    of->tokens = tokens;
    of->slices = slice->of_stage * engine->opt.stages;
    of->slice_ns = takes / of->slices;
    of->next_ns = asim_instance_now(at);
}

static void begin(struct asim_instance *at)
{
    struct asim_engine *engine = at->engine;
    uint32_t stages = engine->opt.stages;
    struct asim_iteration *next = asim_iteration_of(at, at->n_iterations);
    struct asim_batch batch;
    uint64_t now = asim_instance_now(at), takes, stage, behind;

    if (at->n_iterations == stages || now < at->free_ns)
        return;
    next->parts.n = 0;
    engine->opt.scheduler->form(at, next);
    if (!next->parts.n || engine->err.code)
        return;
    batch = batch_of(at, next);
    if (asim_comm_of(engine->comm, batch.prefill_tokens + batch.decode_tokens, &next->comm_ns,
                     &engine->err))
        return;
    takes = asim_times_of(engine->times, &batch) + next->comm_ns;
    takes += !takes;
    cut(at, next, batch.prefill_tokens + batch.decode_tokens, takes);
    stage = (takes + stages - 1) / stages;
    behind = at->n_iterations ? asim_iteration_of(at, at->n_iterations - 1)->ends_ns + stage : 0;
    next->ends_ns = now + takes > behind ? now + takes : behind;
    at->n_iterations++;
    at->free_ns = now + stage;
    asim_instance_wake(at, next->ends_ns);
    if (stages > 1)
        asim_instance_wake(at, at->free_ns);
    asim_slices_begin(at);
}

/* --- the end of an iteration --- */

/* A token is there. */
static void end_token(struct asim_instance *at, uint32_t number)
{
    struct asim_request *request = asim_request_of(at, number);

    if (++request->made == 1)
        request->first_ns = asim_instance_now(at);
    if (request->made == request->output) {
        request->finish_ns = asim_instance_now(at);
        at->engine->finished++;
        if (asim_kv_leave(&at->kv, request, 0))
            asim_engine_nomem(at->engine);
    } else if (at->sends_away) {
        asim_transfer_announce(at, number);
    }
}

static void end_iteration(struct asim_instance *at)
{
    const struct asim_iteration *ended = asim_iteration_of(at, 0);
    size_t kept = 0;

    for (size_t i = 0; i < ended->parts.n && !at->engine->err.code; i++) {
        const struct asim_serving_part part = ended->parts.at[i];
        struct asim_request *request = asim_request_of(at, part.request);

        request->is_under_way = 0;
        request->comm_ns += ended->comm_ns;
        request->computed += part.tokens;
        if (!asim_request_left(request))
            end_token(at, part.request);
    }
    for (size_t i = 0; i < at->running.n; i++) {
        const struct asim_request *request = asim_request_of(at, at->running.at[i]);

        if (!request->finish_ns && !(at->sends_away && request->made))
            at->running.at[kept++] = at->running.at[i];
    }
    at->running.n = kept;
    at->oldest = (at->oldest + 1) % at->engine->opt.stages;
    at->n_iterations--;
}

/* --- callbacks --- */

/* Asks for the next arrival behind those of the present time. */
static void take_arrivals(struct asim_instance *at)
{
    const struct asim_requests *requests = at->engine->requests;
    uint64_t now = asim_instance_now(at);

    if (!at->takes_arrivals || at->next >= requests->n || requests->at[at->next].arrival_ns > now)
        return;
    for (; at->next < requests->n && requests->at[at->next].arrival_ns <= now; at->next += at->of) {
        requests->at[at->next].prefill = at->first_host / at->engine->opt.gpus;
        asim_instance_wait(at, (uint32_t)at->next, 0);
    }
    if (at->next < requests->n)
        asim_instance_wake(at, requests->at[at->next].arrival_ns);
}

static void on_wake(void *self, uint32_t host)
{
    struct asim_engine *engine = self;
    struct asim_instance *at;

    if (engine->err.code || host / engine->opt.gpus >= engine->n)
        return;
    at = &engine->instances[host / engine->opt.gpus];
    take_arrivals(at);
    asim_slices_begin(at);
    while (at->n_iterations && asim_iteration_of(at, 0)->ends_ns <= asim_instance_now(at) &&
           asim_slices_are_done(asim_iteration_of(at, 0)) && !engine->err.code)
        end_iteration(at);
    if (!at->takes_arrivals)
        asim_schedule_pulls(at);
    if (!engine->err.code)
        begin(at);
}

/* --- the whole --- */

/* Instances of the prefill role come first, then those that decode; or all are mixed. */
static void set_up(struct asim_engine *engine)
{
    const struct asim_engine_options *opt = &engine->opt;

    for (uint32_t i = 0; i < engine->n; i++) {
        struct asim_instance *at = &engine->instances[i];

        at->engine = engine;
        at->first_host = i * opt->gpus;
        at->iterations = calloc(opt->stages, sizeof *at->iterations);
        if (!at->iterations)
            asim_engine_nomem(engine);
        at->takes_arrivals = opt->mixed || i < opt->prefill;
        at->sends_away = !opt->mixed;
        at->of = opt->mixed ? opt->mixed : opt->prefill;
        at->next = i;
        if (!at->takes_arrivals)
            at->sends_away = 0;
        asim_kv_init(&at->kv, opt->kv_tokens, opt->caches_prefixes, !at->takes_arrivals);
        if (at->takes_arrivals && i < engine->requests->n)
            asim_instance_wake(at, engine->requests->at[i].arrival_ns);
    }
}

int asim_scheduler_find(const struct asim_scheduler **scheduler, const char *name, int is_split,
                        struct asim_err *err)
{
    /* The name that first come, first served had while whole prompts were the default. */
    const char *known = strcmp(name, "chunked") ? name : "fcfs";
    const struct asim_member *found =
        asim_family_find(asim_inference_scheduler_table, "scheduler", known, err);

    *scheduler = (const struct asim_scheduler *)(const void *)found;
    if (!found)
        return ASIM_EUSAGE;
    if ((*scheduler)->splits && !is_split)
        return asim_err_set(err, ASIM_EUSAGE,
                            "--scheduler=%s needs instances that prefill and others that decode: "
                            "say --prefill=N and --decode=N.",
                            name);
    return 0;
}

int asim_engine_open(struct asim_engine **engine, const struct asim_engine_options *opt,
                     struct asim_requests *requests, struct asim_world *world, struct asim_err *err)
{
    struct asim_messages_hooks hooks = {
        .size = sizeof hooks, .wake = on_wake, .arrived = asim_transfer_arrived};
    struct asim_engine *made = *engine = calloc(1, sizeof *made);

    if (made)
        made->n = opt->mixed ? opt->mixed : opt->prefill + opt->decode;
    if (made)
        made->instances = calloc(made->n + 1, sizeof *made->instances);
    if (!made || !made->instances)
        return asim_err_nomem(err, "setting up instances");
    made->opt = *opt;
    made->requests = requests;
    made->world = world;
    hooks.self = made;
    if (asim_messages_hook(world, &hooks, err))
        return ASIM_EUSAGE;
    set_up(made);
    if (made->err.code && err)
        *err = made->err;
    return made->err.code;
}

void asim_engine_use(struct asim_engine *engine, const struct asim_times *times,
                     struct asim_instance_comm *comm)
{
    engine->times = times;
    engine->comm = comm;
}

uint64_t asim_engine_finished(const struct asim_engine *engine)
{
    return engine->finished;
}

int asim_engine_verdict(const struct asim_engine *engine, struct asim_err *err)
{
    if (engine->err.code && err && !err->code)
        *err = engine->err;
    if (engine->err.code || engine->finished == engine->requests->n)
        return engine->err.code;
    return asim_err_set(
        err, ASIM_ESTALL,
        "%llu of %zu requests finished, and the others wait for ever; please report this.",
        (unsigned long long)engine->finished, engine->requests->n);
}

void asim_engine_close(struct asim_engine *engine)
{
    for (uint32_t i = 0; engine && engine->instances && i < engine->n; i++) {
        ASIM_FREE(engine->instances[i].waiting.at, engine->instances[i].running.at);
        for (uint32_t k = 0; engine->instances[i].iterations && k < engine->opt.stages; k++)
            free(engine->instances[i].iterations[k].parts.at);
        free(engine->instances[i].iterations);
        asim_kv_fini(&engine->instances[i].kv);
    }
    if (engine)
        free(engine->instances);
    free(engine);
}
