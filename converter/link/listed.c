/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The runtime calls that Chakra's tools take as launches of GPU work (chakra.md#device-trace). They
 * drop the work of all other calls: graph and cooperative launches, memsets, peer copies. Here the
 * list serves --compat and a line of the summary. Also the categories of the events in use.
 */
#include "link/kineto.h"
#include "json/access.h"

#include <string.h>

static const char *const launches[] = {
    "cuLaunchKernel",        "cuLaunchKernelEx",    "cudaLaunchKernel",
    "cudaLaunchKernelExC",   "cudaMemcpy",          "cudaMemcpyAsync",
    "cudaMemcpyFromSymbol",  "cudaMemcpyToSymbol",  "cudaLaunchCooperativeKernel",
    "hipLaunchKernel",       "hipExtLaunchKernel",  "hipExtModuleLaunchKernel",
    "hipModuleLaunchKernel", "hipMemcpyWithStream", "hipMemcpyAsync"};

int asim_kineto_is_listed(const char *name)
{
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
        if (!strcmp(name, launches[i]))
            return 1;
    return 0;
}

static int ends(const char *text, size_t n, const char *tail)
{
    size_t m = strlen(tail);

    return n >= m && !memcmp(text + n - m, tail, m);
}

enum asim_kineto_what asim_kineto_classify(const struct asim_jdoc *doc, const struct asim_jv *cat,
                                           int *gpu_kind)
{
    const char *s;

    if (!cat || cat->kind != ASIM_J_STRING)
        return ASIM_KINETO_IGNORED;
    s = asim_jv_text(doc, cat);
    if (asim_jv_is(doc, cat, "cpu_op") || asim_jv_is(doc, cat, "user_annotation"))
        return ASIM_KINETO_CPU;
    *gpu_kind = ASIM_GPU_KERNEL;
    if (asim_jv_is(doc, cat, "kernel"))
        return ASIM_KINETO_GPU;
    *gpu_kind = ASIM_GPU_MEMCPY;
    if (asim_jv_is(doc, cat, "gpu_memcpy"))
        return ASIM_KINETO_GPU;
    *gpu_kind = ASIM_GPU_MEMSET;
    if (asim_jv_is(doc, cat, "gpu_memset"))
        return ASIM_KINETO_GPU;
    if (ends(s, cat->text_n, "_runtime") || ends(s, cat->text_n, "_driver"))
        return ASIM_KINETO_CALL;
    return asim_jv_is(doc, cat, "cuda_sync") ? ASIM_KINETO_SYNC : ASIM_KINETO_IGNORED;
}
