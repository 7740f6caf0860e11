/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Reads CSV files row by row. One pass over the bytes, which come in pieces; memory holds one row.
 * Lines and columns count bytes, as in src.c.
 *
 * RFC 4180 leaves open what a quote inside a cell without quotes means. Readers disagree, and one
 * reading shifts all later columns, so such a quote is an error.
 */
#include "cli/csv.h"

#include <stdlib.h>
#include <string.h>
#include "base/text.h"

enum { END = -1, FAILED = -2 }; /* beside the bytes 0 to 255 */

void asim_csv_init(struct asim_csv *csv, const char *name, struct asim_csv_source source)
{
    *csv = (struct asim_csv){.name = name, .source = source, .line = 1, .column = 1};
}

static struct asim_where here(const struct asim_csv *csv)
{
    return (struct asim_where){csv->name, csv->line, csv->column};
}

/* The next byte, which stays; END or FAILED. */
static int peek(struct asim_csv *csv, struct asim_err *err)
{
    if (csv->piece_at < csv->piece_n)
        return (unsigned char)csv->piece[csv->piece_at];
    if (csv->is_ended)
        return END;
    csv->piece_at = csv->piece_n = 0;
    if (!csv->piece && !(csv->piece = malloc(ASIM_CSV_PIECE)))
        csv->failed = asim_err_nomem(err, "reading a table");
    if (!csv->failed)
        csv->failed =
            csv->source.read(csv->source.self, csv->piece, ASIM_CSV_PIECE, &csv->piece_n, err);
    if (csv->failed)
        return FAILED;
    csv->is_ended = !csv->piece_n;
    return csv->is_ended ? END : (unsigned char)csv->piece[0];
}

/* Goes behind the byte that peek has shown. */
static void pass(struct asim_csv *csv)
{
    int is_line_end = csv->piece[csv->piece_at++] == '\n';

    csv->line += (unsigned)is_line_end;
    csv->column = is_line_end ? 1 : csv->column + 1;
}

static int put(struct asim_csv *csv, int c, struct asim_err *err)
{
    if (csv->text.n >= ASIM_CSV_ROW_BYTES)
        return asim_err_at(err, ASIM_EINVAL, here(csv),
                           "the row is longer than %zu bytes; is a closing quote missing?",
                           ASIM_CSV_ROW_BYTES);
    if (ASIM_VEC_PUSH(csv->text, (char)c))
        return asim_err_nomem(err, "reading a table");
    return 0;
}

static int refuse_nul(const struct asim_csv *csv, struct asim_err *err)
{
    return asim_err_at(err, ASIM_EINVAL, here(csv), "found a NUL byte: this is not a text file.");
}

/* Reads behind the opening quote up to the closing one. */
static int read_quoted(struct asim_csv *csv, struct asim_err *err)
{
    struct asim_where opened = here(csv);
    int c, code = 0;

    pass(csv);
    while (!code && (c = peek(csv, err)) != FAILED) {
        if (c == END)
            return asim_err_at(err, ASIM_EINVAL, opened,
                               "the quote that opens this cell is never closed; add the closing "
                               "quote, and double quotes inside the cell.");
        if (!c)
            return refuse_nul(csv, err);
        pass(csv);
        if (c == '"') {
            if (peek(csv, err) != '"')
                return 0;
            pass(csv);
        }
        code = put(csv, c, err);
    }
    return code ? code : csv->failed;
}

static int read_plain(struct asim_csv *csv, struct asim_err *err)
{
    int c, code = 0;

    while (!code && (c = peek(csv, err)) >= 0 && c != ',' && c != '\n' && c != '\r') {
        if (!c)
            return refuse_nul(csv, err);
        if (c == '"')
            return asim_err_at(err, ASIM_EINVAL, here(csv),
                               "found a quote inside a cell without quotes; put the whole cell in "
                               "quotes and double the quotes inside.");
        pass(csv);
        code = put(csv, c, err);
    }
    return code;
}

/* Passes the comma or line end behind a cell. *more: the row goes on. */
static int end_cell(struct asim_csv *csv, int was_quoted, int *more, struct asim_err *err)
{
    char found[2] = "", safe[8];
    int c = peek(csv, err), is_cr = c == '\r';

    *more = c == ',';
    if (is_cr) {
        pass(csv);
        c = peek(csv, err);
    }
    if (c == FAILED)
        return csv->failed;
    if (c == '\n' || (c == ',' && !is_cr))
        pass(csv);
    if (c == '\n' || c == END || (c == ',' && !is_cr))
        return 0;
    if (is_cr)
        return asim_err_at(err, ASIM_EINVAL, here(csv),
                           "found a carriage return without a line feed; end lines in LF or CRLF.");
    found[0] = (char)c;
    return asim_err_at(err, ASIM_EINVAL, here(csv),
                       "found '%s' behind a %s; a comma or the end of the line is expected. Double "
                       "the quotes inside a cell.",
                       asim_text_safe(safe, sizeof safe, found),
                       was_quoted ? "closing quote" : "cell");
}

