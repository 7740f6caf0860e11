/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Pipeline schedules: every pass once, forward before backward before weights, no stage that waits
 * for ever, and the published length of the whole, with F = B = W = 1 and messages without time:
 *
 *   gpipe, 1f1b   (m + p - 1) (F + B + W)
 *   interleaved   m (F + B + W) + (p - 1) (F + B + W) / v
 *   zb-h1         m (F + B + W) + (p - 1) (F + B - W)
 *   dualpipe      m (F + B + W) + (p / 2 - 1) (F&B + FB - 3 W): F&B = 3 is an overlapped pair, FB =
 * 2 a backward pass with its weights
 */
#include <stdlib.h>
#include <string.h>
#include "step/step.h"
#include "check.h"

enum { MOST_STAGES = 16, MOST_MICROS = 64 };

/* A pass of one of v chunks takes 1, so the whole is v times as long as in the formulas. */
struct pipe {
    struct asim_llm_options opt;
    struct asim_step step;
    struct asim_step_order order[MOST_STAGES];
    size_t next[MOST_STAGES];
    long time[MOST_STAGES];
    long forward[2][MOST_STAGES * 4][MOST_MICROS], backward[2][MOST_STAGES * 4][MOST_MICROS];
    int weights[MOST_STAGES * 4][MOST_MICROS];
};

static uint32_t direction(const struct pipe *p, const struct asim_step_pass *what)
{
    return p->opt.schedule == ASIM_STEP_DUALPIPE ? what->chunk : 0;
}

/* The time of the pass before in the other stage, or -1. */
static long ready_at(const struct pipe *p, const struct asim_step_pass *what, uint32_t v,
                     uint32_t dir)
{
    if (what->type == ASIM_STEP_F)
        return v ? p->forward[dir][v - 1][what->micro] : 0;
    if (what->type == ASIM_STEP_W)
        return p->backward[dir][v][what->micro];
    if (v + 1 == p->step.virtuals)
        return p->forward[dir][v][what->micro];
    return p->forward[dir][v][what->micro] < 0 ? -1 : p->backward[dir][v + 1][what->micro];
}

static void finish(struct pipe *p, const struct asim_step_pass *what, uint32_t stage, long end)
{
    uint32_t v = asim_step_virtual(&p->step, stage, what->chunk);
    uint32_t dir = direction(p, what);

    p->next[stage]++;
    p->time[stage] = end;
    if (what->type == ASIM_STEP_F) {
        CHECK(p->forward[dir][v][what->micro] < 0);
        p->forward[dir][v][what->micro] = end;
    } else if (what->type == ASIM_STEP_W) {
        p->weights[v][what->micro]++;
    } else {
        CHECK(p->backward[dir][v][what->micro] < 0);
        p->backward[dir][v][what->micro] = end;
        p->weights[v][what->micro] += what->type == ASIM_STEP_BW;
    }
}

/* Runs the next pass of a stage, or two joined ones, if their inputs are there. Joined passes
 * deliver at the end of both. */
static int run_one(struct pipe *p, uint32_t stage)
{
    const struct asim_step_pass *what = &p->order[stage].list.at[p->next[stage]];
    size_t n = p->order[stage].list.n, i = p->next[stage];
    long end = p->time[stage], work = 0;
    size_t pair = i + 1 < n && what[1].joined ? 2 : 1;

    if (i == n)
        return 0;
    for (size_t k = 0; k < pair; k++) {
        long ready = ready_at(p, &what[k], asim_step_virtual(&p->step, stage, what[k].chunk),
                              direction(p, &what[k]));
        if (ready < 0)
            return 0;
        end = ready > end ? ready : end;
        work += what[k].type == ASIM_STEP_BW ? 2 : 1;
    }
    for (size_t k = 0; k < pair; k++)
        finish(p, &what[k], stage, end + work);
    return 1;
}

/* The length of the whole, -1 if a stage waits for ever. */
static long length_of(int schedule, uint32_t stages, uint32_t micros, uint32_t chunks)
{
    struct pipe *p = calloc(1, sizeof *p);
    struct asim_err err = {0};
    long most = 0;
    int moved = 1;

    p->opt.schedule = schedule;
    p->step =
        (struct asim_step){.opt = &p->opt,
                           .pp = stages,
                           .micros = micros,
                           .chunks = chunks,
                           .virtuals = schedule == ASIM_STEP_DUALPIPE ? stages : stages * chunks};
    memset(p->forward, 0xff, sizeof p->forward);
    memset(p->backward, 0xff, sizeof p->backward);
    for (uint32_t i = 0; i < stages; i++)
        CHECK(asim_step_order_make(&p->order[i], &p->step, i, &err) == 0);
    while (moved) {
        moved = 0;
        for (uint32_t i = 0; i < stages; i++)
            while (run_one(p, i))
                moved = 1;
    }
    for (uint32_t i = 0; i < stages; i++) {
        if (p->next[i] < p->order[i].list.n)
            most = -1;
        else if (most >= 0 && p->time[i] > most)
            most = p->time[i];
        free(p->order[i].list.at);
    }
    for (uint32_t v = 0; v < p->step.virtuals; v++)
        for (uint32_t m = 0; m < micros; m++)
            CHECK(p->weights[v][m] == 1);
    free(p);
    return most;
}

static void closed_forms(void)
{
    for (uint32_t p = 2; p <= 8; p *= 2)
        for (uint32_t m = p; m <= 4 * p; m += p) {
            CHECK_U64(length_of(ASIM_STEP_GPIPE, p, m, 1), 3 * (m + p - 1));
            CHECK_U64(length_of(ASIM_STEP_1F1B, p, m, 1), 3 * (m + p - 1));
            CHECK_U64(length_of(ASIM_STEP_ZB_H1, p, m, 1), 3 * m + p - 1);
            for (uint32_t v = 2; v <= 4; v++)
                CHECK_U64(length_of(ASIM_STEP_INTERLEAVED, p, m, v), 3 * m * v + 3 * (p - 1));
        }
    CHECK_U64(length_of(ASIM_STEP_1F1B, 1, 5, 1), 15);
    CHECK_U64(length_of(ASIM_STEP_ZB_H1, 4, 2, 1),
              3 * 2 + 3 + 2); /* fewer micro-batches than stages */
    CHECK_U64(length_of(ASIM_STEP_1F1B, 4, 2, 1), 15);
}

static void dualpipe(void)
{
    for (uint32_t p = 2; p <= 8; p += 2)
        for (uint32_t m = 2 * p; m <= 4 * p; m += 2)
            CHECK_U64(length_of(ASIM_STEP_DUALPIPE, p, m, 2), 3 * m + (p / 2 - 1) * (3 + 2 - 3));
}

int main(void)
{
    closed_forms();
    dualpipe();
    return CHECK_DONE();
}
