/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Rows of a CSV table.
 */
#ifndef ASIM_CONVERTER_TIMELINE_TABLE_H
#define ASIM_CONVERTER_TIMELINE_TABLE_H

#include "timeline/timeline.h"

/* Columns of a table: which one holds what; -1 = none. */
struct asim_timeline_columns {
    int rank, name, start, finish, id, type;
    int dst, bytes; /* of messages, which have no name */
};
/* Understands the header line at hand: 1 if it is one. */
int asim_timeline_header(const struct asim_timeline *t, struct asim_timeline_columns *columns);
int asim_timeline_row(struct asim_timeline *t, const struct asim_timeline_columns *columns,
                      struct asim_err *err);

#endif
