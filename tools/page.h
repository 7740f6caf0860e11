/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The frame of every page of HTML: head with the style, end with the scripts. Everything is inside
 * the file.
 */
#ifndef ASIM_TOOLS_PAGE_H
#define ASIM_TOOLS_PAGE_H

#include "base/io/out.h"

/* A file of tools/report/page or of uPlot. */
const char *asim_page_file(const char *name);
/* Up to the text of the title, which the caller writes; from behind it to the first section. */
void asim_page_begin(struct asim_out *out);
void asim_page_body(struct asim_out *out, const char *command);
/* has_charts: uPlot is in the page. */
void asim_page_end(struct asim_out *out, int has_charts);

#endif
