/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The metadata record.
 */
#ifndef ASIM_CONVERTER_CONVERT_METADATA_H
#define ASIM_CONVERTER_CONVERT_METADATA_H

#include "convert/convert.h"

struct asim_chakra_writer;

/* Writes the first record: five top-level members of the input as attributes. */
int asim_convert_metadata(struct asim_convert *cv, struct asim_chakra_writer *out,
                          struct asim_err *err);

#endif
