/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sends KV caches. The prefill instance announces a cache to the decode instance, which asks for it
 * when it has room, as vLLM's connectors do; then each GPU sends its shard to the GPU of the same
 * number. The receivers tell their first GPU, and that one the prefill instance, which frees its
 * blocks. What is no shard is a message of NOTICE_BYTES.
 */
#include "tools/inference/engine.h"

enum { NOTICE_BYTES = 64 };
enum { READY, PULL, SHARD, GOT, DONE }; /* kinds of messages */

static void send(struct asim_engine *engine, uint32_t src, uint32_t dst, int kind, uint32_t number)
{
    uint64_t stages = engine->opt.stages,
             cache = engine->requests->at[number].prompt * engine->opt.kv_bytes;
    uint64_t bytes = kind == SHARD ? (cache + stages - 1) / stages : NOTICE_BYTES;
    const struct asim_own_message message = {src, dst, bytes,
                                             (uint64_t)number << ASIM_COOKIE_BITS | (unsigned)kind};

    int code = asim_messages_send(engine->world, &message);

    if (code == ASIM_EINVAL)
        asim_err_set(&engine->err, code,
                     "request %u: a share of its KV cache of %llu bytes is more than one message "
                     "can carry (2^44 - 1); use a shorter prompt.",
                     number, (unsigned long long)bytes);
    else if (code)
        asim_engine_nomem(engine);
}

void asim_transfer_announce(struct asim_instance *at, uint32_t number)
{
    struct asim_engine *engine = at->engine;
    struct asim_request *request = &engine->requests->at[number];

    request->decode = engine->opt.prefill + number % engine->opt.decode;
    send(engine, at->first_host, request->decode * engine->opt.gpus, READY, number);
}

void asim_transfer_pull(struct asim_instance *at, uint32_t number)
{
    struct asim_request *request = asim_request_of(at, number);
    uint32_t gpus = at->engine->opt.gpus;

    request->pulled_ns = asim_instance_now(at);
    for (uint32_t gpu = 0; gpu < gpus; gpu++)
        send(at->engine, at->first_host, request->prefill * gpus + gpu, PULL, number);
}

/* At the first GPU of the decode instance: one more shard is there. */
static void add_shard(struct asim_instance *at, uint32_t number)
{
    struct asim_request *request = asim_request_of(at, number);

    if (++request->shards < at->engine->opt.gpus)
        return;
    request->kv_ns = asim_instance_now(at);
    request->computed = request->prompt;
    at->pulling--;
    if (ASIM_VEC_PUSH(at->running, number))
        asim_engine_nomem(at->engine);
    send(at->engine, at->first_host, request->prefill * at->engine->opt.gpus, DONE, number);
    asim_instance_wake(at, 0);
}

void asim_transfer_arrived(void *self, const struct asim_own_message *message)
{
    struct asim_engine *engine = self;
    uint32_t number = (uint32_t)(message->cookie >> ASIM_COOKIE_BITS), gpus = engine->opt.gpus;
    struct asim_instance *at = &engine->instances[message->dst / gpus];

    if (engine->err.code)
        return;
    switch (message->cookie & ((1u << ASIM_COOKIE_BITS) - 1)) {
    case READY:
        asim_instance_wait(at, number, 0);
        asim_instance_wake(at, 0);
        break;
    case PULL:
        send(engine, message->dst, message->src + message->dst % gpus, SHARD, number);
        break;
    case SHARD:
        if (message->dst != at->first_host)
            send(engine, message->dst, at->first_host, GOT, number);
        else
            add_shard(at, number);
        break;
    case GOT:
        add_shard(at, number);
        break;
    case ASIM_COOKIE_SLICE:
        asim_slices_arrived(at, number);
        break;
    default:
        if (asim_kv_leave(&at->kv, &engine->requests->at[number], 0))
            asim_engine_nomem(engine);
        else
            asim_instance_wake(at, 0);
    }
}
