/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The roofline under measured ceilings. Rows are read on top of each other: '*', then the GPU's
 * own, then the user's.
 */
#include "catalogue/kernels.h"

#include <math.h>
#include <string.h>

#include "catalogue/table.h"

/* In the order of the classes; products have a curve instead. */
static const char *const keys[ASIM_GPU_CLASSES] = {NULL,
                                                   "gemm_grouped",
                                                   "attention_forward",
                                                   "attention_backward",
                                                   "elementwise",
                                                   "activation",
                                                   "norm",
                                                   "optimizer",
                                                   "eager"};

/* Leaves *value alone where the row has no such key. */
static int read_share(double *value, const json_t *row, const char *key, const char *path,
                      struct asim_err *err)
{
    const json_t *own = json_object_get(row, key);

    if (!own)
        return 0;
    *value = json_number_value(own);
    if (*value > 0 && *value <= 1)
        return 0;
    return asim_err_set(
        err, ASIM_EINVAL,
        "%s: %s is a share of the GPU's peak: a number above 0 and at most 1 is expected.", path,
        key);
}

static int refuse_curve(const char *path, struct asim_err *err)
{
    return asim_err_set(err, ASIM_EINVAL,
                        "%s: gemm_gflop and gemm_share are lists of the same 1 to %d numbers, "
                        "sizes rising, shares above 0 and at most 1.",
                        path, ASIM_GPU_MOST_POINTS);
}

static int read_curve(struct asim_gpu_kernels *k, const json_t *row, const char *path,
                      struct asim_err *err)
{
    const json_t *sizes = json_object_get(row, "gemm_gflop");
    const json_t *shares = json_object_get(row, "gemm_share");
    size_t n = json_array_size(sizes);

    if (!sizes && !shares)
        return 0;
    if (n < 1 || n > ASIM_GPU_MOST_POINTS || json_array_size(shares) != n)
        return refuse_curve(path, err);
    k->points = n;
    for (size_t i = 0; i < n; i++) {
        k->gemm_gflop[i] = json_number_value(json_array_get(sizes, i));
        k->gemm_share[i] = json_number_value(json_array_get(shares, i));
        if (k->gemm_gflop[i] <= (i ? k->gemm_gflop[i - 1] : 0) || k->gemm_share[i] <= 0 ||
            k->gemm_share[i] > 1)
            return refuse_curve(path, err);
    }
    return 0;
}

static int read_row(struct asim_gpu_kernels *k, const json_t *row, const char *path,
                    struct asim_err *err)
{
    const char *known[ASIM_GPU_CLASSES + 8] = {
        "gpus", "source", "gemm_32bit", "gemm_gflop", "gemm_share", "gemm_8bit", "gemm_4bit"};
    const char *unknown;
    size_t n = 7;
    int rc;

    for (size_t i = 0; i < ASIM_GPU_CLASSES; i++)
        if (keys[i])
            known[n++] = keys[i];
    unknown = asim_catalogue_unknown(row, known);
    if (unknown)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: a row has the unknown key \"%.40s\"; see "
                            "catalogue/kernels.json.",
                            path, unknown);
    rc = read_curve(k, row, path, err);
    if (!rc)
        rc = read_share(&k->gemm_32bit, row, "gemm_32bit", path, err);
    if (!rc)
        rc = read_share(&k->gemm_8bit, row, "gemm_8bit", path, err);
    if (!rc)
        rc = read_share(&k->gemm_4bit, row, "gemm_4bit", path, err);
    for (size_t i = 0; !rc && i < ASIM_GPU_CLASSES; i++)
        if (keys[i])
            rc = read_share(&k->share[i], row, keys[i], path, err);
    return rc;
}

/* A file of the user without a row for the GPU would have no effect, so it is an error. */
static int refuse_file(const char *path, const char *gpu, struct asim_err *err)
{
    return asim_err_set(err, ASIM_EINVAL,
                        "%s has no row for the GPU %s; expected {\"kernels\": [{\"gpus\": "
                        "[\"%s\"], \"elementwise\": 0.9, …}]}.",
                        path, gpu, gpu);
}

