/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the linked trace.
 */
#ifndef ASIM_CONVERTER_CONVERT_LOAD_H
#define ASIM_CONVERTER_CONVERT_LOAD_H

#include "convert/convert.h"

/* Reads the input and keeps what the graph needs of each node. */
int asim_convert_load(struct asim_convert *cv, struct asim_err *err);

#endif
