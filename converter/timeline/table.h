/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rows of a CSV table.
 */
#ifndef ASIM_CONVERTER_TIMELINE_TABLE_H
#define ASIM_CONVERTER_TIMELINE_TABLE_H

#include "timeline/timeline.h"

/* The index of each column; -1 = none. */
struct asim_timeline_columns {
    int rank, name, start, finish, id, type;
    int dst, bytes; /* of messages, which have no name */
};
/* 1 if the current line is a header; fills in the columns. */
int asim_timeline_header(const struct asim_timeline *t, struct asim_timeline_columns *columns);
int asim_timeline_row(struct asim_timeline *t, const struct asim_timeline_columns *columns,
                      struct asim_err *err);

#endif
