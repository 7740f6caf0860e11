/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Pipeline schedules. With p stages, m micro-batches, stage i from 0:
 *
 *   gpipe        all forward passes, then all backward ones (Huang et al., 2019)
 *   1f1b         p - 1 - i forward passes, then one of each in turn (Narayanan et al., 2019)
 *   interleaved  each stage has several chunks of the model, and takes p micro-batches through one
 *                before it goes to the next (Narayanan et al., 2021)
 *   zb-h1        1f1b with backward passes in two halves; stage i puts i weight halves off, which
 *                fills the end of the pipeline (Qi et al., 2023)
 *   dualpipe     dualpipe.c
 */
#include "step/step.h"

static void add(struct asim_step_order *order, int type, uint32_t chunk, uint32_t micro)
{
    asim_step_order_add(
        order,
        (struct asim_step_pass){.type = (uint8_t)type, .chunk = (uint16_t)chunk, .micro = micro});
}

static void gpipe(struct asim_step_order *order, const struct asim_step *s)
{
    for (uint32_t i = 0; i < s->micros; i++)
        add(order, ASIM_STEP_F, 0, i);
    for (uint32_t i = 0; i < s->micros; i++)
        add(order, ASIM_STEP_BW, 0, i);
}

static void one_f_one_b(struct asim_step_order *order, const struct asim_step *s, uint32_t stage)
{
    uint32_t m = s->micros, ahead = s->pp - 1 - stage;

    if (ahead > m)
        ahead = m;
    for (uint32_t i = 0; i < m + ahead; i++) {
        if (i < m)
            add(order, ASIM_STEP_F, 0, i);
        if (i >= ahead)
            add(order, ASIM_STEP_BW, 0, i - ahead);
    }
}

/* The k-th forward (or, with the chunks reversed, backward) pass of a stage. */
static void add_virtual(struct asim_step_order *order, const struct asim_step *s, int type,
                        uint32_t k)
{
    uint32_t round = s->pp * s->chunks, chunk = k % round / s->pp;

    add(order, type, type == ASIM_STEP_F ? chunk : s->chunks - 1 - chunk,
        k / round * s->pp + k % s->pp);
}

static void interleaved(struct asim_step_order *order, const struct asim_step *s, uint32_t stage)
{
    uint32_t n = s->micros * s->chunks;
    uint32_t ahead = (s->pp - 1 - stage) * 2 + (s->chunks - 1) * s->pp;

    if (ahead > n || s->micros == s->pp)
        ahead = n;
    for (uint32_t i = 0; i < n + ahead; i++) {
        if (i < n)
            add_virtual(order, s, ASIM_STEP_F, i);
        if (i >= ahead)
            add_virtual(order, s, ASIM_STEP_BW, i - ahead);
    }
}

static void zb_h1(struct asim_step_order *order, const struct asim_step *s, uint32_t stage)
{
    uint32_t m = s->micros, ahead = s->pp - 1 - stage, weights = 0;

    if (ahead > m)
        ahead = m;
    for (uint32_t i = 0; i < m + ahead; i++) {
        if (i < m)
            add(order, ASIM_STEP_F, 0, i);
        if (i < ahead)
            continue;
        add(order, ASIM_STEP_B, 0, i - ahead);
        if (i - ahead >= stage)
            add(order, ASIM_STEP_W, 0, weights++);
    }
    while (weights < m)
        add(order, ASIM_STEP_W, 0, weights++);
}

int asim_step_order_make(struct asim_step_order *order, const struct asim_step *s, uint32_t stage,
                         struct asim_err *err)
{
    *order = (struct asim_step_order){.failed = 0};
    switch (s->opt->schedule) {
    case ASIM_STEP_GPIPE:
        gpipe(order, s);
        break;
    case ASIM_STEP_INTERLEAVED:
        interleaved(order, s, stage);
        break;
    case ASIM_STEP_ZB_H1:
        zb_h1(order, s, stage);
        break;
    case ASIM_STEP_DUALPIPE:
        asim_step_order_dualpipe(order, s, stage);
        break;
    default:
        one_f_one_b(order, s, stage);
    }
    return order->failed ? asim_err_nomem(err, "ordering the passes of a stage") : 0;
}
