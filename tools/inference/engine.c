/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Runs instances with their schedulers, and sends KV caches.
 *
 * Request i goes to prefill (or mixed) instance i modulo their number, and from there to decode
 * instance i modulo theirs. Each stage of an instance's pipeline has one iteration at a time, so as
 * many iterations as stages are under way, of different requests. What an iteration takes:
 *
 *   prefill-first  waiting prompts, whole, up to max_tokens (one at least); else one token of each
 *                  running request
 *   chunked        one token of each running request, and prompts, in pieces, up to max_tokens
 *                  (Agrawal et al.: Sarathi-Serve, 2024)
 *
 * Running requests and prompts together are at most max_batch; requests are taken first come, first
 * served, while their tokens fit kv_tokens. With several stages an iteration takes its share of the
 * running requests, so that each stage has some. It stays in each stage for an equal part of its
 * time, or until the iteration before it has left the next one.
 *
 * The end of a prefill gives the first token. Then each GPU of the instance sends its shard of the
 * KV cache to the GPU of the same number in the decode instance. The first GPU tells the others to
 * send, and the receivers tell their first GPU, by messages of NOTICE_BYTES.
 */
#include "tools/inference/inference.h"

#include <stdlib.h>
#include "asim/messages.h"

enum { NOTICE_BYTES = 64 };

/* A cookie: what the message is, and the request. */
enum { GO, SHARD, GOT, KIND_BITS = 2 };

/* What a request does in an iteration. */
struct part {
    uint32_t request;
    uint32_t prompt; /* tokens of its prompt; 0: it makes a token */
};

struct iteration {
    ASIM_VEC(struct part) parts;
    uint64_t ends_ns, comm_ns;
};

struct instance {
    struct asim_engine *engine;
    uint32_t first_host, number, of; /* number among `of` that take arrivals */
    int takes_arrivals, sends_away;  /* sends_away: it decodes nothing */
    uint64_t next;                   /* request that arrives next */
    ASIM_VEC(uint32_t) waiting;      /* from `head` on, first come first */
    size_t head;
    ASIM_VEC(uint32_t) running;
    uint64_t kv_tokens; /* of the requests taken and not finished or sent */
    /* Under way: n_iterations from `oldest` on, in a ring of as many as there are stages. The first
     * stage is free from free_ns on. */
    struct iteration *iterations;
    uint32_t oldest, n_iterations;
    uint64_t free_ns;
};

struct asim_engine {
    struct asim_engine_options opt;
    struct asim_requests *requests;
    struct asim_world *world;
    const struct asim_times *times;
    struct asim_instance_comm *comm;
    struct instance *instances;
    uint32_t n;
    uint64_t finished;
    struct asim_err err;
};

static uint64_t now_of(const struct instance *at)
{
    return asim_messages_now(at->engine->world, at->first_host);
}

static void fail_nomem(struct asim_engine *engine)
{
    asim_err_nomem(&engine->err, "serving requests");
}

static void wake_at(const struct instance *at, uint64_t time_ns)
{
    uint64_t now = now_of(at);

    if (asim_messages_wake(at->engine->world, at->first_host, time_ns > now ? time_ns - now : 0))
        fail_nomem(at->engine);
}

/* A notice, or a GPU's share of the KV cache. */
static void send(struct asim_engine *engine, uint32_t src, uint32_t dst, int kind, uint32_t request)
{
    uint64_t gpus = engine->opt.gpus,
             cache = engine->requests->at[request].prompt * engine->opt.kv_bytes;
    uint64_t bytes = kind == SHARD ? (cache + gpus - 1) / gpus : NOTICE_BYTES;
    const struct asim_own_message message = {src, dst, bytes,
                                             (uint64_t)request << KIND_BITS | (unsigned)kind};

    int code = asim_messages_send(engine->world, &message);

    if (code == ASIM_EINVAL)
        asim_err_set(&engine->err, code,
                     "request %u: a share of its KV cache of %llu bytes is more than one message "
                     "can carry (2^44 - 1); use a shorter prompt.",
                     request, (unsigned long long)bytes);
    else if (code)
        fail_nomem(engine);
}

