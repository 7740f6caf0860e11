/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Writes texts, cells and tables of the page.
 */
#include "tools/report/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/io/quote.h"

char asim_html_letter(size_t number)
{
    return (char)(number < 26 ? 'A' + number : number < 52 ? 'a' + number - 26 : '+');
}

void asim_html_section(struct asim_out *out, const char *word, size_t number, const char *title)
{
    asim_out_printf(out, "<section id=\"%s-%zu\">\n<h3>%s</h3>\n", word, number, title);
}

void asim_html_table(struct asim_out *out, const char *head)
{
    asim_out_printf(out, "<div class=\"wide\"><table>\n<thead><tr>");
    while (*head) {
        size_t length = strcspn(head, "|");
        int is_number = *head == '#';

        asim_out_printf(out, "<th scope=\"col\"%s>%.*s</th>", is_number ? " class=\"n\"" : "",
                        (int)length - is_number, head + is_number);
        head += length + (head[length] == '|');
    }
    asim_out_printf(out, "</tr></thead>\n<tbody>\n");
}

void asim_html_text(struct asim_out *out, const char *text)
{
    asim_out_printf(out, "<td>");
    asim_quote_xml(out, text);
    asim_out_printf(out, "</td>");
}

void asim_html_number(struct asim_out *out, const char *shown, double value)
{
    asim_out_printf(out, "<td class=\"n\" data-v=\"%.9g\">", value);
    asim_quote_xml(out, shown);
    asim_out_printf(out, "</td>");
}

void asim_html_count(struct asim_out *out, uint64_t count)
{
    char shown[ASIM_SHOW_BYTES];

    asim_html_number(out, asim_show_count(shown, count), (double)count);
}

void asim_html_time(struct asim_out *out, double ns)
{
    char shown[ASIM_SHOW_BYTES];

    asim_html_number(out, asim_show_time(shown, ns), ns);
}
