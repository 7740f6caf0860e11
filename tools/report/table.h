/* SPDX-License-Identifier: GPL-2.0-only
 *
 * CSV reports of a run's folder, row by row. Columns are found by name, since reports gain columns
 * from version to version; a report that was not recorded is no error.
 */
#ifndef ASIM_TOOLS_REPORT_TABLE_H
#define ASIM_TOOLS_REPORT_TABLE_H

#include <stdint.h>
#include <stdio.h>
#include "cli/csv.h"

enum { ASIM_TABLE_PATH = 4096 };

struct asim_table {
    struct asim_csv csv;
    FILE *file; /* NULL: there is no such report */
    char path[ASIM_TABLE_PATH];
};

/* Opens folder/name and reads its header. A file that is not there leaves table->file NULL and is
 * no error. Close on every path. */
int asim_table_open(struct asim_table *table, const char *folder, const char *name,
                    struct asim_err *err);
/* The column with one of the names, separated by '|', or -1. */
int asim_table_find(const struct asim_table *table, const char *names);
/* The same; -1 with an error that names the file and the column where there is none. */
int asim_table_need(const struct asim_table *table, const char *names, struct asim_err *err);
/* Reads the next row: 1, 0 at the end, or a negative code. */
int asim_table_row(struct asim_table *table, struct asim_err *err);
/* A cell of the row; "" for column -1. Valid until the next row. */
const char *asim_table_text(const struct asim_table *table, int column);
/* A cell as a number; 0 for column -1 and for an empty cell. Anything else is an error in err. */
uint64_t asim_table_u64(const struct asim_table *table, int column, struct asim_err *err);
double asim_table_real(const struct asim_table *table, int column, struct asim_err *err);
void asim_table_close(struct asim_table *table);

#endif