int asim_gpu_kernels_find(struct asim_gpu_kernels *kernels, const struct asim_gpu *gpu,
                          const char *path, struct asim_err *err)
{
    struct asim_catalogue shares;
    const json_t *row[3] = {NULL}; /* later ones replace keys of those before them */
    int code = asim_catalogue_open(&shares, "kernels", "kernel", path, err);

    memset(kernels, 0, sizeof *kernels);
    kernels->peak = *gpu;
    if (!code) {
        row[0] = asim_catalogue_row(&shares, ASIM_CATALOGUE_BUILT_IN, "*");
        row[1] = asim_catalogue_row(&shares, ASIM_CATALOGUE_BUILT_IN, gpu->name);
        row[2] = asim_catalogue_row(&shares, ASIM_CATALOGUE_OWN, gpu->name);
        if (!row[2])
            row[2] = asim_catalogue_row(&shares, ASIM_CATALOGUE_OWN, "*");
    }
    kernels->is_assumed = !row[1] && !path;
    if (!code && path && !row[2])
        code = refuse_file(path, gpu->name, err);
    for (int i = 0; !code && i < 3; i++)
        code = row[i] ? read_row(kernels, row[i], i < 2 ? "kernels.json" : path, err) : 0;
    asim_catalogue_close(&shares);
    return code;
}

void asim_gpu_kernels_even(struct asim_gpu_kernels *kernels, const struct asim_gpu *gpu,
                           double share)
{
    *kernels = (struct asim_gpu_kernels){.peak = *gpu,
                                         .points = 1,
                                         .gemm_gflop = {1},
                                         .gemm_share = {share},
                                         .gemm_32bit = share,
                                         .gemm_8bit = 1,
                                         .gemm_4bit = 1};
    for (int class = 0; class < ASIM_GPU_CLASSES; class ++)
        kernels->share[class] = class == ASIM_GPU_GROUPED ? 1 : share;
}

/* Linear in the logarithm of the size; constant beyond the ends. */
static double gemm_share(const struct asim_gpu_kernels *k, double gflop)
{
    size_t i = 0;

    while (i < k->points && k->gemm_gflop[i] < gflop)
        i++;
    if (i == 0 || i == k->points)
        return k->gemm_share[i ? i - 1 : 0];
    double part = log(gflop / k->gemm_gflop[i - 1]) / log(k->gemm_gflop[i] / k->gemm_gflop[i - 1]);
    return k->gemm_share[i - 1] + part * (k->gemm_share[i] - k->gemm_share[i - 1]);
}

/* Tensor cores compute TF32 at half of their 16-bit rate. */
static double peak_of(const struct asim_gpu_kernels *k, enum asim_gpu_dtype dtype)
{
    switch (dtype) {
    case ASIM_GPU_TF32:
        return k->peak.tflops_16bit / 2;
    case ASIM_GPU_8BIT:
        return k->peak.tflops_8bit * k->gemm_8bit;
    case ASIM_GPU_4BIT:
        return k->peak.tflops_4bit * k->gemm_4bit;
    default:
        return k->peak.tflops_16bit;
    }
}

static double ops_rate(const struct asim_gpu_kernels *k, const struct asim_gpu_work *work)
{
    double peak = peak_of(k, work->dtype);

    if (work->dtype == ASIM_GPU_32BIT)
        return k->peak.tflops_32bit * k->gemm_32bit * 1e12;
    if (work->class == ASIM_GPU_GEMM)
        return peak * gemm_share(k, work->ops / 1e9) * 1e12;
    if (work->class == ASIM_GPU_GROUPED)
        return peak * gemm_share(k, work->ops / 1e9) * k->share[work->class] * 1e12;
    if (work->class == ASIM_GPU_ATTENTION_FORWARD || work->class == ASIM_GPU_ATTENTION_BACKWARD)
        return peak * k->share[work->class] * 1e12;
    return peak * 1e12;
}

/* What arithmetic limits still moves its bytes at the bandwidth of simple kernels. */
static double byte_rate(const struct asim_gpu_kernels *k, const struct asim_gpu_work *work)
{
    int is_memory = work->class >= ASIM_GPU_ELEMENTWISE;

    return k->peak.memory_gbps * k->share[is_memory ? work->class : ASIM_GPU_ELEMENTWISE] * 1e9;
}

double asim_gpu_work_us(const struct asim_gpu_kernels *kernels, const struct asim_gpu_work *work)
{
    double arithmetic = work->ops / ops_rate(kernels, work);
    double memory = work->bytes / byte_rate(kernels, work);

    return work->count * (arithmetic > memory ? arithmetic : memory) * 1e6;
}
