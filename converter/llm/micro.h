/* SPDX-License-Identifier: GPL-2.0-only
 *
 * AICB's micro tests.
 */
#ifndef ASIM_CONVERTER_LLM_MICRO_H
#define ASIM_CONVERTER_LLM_MICRO_H

#include "llm/llm.h"

/* 1 for micro tests instead of a model: frame collective_test (micro.c). */
int asim_llm_is_micro(const struct asim_llm_options *opt);
int asim_llm_micro(const struct asim_llm_options *opt, const char *path, uint32_t *rows,
                   struct asim_err *err);

#endif
