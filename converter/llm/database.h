/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A database of measured compute times (simai.md#compute-times): a table of kernels and
 * sub-modules, or a folder of AIOB's files under the names that AICB gives them.
 */
#ifndef ASIM_CONVERTER_LLM_DATABASE_H
#define ASIM_CONVERTER_LLM_DATABASE_H

#include "llm/llm.h"

/* Adds the sections that fit the options (GPU, model, tp, ep, micro batch, sequence, sizes). A
 * table of kernels that fits none adds none; a folder without a file that fits is an error that
 * names the nearest file. */
int asim_llm_database_find(struct asim_llm_times *times, const struct asim_llm *llm,
                           struct asim_err *err);
/* The GPU that the options name for a look-up, or "". */
const char *asim_llm_database_gpu(const struct asim_llm_options *opt);

#endif
