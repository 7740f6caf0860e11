/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The communication of a kernel.
 */
#ifndef ASIM_CONVERTER_CONVERT_RESOLVE_H
#define ASIM_CONVERTER_CONVERT_RESOLVE_H

#include "convert/convert.h"

/* The communication of a GPU node, from all sources. */
struct asim_comm asim_convert_comm(const struct asim_convert *cv, uint32_t node, int *guessed);

#endif
