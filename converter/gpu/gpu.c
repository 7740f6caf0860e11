/* SPDX-License-Identifier: GPL-2.0-only
 *
 * See gpu.h.
 */
#include "gpu/gpu.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cli/embedded.h"

enum { MOST_NAMES = 128 };

/* A table being searched: where it comes from, and its names so far, for the sentence about an
 * unknown one. */
struct names {
    const char *path;
    const char *at[MOST_NAMES];
    size_t n;
};

static int read_row(struct asim_gpu *gpu, const json_t *row, const char *path, struct asim_err *err)
{
    static const char *const keys[] = {"tflops_16bit", "tflops_32bit", "memory_GBps"};
    double *const values[] = {&gpu->tflops_16bit, &gpu->tflops_32bit, &gpu->memory_gbps};

    snprintf(gpu->name, sizeof gpu->name, "%.31s", json_string_value(json_object_get(row, "name")));
    for (size_t i = 0; i < 3; i++) {
        *values[i] = json_number_value(json_object_get(row, keys[i]));
        if (*values[i] <= 0)
            return asim_err_set(err, ASIM_EINVAL,
                                "%s: the GPU '%s' needs the number %s above 0; see "
                                "converter/gpu/gpus.json.",
                                path, gpu->name, keys[i]);
    }
    return 0;
}

/* 1: found, 0: not there, or an error. */
static int find_in(struct asim_gpu *gpu, const char *name, const json_t *root, struct names *names,
                   struct asim_err *err)
{
    const json_t *rows = json_object_get(root, "gpus");

    if (!json_is_array(rows))
        return asim_err_set(err, ASIM_EINVAL,
                            "%s is no table of GPUs; expected {\"gpus\": [{\"name\": …, "
                            "\"tflops_16bit\": …, \"tflops_32bit\": …, \"memory_GBps\": …}]}.",
                            names->path);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *word = json_string_value(json_object_get(row, "name"));

        if (!word)
            return asim_err_set(err, ASIM_EINVAL, "%s: GPU %zu has no name.", names->path, i + 1);
        if (!strcasecmp(word, name))
            return read_row(gpu, row, names->path, err) ? err->code : 1;
        if (names->n < MOST_NAMES)
            names->at[names->n++] = word;
    }
    return 0;
}

static int refuse(const char *name, const struct names *names, struct asim_err *err)
{
    char safe[64], hint[160], list[900];

    return asim_err_set(
        err, ASIM_EUSAGE, "unknown GPU '%s'.%s Known are %s; --gpus=FILE adds others.",
        asim_text_safe(safe, sizeof safe, name),
        asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names->at, names->n)),
        asim_text_list(list, sizeof list, names->at, names->n));
}

int asim_gpu_find(struct asim_gpu *gpu, const char *name, const char *path, struct asim_err *err)
{
    struct names names = {.path = path};
    json_error_t bad;
    json_t *own = path ? json_load_file(path, 0, &bad) : NULL, *built_in;
    int found = 0;

    if (path && !own)
        return asim_err_at(err, ASIM_EINVAL,
                           (struct asim_where){path, bad.line > 0 ? (unsigned)bad.line : 1, 0},
                           "cannot read the table of GPUs: %s.", bad.text);
    if (own)
        found = find_in(gpu, name, own, &names, err);
    built_in = found ? NULL : json_loads(gpus_files[0].text, 0, &bad);
    names.path = "gpus.json";
    if (!found)
        found = find_in(gpu, name, built_in, &names, err);
    if (!found)
        refuse(name, &names, err);
    json_decref(own);
    json_decref(built_in);
    return found == 1 ? 0 : err->code;
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
    double arithmetic = kernel->ops / rate_of(gpu, is_32bit),
           memory = kernel->bytes / (gpu->memory_gbps * 1e9);

    return arithmetic > memory ? arithmetic : memory;
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
