/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Attention scores, over a ring of ranks with context parallelism (Liu et al., Ring Attention,
 * 2023): each rank holds its tokens' queries, and keys and values go round in cp - 1 steps while
 * the scores of the step before are computed. Every step takes equal time, as with the zigzag
 * placement of a causal mask (each rank has two of 2 cp pieces of a sequence). Backward, keys and
 * values go round again, and their gradients, of 2 bytes, in cp steps, back to their owner.
 */
#include "step/emit.h"

/* Tags of the ring and those of the pipeline never meet. */
#define RING_TAGS (UINT32_C(1) << 30)

/* The rank `step` places on in the ring. */
static uint32_t neighbour(const struct asim_step_emit *e, uint32_t step)
{
    uint32_t cp = e->step->cp, to = (e->place.context + step) % cp;

    return e->place.rank - e->place.context * e->step->tp + to * e->step->tp;
}

/* Sends to the next rank what `ready` made, and returns the receive from the rank before. All ranks
 * of a ring count alike, so both ends have the same tag. */
static uint64_t pass_on(struct asim_step_emit *e, const char *name, uint64_t ready)
{
    struct asim_step_message m = {name,
                                  ASIM_STEP_RING,
                                  1,
                                  neighbour(e, 1),
                                  RING_TAGS + e->ring_tag++ % RING_TAGS,
                                  e->step->kv_bytes};

    asim_step_message(e, m, (struct asim_step_after){ready, 0, 0});
    m.is_send = 0;
    m.peer = neighbour(e, e->step->cp - 1);
    return asim_step_message(e, m, (struct asim_step_after){ready, 0, 0});
}

static uint64_t part_ns(uint64_t ns, uint32_t i, uint32_t n)
{
    return ns * (i + 1) / n - ns * i / n;
}

uint64_t asim_step_ring_forward(struct asim_step_emit *e, uint64_t at)
{
    uint32_t cp = e->step->cp;
    uint64_t ns = e->step->times.part[ASIM_STEP_CORE].forward, kv = at;

    if (cp == 1)
        return asim_step_compute_part(e, "atten_core", ASIM_STEP_CORE, ASIM_STEP_FORWARD,
                                      (struct asim_step_after){at, 0, 0});
    for (uint32_t i = 0; i < cp; i++) {
        uint64_t next = i + 1 < cp ? pass_on(e, "ring_kv", kv) : 0;
        at = asim_step_compute(e, "atten_core", part_ns(ns, i, cp),
                               (struct asim_step_after){at, kv, 0});
        kv = next;
    }
    return at;
}

uint64_t asim_step_ring_backward(struct asim_step_emit *e, uint64_t at)
{
    uint32_t cp = e->step->cp;
    uint64_t ns = e->step->times.part[ASIM_STEP_CORE].dgrad, kv = at, gradient = 0;

    if (cp == 1)
        return asim_step_compute_part(e, "atten_core_dgrad", ASIM_STEP_CORE, ASIM_STEP_DGRAD,
                                      (struct asim_step_after){at, 0, 0});
    for (uint32_t i = 0; i < cp; i++) {
        uint64_t next = i + 1 < cp ? pass_on(e, "ring_kv", kv) : 0;
        at = asim_step_compute(e, "atten_core_dgrad", part_ns(ns, i, cp),
                               (struct asim_step_after){at, kv, gradient});
        gradient = pass_on(e, "ring_kv_gradient", at);
        kv = next;
    }
    return asim_step_compute(e, "ring_end", 1, (struct asim_step_after){at, gradient, 0});
}
