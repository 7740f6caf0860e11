/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the Chakra file.
 */
#ifndef ASIM_CONVERTER_CONVERT_EMIT_H
#define ASIM_CONVERTER_CONVERT_EMIT_H

#include "convert/convert.h"

/* Writes the trace to the output file. */
int asim_convert_emit(struct asim_convert *cv, struct asim_err *err);

#endif
