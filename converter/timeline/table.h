/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rows of a CSV table.
 */
#ifndef ASIM_CONVERTER_TIMELINE_TABLE_H
#define ASIM_CONVERTER_TIMELINE_TABLE_H

#include "base/io/csv.h"
#include "timeline/timeline.h"

/* 1 if a line of text (without its end) is a header that names the columns needed. */
int asim_timeline_is_header(const char *line);
/* Reads the rest of the file as a table. */
int asim_timeline_table(struct asim_timeline *t, struct asim_err *err);

#endif
