/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compute times.
 */
#ifndef ASIM_CONVERTER_LLM_TIMES_H
#define ASIM_CONVERTER_LLM_TIMES_H

#include "llm/llm.h"

/* From opt->comp_file, opt->database, opt->roofline, or none. */
int asim_llm_times_open(struct asim_llm_times *times, const struct asim_llm *llm,
                        struct asim_err *err);
/* The sections of opt->database or opt->comp_file only, for a step of --schedule; none without. */
int asim_llm_times_measured(struct asim_llm_times *times, const struct asim_llm *llm,
                            struct asim_err *err);
/* ns of the section of that name; 1 (and counted as missing) if there is none. */
uint64_t asim_llm_time_of(struct asim_llm_times *times, const char *name);
void asim_llm_times_close(struct asim_llm_times *times);

#endif
