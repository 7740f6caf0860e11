/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes text as a JSON string or a CSV field. One character at a time; each form says what it does
 * with a character it cannot write as it is.
 */
#include "base/io/quote.h"

#include <stdint.h>
#include <string.h>
#include "base/text.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* The bytes of the character at text, or 0 if it is to be replaced by U+FFFD; *step: its bytes in
 * the text. */
static size_t visible(const char *text, size_t *step)
{
    size_t n = asim_text_utf8(text);

    *step = n ? n : 1;
    return n && !asim_text_is_hidden(text, n) ? n : 0;
}

/* \uXXXX, or two of them above U+FFFF. */
static void json_escape(struct asim_out *out, const char *text, size_t n)
{
    uint32_t code = n == 1 ? (unsigned char)*text : (unsigned char)*text & (0xFFu >> (n + 1));

    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3F);
    if (code > 0xFFFF)
        asim_out_printf(out, "\\u%04x\\u%04x", 0xD800 + ((code - 0x10000) >> 10),
                        0xDC00 + ((code - 0x10000) & 0x3FF));
    else
        asim_out_printf(out, "\\u%04x", code);
}

/* Escapes what RFC 8259 requires and what does not show. */
void asim_quote_json(struct asim_out *out, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";

    asim_out_write(out, "\"", 1);
    while (*text) {
        size_t n = asim_text_utf8(text);
        const char *found = memchr(plain, *text, sizeof plain - 1);

        if (!n)
            asim_out_write(out, replacement, 3);
        else if (found)
            asim_out_printf(out, "\\%c", letters[found - plain]);
        else if (asim_text_is_hidden(text, n))
            json_escape(out, text, n);
        else
            asim_out_write(out, text, n);
        text += n ? n : 1;
    }
    asim_out_write(out, "\"", 1);
}

/* A spreadsheet runs a cell that begins so; numbers do no harm. */
static int is_formula(const char *text)
{
    double number;

    return *text && strchr("=+-@", *text) && asim_text_double(text, &number);
}

/* Bytes from here on that a field has as they are: most names have no others. */
static size_t plain_of(const char *text)
{
    size_t n = 0;

    while (text[n] >= ' ' && text[n] <= '~' && text[n] != '"')
        n++;
    return n;
}

static void csv_text(struct asim_out *out, const char *text)
{
    if (is_formula(text))
        asim_out_write(out, "'", 1);
    for (size_t step; *text; text += step) {
        size_t n = step = plain_of(text);

        if (!n)
            n = visible(text, &step);
        if (*text == '"')
            asim_out_write(out, "\"", 1);
        if (n)
            asim_out_write(out, text, n);
        else if ((unsigned char)*text < ' ')
            asim_out_write(out, " ", 1);
        else
            asim_out_write(out, replacement, 3);
    }
}

void asim_quote_csv(struct asim_out *out, const char *text)
{
    asim_out_write(out, "\"", 1);
    csv_text(out, text);
    asim_out_write(out, "\"", 1);
}

void asim_quote_csv_if_needed(struct asim_out *out, const char *text)
{
    size_t n = strlen(text);
    int is_edge = n && ((unsigned char)*text <= ' ' || (unsigned char)text[n - 1] <= ' ');

    if (is_edge || strpbrk(text, ",\""))
        asim_quote_csv(out, text);
    else
        csv_text(out, text);
}

void asim_quote_xml(struct asim_out *out, const char *text)
{
    for (size_t step; *text; text += step) {
        size_t n = visible(text, &step);

        if (*text == '&')
            asim_out_printf(out, "&amp;");
        else if (*text == '<')
            asim_out_printf(out, "&lt;");
        else if (*text == '>')
            asim_out_printf(out, "&gt;");
        else if (n || strchr("\t\n\r", *text))
            asim_out_write(out, text, step);
        else
            asim_out_write(out, replacement, 3);
    }
}
