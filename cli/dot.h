/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Graphviz as a program, for the commands that draw.
 */
#ifndef ASIM_CLI_DOT_H
#define ASIM_CLI_DOT_H

#include "asim/err.h"

/* Runs dot -T<type> -o <picture> <text>. 0 or ASIM_EIO, with a sentence that says how to get it
 * where it is not installed. */
int asim_dot_render(const char *text, const char *picture, const char *type, struct asim_err *err);

#endif
