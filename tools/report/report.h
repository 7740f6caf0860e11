/* SPDX-License-Identifier: GPL-2.0-only
 *
 * `asim report`: the folders of runs as one page of HTML, and the verdict as text.
 */
#ifndef ASIM_TOOLS_REPORT_REPORT_H
#define ASIM_TOOLS_REPORT_REPORT_H

#include "asim/err.h"

/* Writes the page of n runs to path. The same bytes for the same folders. Returns 0 or an error; no
 * half page is left. */
int asim_report_page(const char *const *folders, size_t n, const char *path, struct asim_err *err);
/* The verdict of a run's folder as text, a line with "What limits this run: …" and a line for each
 * of the five busiest links, in malloc'ed *text, which the caller frees. */
int asim_report_text(const char *folder, char **text, struct asim_err *err);

/* What limits the run of a folder, in a few words; "" where that is not known. */
void asim_report_cause(const char *folder, char *cause, size_t size);

#endif
