/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Inside the engine: instances, their iterations, KV caches and schedulers. All of an instance is
 * touched on its first host only.
 */
#ifndef ASIM_TOOLS_INFERENCE_ENGINE_H
#define ASIM_TOOLS_INFERENCE_ENGINE_H

#include "asim/ext/family.h"
#include "asim/messages.h"
#include "base/map.h"
#include "tools/inference/inference.h"

/* What a request does in an iteration: so many tokens get their KV cache. */
struct asim_serving_part {
    uint32_t request, tokens;
};

struct asim_iteration {
    ASIM_VEC(struct asim_serving_part) parts;
    uint64_t ends_ns, comm_ns;
    /* Its slices (together.c), in order: how many there are and how many have begun; the time of
     * each without others; when the last one began, when the next one does; its messages under way.
     */
    uint64_t tokens, slice_ns, began_ns, next_ns;
    uint32_t slices, begun, under_way;
};

/* --- kv_blocks.c: KV cache in blocks of 16 tokens, as vLLM's --------------------------------- */

enum { ASIM_KV_BLOCK = 16, ASIM_KV_NO_ROOM = 1 };

struct asim_kv_block {
    uint64_t owner, index; /* whose block it is, where it is found again */
    int is_cached;
    uint32_t users, older, newer; /* with no users it is in the queue of free ones */
};
struct asim_kv {
    uint64_t capacity; /* blocks; 0 = no limit */
    uint64_t used;     /* blocks with users */
    int side;          /* of a request's blocks: 0 where it prefills, 1 where it decodes */
    int caches;        /* prefixes are found again */
    ASIM_VEC(struct asim_kv_block) blocks;
    uint32_t oldest, newest;
    struct asim_map cached;
};
void asim_kv_init(struct asim_kv *kv, uint64_t tokens, int caches, int side);
void asim_kv_fini(struct asim_kv *kv);
/* Tokens of a request without blocks that it would find there; at least one is left to compute. */
uint64_t asim_kv_found(const struct asim_kv *kv, const struct asim_request *request);
/* Gives the request blocks for so many tokens, those it finds first. A request alone always has
 * room. 0, ASIM_KV_NO_ROOM (nothing changes) or ASIM_ENOMEM. */
int asim_kv_take(struct asim_kv *kv, struct asim_request *request, uint64_t tokens);
/* Its blocks are free, the last of it first. A preempted request may find them again. */
int asim_kv_leave(struct asim_kv *kv, struct asim_request *request, int is_preempted);

/* --- instances -------------------------------------------------------------------------------- */

struct asim_instance {
    struct asim_engine *engine;
    uint32_t first_host, of;        /* number of those that take arrivals */
    int takes_arrivals, sends_away; /* sends_away: it decodes nothing */
    uint64_t next;                  /* request that arrives next */
    ASIM_VEC(uint32_t) waiting;     /* from `head` on, first come first */
    size_t head;
    ASIM_VEC(uint32_t) running; /* in the order in which they were taken */
    uint32_t pulling;           /* KV caches on their way here */
    struct asim_kv kv;
    /* Under way: n_iterations from `oldest` on, in a ring of as many as there are stages. The first
     * stage is free from free_ns on. */
    struct asim_iteration *iterations;
    uint32_t oldest, n_iterations;
    uint64_t free_ns;
};

struct asim_engine {
    struct asim_engine_options opt;
    struct asim_requests *requests;
    struct asim_world *world;
    const struct asim_times *times;
    struct asim_instance_comm *comm;
    struct asim_instance *instances;
    uint32_t n;
    uint64_t finished;
    struct asim_err err;
};

static inline struct asim_request *asim_request_of(const struct asim_instance *at, uint32_t number)
{
    return &at->engine->requests->at[number];
}

/* Tokens that have no KV cache yet: of the prompt, and of those made that were lost; or the last
 * token made, whose iteration makes the next one. */
static inline uint64_t asim_request_left(const struct asim_request *request)
{
    return (uint64_t)request->prompt + request->made - request->computed;
}

/* instance.c. The time of its first host; calls the engine at a time, or now where it has passed:
 * it ends iterations, and begins one if the first stage is free. */
uint64_t asim_instance_now(const struct asim_instance *at);
void asim_instance_wake(const struct asim_instance *at, uint64_t time_ns);
/* A request waits; `is_first`: before all others. */
void asim_instance_wait(struct asim_instance *at, uint32_t number, int is_first);
void asim_engine_nomem(struct asim_engine *engine);

/* The cookie of a message: the request, or the place of the iteration, and in the low bits which
 * kind of message it is: ASIM_COOKIE_SLICE, or one of transfer.c. */
enum { ASIM_COOKIE_BITS = 3, ASIM_COOKIE_SLICE = 7 };

/* slices.c. Begins slices that are due; a message of one has come. */
void asim_slices_begin(struct asim_instance *at);
void asim_slices_arrived(struct asim_instance *at, uint32_t place);
/* The i-th iteration of those under way; the one behind the last is free. */
static inline struct asim_iteration *asim_iteration_of(const struct asim_instance *at, uint32_t i)
{
    return &at->iterations[(at->oldest + i) % at->engine->opt.stages];
}
static inline int asim_slices_are_done(const struct asim_iteration *iteration)
{
    return iteration->begun == iteration->slices && !iteration->under_way;
}

/* transfer.c. KV caches from prefill to decode instances. */
void asim_transfer_announce(struct asim_instance *at, uint32_t number);
void asim_transfer_pull(struct asim_instance *at, uint32_t number);
void asim_transfer_arrived(void *engine, const struct asim_own_message *message);

/* --- schedulers: schedule.c has their steps, scheduler/ one file for each -----------------------
 */

struct asim_scheduler {
    struct asim_member member;
    int splits; /* it needs instances that prefill and others that decode */
    /* Puts parts into an iteration; none = there is nothing to do. */
    void (*form)(struct asim_instance *at, struct asim_iteration *to);
};
extern const struct asim_member *const asim_inference_scheduler_table[];

/* One token of each running request, or its prompt's next tokens, up to *budget. Where KV blocks
 * run out the request taken last is preempted. Returns whether one was. */
int asim_schedule_running(struct asim_instance *at, struct asim_iteration *to, uint64_t *budget);
/* Requests that wait, while there is room; prompts in pieces, or whole. */
void asim_schedule_waiting(struct asim_instance *at, struct asim_iteration *to, uint64_t *budget,
                           int in_pieces);
/* At a decode instance: asks for KV caches that are announced, while there is room. */
void asim_schedule_pulls(struct asim_instance *at);

#endif
