/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Tables: cells, quotes, line ends, byte order mark, places of errors, in pieces of every size; and
 * that a cell written by base/io/quote.c reads back.
 */
#include "check.h"
#include "cli/csv.h"
#include "base/io/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hands out at most `piece` bytes a call. */
struct pieces {
    struct asim_csv_text text;
    size_t piece;
};

static int read_piece(void *self, char *to, size_t size, size_t *got, struct asim_err *err)
{
    struct pieces *from = self;

    return asim_csv_read_text(&from->text, to, size < from->piece ? size : from->piece, got, err);
}

/* "line:column text|" of each cell, "/" behind each row, then the error. */
static void walk(const char *text, size_t n, size_t piece, char *walk, size_t size)
{
    struct pieces from = {{text, n}, piece};
    struct asim_csv csv;
    struct asim_err err = {0};
    char shown[400];
    int code;

    walk[0] = '\0';
    asim_csv_init(&csv, "t", (struct asim_csv_source){&from, read_piece});
    code = asim_csv_header(&csv, &err);
    for (code = code ? code : 1; code > 0;) {
        for (size_t i = 0; i < csv.cell.n; i++)
            snprintf(walk + strlen(walk), size - strlen(walk), "%u:%u %s|",
                     asim_csv_where(&csv, i).line, asim_csv_where(&csv, i).column,
                     asim_csv_cell(&csv, i));
        strcat(walk, "/");
        code = asim_csv_row(&csv, &err);
    }
    if (code)
        strcat(walk, asim_err_show(&err, shown, sizeof shown));
    CHECK(code == err.code);
    asim_csv_close(&csv);
    asim_csv_close(&csv); /* twice is harmless */
}

static void test_walks(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"a,b\n1,2\n", "1:1 a|1:3 b|/2:1 1|2:3 2|/"},
        {"a,b\r\n1,2", "1:1 a|1:3 b|/2:1 1|2:3 2|/"},
        {"\xEF\xBB\xBF"
         "a\n\n\r\n7\n",
         "1:1 a|/4:1 7|/"},
        {"a,b\n\"x,y\",\"p\"\"q\"\n", "1:1 a|1:3 b|/2:1 x,y|2:7 p\"q|/"},
        {"a,b\n\"x\ny\",\n3,4\n", "1:1 a|1:3 b|/2:1 x\ny|3:4 |/4:1 3|4:3 4|/"},
        {"a,b\n,\n", "1:1 a|1:3 b|/2:1 |2:2 |/"},
        {"\"\"\n\"\"\n", "1:1 |/2:1 |/"},
        {"", "t: the table is empty; a header line is expected."},
        {"\n\n", "t: the table is empty; a header line is expected."},
        {"a,b\n1\n", "1:1 a|1:3 b|/t:2:1: the row has 1 cells and the head"},
        {"a,b\n1,2,3\n", "1:1 a|1:3 b|/t:2:5: the row has 3 cells and the head"},
        {"a,b,a\n", "t:1:5: the header names the column 'a' "},
        {"a\n\"x\n\n", "1:1 a|/t:2:1: the quote that opens this cell is"},
        {"a\nx\"y\n", "1:1 a|/t:2:2: found a quote inside a cell witho"},
        {"a\n\"x\"y\n", "1:1 a|/t:2:4: found 'y' behind a closing quote;"},
        {"a\nx\ry\n", "1:1 a|/t:2:3: found a carriage return without a"},
        {"a\n\"x\"\r,\n", "1:1 a|/t:2:5: found a carriage return without a"},
    };
    char got[600];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t piece = strncmp(rows[i].text, "\xEF", 1) ? 1 : 3; piece < 30; piece++) {
            walk(rows[i].text, strlen(rows[i].text), piece, got, sizeof got);
            CHECK(!strncmp(got, rows[i].want, strlen(rows[i].want)));
        }
    walk("a\nx\0y\n", 6, 100, got, sizeof got);
    CHECK_STR(got, "1:1 a|/t:2:2: found a NUL byte: this is not a text file.");
}

/* A row without end must not take all memory. */
static void test_ceilings(void)
{
    size_t n = ASIM_CSV_ROW_BYTES + 10;
    char *text = malloc(n + 1);
    struct asim_csv csv;
    struct asim_err err = {0}, many = {0};
    struct asim_csv_text from = {text, n}, commas = {text, ASIM_CSV_CELLS + 1};

    CHECK(text != NULL);
    if (!text)
        return;
    memset(text, 'x', n);
    text[0] = '"';
    asim_csv_init(&csv, "t", (struct asim_csv_source){&from, asim_csv_read_text});
    CHECK(asim_csv_header(&csv, &err) == ASIM_EINVAL && strstr(err.text, "closing quote missing"));
    asim_csv_close(&csv);
    memset(text, ',', n);
    asim_csv_init(&csv, "t", (struct asim_csv_source){&commas, asim_csv_read_text});
    CHECK(asim_csv_header(&csv, &many) == ASIM_EINVAL && strstr(many.text, "more than 4096 cells"));
    asim_csv_close(&csv);
    free(text);
}

/* Names that end cells, rows and elements elsewhere. */
static void test_quotes(void)
{
    static const char *const names[] = {
        "mm",   "mm\"f32\",layer0", "a,b",  "\"",   "\"\"",     " x ",
        "",     "caf\xC3\xA9",      "x\ty", "=1+1", "@SUM(A1)", "+a",
        "-2+3", "-1.5e3",           "+2",   "a=b",  "-"};
    static const char *const want[] = {
        "mm",    "mm\"f32\",layer0", "a,b", "\"",    "\"\"",   " x ", "",    "caf\xC3\xA9", "x y",
        "'=1+1", "'@SUM(A1)",        "'+a", "'-2+3", "-1.5e3", "+2",  "a=b", "'-"};
    struct asim_out out;
    struct asim_csv csv;
    char text[1000] = "";
    FILE *file;

    CHECK(!asim_out_open(&out, "quotes.csv", NULL));
    asim_out_printf(&out, "n,always,needed\n");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        asim_out_printf(&out, "%zu,", i);
        asim_quote_csv(&out, names[i]);
        asim_out_printf(&out, ",");
        asim_quote_csv_if_needed(&out, names[i]);
        asim_out_printf(&out, "\n");
    }
    CHECK(!asim_out_commit(&out, NULL));
    file = fopen("quotes.csv", "rb");
    CHECK(file && fread(text, 1, sizeof text - 1, file) > 0);
    if (file)
        fclose(file);
    remove("quotes.csv");
    struct asim_csv_text from = {text, strlen(text)};
    asim_csv_init(&csv, "t", (struct asim_csv_source){&from, asim_csv_read_text});
    CHECK(!asim_csv_header(&csv, NULL));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(asim_csv_row(&csv, NULL) == 1);
        CHECK_STR(asim_csv_cell(&csv, 1), want[i]);
        CHECK_STR(asim_csv_cell(&csv, 2), want[i]);
    }
    CHECK(asim_csv_row(&csv, NULL) == 0);
    asim_csv_close(&csv);
}

int main(void)
{
    test_walks();
    test_ceilings();
    test_quotes();
    return CHECK_DONE();
}
