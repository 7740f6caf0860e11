/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes a trace as JSON.
 */
#ifndef ASIM_CONVERTER_DUMP_WRITE_H
#define ASIM_CONVERTER_DUMP_WRITE_H

#include "dump/dump.h"

/* Writes the rest of the trace to file; the caller checks the file for errors. */
int asim_dump_write(struct asim_chakra *trace, enum asim_dump_form form, FILE *file,
                    struct asim_dump_result *result, struct asim_err *err);

#endif
