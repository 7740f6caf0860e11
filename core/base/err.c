/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Fills in errors. Nothing here allocates, so that an error can be reported after memory has run
 * out. A sentence that is longer than the buffer is cut and ends in "...". The place is in fields
 * of its own and is not cut.
 *
 * Names of inputs in a sentence cannot hide what it says (asim_text_clean).
 *
 * The first error wins: asim_err_set does nothing on a filled struct. Text and place are copied;
 * nothing has to be freed. Costs one vsnprintf.
 */
#include "asim/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"

/* Copies the text and ends it with "..." if it has to be cut; size > 3. */
static void copy_cut(char *to, size_t size, const char *from)
{
    size_t n = strlen(from);
    if (n < size) {
        memcpy(to, from, n + 1);
        return;
    }
    memcpy(to, from, size - 4);
    memcpy(to + size - 4, "...", 4);
}

/* If vsnprintf fails (a wide character that the locale cannot show), the format itself is the text.
 * code marks the struct as filled, so it is set last. */
static void fill(struct asim_err *err, int code, const char *fmt, va_list args)
{
    int n = vsnprintf(err->text, sizeof err->text, fmt, args);
    if (n < 0)
        copy_cut(err->text, sizeof err->text, fmt);
    else if ((size_t)n >= sizeof err->text)
        memcpy(err->text + sizeof err->text - 4, "...", 4);
    asim_text_clean(err->text);
    err->code = code;
}

int asim_err_set(struct asim_err *err, int code, const char *fmt, ...)
{
    if (!err || err->code)
        return code;
    va_list args;
    va_start(args, fmt);
    err->line = err->column = 0;
    err->source[0] = '\0';
    fill(err, code, fmt, args);
    va_end(args);
    return code;
}

int asim_err_at(struct asim_err *err, int code, struct asim_where at, const char *fmt, ...)
{
    if (!err || err->code)
        return code;
    va_list args;
    va_start(args, fmt);
    err->line = at.line;
    err->column = at.column;
    copy_cut(err->source, sizeof err->source, at.source ? at.source : "");
    asim_text_clean(err->source);
    fill(err, code, fmt, args);
    va_end(args);
    return code;
}

/* doing completes the sentence "out of memory while …". */
int asim_err_nomem(struct asim_err *err, const char *doing)
{
    return asim_err_set(err, ASIM_ENOMEM, "out of memory while %s", doing);
}

/* The format of compilers, which editors and terminals make clickable. */
const char *asim_err_show(const struct asim_err *err, char *buf, size_t size)
{
    char line[32] = "", column[32] = "";
    if (err->line)
        snprintf(line, sizeof line, "%s%u", err->source[0] ? ":" : "line ", err->line);
    if (err->line && err->column)
        snprintf(column, sizeof column, ":%u", err->column);
    const char *colon = err->source[0] || err->line ? ": " : "";
    if (size)
        snprintf(buf, size, "%s%s%s%s%s", err->source, line, column, colon, err->text);
    return buf;
}
