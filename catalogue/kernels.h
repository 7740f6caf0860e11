/* SPDX-License-Identifier: GPL-2.0-only
 *
 * How long a kernel takes on a GPU: the longer of its operations and its bytes, each at the share
 * of the peak rate that kernels of its class were measured to reach (kernels.json). That is the
 * roofline model (Williams, Waterman, Patterson: Roofline, 2009) under measured ceilings.
 */
#ifndef ASIM_CATALOGUE_KERNELS_H
#define ASIM_CATALOGUE_KERNELS_H

#include <stddef.h>

#include "asim/err.h"
#include "catalogue/gpu.h"

enum asim_gpu_class {
    ASIM_GPU_GEMM,              /* matrix products */
    ASIM_GPU_GROUPED,           /* one for each expert, on several streams */
    ASIM_GPU_ATTENTION_FORWARD, /* FlashAttention */
    ASIM_GPU_ATTENTION_BACKWARD,
    ASIM_GPU_ELEMENTWISE, /* sums, softmax, dropout, loss, look-ups */
    ASIM_GPU_ACTIVATION,  /* SiLU or GELU, with the product of a gated MLP */
    ASIM_GPU_NORM,        /* layer norm, RMS norm */
    ASIM_GPU_OPTIMIZER,
    ASIM_GPU_EAGER, /* PyTorch's own ops, one a kernel, on strided and broadcast operands */
    ASIM_GPU_CLASSES
};
enum asim_gpu_dtype { ASIM_GPU_16BIT, ASIM_GPU_TF32, ASIM_GPU_32BIT, ASIM_GPU_8BIT, ASIM_GPU_4BIT };

enum { ASIM_GPU_MOST_POINTS = 24 };
/* Shares, each above 0 and at most 1. */
struct asim_gpu_kernels {
    struct asim_gpu peak;
    size_t points;
    double gemm_gflop[ASIM_GPU_MOST_POINTS], gemm_share[ASIM_GPU_MOST_POINTS];
    double gemm_32bit;
    double gemm_8bit, gemm_4bit;    /* share of that peak, as a multiple of gemm_share */
    double share[ASIM_GPU_CLASSES]; /* of GEMM: unused; of GROUPED: of single products' rate */
    int is_assumed;                 /* the row of '*': nothing is measured on this GPU */
};

/* One kernel, or `count` equal ones: operations and bytes are of one. */
struct asim_gpu_work {
    enum asim_gpu_class class;
    enum asim_gpu_dtype dtype;
    double ops, bytes, count;
};

/* The shares of a GPU of the built-in table; a row for it in the file `path` replaces the keys that
 * the row has. path: NULL = built-in only. */
int asim_gpu_kernels_find(struct asim_gpu_kernels *kernels, const struct asim_gpu *gpu,
                          const char *path, struct asim_err *err);
/* The same share of the peaks for all classes: the plain roofline model with an efficiency. */
void asim_gpu_kernels_even(struct asim_gpu_kernels *kernels, const struct asim_gpu *gpu,
                           double share);
/* us of all `count` kernels. */
double asim_gpu_work_us(const struct asim_gpu_kernels *kernels, const struct asim_gpu_work *work);

#endif