/* --- forming an iteration --- */

static uint64_t kv_of(const struct instance *at, const struct asim_request *request)
{
    return (uint64_t)request->prompt + (at->sends_away ? 0 : request->output);
}

/* Room for the request that waits first. A request larger than the limit is taken alone. */
static int has_room(const struct instance *at, size_t batch)
{
    const struct asim_engine_options *opt = &at->engine->opt;
    const struct asim_request *request = &at->engine->requests->at[at->waiting.at[at->head]];

    return batch < opt->max_batch && (!opt->kv_tokens || !at->kv_tokens ||
                                      at->kv_tokens + kv_of(at, request) <= opt->kv_tokens);
}

/* The i-th of those under way; the one behind the last is free. */
static struct iteration *iteration_of(const struct instance *at, uint32_t i)
{
    return &at->iterations[(at->oldest + i) % at->engine->opt.stages];
}

static void add_part(struct instance *at, struct iteration *to, uint32_t request, uint32_t prompt)
{
    const struct part part = {request, prompt};

    at->engine->requests->at[request].is_under_way = 1;
    if (ASIM_VEC_PUSH(to->parts, part))
        fail_nomem(at->engine);
}

/* Adds prompts of waiting requests. `batch`: requests that run. A request whose prompt is cut stays
 * first. */
static void add_prompts(struct instance *at, struct iteration *to, size_t batch)
{
    const struct asim_engine_options *opt = &at->engine->opt;
    int in_pieces = opt->batching == ASIM_BATCH_CHUNKED;
    uint64_t left = opt->max_tokens;

    while (at->head < at->waiting.n && !at->engine->err.code) {
        struct asim_request *request = &at->engine->requests->at[at->waiting.at[at->head]];
        uint32_t tokens = request->prompt - request->done_prompt;

        if (request->is_under_way || (!request->done_prompt && !has_room(at, batch)))
            return;
        if (tokens > left && (in_pieces || to->parts.n)) {
            tokens = in_pieces ? (uint32_t)left : 0;
            if (!tokens)
                return;
        }
        if (!request->done_prompt) {
            request->begun_ns = now_of(at);
            at->kv_tokens += kv_of(at, request);
        }
        add_part(at, to, at->waiting.at[at->head], tokens);
        left -= tokens < left ? tokens : left;
        batch++;
        if (request->done_prompt + tokens < request->prompt)
            return;
        at->head++;
    }
}

/* A decode instance: caches that have come join the running requests. */
static void join_waiting(struct instance *at)
{
    while (at->head < at->waiting.n && has_room(at, at->running.n)) {
        uint32_t request = at->waiting.at[at->head++];

        at->kv_tokens += kv_of(at, &at->engine->requests->at[request]);
        if (ASIM_VEC_PUSH(at->running, request))
            fail_nomem(at->engine);
    }
}

/* A token of each running request that is in no iteration, up to the share of a stage. */
static void add_tokens(struct instance *at, struct iteration *to)
{
    size_t stages = at->engine->opt.stages, share = (at->running.n + stages - 1) / stages;

    for (size_t i = 0; i < at->running.n && share; i++)
        if (!at->engine->requests->at[at->running.at[i]].is_under_way) {
            add_part(at, to, at->running.at[i], 0);
            share--;
        }
}

static void form(struct instance *at, struct iteration *to)
{
    int is_chunked = at->engine->opt.batching == ASIM_BATCH_CHUNKED;

    to->parts.n = 0;
    if (!at->takes_arrivals)
        join_waiting(at);
    else if (!is_chunked)
        add_prompts(at, to, at->running.n);
    if (!to->parts.n || is_chunked)
        add_tokens(at, to);
    if (at->takes_arrivals && is_chunked)
        add_prompts(at, to, at->running.n);
}

/* Tokens of a prompt attend to those before them; a new token to the whole context. */
static struct asim_batch batch_of(const struct instance *at, const struct iteration *of)
{
    struct asim_batch batch = {0};

