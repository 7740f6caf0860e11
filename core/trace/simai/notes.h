/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What SimAI passes over in a workload text without a word, and a header that is seldom meant.
 */
#ifndef ASIM_TRACE_SIMAI_NOTES_H
#define ASIM_TRACE_SIMAI_NOTES_H

#include "base/diagnostics.h"

/* Silent about a text that cannot be read. */
void asim_simai_diagnose(const char *path, const struct asim_diagnostics *diagnostics);

#endif