static int read_cell(struct asim_csv *csv, int *more, struct asim_err *err)
{
    struct asim_csv_cell cell = {csv->text.n, csv->line, csv->column};
    int c = peek(csv, err), code;

    if (c == FAILED)
        return csv->failed;
    if (csv->cell.n >= ASIM_CSV_CELLS)
        return asim_err_at(err, ASIM_EINVAL, here(csv), "the row has more than %d cells.",
                           ASIM_CSV_CELLS);
    code = c == '"' ? read_quoted(csv, err) : read_plain(csv, err);
    if (!code)
        code = end_cell(csv, c == '"', more, err);
    if (!code)
        code = put(csv, 0, err);
    if (!code && ASIM_VEC_PUSH(csv->cell, cell))
        code = asim_err_nomem(err, "reading a table");
    return code;
}

/* A byte order mark is three bytes; a file that begins with one or two of them is no text. */
static void skip_mark(struct asim_csv *csv, struct asim_err *err)
{
    if (peek(csv, err) == 0xEF && csv->piece_n >= 3 && !memcmp(csv->piece, "\xEF\xBB\xBF", 3))
        csv->piece_at = 3;
}

/* Any number of cells; empty lines are no rows. */
static int read_row(struct asim_csv *csv, struct asim_err *err)
{
    int c, more = 1, code = 0;

    if (csv->line == 1 && csv->column == 1)
        skip_mark(csv, err);
    while ((c = peek(csv, err)) == '\n' || c == '\r')
        pass(csv);
    if (c < 0)
        return c == END ? 0 : csv->failed;
    csv->text.n = csv->cell.n = 0;
    while (more && !code)
        code = read_cell(csv, &more, err);
    return code ? code : 1;
}

/* Two columns of one name: a reader would silently take one of them. */
static int check_names(const struct asim_csv *csv, struct asim_err *err)
{
    char safe[64];

    for (size_t i = 0; i < csv->cell.n; i++)
        for (size_t k = 0; k < i; k++)
            if (*asim_csv_cell(csv, i) && !strcmp(asim_csv_cell(csv, i), asim_csv_cell(csv, k)))
                return asim_err_at(err, ASIM_EINVAL, asim_csv_where(csv, i),
                                   "the header names the column '%s' twice; remove or rename one.",
                                   asim_text_safe(safe, sizeof safe, asim_csv_cell(csv, i)));
    return 0;
}

int asim_csv_header(struct asim_csv *csv, struct asim_err *err)
{
    int code = read_row(csv, err);

    if (code <= 0)
        return code ? code
                    : asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, 0, 0},
                                  "the table is empty; a header line is expected.");
    csv->header = calloc(csv->cell.n, sizeof *csv->header);
    if (!csv->header)
        return asim_err_nomem(err, "reading a table");
    for (; csv->columns < csv->cell.n; csv->columns++) {
        const char *text = asim_csv_cell(csv, csv->columns);
        size_t size = strlen(text) + 1;
        char *copy = csv->header[csv->columns] = malloc(size);

        if (!copy)
            return asim_err_nomem(err, "reading a table");
        memcpy(copy, text, size);
    }
    return check_names(csv, err);
}

int asim_csv_find(const struct asim_csv *csv, const char *const *names, size_t n)
{
    for (size_t column = 0; column < csv->columns; column++)
        for (size_t i = 0; i < n; i++)
            if (!strcmp(csv->header[column], names[i]))
                return (int)column;
    return -1;
}

int asim_csv_refuse_slips(const struct asim_csv *csv, const char *const *names, size_t n,
                          struct asim_err *err)
{
    for (size_t c = 0; c < csv->columns; c++) {
        const char *near = asim_text_nearest(csv->header[c], names, n);
        char safe[64];

        if (near && strcmp(near, csv->header[c]) != 0 && asim_csv_find(csv, &near, 1) < 0)
            return asim_err_at(err, ASIM_EINVAL, (struct asim_where){csv->name, 1, 0},
                               "the column '%s' is not read. Did you mean '%s'?",
                               asim_text_safe(safe, sizeof safe, csv->header[c]), near);
    }
    return 0;
}

int asim_csv_row(struct asim_csv *csv, struct asim_err *err)
{
    int code = read_row(csv, err);

    if (code <= 0 || csv->cell.n == csv->columns)
        return code;
    return asim_err_at(
        err, ASIM_EINVAL,
        asim_csv_where(csv, csv->cell.n < csv->columns ? csv->cell.n - 1 : csv->columns),
        "the row has %zu cells and the header %zu; a name with commas needs quotes.", csv->cell.n,
        csv->columns);
}

const char *asim_csv_cell(const struct asim_csv *csv, size_t column)
{
    return csv->text.at + csv->cell.at[column].at;
}

struct asim_where asim_csv_where(const struct asim_csv *csv, size_t column)
{
    return (struct asim_where){csv->name, csv->cell.at[column].line, csv->cell.at[column].column};
}

void asim_csv_close(struct asim_csv *csv)
{
    for (size_t i = 0; i < csv->columns; i++)
        free(csv->header[i]);
    ASIM_FREE(csv->header, csv->piece, csv->text.at, csv->cell.at);
    memset(csv, 0, sizeof *csv);
}

int asim_csv_read_text(void *self, char *to, size_t size, size_t *got, struct asim_err *err)
{
    struct asim_csv_text *text = self;

    (void)err;
    *got = text->left < size ? text->left : size;
    memcpy(to, text->at, *got);
    text->at += *got;
    text->left -= *got;
    return 0;
}
