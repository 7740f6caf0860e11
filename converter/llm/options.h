/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Options and presets.
 */
#ifndef ASIM_CONVERTER_LLM_OPTIONS_H
#define ASIM_CONVERTER_LLM_OPTIONS_H

#include "llm/llm.h"

/* Call it before the command line is parsed: records the options that it gives, also with their
 * default values. */
void asim_llm_note_given(struct asim_llm_options *opt, int argc, char **argv);
/* Fills in the preset sizes of opt->model for options that the command line does not give. */
int asim_llm_preset(struct asim_llm_options *opt, struct asim_err *err);
/* Call it after the preset: a global batch that was not given becomes one micro-batch for each
 * data-parallel rank if it is smaller. Returns 1 if it did. */
int asim_llm_fit_batch(struct asim_llm_options *opt);

#endif
