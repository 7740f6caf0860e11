/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes SimAI text and Chakra traces.
 */
#ifndef ASIM_CONVERTER_LLM_WRITE_H
#define ASIM_CONVERTER_LLM_WRITE_H

#include "llm/llm.h"

/* Writes SimAI text. path NULL: AICB's name, which *name receives (size bytes). */
int asim_llm_write(const struct asim_llm *llm, const struct asim_llm_rows *rows, const char *path,
                   struct asim_err *err);
void asim_llm_file_name(const struct asim_llm *llm, char *name, size_t size);
/* Writes every rank of a workload file (SimAI text, or any trace) as PREFIX.<rank>.et. *ranks
 * receives their number. */
int asim_llm_to_et(const char *workload, const char *prefix, uint32_t *ranks, int force,
                   struct asim_err *err);

#endif
