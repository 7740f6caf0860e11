/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Peak rates of GPUs, and how a kernel's time changes from one to another by the roofline model
 * (Williams, Waterman, Patterson: Roofline, 2009): a kernel takes the longer of its arithmetic at
 * peak rate and its bytes at peak bandwidth.
 */
#ifndef ASIM_CATALOGUE_GPU_H
#define ASIM_CATALOGUE_GPU_H

#include "asim/err.h"

struct asim_gpu {
    char name[32];
    double tflops_16bit, tflops_32bit, memory_gbps; /* dense; GB/s of 1e9 bytes */
    double tflops_8bit, tflops_4bit;                /* dense; 0 = its tensor cores have none */
    double memory_gb;                               /* 0 = not said */
    int is_built_in;                                /* not a row of the user's file */
};

/* Finds a GPU by its name, in any case: in the file `path` if it is there, else in the built-in
 * table (gpus.json). path: NULL = built-in only. An unknown name is an error that names others. */
int asim_gpu_find(struct asim_gpu *gpu, const char *name, const char *path, struct asim_err *err);

/* A recorded kernel. ops and bytes: 0 = not recorded; then the name tells whether arithmetic or
 * memory limits it. */
struct asim_gpu_kernel {
    const char *name;
    double ops, bytes;
};
enum asim_gpu_limit { ASIM_GPU_ARITHMETIC, ASIM_GPU_MEMORY };
enum asim_gpu_limit asim_gpu_limit_of(const struct asim_gpu_kernel *kernel,
                                      const struct asim_gpu *gpu, int is_32bit);
/* By how much a kernel's time on `from` is multiplied on `to`. */
double asim_gpu_factor(const struct asim_gpu_kernel *kernel, const struct asim_gpu *from,
                       const struct asim_gpu *to, int is_32bit);

#endif
