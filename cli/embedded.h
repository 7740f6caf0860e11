/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Text files that cmake/embed.cmake compiles into the tool.
 */
#ifndef ASIM_CLI_EMBEDDED_H
#define ASIM_CLI_EMBEDDED_H

#include "base/embedded.h"

/* Style and scripts of the page of `asim report`. */
extern const struct asim_embedded report_page_files[];
/* The script of `asim trace collect`. */
extern const struct asim_embedded collect_files[];
/* The tables of catalogue/. */
extern const struct asim_embedded catalogue_files[];

#endif
