/* SPDX-License-Identifier: GPL-2.0-only
 *
 * DualPipe (DeepSeek-V3 Technical Report, 2024, section 3.2.1): micro-batches enter a pipeline of p
 * stages at both ends, so a stage holds two chunks of the model, and a forward pass of one
 * direction overlaps a backward pass of the other. `near` is the direction that enters at the
 * nearer end; d is the distance of a stage from that end, and h = p / 2. Weight halves that a stage
 * puts off wait in a queue.
 */
#include "step/step.h"

#include <stdlib.h>

struct pipe {
    struct asim_step_order *order;
    uint32_t half;                    /* micro-batches of a direction */
    int flip;                         /* the near direction is chunk 1 */
    uint32_t forward[2], backward[2]; /* passes so far, by direction: 0 = near */
    uint32_t put_off_from;
    ASIM_VEC(struct asim_step_pass) put_off;
};

/* Direction 1 takes the second half of the micro-batches. */
static void add(struct pipe *p, int type, int far, int joined)
{
    uint32_t chunk = (uint32_t)(far ^ p->flip);
    uint32_t *count = type == ASIM_STEP_F ? p->forward : p->backward;
    struct asim_step_pass pass = {(uint8_t)type, (uint8_t)joined, (uint16_t)chunk,
                                  chunk * p->half + count[far]++};

    asim_step_order_add(p->order, pass);
    if (type != ASIM_STEP_B)
        return;
    pass.type = ASIM_STEP_W;
    pass.joined = 0;
    if (ASIM_VEC_PUSH(p->put_off, pass))
        p->order->failed = 1;
}

static void add_weight(struct pipe *p)
{
    if (p->put_off_from < p->put_off.n)
        asim_step_order_add(p->order, p->put_off.at[p->put_off_from++]);
}

static void add_pair(struct pipe *p, int far_forward)
{
    add(p, ASIM_STEP_F, far_forward, 0);
    add(p, ASIM_STEP_BW, !far_forward, 1);
}

static void fill(struct pipe *p, uint32_t d, uint32_t h)
{
    for (uint32_t i = 0; i < 2 * (h - d - 1); i++)
        add(p, ASIM_STEP_F, 0, 0);
    for (uint32_t i = 0; i < d + 1; i++) {
        add(p, ASIM_STEP_F, 0, 0);
        add(p, ASIM_STEP_F, 1, 0);
    }
    for (uint32_t i = 0; i < h - d - 1; i++) {
        add(p, ASIM_STEP_B, 1, 0);
        add_weight(p);
        add(p, ASIM_STEP_F, 1, 0);
    }
}

/* The two middle stages exchange their first pair at once, so they cannot overlap it. */
static void steady(struct pipe *p, uint32_t d, uint32_t h)
{
    for (uint32_t i = 0; i < p->half - 2 * h + d + 1; i++) {
        if (i == 0 && d == h - 1) {
            add(p, ASIM_STEP_F, 0, 0);
            add(p, ASIM_STEP_BW, 1, 0);
        } else {
            add_pair(p, 0);
        }
        add_pair(p, 1);
    }
    for (uint32_t i = 0; i < h - d - 1; i++) {
        add(p, ASIM_STEP_BW, 1, 0);
        add_pair(p, 1);
    }
}

/* In the second half of the last pairs weight halves are put off. */
static void drain(struct pipe *p, uint32_t d, uint32_t h)
{
    for (uint32_t i = 0; i < d + 1; i++) {
        int far_later = i >= d / 2 + 1, near_later = far_later || 2 * i == d;
        add(p, far_later ? ASIM_STEP_B : ASIM_STEP_BW, 1, 0);
        add(p, near_later ? ASIM_STEP_B : ASIM_STEP_BW, 0, 0);
    }
    for (uint32_t i = 0; i < h - d - 1; i++) {
        add_weight(p);
        add(p, ASIM_STEP_B, 0, 0);
    }
    while (!p->order->failed && p->put_off_from < p->put_off.n)
        add_weight(p);
}

void asim_step_order_dualpipe(struct asim_step_order *order, const struct asim_step *step,
                              uint32_t stage)
{
    uint32_t h = step->pp / 2;
    struct pipe p = {.order = order, .half = step->micros / 2, .flip = stage >= h};
    uint32_t d = p.flip ? step->pp - 1 - stage : stage;

    fill(&p, d, h);
    steady(&p, d, h);
    drain(&p, d, h);
    free(p.put_off.at);
}
