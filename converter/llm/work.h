/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compute times by kernel.
 */
#ifndef ASIM_CONVERTER_LLM_WORK_H
#define ASIM_CONVERTER_LLM_WORK_H

#include "catalogue/kernels.h"
#include "llm/llm.h"

/* The kernels of one micro-batch on one GPU, and the optimizer's, at the rates of `kernels`: fills
 * times->parts and what AICB's rows take of it. */
void asim_llm_work_times(struct asim_llm_times *times, const struct asim_llm *llm,
                         const struct asim_gpu_kernels *kernels);

#endif
