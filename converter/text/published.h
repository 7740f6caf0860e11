/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Types of chakra_converter Text.
 */
#ifndef ASIM_CONVERTER_TEXT_PUBLISHED_H
#define ASIM_CONVERTER_TEXT_PUBLISHED_H

#include "text/graph.h"

/* One pass of the file's kind (published.c, extended.c). */
void asim_text_pass_published(struct asim_text_graph *g);

#endif
