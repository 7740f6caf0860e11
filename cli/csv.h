/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Tables of comma-separated values (RFC 4180), row by row, for every command that reads one: a cell
 * in double quotes may hold commas, line ends and "" for a quote; lines end in LF or CRLF; a UTF-8
 * byte order mark and empty lines are skipped. The first row is the header. A row with more or
 * fewer cells than the header is an error, as is a quote out of place.
 *
 *     asim_csv_init, asim_csv_header, asim_csv_find for each column, asim_csv_row until 0,
 *     asim_csv_close on every path.
 */
#ifndef ASIM_CLI_CSV_H
#define ASIM_CLI_CSV_H

#include <stddef.h>
#include "asim/err.h"
#include "base/mem.h"

#define ASIM_CSV_ROW_BYTES ((size_t)1 << 20) /* of a row at most */
#define ASIM_CSV_CELLS     4096              /* of a row at most */
#define ASIM_CSV_PIECE     ((size_t)1 << 16)

/* Where the bytes come from: fills `to` with up to size bytes, *got = 0 at the end. */
struct asim_csv_source {
    void *self;
    int (*read)(void *self, char *to, size_t size, size_t *got, struct asim_err *err);
};

struct asim_csv_cell {
    size_t at; /* offset of the cell's text in the row */
    unsigned line, column;
};

struct asim_csv {
    const char *name; /* borrowed, for messages */
    struct asim_csv_source source;
    char *piece; /* the bytes piece_at to piece_n are not used yet */
    size_t piece_at, piece_n;
    int is_ended, failed;  /* failed: the source's code */
    unsigned line, column; /* of the next byte */
    ASIM_VEC(char) text;   /* the cells of the row, each with a NUL */
    ASIM_VEC(struct asim_csv_cell) cell;
    char **header;
    size_t columns; /* of the header */
};

/* name is borrowed. */
void asim_csv_init(struct asim_csv *csv, const char *name, struct asim_csv_source source);
/* Reads the header. An empty file and a column name given twice are errors. */
int asim_csv_header(struct asim_csv *csv, struct asim_err *err);
/* The first column with one of the n names, or -1. */
int asim_csv_find(const struct asim_csv *csv, const char *const *names, size_t n);
/* Refuses a column that resembles one of the n names that is absent, and is none of them. */
int asim_csv_refuse_slips(const struct asim_csv *csv, const char *const *names, size_t n,
                          struct asim_err *err);
/* Reads the next row: 1, 0 at the end, or a negative code. */
int asim_csv_row(struct asim_csv *csv, struct asim_err *err);
/* The text of a cell of the row; valid until the next row. */
const char *asim_csv_cell(const struct asim_csv *csv, size_t column);
/* The place of a cell of the row. */
struct asim_where asim_csv_where(const struct asim_csv *csv, size_t column);
/* Also closes an all-zero struct. */
void asim_csv_close(struct asim_csv *csv);

/* A source over a text in memory. */
struct asim_csv_text {
    const char *at;
    size_t left;
};
int asim_csv_read_text(void *text, char *to, size_t size, size_t *got, struct asim_err *err);

#endif
