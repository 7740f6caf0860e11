/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Sections of compute times.
 */
#ifndef ASIM_CONVERTER_LLM_SECTIONS_H
#define ASIM_CONVERTER_LLM_SECTIONS_H

#include "llm/llm.h"

/* Adds a section, with the first 47 letters of its name; NULL: out of memory, or too many. */
struct asim_llm_section *asim_llm_sections_add(struct asim_llm_times *times, const char *name);
/* Adds the sections of AIOB's file. */
int asim_llm_sections_read(struct asim_llm_times *times, const char *path, struct asim_err *err);

#endif
