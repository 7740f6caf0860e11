/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Finds GPUs, and what limits a recorded kernel, by its numbers or by the words in its name.
 */
#include "catalogue/gpu.h"

#include <stdio.h>
#include <string.h>

#include "catalogue/kernels.h"
#include "catalogue/table.h"

static int read_row(struct asim_gpu *gpu, const json_t *row, const char *path, struct asim_err *err)
{
    static const char *const keys[] = {"tflops_16bit", "tflops_32bit", "memory_GBps",
                                       "tflops_8bit",  "tflops_4bit",  "memory_GB"};
    const size_t needed = 3;
    const char *key = asim_catalogue_unknown(row, (const char *const[]){"name", "source", keys[0],
                                                                        keys[1], keys[2], keys[3],
                                                                        keys[4], keys[5], NULL});
    double *const values[] = {&gpu->tflops_16bit, &gpu->tflops_32bit, &gpu->memory_gbps,
                              &gpu->tflops_8bit,  &gpu->tflops_4bit,  &gpu->memory_gb};

    snprintf(gpu->name, sizeof gpu->name, "%.31s", json_string_value(json_object_get(row, "name")));
    if (key)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: the GPU '%s' has the unknown key \"%.40s\"; see "
                            "catalogue/gpus.json.",
                            path, gpu->name, key);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = json_object_get(row, keys[i]);

        *values[i] = json_number_value(value);
        if (!value && i >= needed)
            continue;
        if (!(*values[i] >= 1e-3 && *values[i] < 1e12))
            return asim_err_set(
                err, ASIM_EINVAL,
                "%s: the GPU '%s' needs the number %s, 0.001 to 1e12; see catalogue/gpus.json.",
                path, gpu->name, keys[i]);
    }
    return 0;
}

int asim_gpu_find(struct asim_gpu *gpu, const char *name, const char *path, struct asim_err *err)
{
    struct asim_catalogue gpus;
    const json_t *row = NULL;
    int code = asim_catalogue_open(&gpus, "gpus", "GPU", path, err), file = -1;

    while (!code && !row && ++file < ASIM_CATALOGUE_FILES)
        row = asim_catalogue_row(&gpus, file, name);
    if (row)
        code = read_row(gpu, row, gpus.path[file], err);
    else if (!code)
        code = asim_catalogue_refuse(&gpus, name, "--gpus=FILE adds others", err);
    gpu->is_built_in = file == ASIM_CATALOGUE_BUILT_IN;
    asim_catalogue_close(&gpus);
    return code;
}

/* Matrix products, convolutions and attention of cuBLAS, cuDNN, CUTLASS, Triton, rocBLAS (Tensile's
 * Cijk) and of traces made here. */
static int is_arithmetic(const char *name)
{
    static const char *const words[] = {
        "gemm",  "conv",  "matmul", "aten::mm",  "addmm", "bmm",  "cutlass", "xmma",
        "wgrad", "dgrad", "cijk",   "attention", "flash", "fmha", "mlp",     "linear"};
    char lower[200];
    size_t n = strlen(name);

    n = n < sizeof lower - 1 ? n : sizeof lower - 1;
    for (size_t i = 0; i < n; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    lower[n] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(lower, words[i]))
            return 1;
    return 0;
}

static double rate_of(const struct asim_gpu *gpu, int is_32bit)
{
    return (is_32bit ? gpu->tflops_32bit : gpu->tflops_16bit) * 1e12;
}

enum asim_gpu_limit asim_gpu_limit_of(const struct asim_gpu_kernel *kernel,
                                      const struct asim_gpu *gpu, int is_32bit)
{
    if (kernel->ops > 0 && kernel->bytes > 0)
        return kernel->ops / rate_of(gpu, is_32bit) > kernel->bytes / (gpu->memory_gbps * 1e9)
                   ? ASIM_GPU_ARITHMETIC
                   : ASIM_GPU_MEMORY;
    return is_arithmetic(kernel->name) ? ASIM_GPU_ARITHMETIC : ASIM_GPU_MEMORY;
}

/* At the roofline, with ops and bytes. */
static double roofline(const struct asim_gpu_kernel *kernel, const struct asim_gpu *gpu,
                       int is_32bit)
{
    const struct asim_gpu_work work = {.dtype = is_32bit ? ASIM_GPU_32BIT : ASIM_GPU_16BIT,
                                       .ops = kernel->ops,
                                       .bytes = kernel->bytes,
                                       .count = 1};
    struct asim_gpu_kernels peak;

    asim_gpu_kernels_even(&peak, gpu, 1);
    return asim_gpu_work_us(&peak, &work);
}

double asim_gpu_factor(const struct asim_gpu_kernel *kernel, const struct asim_gpu *from,
                       const struct asim_gpu *to, int is_32bit)
{
    if (kernel->ops > 0 && kernel->bytes > 0)
        return roofline(kernel, to, is_32bit) / roofline(kernel, from, is_32bit);
    if (asim_gpu_limit_of(kernel, from, is_32bit) == ASIM_GPU_ARITHMETIC)
        return rate_of(from, is_32bit) / rate_of(to, is_32bit);
    return from->memory_gbps / to->memory_gbps;
}
