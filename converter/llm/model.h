/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sizes and parameter counts.
 */
#ifndef ASIM_CONVERTER_LLM_MODEL_H
#define ASIM_CONVERTER_LLM_MODEL_H

#include "llm/llm.h"

/* Checks the options and derives values; sizes that do not divide are an error. */
int asim_llm_derive(struct asim_llm *llm, const struct asim_llm_options *opt, struct asim_err *err);

/* Bytes of an activation. */
double asim_llm_element(const struct asim_llm_options *opt);
/* Bytes of a gradient where ranks reduce it. */
uint64_t asim_llm_gradient(const struct asim_llm_options *opt);

#endif
