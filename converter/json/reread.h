/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads elements a second time.
 */
#ifndef ASIM_CONVERTER_JSON_REREAD_H
#define ASIM_CONVERTER_JSON_REREAD_H

#include "json/reader.h"

/* Parses the `size` bytes at `offset` again. */
int asim_jreader_reread(struct asim_jreader *r, uint64_t offset, size_t size, struct asim_jdoc *doc,
                        struct asim_err *err);

#endif