    for (size_t i = 0; i < of->parts.n; i++) {
        const struct part *part = &of->parts.at[i];
        const struct asim_request *request = &at->engine->requests->at[part->request];
        uint64_t before = (uint64_t)request->done_prompt + request->done_output;

        batch.prefill_tokens += part->prompt;
        batch.decode_tokens += !part->prompt;
        batch.attention += part->prompt
                               ? (double)part->prompt * ((double)before + part->prompt / 2.0)
                               : (double)before;
        batch.kv_read += before;
    }
    return batch;
}

static void begin(struct instance *at)
{
    struct asim_engine *engine = at->engine;
    uint32_t stages = engine->opt.stages;
    struct iteration *next = iteration_of(at, at->n_iterations);
    struct asim_batch batch;
    uint64_t now = now_of(at), takes, stage, behind;

    if (at->n_iterations == stages || now < at->free_ns)
        return;
    form(at, next);
    if (!next->parts.n || engine->err.code)
        return;
    batch = batch_of(at, next);
    if (asim_comm_of(engine->comm, batch.prefill_tokens + batch.decode_tokens, &next->comm_ns,
                     &engine->err))
        return;
    takes = asim_times_of(engine->times, &batch) + next->comm_ns;
    takes += !takes;
    stage = (takes + stages - 1) / stages;
    behind = at->n_iterations ? iteration_of(at, at->n_iterations - 1)->ends_ns + stage : 0;
    next->ends_ns = now + takes > behind ? now + takes : behind;
    at->n_iterations++;
    at->free_ns = now + stage;
    wake_at(at, next->ends_ns);
    if (stages > 1)
        wake_at(at, at->free_ns);
}

/* --- the end of an iteration --- */

static void finish_request(struct instance *at, struct asim_request *request)
{
    request->finish_ns = now_of(at);
    at->kv_tokens -= kv_of(at, request);
    at->engine->finished++;
}

/* The first GPU's shard, and a notice to each other GPU. */
static void send_cache(struct instance *at, uint32_t number)
{
    struct asim_engine *engine = at->engine;
    struct asim_request *request = &engine->requests->at[number];
    uint32_t gpus = engine->opt.gpus;

    at->kv_tokens -= kv_of(at, request);
    request->decode = engine->opt.prefill + number % engine->opt.decode;
    for (uint32_t gpu = 1; gpu < gpus; gpu++)
        send(engine, at->first_host, at->first_host + gpu, GO, number);
    send(engine, at->first_host, request->decode * gpus, SHARD, number);
}

static void end_prompt(struct instance *at, uint32_t number, uint32_t tokens)
{
    struct asim_request *request = &at->engine->requests->at[number];

    request->done_prompt += tokens;
    if (request->done_prompt < request->prompt)
        return;
    request->first_ns = now_of(at);
    request->done_output = 1;
    if (request->output == 1)
        finish_request(at, request);
    else if (at->sends_away)
        send_cache(at, number);
    else if (ASIM_VEC_PUSH(at->running, number))
        fail_nomem(at->engine);
}

static void end_iteration(struct instance *at)
{
    const struct iteration *ended = iteration_of(at, 0);
    size_t kept = 0;

    for (size_t i = 0; i < ended->parts.n && !at->engine->err.code; i++) {
        const struct part part = ended->parts.at[i];
        struct asim_request *request = &at->engine->requests->at[part.request];

        request->is_under_way = 0;
        request->comm_ns += ended->comm_ns;
        if (part.prompt)
            end_prompt(at, part.request, part.prompt);
        else if (++request->done_output == request->output)
            finish_request(at, request);
    }
    for (size_t i = 0; i < at->running.n; i++)
        if (!at->engine->requests->at[at->running.at[i]].finish_ns)
            at->running.at[kept++] = at->running.at[i];
    at->running.n = kept;
    at->oldest = (at->oldest + 1) % at->engine->opt.stages;
    at->n_iterations--;
}

/* --- callbacks --- */

static void wait(struct instance *at, uint32_t request)
{
    if (ASIM_VEC_PUSH(at->waiting, request))
        fail_nomem(at->engine);
}

