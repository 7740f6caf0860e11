/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads the CSV files of a run.
 */
#include "tools/report/table.h"

#include <errno.h>
#include <string.h>
#include "base/text.h"

static int read_file(void *self, char *to, size_t size, size_t *got, struct asim_err *err)
{
    struct asim_table *table = self;

    *got = fread(to, 1, size, table->file);
    if (!*got && ferror(table->file))
        return asim_err_set(err, ASIM_EIO, "cannot read %s: %s.", table->path, strerror(errno));
    return 0;
}

int asim_table_open(struct asim_table *table, const char *folder, const char *name,
                    struct asim_err *err)
{
    memset(table, 0, sizeof *table);
    snprintf(table->path, sizeof table->path, "%s/%s", folder, name);
    table->file = fopen(table->path, "rb");
    if (!table->file)
        return errno == ENOENT ? 0
                               : asim_err_set(err, ASIM_EIO, "cannot read %s: %s.", table->path,
                                              strerror(errno));
    asim_csv_init(&table->csv, table->path, (struct asim_csv_source){table, read_file});
    return asim_csv_header(&table->csv, err);
}

int asim_table_find(const struct asim_table *table, const char *names)
{
    char name[64];
    const char *one = name;
    int found = -1;

    while (found < 0 && *names) {
        size_t length = strcspn(names, "|");

        snprintf(name, sizeof name, "%.*s", (int)length, names);
        found = asim_csv_find(&table->csv, &one, 1);
        names += length + (names[length] == '|');
    }
    return found;
}

int asim_table_need(const struct asim_table *table, const char *names, struct asim_err *err)
{
    int found = asim_table_find(table, names);

    if (found < 0)
        asim_err_set(err, ASIM_EINVAL,
                     "%s has no column %.*s; is it a report of another program? Run the case again "
                     "with --out.",
                     table->path, (int)strcspn(names, "|"), names);
    return found;
}

int asim_table_row(struct asim_table *table, struct asim_err *err)
{
    return table->file ? asim_csv_row(&table->csv, err) : 0;
}

const char *asim_table_text(const struct asim_table *table, int column)
{
    return column < 0 ? "" : asim_csv_cell(&table->csv, (size_t)column);
}

static void refuse(const struct asim_table *table, int column, struct asim_err *err)
{
    char safe[64];

    asim_err_at(err, ASIM_EINVAL, asim_csv_where(&table->csv, (size_t)column),
                "the column %s wants a number, found '%s'.", table->csv.header[column],
                asim_text_safe(safe, sizeof safe, asim_table_text(table, column)));
}

uint64_t asim_table_u64(const struct asim_table *table, int column, struct asim_err *err)
{
    const char *text = asim_table_text(table, column);
    uint64_t value = 0;

    if (*text && asim_text_u64(text, &value))
        refuse(table, column, err);
    return value;
}

double asim_table_real(const struct asim_table *table, int column, struct asim_err *err)
{
    const char *text = asim_table_text(table, column);
    double value = 0;

    if (*text && asim_text_double(text, &value))
        refuse(table, column, err);
    return value;
}

void asim_table_close(struct asim_table *table)
{
    asim_csv_close(&table->csv);
    if (table->file)
        fclose(table->file);
    table->file = NULL;
}
