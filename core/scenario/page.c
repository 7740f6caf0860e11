/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Prints text into a caller's buffer, and counts on behind its end.
 */
#include "scenario/page.h"

#include <stdarg.h>
#include <stdio.h>

void asim_page_printf(struct asim_page *page, const char *fmt, ...)
{
    int fits = page->n < page->size;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(fits ? page->buf + page->n : NULL, fits ? page->size - page->n : 0, fmt, args);
    va_end(args);
    page->n += n > 0 ? (size_t)n : 0;
}

void asim_page_quote(struct asim_page *page, const char *text)
{
    asim_page_printf(page, "\"");
    for (; *text; text++)
        asim_page_printf(page, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    asim_page_printf(page, "\"");
}
