/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Nesting of CPU ops against the definition (the union of later ops that lie inside, compared with
 * each other the slow way) on thousands of small invented threads; order between threads; which op
 * a GPU operation belongs to.
 */
#include <math.h>
#include <stdlib.h>
#include "link/kineto.h"
#include "check.h"

static uint32_t seed = 1;

static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static void add_op(struct asim_kineto *kin, double ts, double dur, uint32_t thread)
{
    struct asim_kineto_cpu op = {.ts = ts, .dur = dur, .exclusive = dur, .inter_thread = ASIM_NONE};

    op.thread = thread & 0xffffff;
    CHECK_U64(ASIM_VEC_PUSH(kin->cpu, op), 0);
    CHECK_U64(ASIM_VEC_PUSH(kin->external, (int64_t)kin->cpu.n), 0);
    if (thread >= kin->threads)
        kin->threads = thread + 1;
}

/* a comes before b in the order ops are nested in (equal ones: file order). */
static int earlier(const struct asim_kineto *kin, size_t a, size_t b, int compat)
{
    const struct asim_kineto_cpu *x = &kin->cpu.at[a], *y = &kin->cpu.at[b];

    if (x->ts != y->ts)
        return x->ts < y->ts;
    if (x->dur != y->dur)
        return compat ? x->dur < y->dur : x->dur > y->dur;
    return a < b;
}

/* Exclusive time by definition: whole microseconds covered by no later op inside. */
static double by_definition(const struct asim_kineto *kin, size_t at, int compat)
{
    const struct asim_kineto_cpu *op = &kin->cpu.at[at];
    double sum = 0;

    for (double t = op->ts; t < op->ts + op->dur; t++) {
        int covered = 0;

        for (size_t i = 0; i < kin->cpu.n && !covered; i++) {
            const struct asim_kineto_cpu *in = &kin->cpu.at[i];

            covered = in->thread == op->thread && i != at && earlier(kin, at, i, compat) &&
                      in->ts >= op->ts && in->ts + in->dur <= op->ts + op->dur && t >= in->ts &&
                      t < in->ts + in->dur;
        }
        sum += !covered;
    }
    return sum;
}

static void test_exclusive(int compat)
{
    for (int round = 0; round < 1500; round++) {
        struct asim_kineto kin = {0};
        struct asim_err err = {0};
        uint32_t n = 1 + draw(12);

        for (uint32_t i = 0; i < n; i++)
            add_op(&kin, draw(20), draw(20), draw(2));
        CHECK_U64(asim_nest_order(&kin, &err), 0);
        CHECK_U64(asim_nest_exclusive(&kin, compat, "x", &err), 0);
        for (uint32_t i = 0; i < n; i++)
            CHECK(kin.cpu.at[i].exclusive == by_definition(&kin, i, compat));
        asim_kineto_fini(&kin);
    }
}

static void test_depth(void)
{
    struct asim_kineto kin = {0};
    struct asim_err err = {0};

    for (int i = 0; i < 30000; i++)
        add_op(&kin, i, 100000 - 2 * i, 0);
    CHECK_U64(asim_nest_order(&kin, &err), 0);
    CHECK(asim_nest_exclusive(&kin, 0, "bad.json", &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "nested in one another") != NULL);
    CHECK_STR(err.source, "bad.json");
    asim_kineto_fini(&kin);
}

/* Thread 1 begins 10 us after op 1 of thread 0 and again, after more than 1 ms, behind op 2. */
static void test_thread_team(void)
{
    struct asim_kineto kin = {0};
    struct asim_err err = {0};

    add_op(&kin, 0, 5, 0);
    add_op(&kin, 100, 5, 0);
    add_op(&kin, 5000, 5, 0);
    add_op(&kin, 110, 5, 1);
    add_op(&kin, 120, 5, 1);
    add_op(&kin, 5200, 5, 1);
    CHECK_U64(asim_nest_order(&kin, &err), 0);
    CHECK_U64(asim_nest_threads(&kin, &err), 0);
    CHECK_U64(kin.cpu.at[0].inter_thread, ASIM_NONE);
    CHECK_U64(kin.cpu.at[3].inter_thread, 1);
    CHECK_U64(kin.cpu.at[4].inter_thread, 1);
    CHECK_U64(kin.cpu.at[5].inter_thread, 2);
    CHECK_U64(kin.cpu.at[2].inter_thread, 4);
    asim_kineto_fini(&kin);
}

static void add_gpu(struct asim_kineto *kin, int64_t correlation, int64_t external)
{
    struct asim_kineto_gpu gpu = {.call = ASIM_NONE, .parent = ASIM_NONE, .comm = ASIM_NONE};
    struct asim_kineto_ids ids = {correlation, external};

    CHECK_U64(ASIM_VEC_PUSH(kin->gpu, gpu), 0);
    CHECK_U64(ASIM_VEC_PUSH(kin->ids, ids), 0);
}

static void add_call(struct asim_kineto *kin, int64_t correlation, double ts, int listed)
{
    struct asim_kineto_call call = {.correlation = correlation, .ts = ts, .dur = 1};

    call.flags = listed ? ASIM_KIN_LAUNCH : 0;
    CHECK_U64(ASIM_VEC_PUSH(kin->call, call), 0);
}

/* outer [0,100] holds early [10,20] and late [50,60]; calls at 15, 30 and 55. External ids are 1,
 * 2, 3 in that order. */
static void launches(int compat, const uint32_t want[5], uint64_t outside)
{
    struct asim_kineto kin = {0};
    struct asim_launch_counts counts;
    struct asim_err err = {0};

    add_op(&kin, 0, 100, 0);
    add_op(&kin, 10, 10, 0);
    add_op(&kin, 50, 10, 0);
    add_call(&kin, 7, 15, 1);
    add_call(&kin, 8, 30, 1);
    add_call(&kin, 9, 55, 0);
    add_gpu(&kin, 7, -1); /* inside early */
    add_gpu(&kin, 8, -1); /* early has ended: outer */
    add_gpu(&kin, 8, 2);  /* names early */
    add_gpu(&kin, 9, -1); /* launched by a call that is on no list */
    add_gpu(&kin, 5, -1); /* nobody's */
    CHECK_U64(asim_nest_order(&kin, &err), 0);
    CHECK_U64(asim_nest_exclusive(&kin, compat, "x", &err), 0);
    CHECK_U64(asim_nest_launches(&kin, compat, &counts, &err), 0);
    for (int i = 0; i < 5; i++)
        CHECK_U64(kin.gpu.at[i].parent, want[i]);
    CHECK_U64(counts.outside, outside);
    CHECK_U64(counts.no_call, compat ? 2 : 1);
    asim_kineto_fini(&kin);
}

static void test_launches(void)
{
    static const uint32_t ours[5] = {1, 0, 1, 2, ASIM_NONE};
    static const uint32_t theirs[5] = {1, 1, 1, ASIM_NONE, ASIM_NONE};

    launches(0, ours, 0);
    launches(1, theirs, 0);
}

int main(void)
{
    test_exclusive(0);
    test_exclusive(1);
    test_depth();
    test_thread_team();
    test_launches();
    return CHECK_DONE();
}
