/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Order of GPU streams, waits for the GPU.
 */
#ifndef ASIM_CONVERTER_CONVERT_ORDER_H
#define ASIM_CONVERTER_CONVERT_ORDER_H

#include "convert/convert.h"

/* Adds the dependencies of streams and waits; makes the final ranges. */
int asim_convert_order(struct asim_convert *cv, struct asim_err *err);

#endif
