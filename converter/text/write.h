/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes the traces of a layer file.
 */
#ifndef ASIM_CONVERTER_TEXT_WRITE_H
#define ASIM_CONVERTER_TEXT_WRITE_H

#include "text/text.h"

/* Writes <output>.<rank>.et for all ranks. */
int asim_text_write(const struct asim_layers *layers, const struct asim_text_options *opt,
                    struct asim_text_result *result, struct asim_err *err);

#endif
