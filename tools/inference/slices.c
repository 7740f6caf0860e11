/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The slices of iterations (together.c) on the network. At the flow level all hosts have one clock,
 * so an instance sends for all of its GPUs.
 */
#include "tools/inference/engine.h"

/* The iteration ends later, the ones behind it no sooner than it lets them. */
static void delay(struct asim_instance *at, uint32_t place, uint64_t late_ns)
{
    uint32_t stages = at->engine->opt.stages, i = 0;
    struct asim_iteration *before;

    while (asim_iteration_of(at, i) != &at->iterations[place])
        i++;
    before = asim_iteration_of(at, i);
    before->ends_ns += late_ns;
    before->comm_ns += late_ns;
    if (before->begun <= before->slices / stages)
        at->free_ns += late_ns;
    while (++i < at->n_iterations) {
        struct asim_iteration *next = asim_iteration_of(at, i);
        uint64_t least = before->ends_ns + next->slice_ns * (next->slices / stages);

        if (next->ends_ns < least)
            next->ends_ns = least;
        before = next;
    }
    for (i = 0; i < at->n_iterations; i++)
        asim_instance_wake(at, asim_iteration_of(at, i)->ends_ns);
    if (stages > 1)
        asim_instance_wake(at, at->free_ns);
}

static const struct asim_slice *slice_of(struct asim_instance *at, struct asim_iteration *of,
                                         uint32_t number, uint32_t *stage)
{
    struct asim_engine *engine = at->engine;
    const struct asim_slice *slice = NULL;

    *stage = number / (of->slices / engine->opt.stages);
    asim_comm_slice(engine->comm, of->tokens, *stage + 1 < engine->opt.stages, &slice,
                    &engine->err);
    return engine->err.code ? NULL : slice;
}

static void end_slice(struct asim_instance *at, uint32_t place, uint64_t late_ns)
{
    struct asim_iteration *of = &at->iterations[place];

    of->next_ns = of->began_ns + of->slice_ns + late_ns;
    if (late_ns)
        delay(at, place, late_ns);
    asim_instance_wake(at, of->begun < of->slices ? of->next_ns : of->ends_ns);
}

static void send(struct asim_engine *engine, uint32_t first, const struct asim_slice_pair *pair,
                 uint32_t place)
{
    const struct asim_own_message message = {
        first + pair->src, first + pair->dst, pair->bytes,
        (uint64_t)place << ASIM_COOKIE_BITS | ASIM_COOKIE_SLICE, 0};
    int code = asim_messages_send(engine->world, &message);

    if (code)
        asim_err_set(&engine->err, code,
                     "a slice of an iteration's collectives of %llu bytes cannot be sent; use "
                     "fewer tokens (--max-tokens).",
                     (unsigned long long)pair->bytes);
}

static void begin_slice(struct asim_instance *at, uint32_t place)
{
    struct asim_iteration *of = &at->iterations[place];
    uint32_t stage, first;
    const struct asim_slice *slice = slice_of(at, of, of->begun, &stage);

    if (!slice)
        return;
    first = at->first_host + stage * at->engine->comm->tp;
    of->began_ns = asim_instance_now(at);
    of->begun++;
    of->under_way = (uint32_t)slice->pairs.n;
    for (size_t i = 0; i < slice->pairs.n; i++)
        send(at->engine, first, &slice->pairs.at[i], place);
    if (!slice->pairs.n)
        end_slice(at, place, 0);
}

void asim_slices_begin(struct asim_instance *at)
{
    uint32_t stages = at->engine->opt.stages;

    for (uint32_t i = 0; i < at->n_iterations && !at->engine->err.code; i++) {
        const struct asim_iteration *of = asim_iteration_of(at, i);

        if (of->begun < of->slices && !of->under_way && of->next_ns <= asim_instance_now(at))
            begin_slice(at, (at->oldest + i) % stages);
    }
}

void asim_slices_arrived(struct asim_instance *at, uint32_t place)
{
    struct asim_iteration *of = &at->iterations[place];
    uint64_t took = asim_instance_now(at) - of->began_ns;
    const struct asim_slice *slice;
    uint32_t stage;

    if (--of->under_way)
        return;
    slice = slice_of(at, of, of->begun - 1, &stage);
    if (slice)
        end_slice(at, place, took > slice->alone_ns ? took - slice->alone_ns : 0);
}