/* Asks for the next arrival behind those of the present time. */
static void take_arrivals(struct instance *at)
{
    const struct asim_requests *requests = at->engine->requests;
    uint64_t now = now_of(at);

    if (!at->takes_arrivals || at->next >= requests->n || requests->at[at->next].arrival_ns > now)
        return;
    for (; at->next < requests->n && requests->at[at->next].arrival_ns <= now; at->next += at->of) {
        requests->at[at->next].prefill = at->first_host / at->engine->opt.gpus;
        wait(at, (uint32_t)at->next);
    }
    if (at->next < requests->n)
        wake_at(at, requests->at[at->next].arrival_ns);
}

static struct instance *instance_of(struct asim_engine *engine, uint32_t host)
{
    return &engine->instances[host / engine->opt.gpus];
}

static void on_wake(void *self, uint32_t host)
{
    struct asim_engine *engine = self;
    struct instance *at;

    if (engine->err.code || host / engine->opt.gpus >= engine->n)
        return;
    at = instance_of(engine, host);
    take_arrivals(at);
    while (at->n_iterations && iteration_of(at, 0)->ends_ns <= now_of(at) && !engine->err.code)
        end_iteration(at);
    if (!engine->err.code)
        begin(at);
}

/* At the first GPU of the decode instance: one more shard is there. */
static void add_shard(struct instance *at, uint32_t number)
{
    struct asim_request *request = &at->engine->requests->at[number];

    if (++request->shards < at->engine->opt.gpus)
        return;
    request->kv_ns = now_of(at);
    wait(at, number);
    if (!at->engine->err.code)
        begin(at);
}

static void on_arrived(void *self, const struct asim_own_message *message)
{
    struct asim_engine *engine = self;
    uint32_t number = (uint32_t)(message->cookie >> KIND_BITS), gpus = engine->opt.gpus;
    struct instance *at = instance_of(engine, message->dst);
    const struct asim_request *request = &engine->requests->at[number];

    if (engine->err.code)
        return;
    switch (message->cookie & ((1u << KIND_BITS) - 1)) {
    case GO:
        send(engine, message->dst, request->decode * gpus + message->dst % gpus, SHARD, number);
        break;
    case SHARD:
        if (message->dst != at->first_host)
            send(engine, message->dst, at->first_host, GOT, number);
        else
            add_shard(at, number);
        break;
    default:
        add_shard(at, number);
    }
}

/* --- the whole --- */

/* Instances of the prefill role come first, then those that decode; or all are mixed. */
static void set_up(struct asim_engine *engine)
{
    const struct asim_engine_options *opt = &engine->opt;

    for (uint32_t i = 0; i < engine->n; i++) {
        struct instance *at = &engine->instances[i];

        at->engine = engine;
        at->first_host = i * opt->gpus;
        at->iterations = calloc(opt->stages, sizeof *at->iterations);
        if (!at->iterations)
            fail_nomem(engine);
        at->takes_arrivals = opt->mixed || i < opt->prefill;
        at->sends_away = !opt->mixed;
        at->of = opt->mixed ? opt->mixed : opt->prefill;
        at->next = i;
        if (!at->takes_arrivals)
            at->sends_away = 0;
        if (at->takes_arrivals && i < engine->requests->n)
            wake_at(at, engine->requests->at[i].arrival_ns);
    }
}

int asim_engine_open(struct asim_engine **engine, const struct asim_engine_options *opt,
                     struct asim_requests *requests, struct asim_world *world, struct asim_err *err)
{
    struct asim_messages_hooks hooks = {
        .size = sizeof hooks, .wake = on_wake, .arrived = on_arrived};
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
        free(engine->instances[i].waiting.at);
        free(engine->instances[i].running.at);
        for (uint32_t k = 0; engine->instances[i].iterations && k < engine->opt.stages; k++)
            free(engine->instances[i].iterations[k].parts.at);
        free(engine->instances[i].iterations);
    }
    if (engine)
        free(engine->instances);
    free(engine);
}
