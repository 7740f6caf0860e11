/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Kernel times against the roofline by hand, with a table of round shares.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "catalogue/kernels.h"
#include "check.h"

static int is_near(double got, double want)
{
    return fabs(got - want) <= 1e-9 * fabs(want);
}

static double us(const struct asim_gpu_kernels *k, enum asim_gpu_class class, double ops,
                 double bytes)
{
    const struct asim_gpu_work work = {.class = class, .ops = ops, .bytes = bytes, .count = 1};

    return asim_gpu_work_us(k, &work);
}

static void test_times(void)
{
    struct asim_gpu_kernels k = {.peak = {"", 100, 10, 1000, 200, 400},
                                 .points = 2,
                                 .gemm_gflop = {1, 100},
                                 .gemm_share = {0.2, 0.6},
                                 .gemm_32bit = 0.5,
                                 .gemm_8bit = 0.75,
                                 .gemm_4bit = 0.5,
                                 .share = {0, 0.5, 0.5, 0.25, 0.8, 0.4, 0.2, 1, 0.1}};
    struct asim_gpu_work work = {.class = ASIM_GPU_GEMM, .ops = 1e9, .count = 3};

    CHECK(is_near(us(&k, ASIM_GPU_GEMM, 1e8, 0), 1e8 / 20e12 * 1e6)); /* below the first point */
    CHECK(is_near(us(&k, ASIM_GPU_GEMM, 1e9, 0), 1e9 / 20e12 * 1e6));
    CHECK(is_near(us(&k, ASIM_GPU_GEMM, 1e10, 0), 1e10 / 40e12 * 1e6)); /* half of the decades */
    CHECK(is_near(us(&k, ASIM_GPU_GEMM, 1e12, 0), 1e12 / 60e12 * 1e6)); /* above the last */
    CHECK(is_near(us(&k, ASIM_GPU_GEMM, 1e9, 1e9), 1e9 / 800e9 * 1e6)); /* its bytes take longer */
    CHECK(is_near(us(&k, ASIM_GPU_GROUPED, 1e12, 0), 1e12 / 30e12 * 1e6));
    CHECK(is_near(us(&k, ASIM_GPU_ATTENTION_BACKWARD, 1e9, 0), 1e9 / 25e12 * 1e6));
    CHECK(is_near(us(&k, ASIM_GPU_NORM, 0, 1e6), 1e6 / 200e9 * 1e6));
    CHECK(is_near(us(&k, ASIM_GPU_OPTIMIZER, 0, 1e6), 1e6 / 1000e9 * 1e6));
    CHECK(is_near(us(&k, ASIM_GPU_EAGER, 0, 1e6), 1e6 / 100e9 * 1e6));
    CHECK(is_near(asim_gpu_work_us(&k, &work), 3 * 1e9 / 20e12 * 1e6));
    work.dtype = ASIM_GPU_TF32;
    CHECK(is_near(asim_gpu_work_us(&k, &work), 3 * 1e9 / 10e12 * 1e6));
    work.dtype = ASIM_GPU_8BIT;
    CHECK(is_near(asim_gpu_work_us(&k, &work), 3 * 1e9 / 30e12 * 1e6));
    work.dtype = ASIM_GPU_4BIT;
    CHECK(is_near(asim_gpu_work_us(&k, &work), 3 * 1e9 / 40e12 * 1e6));
    work.dtype = ASIM_GPU_32BIT;
    CHECK(is_near(asim_gpu_work_us(&k, &work), 3 * 1e9 / 5e12 * 1e6));
}

static void test_table(void)
{
    struct asim_err err = {0};
    struct asim_gpu gpu;
    struct asim_gpu_kernels k;

    CHECK_U64(asim_gpu_find(&gpu, "a100", NULL, &err), 0);
    CHECK_U64(asim_gpu_kernels_find(&k, &gpu, NULL, &err), 0);
    CHECK(!k.is_assumed && k.points == 13 && is_near(k.gemm_share[10], 0.733));
    CHECK_U64(asim_gpu_find(&gpu, "MI300X", NULL, &err), 0);
    CHECK_U64(asim_gpu_kernels_find(&k, &gpu, NULL, &err), 0);
    CHECK(k.is_assumed && k.points == 13);
    CHECK_U64(asim_gpu_find(&gpu, "GB300", NULL, &err), 0);
    CHECK(is_near(gpu.tflops_8bit, 5000) && is_near(gpu.tflops_4bit, 15000));
    CHECK_U64(asim_gpu_find(&gpu, "A100", NULL, &err), 0);
    CHECK(gpu.tflops_8bit == 0 && gpu.tflops_4bit == 0);
}

/* Writes a table, reads it, and compares the sentence. */
static void refuses(const char *text, const char *words)
{
    static const char path[] = "test_kernels.json";
    struct asim_err err = {0};
    struct asim_gpu gpu;
    struct asim_gpu_kernels k;
    FILE *file = fopen(path, "w");

    CHECK(file && fputs(text, file) >= 0 && !fclose(file));
    CHECK_U64(asim_gpu_find(&gpu, "A100", NULL, &err), 0);
    int rc = asim_gpu_kernels_find(&k, &gpu, path, &err);

    if (!words) {
        CHECK_U64(rc, 0);
        CHECK(is_near(k.share[ASIM_GPU_NORM], 0.7) && is_near(k.gemm_share[10], 0.733));
    } else {
        CHECK(rc && strstr(err.text, words));
    }
    remove(path);
}

int main(void)
{
    test_times();
    test_table();
    refuses("{\"kernels\": [{\"gpus\": [\"A100\"], \"norm\": 0.7}]}", NULL);
    refuses("{\"kernels\": [{\"gpus\": [\"*\"], \"norm\": 0.7}]}", NULL);
    refuses("{\"kernels\": [{\"gpus\": [\"H100\"], \"norm\": 0.7}]}", "no row for the GPU A100");
    refuses("{\"kernels\": [{\"gpus\": [\"A100\"], \"norm\": 1.7}]}", "norm is a share");
    refuses("{\"kernels\": [{\"gpus\": [\"A100\"], \"gemm_gflop\": [2, 1], "
            "\"gemm_share\": [0.5, 0.5]}]}",
            "gemm_gflop and gemm_share");
    refuses("{\"kernels\": [{\"gpus\": [\"A100\"], \"gemm_share\": [0.5]}]}", "gemm_gflop");
    refuses("{\"kernels\": [{\"gpus\": [\"A100\"], \"gemm_8bit\": 0}]}", "gemm_8bit is a share");
    refuses("[", "this is not valid JSON");
    return CHECK_DONE();
}
