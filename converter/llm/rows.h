/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The rows of a workload.
 */
#ifndef ASIM_CONVERTER_LLM_ROWS_H
#define ASIM_CONVERTER_LLM_ROWS_H

#include "llm/llm.h"

int asim_llm_rows_make(struct asim_llm_rows *rows, const struct asim_llm *llm,
                       struct asim_llm_times *times, struct asim_err *err);

#endif
