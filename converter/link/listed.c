/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The runtime calls that the published tools take for launches of GPU work (spec chakra.md 3.2).
 * What any other call launches they drop: graph and cooperative launches, memsets, peer copies.
 * Here the list serves --compat, and a line of the summary.
 */
#include "link/kineto.h"

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
