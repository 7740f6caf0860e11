/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Isolated nodes and cycles.
 */
#ifndef ASIM_CONVERTER_CONVERT_CLEAN_H
#define ASIM_CONVERTER_CONVERT_CLEAN_H

#include "convert/convert.h"

/* Deletes isolated nodes and breaks cycles. */
int asim_convert_clean(struct asim_convert *cv, struct asim_err *err);

#endif
