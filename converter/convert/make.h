/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Collectives of a host trace alone.
 */
#ifndef ASIM_CONVERTER_CONVERT_MAKE_H
#define ASIM_CONVERTER_CONVERT_MAKE_H

#include "convert/convert.h"

/* Adds a GPU node for each record_param_comms of a host-only trace. */
int asim_convert_make(struct asim_convert *cv, struct asim_err *err);

#endif
