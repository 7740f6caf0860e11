/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Help text of an option table: keys and types in a left column as wide as the widest row (at most
 * LEFT_MOST; longer keys get a line of their own), beside it the help with range, choices and
 * default, wrapped at 100 columns. The printer counts the bytes that do not fit, so that a caller
 * can ask for the size first, as with snprintf.
 *
 * Golden tests compare the layout: a change shows in the --help of every command.
 */
#include "asim/ext/option.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 100, LEFT_MOST = 38 };

struct page {
    char *buf;
    size_t size, used;
    size_t column; /* characters on the current line */
};

/* Counts on beyond the end of buf: `used` is the size that a second call needs. */
static void put(struct page *page, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (page->used + 1 < page->size)
            page->buf[page->used] = text[i];
        page->used++;
        page->column += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (text[i] == '\n')
            page->column = 0;
    }
}

static void pad(struct page *page, size_t column)
{
    while (page->column < column)
        put(page, " ", 1);
}

/* Writes the words of text, starting at the left margin. */
static void wrap(struct page *page, size_t margin, const char *text)
{
    while (*text) {
        text += strspn(text, " \n");
        size_t n = strcspn(text, " \n");
        if (!n)
            return;
        if (page->column > margin && page->column + 1 + n > WIDTH - 1) /* a ')' may follow */
            put(page, "\n", 1);
        if (page->column > margin)
            put(page, " ", 1);
        pad(page, margin);
        put(page, text, n);
        text += n;
    }
}

/* The type after the '='. The notes list choices. */
static const char *type_name(enum asim_type type)
{
    switch (type) {
    case ASIM_T_BOOL:
        return "BOOL";
    case ASIM_T_U32:
    case ASIM_T_U64:
        return "N";
    case ASIM_T_I64:
        return "INT";
    case ASIM_T_DOUBLE:
        return "X";
    case ASIM_T_STRING:
        return "TEXT";
    case ASIM_T_RATE:
        return "RATE";
    case ASIM_T_TIME:
        return "TIME";
    case ASIM_T_SIZE:
        return "SIZE";
    default:
        return "WORD";
    }
}

/* Columns of " --key=TYPE". */
static size_t left_width(const struct asim_option *row)
{
    return strlen("  --=") + strlen(row->key) + strlen(type_name(row->type));
}

/* The column of the help texts; one very long key must not move all others to the right. */
static size_t find_margin(const struct asim_option *table)
{
    size_t margin = 0;
    for (const struct asim_option *row = table; row && row->key; row++) {
        size_t width = left_width(row);
        if (width > margin && width <= LEFT_MOST)
            margin = width;
    }
    return (margin ? margin : LEFT_MOST) + 2;
}

/* The units of min and max in asim/ext/option.h. */
static const char *range_unit(enum asim_type type)
{
    if (type == ASIM_T_RATE)
        return " bit/s";
    if (type == ASIM_T_TIME)
        return " ns";
    return type == ASIM_T_SIZE ? " bytes" : "";
}

/* Adds "; <label><text><unit>" to the notes, or "(…" at their start. */
static void note(char *notes, size_t size, const char *label, const char *text)
{
    size_t n = strlen(notes);
    snprintf(notes + n, size - n, "%s%s%s", n ? "; " : "(", label, text);
}

/* "(one of a|b|c; 1 to 8; also --x; default 4)": the parts that the row has. */
static void put_notes(struct page *page, size_t margin, const struct asim_option *row)
{
    char notes[1000] = "", range[80];
    if (row->type == ASIM_T_CHOICE && row->choices)
        note(notes, sizeof notes, "one of ", row->choices);
    if (row->min != 0 || row->max != 0) {
        snprintf(range, sizeof range, "%.10g to %.10g%s", row->min, row->max,
                 range_unit(row->type));
        note(notes, sizeof notes, "", range);
    }
    if (row->flags & (ASIM_F_NS | ASIM_F_US))
        note(notes, sizeof notes, "",
             row->flags & ASIM_F_US ? "us where no unit" : "ns where no unit");
    if (row->flags & ASIM_F_BARE)
        note(notes, sizeof notes, "", "bit/s where no unit");
    if (row->alias)
        note(notes, sizeof notes, "also ", row->alias);
    if (row->flags & ASIM_F_NOOP)
        note(notes, sizeof notes, "", "accepted, no effect");
    if (row->def)
        note(notes, sizeof notes, "default ", *row->def ? row->def : "empty");
    if (!*notes)
        return;
    wrap(page, margin, notes);
    put(page, ")", 1);
}

/* wrap keeps a column free for the closing bracket. */
static void put_row(struct page *page, size_t margin, const struct asim_option *row)
{
    const char *type = type_name(row->type);
    put(page, "  --", 4);
    put(page, row->key, strlen(row->key));
    put(page, "=", 1);
    put(page, type, strlen(type));
    if (page->column + 2 > margin)
        put(page, "\n", 1);
    pad(page, margin);
    wrap(page, margin, row->help ? row->help : "");
    put_notes(page, margin, row);
    put(page, "\n", 1);
}

/* Returns the bytes that the whole text needs; buf may be NULL if size is 0. */
size_t asim_option_help(const struct asim_option *table, char *buf, size_t size)
{
    struct page page = {buf, size, 0, 0};
    size_t margin = find_margin(table);
    for (const struct asim_option *row = table; row && row->key; row++)
        put_row(&page, margin, row);
    if (size)
        buf[page.used < size ? page.used : size - 1] = '\0';
    return page.used;
}
