/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Types of ASTRA-sim 1.0.
 */
#ifndef ASIM_CONVERTER_TEXT_EXTENDED_H
#define ASIM_CONVERTER_TEXT_EXTENDED_H

#include "text/graph.h"

void asim_text_pass_extended(struct asim_text_graph *g);

#endif
